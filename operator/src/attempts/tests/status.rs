use super::{LONG, Made, Scene, ended, place, spec};
use crate::attempts::Patience;
use crate::attempts::status::still_runs;
use crate::exec::{LostReason, Outcome, Purpose};
use planner::names::ContainerId;
use planner::observation::{Command, Status};
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(20);
const QUICK: Patience =
    Patience { answer: SHORT, longest_answer: SHORT, shell: LONG, fresh: LONG, kept: LONG, fate: LONG };

async fn ask(scene: &Scene, container: &str, timeout: Duration) -> Status {
    scene.attempts.asker().ask(place(), ContainerId::from(container), vec!["/status".into()], timeout).await
}

/// Asks, and answers the call that this leads to.
async fn asked(scene: &mut Scene, outcome: Outcome, timeout: Duration) -> Status {
    let (asker, calls) = (scene.attempts.asker(), &mut scene.calls);
    let status = asker.ask(place(), ContainerId::from("c1"), vec!["/status".into()], timeout);
    let answer = async { calls.recv().await.unwrap().answer.send(outcome).unwrap() };
    let (status, ()) = tokio::join!(status, answer);
    if status != still_runs() {
        return status;
    }
    // A busy machine: the round's patience was over before the answer was looked at.
    scene.woken().await;
    ask(scene, "c1", timeout).await
}

fn code(status: &Status) -> Option<i32> {
    match status {
        Status::Answer(answer) => Some(answer.code),
        _ => None,
    }
}

#[tokio::test]
async fn an_answer_in_time_is_part_of_the_round() {
    let mut scene = Scene::new();
    let status = asked(&mut scene, ended(8, "rss.group=g\n"), LONG).await;
    let Status::Answer(answer) = status else { panic!("{status:?}") };
    assert_eq!((answer.code, answer.container), (8, ContainerId::from("c1")));
    assert!(scene.wakes.is_empty(), "nobody waits for a wake");
}

#[tokio::test]
async fn a_lost_stream_is_silence_with_its_reason() {
    let mut scene = Scene::new();
    let status = asked(&mut scene, Outcome::Lost(LostReason::without_words(403)), LONG).await;
    assert_eq!(status, Status::Silent(LostReason::without_words(403).to_string()));
}

#[tokio::test]
async fn a_slow_answer_does_not_hold_up_the_round_and_wakes_the_set_when_it_comes() {
    let mut scene = Scene::with(QUICK);
    assert!(matches!(ask(&scene, "c1", LONG).await, Status::Silent(_)));
    let made = scene.call(Purpose::Status).await;
    assert!(matches!(ask(&scene, "c1", LONG).await, Status::Silent(_)));
    made.answer.send(ended(7, "")).unwrap();
    scene.woken().await;
    assert_eq!(code(&ask(&scene, "c1", LONG).await), Some(7));
    assert!(scene.asks_nothing_more(), "asked once for all three rounds");
}

#[tokio::test]
async fn a_member_that_usually_takes_its_time_is_given_it() {
    let mut scene =
        Scene::with(Patience { answer: Duration::ZERO, longest_answer: LONG, ..Patience::default() });
    assert!(matches!(ask(&scene, "c1", LONG).await, Status::Silent(_)), "not known yet");
    let made = scene.call(Purpose::Status).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    made.answer.send(ended(8, "")).unwrap();
    scene.woken().await;
    assert_eq!(code(&ask(&scene, "c1", LONG).await), Some(8));
    let (asker, calls) = (scene.attempts.asker(), &mut scene.calls);
    let status = asker.ask(place(), ContainerId::from("c1"), vec!["/status".into()], LONG);
    let answer = async {
        let made = calls.recv().await.unwrap();
        tokio::time::sleep(Duration::from_millis(30)).await;
        made.answer.send(ended(0, "")).unwrap();
    };
    assert_eq!(code(&tokio::join!(status, answer).0), Some(0));
}

#[tokio::test]
async fn only_one_round_waits_for_the_same_answer() {
    let patience = Duration::from_millis(400);
    let mut scene = Scene::with(Patience { answer: patience, longest_answer: patience, ..QUICK });
    assert!(matches!(ask(&scene, "c1", LONG).await, Status::Silent(_)));
    let _held = scene.call(Purpose::Status).await;
    let since = std::time::Instant::now();
    assert!(matches!(ask(&scene, "c1", LONG).await, Status::Silent(_)));
    assert!(since.elapsed() < patience, "the second did not wait");
}

/// A member whose first `status` did not end in time, and its stream.
async fn overdue(patience: Patience) -> (Scene, Made) {
    let mut scene = Scene::with(patience);
    assert_eq!(ask(&scene, "c1", Duration::ZERO).await, still_runs());
    let first = scene.call(Purpose::Status).await;
    assert!(scene.asks_nothing_more(), "nobody says that it hangs yet");
    (scene, first)
}

#[tokio::test]
async fn a_status_past_its_timeout_is_asked_once_more_and_hangs_if_that_does_not_end_either() {
    let (mut scene, _first) = overdue(QUICK).await;
    let mut held = Vec::new();
    for shell_answers in [true, false] {
        let outcome = if shell_answers { ended(0, "") } else { Outcome::Lost(LostReason::Deadline) };
        let calls = &mut scene.calls;
        let asker = scene.attempts.asker();
        let status = asker.ask(place(), "c1".into(), vec!["/status".into()], Duration::ZERO);
        let shell = async {
            loop {
                let made = calls.recv().await.unwrap();
                if made.call.purpose == Purpose::Shell {
                    return made.answer.send(outcome).unwrap();
                }
                held.push(made);
            }
        };
        let (status, ()) = tokio::join!(status, shell);
        assert_eq!(status, Status::Hung { shell_answers });
        assert_eq!(held.len(), 1, "a second time, and no third");
    }
}

#[tokio::test]
async fn a_member_behind_a_half_open_stream_is_well_by_the_word_of_another() {
    for is_lost_meanwhile in [false, true] {
        let (mut scene, mut first) = overdue(QUICK).await;
        assert_eq!(ask(&scene, "c1", LONG).await, still_runs());
        let second = scene.call(Purpose::Status).await;
        if is_lost_meanwhile {
            let (lost, _) = tokio::sync::oneshot::channel();
            let sender = std::mem::replace(&mut first.answer, lost);
            sender.send(Outcome::Lost(LostReason::Stream)).unwrap();
            assert_eq!(ask(&scene, "c1", LONG).await, still_runs(), "the other may answer");
        }
        second.answer.send(ended(8, "")).unwrap();
        scene.woken().await;
        assert_eq!(code(&ask(&scene, "c1", LONG).await), Some(8));
        if !is_lost_meanwhile {
            first.answer.closed().await;
        }
        assert!(scene.asks_nothing_more());
    }
}

#[tokio::test]
async fn an_answer_after_the_timeout_is_not_used() {
    let (mut scene, first) = overdue(QUICK).await;
    assert_eq!(ask(&scene, "c1", LONG).await, still_runs());
    let second = scene.call(Purpose::Status).await;
    first.answer.send(ended(8, "")).unwrap();
    second.answer.send(ended(7, "")).unwrap();
    scene.woken().await;
    assert_eq!(code(&ask(&scene, "c1", LONG).await), Some(7));
}

#[tokio::test]
async fn whose_two_streams_are_lost_is_silent_and_asked_anew() {
    let (mut scene, first) = overdue(QUICK).await;
    assert_eq!(ask(&scene, "c1", LONG).await, still_runs());
    for made in [first, scene.call(Purpose::Status).await] {
        made.answer.send(Outcome::Lost(LostReason::Stream)).unwrap();
    }
    scene.woken().await;
    assert_eq!(ask(&scene, "c1", LONG).await, Status::Silent(LostReason::Stream.to_string()));
    assert_eq!(code(&asked(&mut scene, ended(7, ""), LONG).await), Some(7));
}

/// Whoever took that for a member that hangs would replace its pod.
#[tokio::test]
async fn where_the_second_stream_breaks_beside_a_half_open_one_another_is_asked() {
    let (mut scene, _first) = overdue(QUICK).await;
    assert_eq!(ask(&scene, "c1", LONG).await, still_runs());
    scene.call(Purpose::Status).await.answer.send(Outcome::Lost(LostReason::Stream)).unwrap();
    let mut third = None;
    for _ in 0..100 {
        assert_eq!(ask(&scene, "c1", LONG).await, still_runs());
        third = third.or_else(|| scene.calls.try_recv().ok());
    }
    let third = third.expect("it is asked once more");
    assert_eq!(third.call.purpose, Purpose::Status);
    third.answer.send(ended(8, "")).unwrap();
}

#[tokio::test]
async fn an_answer_that_nobody_fetched_for_long_is_not_used() {
    let mut scene = Scene::with(Patience { fresh: Duration::ZERO, ..QUICK });
    assert!(matches!(ask(&scene, "c1", LONG).await, Status::Silent(_)));
    scene.call(Purpose::Status).await.answer.send(ended(8, "")).unwrap();
    scene.woken().await;
    tokio::time::sleep(Duration::from_millis(2)).await;
    assert!(matches!(ask(&scene, "c1", LONG).await, Status::Silent(_)));
    scene.call(Purpose::Status).await;
}

#[tokio::test]
async fn an_answer_from_before_a_start_says_nothing_of_the_time_after() {
    let mut scene = Scene::with(QUICK);
    assert!(matches!(ask(&scene, "c1", LONG).await, Status::Silent(_)));
    let before = scene.call(Purpose::Status).await;
    scene.attempts.begin(spec("a1", Command::Seed)).unwrap();
    let start = scene.call(Purpose::Guarded(Command::Seed)).await;
    before.answer.send(ended(7, "")).unwrap();
    scene.woken().await;
    assert!(matches!(ask(&scene, "c1", LONG).await, Status::Silent(_)), "asked anew");
    let during = scene.call(Purpose::Status).await;
    start.answer.send(ended(0, "")).unwrap();
    scene.woken().await;
    during.answer.send(ended(7, "")).unwrap();
    scene.woken().await;
    assert_eq!(code(&asked(&mut scene, ended(8, ""), LONG).await), Some(8), "asked after its end");
}

#[tokio::test]
async fn a_read_does_not_make_an_answer_void() {
    let mut scene = Scene::with(QUICK);
    assert!(matches!(ask(&scene, "c1", LONG).await, Status::Silent(_)));
    let status = scene.call(Purpose::Status).await;
    scene.attempts.begin(spec("a1", Command::Read)).unwrap();
    scene.call(Purpose::Guarded(Command::Read)).await;
    status.answer.send(ended(7, "")).unwrap();
    scene.woken().await;
    assert_eq!(code(&ask(&scene, "c1", LONG).await), Some(7));
}

#[tokio::test]
async fn a_new_container_is_asked_itself_and_the_old_ones_stream_is_dropped() {
    let mut scene = Scene::with(QUICK);
    assert!(matches!(ask(&scene, "c0", LONG).await, Status::Silent(_)));
    let mut old = scene.call(Purpose::Status).await;
    assert_eq!(code(&asked(&mut scene, ended(0, ""), LONG).await), Some(0));
    old.answer.closed().await;
}
