//! Sets in a real cluster: a file for each group of tests, in one binary so that three at a time run
//! to the end.

mod ancestor;
mod commands;
mod lights_out;
mod locks;
