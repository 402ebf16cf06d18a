//! Sets in a real cluster: a file for each group of tests, in one binary so that three at a time run
//! to the end.

mod admission;
mod ancestor;
mod commands;
mod galera;
mod lights_out;
mod locks;
mod operators;
mod people;
mod rollout;
mod secondaries;
