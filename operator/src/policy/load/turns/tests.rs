use std::pin::Pin;

use Purpose::{Candidate, New, Restored, RestoredAgain};

use super::*;

type Waits = (&'static str, Pin<Box<dyn Future<Output = Option<Turn>>>>);

/// Who waits, in the order in which they came.
async fn line(turns: &Turns, all: &[(&'static str, Purpose)]) -> Vec<Waits> {
    let mut waiting = Vec::new();
    for (namespace, purpose) in all {
        let (turns, namespace, purpose) = (turns.clone(), *namespace, *purpose);
        let mut waits: Waits = (namespace, Box::pin(async move { turns.turn(purpose, namespace).await }));
        assert!(futures::poll!(&mut waits.1).is_pending(), "{namespace}");
        waiting.push(waits);
    }
    waiting
}

/// The namespaces in the order in which they have their turns, each of which ends at once.
async fn served(mut waiting: Vec<Waits>) -> Vec<&'static str> {
    let mut served = Vec::new();
    loop {
        let mut begun = None;
        for (place, (_, waits)) in waiting.iter_mut().enumerate() {
            if let std::task::Poll::Ready(turn) = futures::poll!(waits) {
                begun = Some((place, turn));
                break;
            }
        }
        let Some((place, turn)) = begun else { return served };
        served.push(waiting.remove(place).0);
        drop(turn);
    }
}

#[tokio::test]
async fn what_decided_before_goes_first_then_namespaces_in_turn_and_candidates_last() {
    let turns = Turns::new(1, 1);
    let first = turns.turn(New, "a").await;
    let all = [
        ("d", Candidate),
        ("a", New),
        ("a", New),
        ("a", New),
        ("b", New),
        ("c", New),
        ("b", New),
        ("e", Restored),
    ];
    let waiting = line(&turns, &all).await;
    drop(first);
    assert_eq!(served(waiting).await, ["e", "b", "c", "a", "b", "a", "a", "d"]);
}

#[tokio::test]
async fn nothing_else_begins_while_something_is_restored() {
    let turns = Turns::new(1, 1);
    let announced = [turns.announce(), turns.announce()];
    let waiting = line(&turns, &[("a", New), ("a", Candidate)]).await;
    for announced in announced {
        assert!(turns.turn(Restored, "b").await.is_some());
        assert_eq!(turns.locked().waiting.len(), 2, "they wait still");
        drop(announced);
    }
    assert_eq!(served(waiting).await, ["a", "a"]);
}

#[tokio::test]
async fn one_namespace_does_not_take_all_places() {
    let turns = Turns::new(4, 2);
    let _two = [turns.turn(New, "a").await, turns.turn(New, "a").await];
    let waiting = line(&turns, &[("a", New)]).await;
    assert!(turns.turn(New, "b").await.is_some());
    assert!(served(waiting).await.is_empty());
}

#[tokio::test]
async fn who_goes_away_leaves_the_turn_to_the_next() {
    let turns = Turns::new(1, 1);
    let first = turns.turn(New, "a").await;
    let mut waiting = line(&turns, &[("b", New), ("c", New), ("d", New)]).await;
    drop(waiting.remove(0));
    drop(first);
    // It is given to the next already, who does not look any more.
    drop(waiting.remove(0));
    assert_eq!(served(waiting).await, ["d"]);
    assert!(turns.turn(New, "a").await.is_some());
}

#[tokio::test]
async fn what_is_restored_again_takes_turns_with_what_is_new() {
    let turns = Turns::new(1, 1);
    let first = turns.turn(New, "b").await;
    let all = [("a", RestoredAgain), ("a", RestoredAgain), ("b", New), ("c", New), ("d", Restored)];
    let waiting = line(&turns, &all).await;
    drop(first);
    assert_eq!(served(waiting).await, ["d", "a", "c", "b", "a"]);
}
