use super::*;
use crate::context::Context;
use crate::reconcile::Next;
use crate::telemetry::Kind;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::Instant;
use tracing::Span;

/// What has not come after this never will.
const FOREVER: Duration = Duration::from_secs(20);

fn for_long() -> Leads {
    Leads::until(Instant::now() + 100 * FOREVER)
}

#[tokio::test]
async fn what_changes_while_another_process_leads_is_not_kept() {
    let (says, mut leads) = watch::channel(Leads::default());
    let (changed, mut changes) = unbounded_channel();
    for number in 0..100 {
        changed.send(SetKey::new("shop", &number.to_string())).unwrap();
    }
    let waits = futures::poll!(std::pin::pin!(until_it_leads(&mut leads, &mut changes)));
    assert!(waits.is_pending() && changes.is_empty());
    says.send_replace(for_long());
    assert!(until_it_leads(&mut leads, &mut changes).await);
    says.send_replace(Leads::default());
    drop(says);
    assert!(!until_it_leads(&mut leads, &mut changes).await);
}

/// One resource, whose rounds end in a panic. What is begun for it is told, with what wakes it.
#[derive(Clone)]
struct Panicking {
    begun: UnboundedSender<Arc<Notify>>,
}

struct PanickingRounds;

impl Caches for Panicking {
    fn keys(&self) -> Vec<SetKey> {
        vec![SetKey::new("shop", "x")]
    }

    fn has(&self, _: &SetKey) -> bool {
        true
    }
}

impl Tended for Panicking {
    type Rounds = PanickingRounds;

    fn caches(&self) -> &impl Caches {
        self
    }

    fn rounds(&self, _: &SetKey, nudge: &Arc<Notify>) -> PanickingRounds {
        self.begun.send(Arc::clone(nudge)).expect("the test listens");
        PanickingRounds
    }
}

impl Rounds for PanickingRounds {
    const KIND: Kind = Kind::ReplicatedStatefulSet;

    type Error = ();

    fn key(&self) -> &SetKey {
        unreachable!("its first round panics")
    }

    fn context(&self) -> &Context {
        panic!("the test says so")
    }

    fn span(&self) -> Span {
        Span::none()
    }

    async fn look(&mut self) -> Result<Next, ()> {
        Ok(Next::End)
    }

    async fn refuse(&mut self, (): (), _: u32) -> Duration {
        Duration::ZERO
    }

    fn rests_until(&mut self, _: Instant) {}
}

#[tokio::test]
async fn what_panicked_is_begun_anew_also_while_something_of_it_goes_on() {
    let (begun, mut begins) = unbounded_channel();
    let panicking = Panicking { begun };
    let (_says, leads) = watch::channel(for_long());
    let (_changed, mut changes) = unbounded_channel();
    let again = async {
        // As a command under way does, the first keeps what wakes it.
        let _goes_on = begins.recv().await.expect("it is begun");
        begins.recv().await.expect("it is begun again");
    };
    tokio::select! {
        () = tend(&panicking, leads, &mut changes) => panic!("it leads"),
        again = tokio::time::timeout(FOREVER, again) => again.expect("it is not begun again"),
    }
}
