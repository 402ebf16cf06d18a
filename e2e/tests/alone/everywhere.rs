//! One operator for all namespaces, installed as `deploy/` describes it.

use anyhow::{Result, ensure};
use e2e::with_bare_namespace;

mod full {
    use super::*;

    #[tokio::test]
    async fn an_operator_for_all_namespaces_looks_after_each_and_its_other_replica_takes_over() -> Result<()>
    {
        let _alone = crate::alone().await;
        with_bare_namespace(async |home| {
            let operator = home.operator_for(&[]);
            operator.install(2).await?;
            with_bare_namespace(async |one| {
                with_bare_namespace(async |other| {
                    let (first, second) =
                        (one.running("dummy/cluster").await?, other.running("dummy/cluster").await?);
                    let leader = operator.leader().await?;
                    operator.kill_pod(&leader).await?;
                    for set in [&first, &second] {
                        let uid = set.member(0).uid().await?;
                        set.member(0).delete_now().await?;
                        set.member(0).until_replaced(&uid).await?;
                        set.until_serving(3).await?;
                    }
                    ensure!(operator.leader().await? != leader, "{leader} was killed");
                    Ok(())
                })
                .await
            })
            .await
        })
        .await
    }
}
