//! A set that the operator cannot look at: what its status says is of before.

use super::*;

#[test]
fn of_a_set_that_nobody_can_look_at_no_key_is_shown_and_no_hold_is_waited_for() {
    for kind in ["Stalled", "Reconciling"] {
        let mut status = blocked();
        status["conditions"] = json!([
            said("Ready", "Unknown", "ObservationFailed", "forbidden"),
            said(kind, "True", "ObservationFailed", "forbidden"),
        ]);
        status["ready"] = Value::Null;
        let told = explain(&set(status), at("2026-01-01T12:05:10Z")).unwrap();
        let ways: Vec<_> =
            told.unblock.iter().map(|way| (way.means.as_str(), way.command.as_ref())).collect();
        assert!(
            matches!(ways[..], [(means, None)] if means.starts_with("let the operator look at it again")),
            "{told}"
        );
        let text = told.to_string();
        assert!(text.starts_with("shop/orders: ? members serve · "), "since when is not known: {text}");
        assert!(text.contains(&format!("note     {kind}=True ObservationFailed: forbidden\n")), "{text}");
    }
}
