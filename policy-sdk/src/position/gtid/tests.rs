use super::*;

const A: &str = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
const B: &str = "24da167b-c4a9-4a1b-8d57-58d5f7a1e8b2";

/// `@` stands for one UUID and `#` for the other.
fn filled(text: &str) -> String {
    text.replace('@', A).replace('#', B)
}

#[test]
fn a_position_of_galera_is_all_of_a_lineage_up_to_its_number() {
    let read = |text: &str| uuid_seqno(&filled(text)).map(|history| history.to_string());
    assert_eq!(read("@:1234"), Ok(filled("@:0-1234")));
    assert_eq!(read("@:0"), Ok(filled("@:0")));
    assert_eq!(uuid_seqno(&format!("{}:7", A.to_uppercase())), uuid_seqno(&filled("@:7")));
    let zero = format!("the zero UUID names no history: \"{}:5\"", "00000000-0000-0000-0000-000000000000");
    assert_eq!(uuid_seqno("00000000-0000-0000-0000-000000000000:5"), Err(Malformed(zero)));
    assert_eq!(read("@:-1"), Err(Malformed(filled("-1 says that the position is not known: \"@:-1\""))));
    for text in
        ["", "@", "@:", "@:-2", "@:x", "@:1:2", ":5", "@5", "3e11fa47:5", "@:18446744073709551616", "1234"]
    {
        let Err(why) = read(text) else { panic!("{text} is no position") };
        assert!(why.to_string().starts_with("not UUID:SEQNO: "), "{why}");
    }
}

#[test]
fn a_set_of_mysql_is_read_as_its_manual_writes_it() {
    let cases = [
        ("the empty set", "", ""),
        ("blanks only", " \n", ""),
        ("one transaction", "@:23", "@:23"),
        ("an interval", "@:1-5", "@:1-5"),
        ("intervals", "@:1-3:11:47-49", "@:1-3:11:47-49"),
        ("intervals that touch", "@:1-3:4-9", "@:1-9"),
        ("two servers", "#:1-19,@:1-3:11", "#:1-19,@:1-3:11"),
        ("a line for each, as it is printed", "#:1-19,\n@:1-3", "#:1-19,@:1-3"),
        ("line ends as the client prints them", "#:1-19,\\n@:1-3", "#:1-19,@:1-3"),
        ("a tag", "@:domain_1:1-3", "@:domain_1:1-3"),
        ("with and without a tag", "@:1-3:15-21:Domain_1:8-9:_x:1", "@:1-3:15-21,@:_x:1,@:domain_1:8-9"),
        ("the largest", "@:9223372036854775807", "@:9223372036854775807"),
    ];
    for (sentence, text, expected) in cases {
        let read = mysql(&filled(text)).map(|history| history.to_string());
        assert_eq!(read, Ok(filled(expected)), "{sentence}");
    }
    assert_eq!(
        mysql(&format!("{}:1", A.to_uppercase())),
        mysql(&filled("@:1")),
        "letters of either case are one"
    );
}

#[test]
fn what_is_no_set_of_mysql_is_refused_whole() {
    let cases = [
        "@",
        "@:",
        "@:0",
        "@:0-5",
        "@:5-1",
        "@:1-",
        "@:-1",
        "@:1-2-3",
        "@:1,",
        ",",
        "@:1,,#:1",
        "@:9223372036854775808",
        "@:tag",
        "@:1:tag",
        "@:9tag:1",
        "@:t-g:1",
        "@:aaaaaaaaaabbbbbbbbbbccccccccccddd:1",
        "0-1-100",
        "NULL",
        "@:1 #:1",
        "@ @:1",
        "@:1-5;",
        "ERROR 1064 (42000)",
    ];
    for text in cases {
        let Err(why) = mysql(&filled(text)) else { panic!("{text} is no GTID set") };
        assert!(why.to_string().starts_with("not a GTID set: "), "{why}");
    }
}

#[test]
fn an_errant_transaction_of_either_database_shows_as_parted_ways() {
    let includes = |read: fn(&str) -> Result<History, Malformed>, one: &str, other: &str| {
        let (one, other) = (read(&filled(one)).unwrap(), read(&filled(other)).unwrap());
        (one.includes(&other), other.includes(&one))
    };
    assert_eq!(includes(mysql, "@:1-9", "@:1-5"), (true, false), "behind");
    assert_eq!(includes(mysql, "@:1-9", "@:1-5,#:1"), (false, false), "one of its own");
    assert_eq!(includes(mysql, "@:1-9", "@:1-5:x:1"), (false, false), "one of its own, tagged");
    assert_eq!(includes(mysql, "@:1-4:6-9", "@:1-5"), (false, false), "a gap");
    assert_eq!(includes(mariadb, "0-1-9", "0-1-5"), (true, false), "behind");
    assert_eq!(
        includes(mariadb, "0-1-9", "0-1-8,0-2-9"),
        (false, false),
        "one of its own, with the same number"
    );
    assert_eq!(includes(mariadb, "0-1-5,0-2-9", "0-1-5"), (true, false), "behind since a change of primary");
    assert_eq!(includes(mariadb, "0-1-5,1-1-9", "0-1-6"), (false, false), "domains are apart");
}

#[test]
fn a_list_of_mariadb_is_the_last_of_each_domain_and_server() {
    let cases = [
        ("nothing", "", ""),
        ("one", "0-1-100", "0-1:0-100"),
        ("several domains", "0-1-100,1-2-50", "0-1:0-100,1-2:0-50"),
        ("several servers, as gtid_binlog_state lists them", "0-2-105,0-1-100", "0-1:0-100,0-2:0-105"),
        ("blanks", " 0-1-100, 1-2-50\n", "0-1:0-100,1-2:0-50"),
        (
            "the largest",
            "4294967295-4294967295-18446744073709551615",
            "4294967295-4294967295:0-18446744073709551615",
        ),
    ];
    for (sentence, text, expected) in cases {
        assert_eq!(mariadb(text).map(|history| history.to_string()), Ok(expected.to_owned()), "{sentence}");
    }
    for text in [
        "0-1",
        "0-1-",
        "0-1-2-3",
        "0-1-x",
        "0-4294967296-1",
        "4294967296-0-1",
        ",",
        "0-1-5,",
        "-1-1-1",
        "NULL",
    ] {
        let Err(why) = mariadb(text) else { panic!("{text} is no list of GTIDs") };
        assert!(why.to_string().starts_with("not a GTID: "), "{why}");
    }
}
