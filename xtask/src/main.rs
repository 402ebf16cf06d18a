//! The command line `cargo xtask`.
#![expect(clippy::print_stderr, reason = "a command line tool prints its errors on standard error")]

mod arguments;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use xtask::binary::Profile;
use xtask::cluster::{self, Cluster};
use xtask::image::Recipe;
use xtask::progress::Progress;
use xtask::simulate::Stories;
use xtask::soak::Soak;
use xtask::test::Wanted;
use xtask::{generate, policies};

use arguments::{Arguments, ClusterCommand, Command, refuses_context};

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            // One line with the chain of causes, because a backtrace would hide the cure.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<ExitCode> {
    match arguments.command {
        Command::Demo { demo, own } => {
            let (report, ok) = demo.run(own)?;
            answer(&report)?;
            return Ok(exit_code(ok));
        }
        Command::Bench { bench, own } => bench.run(own, &mut std::io::stdout())?,
        Command::Test { only, skip, full, times, keep, own } => {
            Wanted { only, skip, full, times, keep, own }.run()?;
        }
        Command::Generate { check: true } => generate::check()?,
        Command::Generate { check: false } => generate::write()?,
        Command::Policies { check: true } => policies::check()?,
        Command::Policies { check: false } => policies::write()?,
        Command::Simulate { from, count, trace } => Stories { from, count, trace, adversary: false }.run()?,
        Command::Soak { part, minutes, again, own } => {
            if let (Some(_), Some(reason)) = (&own, refuses_context(part)) {
                bail!("--context names a cluster of your own: {reason}");
            }
            let (report, passed) = Soak { part, minutes, again, own }.run()?;
            answer(&report)?;
            return Ok(exit_code(passed));
        }
        Command::Cluster(command) => return run_cluster(&command),
        Command::Image { names, profile } => load(&names, profile)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn run_cluster(command: &ClusterCommand) -> Result<ExitCode> {
    match command {
        ClusterCommand::Up { nodes } => cluster::up(*nodes)?,
        ClusterCommand::Down => cluster::down()?,
        ClusterCommand::Purge => cluster::purge()?,
        ClusterCommand::Status { output } => {
            let status = cluster::status()?;
            answer(&status.render(*output)?)?;
            return Ok(exit_code(status.is_sound()));
        }
        ClusterCommand::Kubectl { arguments } => {
            let ended = Cluster::attach()?.kubectl_by_hand(arguments)?;
            // A process that a signal ended has no exit code.
            let code = ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
            return Ok(ExitCode::from(code));
        }
        ClusterCommand::StopNode { name } => Cluster::attach()?.stop_node(name)?,
        ClusterCommand::StartNode { name } => Cluster::attach()?.start_node(name)?,
        ClusterCommand::Recycle => {
            let count = Cluster::attach()?.recycle_volumes()?;
            answer(&format!("{count} volumes are available again"))?;
        }
        ClusterCommand::Registry => answer(&xtask::registry::up(&Cluster::attach()?)?.described()?)?,
        ClusterCommand::Kubeconfig { content } => {
            let path = Cluster::attach()?.kubeconfig();
            let text = if *content { std::fs::read_to_string(&path)? } else { path.display().to_string() };
            answer(text.trim_end())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints on standard output. Unlike `println!`, a closed pipe is an error and not a panic.
fn answer(text: &str) -> Result<()> {
    writeln!(std::io::stdout(), "{text}").context("failed to write to standard output")
}

fn exit_code(ok: bool) -> ExitCode {
    if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn load(recipes: &[Recipe], profile: Profile) -> Result<()> {
    let cluster = Cluster::attach()?;
    let mut progress = Progress::new(recipes.len());
    for recipe in recipes {
        progress.step(&format!("image {}", recipe.image_name()), |step| {
            cluster.load(&recipe.build(profile, step)?)
        })?;
    }
    Ok(())
}
