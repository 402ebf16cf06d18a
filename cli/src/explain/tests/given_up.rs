//! What a person gave up before is not denied where something else is to be given up, or has to be.

use super::*;

const READER: &str = "1d9c4c3f0f6bd0a2";

/// `refused.json`, in which the first two were read at 17 and the third at 9, changed.
fn refused(change: impl Fn(&mut Value)) -> Explained {
    let mut status: Value = serde_json::from_str(include_str!("../recorded/refused.json")).unwrap();
    change(&mut status);
    recorded(&status.to_string())
}

/// What it costs to start from the first.
fn cost(explained: &Explained) -> Value {
    let of =
        |way: &&Way| way.command.as_ref().is_some_and(|command| command.contains(" orders rss-orders-0 "));
    serde_json::to_value(&explained.unblock.iter().find(of).unwrap().loss).unwrap()
}

fn read_at(status: &mut Value, which: usize, number: u64) {
    status["memory"]["holders"][which]["reading"]["reading"]["at"]["ordinal"] = json!(number);
}

/// A change of a status.
type Change = fn(&mut Value);

#[test]
fn what_was_given_up_is_not_denied_by_what_a_seed_costs() {
    let cases: [(&str, &str, Change); 5] = [
        ("it held more", "nothingBeyondGivenUp", |status| {
            read_at(status, 1, 25);
            status["memory"]["holders"][1]["waived"] = json!(true);
        }),
        ("nothing is known of it", "nothingBeyondGivenUp", |status| {
            let record = &mut status["memory"]["holders"][1];
            (record["waived"], record["reading"]) = (json!(true), Value::Null);
        }),
        ("what it held stays", "nothingThatWasRead", |status| {
            status["memory"]["holders"][2]["waived"] = json!(true);
        }),
        ("its epoch was given up with it", "nothingThatWasRead", |status| {
            read_at(status, 1, 25);
            let record = &mut status["memory"]["holders"][1];
            (record["waived"], record["confirmed"]) = (json!(true), json!(1));
        }),
        ("nobody gave anything up", "nothingThatWasRead", |_| {}),
    ];
    for (sentence, expected, change) in cases {
        assert_eq!(cost(&refused(change)), json!(expected), "{sentence}");
    }
}

#[test]
fn it_is_told_in_the_table_too_and_in_words() {
    let told = refused(|status| {
        read_at(status, 1, 25);
        status["memory"]["holders"][1]["waived"] = json!(true);
        status["decisions"][0]["input"]["candidates"].as_array_mut().unwrap().remove(1);
    })
    .to_string();
    for line in [
        "rss-orders-0  Stopped  6m54s  17        -        stands  holds all that was not given up\n",
        "rss-orders-1  Stopped  6m54s  25        -        stands  given up by AcceptLoss\n",
        "rss-orders-1 was not offered: last read at 25, it was given up by AcceptLoss\n",
        "start from rss-orders-0, whatever others hold beyond it; nothing is lost beyond what was given up before:\n",
    ] {
        assert!(told.contains(line), "{line}{told}");
    }
}

/// All have other claims by now, in which there is nothing.
fn with_new_claims(status: &mut Value) {
    let mut records = status["memory"]["holders"].as_array().unwrap().clone();
    for (at, record) in records.iter_mut().enumerate() {
        let new = format!("new-{at}");
        status["replicaStates"][at]["holder"] = json!(format!("claim {new}"));
        (record["holder"]["claims"], record["confirmed"], record["starts"]) =
            (json!([new]), json!(0), json!(0));
        (record["reading"]["starts"], record["reading"]["reading"]["at"]["ordinal"]) = (json!(0), json!(0));
    }
    status["memory"]["holders"].as_array_mut().unwrap().extend(records);
}

#[test]
fn where_all_claims_were_lost_and_given_up_a_start_from_nothing_is_told_as_what_it_is() {
    let told = refused(|status| {
        with_new_claims(status);
        let records = status["memory"]["holders"].as_array_mut().unwrap().iter_mut();
        records.take(3).for_each(|record| record["waived"] = json!(true));
    });
    assert_eq!(cost(&told), json!("nothingBeyondGivenUp"), "{told}");
    let told = refused(|status| {
        with_new_claims(status);
        let records = status["memory"]["holders"].as_array_mut().unwrap();
        records[0]["waived"] = json!(true);
        records[1..3].iter_mut().for_each(|record| record["ended"] = json!(true));
    });
    assert_eq!(cost(&told), json!("unknown"), "one that was given up says nothing of the others: {told}");
}

#[test]
fn where_nothing_of_the_epoch_is_remembered_but_its_beginning_nobody_knows_what_is_lost() {
    for base in [Value::Null, json!({"position": {"ordinal": 0}, "outage": 2, "reader": READER})] {
        let told = refused(|status| {
            with_new_claims(status);
            drop(status["memory"]["holders"].as_array_mut().unwrap().drain(..3));
            status["memory"]["epoch"]["base"] = base.clone();
        });
        assert_eq!(cost(&told), json!("unknown"), "{told}");
    }
}

#[test]
fn what_the_epoch_began_with_was_read_too() {
    let with_base = |outage: u64| {
        refused(|status| {
            let base = json!({"position": {"ordinal": 30}, "outage": outage, "reader": READER});
            status["memory"]["epoch"]["base"] = base;
        })
    };
    assert_eq!(cost(&with_base(2)), json!({"atLeast": {"transactions": null, "which": null}}));
    assert_eq!(cost(&with_base(1)), json!("nothingThatWasRead"), "of another outage it cannot be compared");
}
