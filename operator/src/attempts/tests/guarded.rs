use super::{LONG, Scene, ended, place, said, spec};
use crate::attempts::{NotBegun, Patience, Question, Spec};
use crate::exec::{LostReason, Outcome, Purpose};
use planner::names::{AttemptId, ContainerId};
use planner::observation::{AttemptState, Command, Fate, Refusal, Status};
use std::collections::BTreeSet;
use std::time::Duration;

const SEED: Purpose = Purpose::Guarded(Command::Seed);
const READ: Purpose = Purpose::Guarded(Command::Read);

fn fate(scene: &Scene, id: &str) -> Option<Fate> {
    scene.attempts.fates().get(&AttemptId::from(id)).copied()
}

fn question(id: &str) -> Question {
    Question { place: place(), pod: "uid".into(), attempt: id.into() }
}

#[tokio::test]
async fn a_command_runs_under_the_guard_and_its_end_wakes_the_set() {
    let mut scene = Scene::new();
    scene.attempts.begin(spec("a1", Command::Read)).unwrap();
    assert_eq!(scene.attempts.snapshot()[&AttemptId::from("a1")].state, AttemptState::Running);
    let made = scene.call(READ).await;
    let own = &made.call.argv[made.call.argv.len() - 7..];
    assert_eq!(own, ["uid", "a1", "", "5", "run", "/script", "rss-a-1.a-svc"]);
    assert_eq!(made.call.deadline, LONG);
    made.answer.send(ended(0, "17")).unwrap();
    assert_eq!(scene.ended("a1").await, AttemptState::Ended(said(0, "17")));
}

#[tokio::test]
async fn a_start_takes_the_lock_that_it_is_given_and_a_probe_runs_nothing_else() {
    let mut scene = Scene::new();
    scene.attempts.begin(Spec { lock: Some("/data".into()), ..spec("a1", Command::Seed) }).unwrap();
    let made = scene.call(SEED).await;
    assert_eq!(made.call.argv[4..9], ["uid", "a1", "/data", "5", "start"]);
    made.answer.send(ended(0, "")).unwrap();
    scene.woken().await;
    scene.attempts.begin(Spec { lock: Some("/data".into()), ..spec("a2", Command::Probe) }).unwrap();
    let made = scene.call(Purpose::Guarded(Command::Probe)).await;
    assert_eq!(made.call.argv[5..], ["a2", "/data", "5", "run", "true"]);
}

#[tokio::test]
async fn what_ended_stays_until_it_is_forgotten_and_what_runs_is_never_forgotten() {
    let mut scene = Scene::new();
    scene.attempts.begin(spec("a1", Command::Read)).unwrap();
    let all = BTreeSet::from([AttemptId::from("a1")]);
    scene.attempts.forget(&all);
    assert_eq!(scene.attempts.snapshot().len(), 1);
    scene.call(READ).await.answer.send(ended(0, "")).unwrap();
    scene.woken().await;
    scene.attempts.forget(&all);
    assert!(scene.attempts.snapshot().is_empty());
}

#[tokio::test]
async fn a_container_takes_one_guarded_command_at_a_time() {
    let mut scene = Scene::new();
    scene.attempts.begin(spec("a1", Command::Seed)).unwrap();
    assert_eq!(scene.attempts.begin(spec("a2", Command::Stop)), Err(NotBegun::Busy("a1".into())));
    assert_eq!(scene.attempts.begin(spec("a1", Command::Seed)), Err(NotBegun::Known("a1".into())));
    scene.attempts.begin(Spec { container: "c2".into(), ..spec("a3", Command::Seed) }).unwrap();
    let first = scene.call(SEED).await;
    first.answer.send(ended(0, "")).unwrap();
    scene.woken().await;
    scene.attempts.begin(spec("a2", Command::Stop)).unwrap();
}

#[tokio::test]
async fn a_start_in_the_foreground_is_not_in_the_way_once_its_member_runs() {
    let mut scene = Scene::new();
    scene.attempts.begin(spec("a1", Command::Seed)).unwrap();
    let start = scene.call(SEED).await;
    answered(&mut scene, 8).await;
    scene.attempts.begin(spec("a2", Command::Probe)).unwrap();
    assert!(!start.answer.is_closed(), "and goes on");
}

#[tokio::test]
async fn a_promotion_is_in_the_way_until_its_member_is_primary() {
    let mut scene = Scene::new();
    scene.attempts.begin(spec("a1", Command::Promote)).unwrap();
    let _promotion = scene.call(Purpose::Guarded(Command::Promote)).await;
    answered(&mut scene, 0).await;
    assert_eq!(scene.attempts.begin(spec("a2", Command::Probe)), Err(NotBegun::Busy("a1".into())));
    answered(&mut scene, 8).await;
    scene.attempts.begin(spec("a2", Command::Probe)).unwrap();
}

/// The member answers its status with this code.
async fn answered(scene: &mut Scene, code: i32) {
    let (asker, calls) = (scene.attempts.asker(), &mut scene.calls);
    let asked = asker.ask(place(), ContainerId::from("c1"), vec!["/status".into()], LONG);
    let answer = async {
        calls.recv().await.unwrap().answer.send(ended(code, "")).unwrap();
    };
    let (status, ()) = tokio::join!(asked, answer);
    assert!(matches!(status, Status::Answer(answer) if answer.code == code));
}

#[tokio::test]
async fn a_refusal_of_a_command_that_is_no_start_needs_no_second_question() {
    let mut scene = Scene::new();
    scene.attempts.begin(spec("a1", Command::Read)).unwrap();
    scene.call(READ).await.answer.send(ended(123, "")).unwrap();
    assert_eq!(scene.ended("a1").await, AttemptState::Refused(Refusal::LockBusy));
    assert!(scene.asks_nothing_more());
}

#[tokio::test]
async fn a_start_is_refused_only_where_it_left_no_exit_code() {
    let mut scene = Scene::new();
    scene.attempts.begin(spec("a1", Command::Seed)).unwrap();
    scene.call(SEED).await.answer.send(ended(123, "")).unwrap();
    scene.call(Purpose::Fate).await.answer.send(ended(0, "marked\n")).unwrap();
    assert_eq!(scene.ended("a1").await, AttemptState::Refused(Refusal::LockBusy));
    assert_eq!(fate(&scene, "a1"), Some(Fate::Refused));
    scene.attempts.begin(spec("a2", Command::Seed)).unwrap();
    scene.call(SEED).await.answer.send(ended(123, "")).unwrap();
    scene.call(Purpose::Fate).await.answer.send(ended(0, "ended 123\n")).unwrap();
    assert_eq!(scene.ended("a2").await, AttemptState::Ended(said(123, "")));
    assert_eq!(fate(&scene, "a2"), Some(Fate::Ended(123)));
}

#[tokio::test]
async fn a_start_whose_guard_was_killed_is_not_taken_for_ended() {
    let mut scene = Scene::new();
    scene.attempts.begin(spec("a1", Command::Seed)).unwrap();
    scene.call(SEED).await.answer.send(ended(137, "")).unwrap();
    scene.call(Purpose::Fate).await.answer.send(ended(0, "began\n")).unwrap();
    assert!(matches!(scene.ended("a1").await, AttemptState::Lost(_)));
    assert_eq!(fate(&scene, "a1"), Some(Fate::Began));
}

#[tokio::test]
async fn a_start_that_ended_plainly_is_not_asked_after() {
    let mut scene = Scene::new();
    scene.attempts.begin(spec("a1", Command::Seed)).unwrap();
    scene.call(SEED).await.answer.send(ended(2, "")).unwrap();
    assert_eq!(scene.ended("a1").await, AttemptState::Ended(said(2, "")));
    assert!(scene.asks_nothing_more());
}

#[tokio::test]
async fn a_start_that_the_runtime_could_not_run_did_not_begin_whatever_its_exit_code() {
    let mut scene = Scene::new();
    for code in [1, 126, 127] {
        let [failed, absent] = ["failed", "absent"].map(|name| format!("{name}-{code}"));
        scene.attempts.begin(spec(&absent, Command::Seed)).unwrap();
        scene.call(SEED).await.answer.send(ended(code, "")).unwrap();
        scene.call(Purpose::Fate).await.answer.send(ended(0, "revoked\n")).unwrap();
        assert!(matches!(scene.ended(&absent).await, AttemptState::Lost(_)));
        assert_eq!(fate(&scene, &absent), Some(Fate::Revoked));
        scene.attempts.begin(spec(&failed, Command::Seed)).unwrap();
        scene.call(SEED).await.answer.send(ended(code, "")).unwrap();
        scene.call(Purpose::Fate).await.answer.send(ended(0, &format!("ended {code}\n"))).unwrap();
        assert_eq!(scene.ended(&failed).await, AttemptState::Ended(said(code, "")));
        scene.attempts.begin(spec(&format!("full-{code}"), Command::Seed)).unwrap();
        scene.call(SEED).await.answer.send(ended(code, "")).unwrap();
        scene.call(Purpose::Fate).await.answer.send(ended(0, "began\n")).unwrap();
        assert_eq!(scene.ended(&format!("full-{code}")).await, AttemptState::Ended(said(code, "")));
    }
}

#[tokio::test]
async fn the_exit_code_of_a_start_whose_stream_was_lost_is_fetched() {
    let mut scene = Scene::new();
    scene.attempts.begin(spec("a1", Command::Seed)).unwrap();
    scene.call(SEED).await.answer.send(Outcome::Lost(LostReason::Stream)).unwrap();
    scene.call(Purpose::Fate).await.answer.send(ended(0, "ended 4\n")).unwrap();
    assert!(matches!(scene.ended("a1").await, AttemptState::Ended(output) if output.code == 4));
}

#[tokio::test]
async fn a_start_that_was_lost_on_its_way_is_revoked() {
    let mut scene = Scene::new();
    scene.attempts.begin(spec("a1", Command::Seed)).unwrap();
    scene.call(SEED).await.answer.send(Outcome::Lost(LostReason::Connect)).unwrap();
    scene.call(Purpose::Fate).await.answer.send(ended(0, "revoked\n")).unwrap();
    assert!(matches!(scene.ended("a1").await, AttemptState::Lost(_)));
    assert_eq!(fate(&scene, "a1"), Some(Fate::Revoked));
}

#[tokio::test]
async fn a_lost_command_that_is_no_start_is_left_at_that() {
    let mut scene = Scene::new();
    scene.attempts.begin(spec("a1", Command::Stop)).unwrap();
    let stop = scene.call(Purpose::Guarded(Command::Stop)).await;
    stop.answer.send(Outcome::Lost(LostReason::Stream)).unwrap();
    assert!(matches!(scene.ended("a1").await, AttemptState::Lost(_)));
    assert!(scene.asks_nothing_more());
}

#[tokio::test]
async fn a_fate_is_asked_again_when_the_question_is_lost_and_given_up_in_the_end() {
    let mut scene = Scene::with(Patience { fate: Duration::from_millis(100), ..Patience::default() });
    scene.attempts.begin(spec("a1", Command::Seed)).unwrap();
    scene.call(SEED).await.answer.send(Outcome::Lost(LostReason::Stream)).unwrap();
    let mut questions = 0;
    while scene.wakes.is_empty() {
        if let Ok(made) = scene.calls.try_recv() {
            assert_eq!(made.call.purpose, Purpose::Fate);
            questions += 1;
            made.answer.send(Outcome::Lost(LostReason::Connect)).unwrap();
        }
        tokio::task::yield_now().await;
    }
    assert!(questions > 1);
    assert!(matches!(scene.ended("a1").await, AttemptState::Lost(_)));
    assert_eq!(fate(&scene, "a1"), None);
}

#[tokio::test]
async fn a_fate_that_is_asked_for_is_kept_and_the_same_question_is_not_put_twice() {
    let mut scene = Scene::new();
    scene.attempts.ask_fate(question("old"));
    scene.attempts.ask_fate(question("old"));
    let made = scene.call(Purpose::Fate).await;
    assert!(scene.asks_nothing_more());
    made.answer.send(ended(0, "revoked\n")).unwrap();
    scene.woken().await;
    assert_eq!(fate(&scene, "old"), Some(Fate::Revoked));
    scene.attempts.ask_fate(question("old"));
    scene.call(Purpose::Fate).await;
}

#[tokio::test]
async fn a_leader_that_is_replaced_drops_its_streams() {
    let mut scene = Scene::new();
    scene.attempts.begin(spec("a1", Command::Seed)).unwrap();
    let mut start = scene.call(SEED).await;
    drop(scene.attempts);
    start.answer.closed().await;
}

#[tokio::test]
async fn only_the_newest_ends_are_kept() {
    let mut scene = Scene::new();
    for number in 0..70 {
        scene.attempts.begin(spec(&format!("{:03}", 99 - number), Command::Read)).unwrap();
        scene.call(READ).await.answer.send(ended(0, "")).unwrap();
        scene.woken().await;
    }
    let kept = scene.attempts.snapshot();
    assert_eq!(kept.len(), 64);
    assert!(!kept.contains_key(&AttemptId::from("099")), "the first to end");
    assert!(kept.contains_key(&AttemptId::from("030")), "the last to end");
}
