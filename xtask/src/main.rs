//! `cargo xtask`: the project's own commands.
#![expect(clippy::print_stderr, reason = "a command line tool says what went wrong")]

mod arguments;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use xtask::cluster::{self, Cluster};
use xtask::image::Recipe;
use xtask::operator::Profile;
use xtask::progress::Progress;
use xtask::simulate::Stories;
use xtask::test::Wanted;
use xtask::{evidence, generate, policies, soak};

use arguments::{Arguments, ClusterCommand, Command, needs_no_context};

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            // The chain of causes on one line; a backtrace would bury the cure.
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
            return Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Bench { bench, own } => bench.run(own, &mut std::io::stdout())?,
        Command::Test { only, skip, keep, own } => Wanted { only, skip, keep, own }.run()?,
        Command::Generate { check: true } => generate::check()?,
        Command::Generate { check: false } => generate::write()?,
        Command::Policies { check: true } => policies::check()?,
        Command::Policies { check: false } => policies::write()?,
        Command::Simulate { from, count, trace } => Stories { from, count, trace, adversary: false }.run()?,
        Command::Soak { part, minutes, own } => {
            if let (Some(_), Some(why)) = (&own, needs_no_context(part)) {
                bail!("--context names a cluster of your own: {why}");
            }
            soak::soak(part, minutes, own)?;
        }
        Command::Evidence { write: true } => answer(&evidence::write()?)?,
        Command::Evidence { write: false } => {
            let (account, whole) = evidence::account()?;
            answer(&account)?;
            return Ok(if whole { ExitCode::SUCCESS } else { ExitCode::FAILURE });
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
            return Ok(if status.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        ClusterCommand::Kubectl { arguments } => {
            let ended = Cluster::attach()?.kubectl_by_hand(arguments)?;
            // Killed by a signal, it has no code of its own.
            let code = ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
            return Ok(ExitCode::from(code));
        }
        ClusterCommand::StopNode { name } => Cluster::attach()?.stop_node(name)?,
        ClusterCommand::StartNode { name } => Cluster::attach()?.start_node(name)?,
        ClusterCommand::Recycle => {
            let count = Cluster::attach()?.recycle_volumes()?;
            answer(&format!("{count} volumes are offered again"))?;
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

/// Unlike `println!`, no panic when the reader has gone.
fn answer(text: &str) -> Result<()> {
    writeln!(std::io::stdout(), "{text}").context("failed to answer on standard output")
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
