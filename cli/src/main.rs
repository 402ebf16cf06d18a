//! `kubectl rss`: what sets do and wait for, and the tool of a policy's author.

mod access;
mod allow;
mod arguments;
mod bench;
mod build;
mod candidate;
mod cargo;
mod cluster;
mod completion;
mod component;
mod conform;
mod cryptography;
mod decisions;
mod difference;
mod explain;
mod facts;
mod fetch;
mod file;
mod image;
mod inspect;
mod login;
mod module;
mod names;
mod new;
mod output;
mod progress;
mod pull;
mod push;
mod records;
mod replay;
mod shell;
mod terminal;
mod test;
mod verify;

use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result};
use clap::Parser;

use k8s_openapi::jiff::Timestamp;

use planner::key::KeyKind;

use allow::Wanted;
use arguments::{Arguments, Command, PolicyArguments, PolicyCommand};
use cluster::ClusterArguments;
use output::Format;

/// The stack of the thread that compiles and calls policies: more than the host of policies asks for.
const STACK: usize = 4 * operator::policy::limits::THREAD_STACK;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // The first thread has whatever stack its shell allows.
    let worker = thread::Builder::new().stack_size(STACK).spawn(|| run(arguments));
    let done = worker.context("failed to start a thread").and_then(|worker| match worker.join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    });
    done.unwrap_or_else(|error| {
        // The chain of causes on one line; a backtrace would bury the cure.
        output::say(&format!("error: {}", terminal::lines(&format!("{error:#}"))));
        ExitCode::FAILURE
    })
}

fn run(arguments: Arguments) -> Result<ExitCode> {
    match arguments.command {
        Command::Completion { shell } => {
            output::write(&completion::script(shell)).map(|()| ExitCode::SUCCESS)
        }
        Command::Complete { words } => {
            let words: Vec<_> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            output::write(format!("{}\n", completion::offered(&words)).as_bytes()).map(|()| ExitCode::SUCCESS)
        }
        Command::Policy(arguments) => policy(arguments),
        Command::Decisions { name, cluster, output } => {
            let set = asked(async { cluster.cluster().await?.set(&name).await })?;
            output::answer(&decisions::decisions(&output.shown(set)?, &cluster.again())?, output)
        }
        Command::Seed { name, replica, facts, cluster, output } => allow(
            &name,
            Wanted { kind: KeyKind::AcceptSeed, replica: Some(replica), facts },
            &cluster,
            output,
        ),
        Command::Approve { name, plan, cluster, output } => {
            allow(&name, Wanted { kind: KeyKind::Approve, replica: None, facts: plan }, &cluster, output)
        }
        Command::Explain { name, cluster, output } => {
            let set = asked(async { cluster.cluster().await?.set(&name).await })?;
            let explained = explain::explain(&output.shown(set)?, Timestamp::now(), &cluster.again())?;
            output::answer(&explained, output).map(|_| explained.standing().exit_code())
        }
    }
}

fn allow(name: &str, wanted: Wanted, cluster: &ClusterArguments, output: Format) -> Result<ExitCode> {
    let allowed = asked(async { allow::allow(&cluster.cluster().await?, name, &wanted, output).await })?;
    output::answer(&allowed, output).map(|_| allowed.exit_code())
}

/// Lets a command ask the API server.
fn asked<T>(question: impl Future<Output = Result<T>>) -> Result<T> {
    cryptography::install();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answered = runtime.block_on(question);
    // A login plugin that hangs is not waited for.
    runtime.shutdown_background();
    answered
}

fn policy(PolicyArguments { command, output }: PolicyArguments) -> Result<ExitCode> {
    match command {
        PolicyCommand::New { name, folder } => output::answer(&new::create(&name, folder)?, output),
        PolicyCommand::Build { folder } => output::answer(&build::build(&folder)?, output),
        PolicyCommand::Component { module, out } => {
            output::answer(&module::component(&module, &out)?, output)
        }
        PolicyCommand::Inspect { component, claims: true, access } => {
            output::answer(&inspect::claims(&component, &access)?, output)
        }
        PolicyCommand::Inspect { component, claims: false, access } => {
            output::verdict(&inspect::inspect(&component, &access)?, output)
        }
        PolicyCommand::Conform { file, settings } => {
            output::verdict(&conform::conform(&file, &settings)?, output)
        }
        PolicyCommand::Bench { files, settings, fixtures } => {
            output::answer(&bench::bench(&files, &settings, fixtures.as_deref())?, output)
        }
        PolicyCommand::Test { folder } => output::verdict(&test::test(&folder)?, output),
        PolicyCommand::Replay { file, with } => {
            output::verdict(&replay::replay(&file, with.as_deref())?, output)
        }
        PolicyCommand::Verify { image, keys, access } => {
            output::verdict(&verify::verify(&image, &keys, &access)?, output)
        }
        PolicyCommand::Push { file, image, access } => {
            output::answer(&push::push(&file, &image, &access)?, output)
        }
        PolicyCommand::Pull { image, file, access } => {
            output::answer(&pull::pull(&image, file, &access)?, output)
        }
    }
}
