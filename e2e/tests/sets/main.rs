//! Sets in a real cluster: a file for each group of tests, in one binary so that three at a time run
//! to the end.

mod admission;
mod ancestor;
mod asked;
mod candidate;
mod commands;
mod containers;
mod cut_off;
mod full_volume;
mod galera;
mod galera_faults;
mod given_once;
mod identities;
mod installations;
mod kept;
mod lights_out;
mod lineages;
mod locks;
mod mysql;
mod operators;
mod outage;
mod people;
mod policies;
mod policy_in_c;
mod processes;
mod rehearsal;
mod rollout;
mod secondaries;
mod seeding;
mod sizes;
