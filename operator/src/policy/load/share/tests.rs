use std::time::Duration;

use tokio::task::JoinHandle;

use super::*;
use crate::policy::guest::Guest;

async fn component(share: &Share, bytes: &[u8]) -> Arc<Component> {
    share
        .component(Bytes::copy_from_slice(bytes), Purpose::New, "shop")
        .await
        .unwrap_or_else(|_| panic!("it is a policy"))
}

#[tokio::test]
async fn sets_that_use_the_same_bytes_share_what_was_compiled_and_nothing_stays_that_nobody_uses() {
    let share = Share::new(Host::new().unwrap());
    let (one, two) = (Guest::seed().component(), Guest::primaries().component());
    let first = component(&share, &one).await;
    assert!(Arc::ptr_eq(&first, &component(&share, &one).await));
    assert!(!Arc::ptr_eq(&first, &component(&share, &two).await));
    let digest = *first.digest();
    drop(first);
    assert!(share.known(digest, Purpose::New).is_none());
}

#[tokio::test]
async fn sets_that_want_the_same_bytes_at_one_moment_have_them_compiled_once() {
    let share = Arc::new(Share::new(Host::new().unwrap()));
    let bytes = Guest::seed().component();
    let wants = || {
        let (share, bytes) = (Arc::clone(&share), bytes.clone());
        tokio::spawn(async move { component(&share, &bytes).await })
    };
    let all = [wants(), wants(), wants()];
    let [first, second, third] = futures::future::join_all(all).await.try_into().unwrap();
    let first = first.unwrap();
    assert!(Arc::ptr_eq(&first, &second.unwrap()) && Arc::ptr_eq(&first, &third.unwrap()));
}

#[tokio::test]
async fn what_is_in_use_leaves_room_for_no_more_than_the_rest() {
    let share = Share::new(Host::new().unwrap());
    let in_use = component(&share, &Guest::seed().component()).await;
    let used = in_use.size();
    for (purpose, most) in [(Purpose::New, ROOM_FOR_NEW), (Purpose::Restored, ROOM)] {
        let wanted = most - used + 1;
        assert_eq!(share.room(wanted - 1, purpose), Ok(()));
        assert_eq!(share.room(wanted, purpose), Err(Full { used, wanted, most }));
    }
    drop(in_use);
    assert_eq!(share.room(ROOM_FOR_NEW, Purpose::New), Ok(()), "nobody uses it any more");
}

#[tokio::test]
async fn a_candidate_takes_no_room_of_what_decides_not_even_with_the_same_bytes() {
    let share = Share::new(Host::new().unwrap());
    let bytes = Bytes::from(Guest::seed().component());
    let decides = component(&share, &bytes).await;
    let Ok(candidate) = share.component(bytes, Purpose::Candidate, "shop").await else {
        panic!("it is a policy")
    };
    assert!(!Arc::ptr_eq(&decides, &candidate));
    drop(decides);
    assert_eq!(share.room(ROOM_FOR_NEW, Purpose::New), Ok(()));
    let used = candidate.size();
    let wanted = ROOM_FOR_CANDIDATES - used + 1;
    let full = Full { used, wanted, most: ROOM_FOR_CANDIDATES };
    assert_eq!(share.room(wanted, Purpose::Candidate), Err(full));
}

/// Something that takes its turn and goes on until it is told to end.
fn busy(
    share: &Arc<Share>,
    purpose: Purpose,
    namespace: &'static str,
) -> (std::sync::mpsc::Sender<()>, JoinHandle<()>) {
    let (share, (end, ends)) = (Arc::clone(share), std::sync::mpsc::channel());
    let work = async move { drop(share.in_turn(purpose, namespace, move || ends.recv()).await) };
    (end, tokio::spawn(work))
}

#[tokio::test]
async fn another_namespaces_policy_waits_for_the_one_that_is_compiled_and_not_for_all_that_wait() {
    let share = Arc::new(Share::new(Host::new().unwrap()));
    let (end, first) = busy(&share, Purpose::New, "greedy");
    tokio::task::yield_now().await;
    let (_candidate, _) = busy(&share, Purpose::Candidate, "shop");
    let more: Vec<_> = (0..3).map(|_| busy(&share, Purpose::New, "greedy")).collect();
    tokio::task::yield_now().await;
    let bytes: Bytes = Guest::seed().component().into();
    let mut waits = std::pin::pin!(share.component(bytes, Purpose::New, "shop"));
    assert!(futures::poll!(&mut waits).is_pending());
    drop(end);
    first.await.unwrap();
    // What has not come after this never will: those that were before it wait for this test to end.
    let compiled = tokio::time::timeout(Duration::from_secs(20), waits).await;
    drop(more);
    assert!(compiled.is_ok_and(|compiled| compiled.is_ok()), "nothing that waits has ended");
}

#[tokio::test]
async fn what_is_compiled_already_waits_for_nobody() {
    let share = Arc::new(Share::new(Host::new().unwrap()));
    let bytes = Guest::seed().component();
    let _in_use = component(&share, &bytes).await;
    let (_end, _busy) = busy(&share, Purpose::New, "greedy");
    tokio::task::yield_now().await;
    component(&share, &bytes).await;
}
