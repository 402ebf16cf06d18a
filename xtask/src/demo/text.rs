//! The report for people.

use std::fmt::Write;

use super::report::{Cut, Report, Time};
use super::seen;

/// All cuts, and the sum.
pub(super) fn of(report: &Report) -> String {
    let mut text = String::new();
    for cut in &report.cuts {
        write_cut(&mut text, cut);
    }
    let changed = if report.policy_kept { "before and after" } else { "before, and ANOTHER AFTER" };
    // Writing to a string does not fail.
    writeln!(text, "policy {changed}: {}", report.policy.words()).ok();
    if let Some(replay) = &report.replay {
        writeln!(text, "{}", replay.words()).ok();
    }
    let verdict = if report.ok { "the set is Ready and no acknowledged row is lost" } else { "FAILED" };
    let (cuts, known, lost) = (report.cuts.len(), report.acknowledged, report.lost);
    text + &format!("power cuts: {cuts}, rows acknowledged: {known}, lost: {lost}: {verdict}")
}

/// Moments in their order, each with the time since the one before.
fn write_cut(text: &mut String, cut: &Cut) {
    let mut moments = moments(cut);
    moments.sort_by(|(a, _), (b, _)| a.0.total_cmp(&b.0));
    let mut before = 0.0;
    if !cut.with.is_empty() {
        write!(text, "\nwith the databases: {}", cut.with.join(", ")).ok();
    }
    text.push_str("\n   after  seconds\n");
    for (Time(at), what) in moments {
        // Writing to a string does not fail.
        writeln!(text, "{:>8.3}  {at:>7.3}  {what}", at - before).ok();
        before = at;
    }
    let missing = if cut.lost.is_empty() { "all there".to_owned() } else { format!("LOST: {:?}", cut.lost) };
    writeln!(
        text,
        "{} rows acknowledged, looked up by id on {} members: {missing}",
        cut.acknowledged,
        cut.members.len()
    )
    .ok();
    let history = if cut.lineage.kept { "the history goes on" } else { "A NEW HISTORY WAS BEGUN" };
    writeln!(text, "{history}\n").ok();
}

fn moments(cut: &Cut) -> Vec<(Time, String)> {
    let timeline = &cut.timeline;
    let seed = cut.seed.as_ref().map(|seed| format!("seed chosen: {}: {}", seed.pod, seed.why));
    let set = [
        (Some(timeline.killed), "databases killed".to_owned()),
        (Some(timeline.pods_deleted), "pods deleted with force".to_owned()),
        (timeline.outage_noticed, "outage noticed".to_owned()),
        (timeline.all_observable, "all observable: a new container runs for each".to_owned()),
        (timeline.positions_read, format!("positions read: {}", positions(cut))),
        (timeline.seed_chosen, seed.unwrap_or_default()),
        (timeline.service_led, "the client service is led to it".to_owned()),
        (timeline.first_write, "first write acknowledged through the client service".to_owned()),
    ];
    let joined = cut.members.iter().map(|member| {
        let is_seed = cut.seed.as_ref().is_some_and(|seed| seed.pod == member.pod);
        let how = if is_seed {
            "serves as the seed".to_owned()
        } else {
            format!("joined: {}", member.transfer.words())
        };
        (member.joined, format!("{} {how}", member.pod))
    });
    let ready = (timeline.ready, "Ready".to_owned());
    set.into_iter().chain(joined).chain([ready]).filter_map(|(at, what)| Some((at?, what))).collect()
}

fn positions(cut: &Cut) -> String {
    let position = |member: &super::report::Member| {
        member.position.as_deref().map_or_else(|| "?".to_owned(), seen::short)
    };
    cut.members.iter().map(position).collect::<Vec<_>>().join(", ")
}
