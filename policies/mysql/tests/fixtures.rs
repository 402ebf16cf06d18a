//! What the clients of MySQL and MariaDB print, and what the policy makes of it.

#[test]
fn every_fixture_is_answered_as_it_says() {
    policy_sdk::fixture::run::<mysql::Mysql>("fixtures");
}
