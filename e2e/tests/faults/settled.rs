//! When a set serves again, and what a person says for that.

use anyhow::{Context, Result, bail};
use e2e::galera::sql;
use e2e::{Set, told, wait};
use operator::api::SetStatus;

/// What a person says of data that was destroyed: it is given up, and then it may be overwritten.
const WORDS: [(&str, &str); 2] = [("LostData", "AcceptLoss"), ("Errant", "AcceptErrant")];

/// Wait until all serve, as a person does who gives what is offered for the data that was destroyed, and nothing else.
pub(crate) async fn settled(set: &Set<'_>, destroyed: Option<u32>) -> Result<Vec<String>> {
    let mut keys = Vec::new();
    loop {
        let mut stalled = None;
        let settles = wait::asked("all serve, or a person is needed", async || {
            let status = set.status().await?;
            // An operator that was cut off just now may not have told yet what has happened.
            let is_over = is_stalled(&status) || told::is_well(&status, 3) && all_serve(set).await?;
            stalled = Some(status).filter(is_stalled);
            Ok(is_over)
        });
        if let Err(error) = settles.await {
            bail!("{error:#}; it waits for {:#?}", set.status().await?.holds);
        }
        let Some(status) = stalled else { return Ok(keys) };
        let destroyed = destroyed.map(|member| set.member(member).name);
        let destroyed = destroyed.with_context(|| format!("no data was destroyed: {:#?}", status.holds))?;
        let offered = |(reason, kind): &(&str, &str)| {
            let key = format!("{kind}/{destroyed}/");
            let mut of_reason = status.holds.iter().filter(|hold| hold.reason == *reason);
            of_reason.any(|hold| hold.keys.iter().any(|offered| offered.starts_with(&key)))
        };
        let given_up = WORDS.into_iter().find(offered);
        let (reason, kind) = given_up
            .with_context(|| format!("it waits for another than {destroyed}: {:#?}", status.holds))?;
        set.allow_offered(reason, &format!("{kind}/{destroyed}/")).await?;
        keys.push(format!("{kind}/{destroyed}"));
    }
}

/// Each member itself says that it serves, in one component with the others.
pub(crate) async fn all_serve(set: &Set<'_>) -> Result<bool> {
    for member in set.members(3) {
        let size = sql(&member, "SHOW STATUS LIKE 'wsrep_cluster_size'").await?;
        let ready = sql(&member, "SHOW STATUS LIKE 'wsrep_ready'").await?;
        if !size.ends_with("\t3") || !ready.ends_with("\tON") {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_stalled(status: &SetStatus) -> bool {
    told::is(status, "Stalled", "True")
}
