//! `cargo xtask`: the project's own commands.
#![expect(clippy::print_stderr, reason = "a command line tool says what went wrong")]

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use xtask::cluster::{self, Cluster, layout};
use xtask::image::{Profile, Recipe};
use xtask::progress::Progress;

/// The project's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    /// Use this context of your own kubeconfig in place of the local cluster.
    #[arg(long, global = true, value_name = "NAME")]
    context: Option<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// A Kubernetes of several nodes on this machine, from nothing.
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// Build images and give them to every node of the local cluster.
    ///
    /// Seconds each; the first database image takes a minute, and operator compiles the operator first.
    /// An image is called what the manifests call it. Writes to the cache and to the nodes.
    Image {
        /// Which: operator, or a folder under examples with an image.json.
        #[arg(required = true)]
        names: Vec<Recipe>,
        /// Which build of the operator the image holds.
        #[arg(long, value_enum, default_value = "dev")]
        profile: Profile,
    },
}

#[derive(Subcommand)]
enum ClusterCommand {
    /// Start the cluster; what an interrupted run left is removed first.
    Up {
        /// How many nodes.
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=i64::from(layout::MOST_NODES)))]
        nodes: u8,
    },
    /// Stop the cluster and remove all of it but the cache.
    Down,
    /// Say which parts run. Ends with 1 if any does not.
    Status {
        /// `json` for programs.
        #[arg(short, long, value_enum, default_value = "text")]
        output: cluster::Format,
    },
    /// Print the path of the kubeconfig.
    Kubeconfig {
        /// Print what the file holds in place of its path.
        #[arg(long)]
        content: bool,
    },
    /// Do what `down` does and remove the cache too.
    Purge,
}

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
    if arguments.context.is_some() {
        bail!("--context names a cluster of your own; cluster and image work on the local one: leave it out");
    }
    match arguments.command {
        Command::Cluster(ClusterCommand::Up { nodes }) => cluster::up(nodes)?,
        Command::Cluster(ClusterCommand::Down) => cluster::down()?,
        Command::Cluster(ClusterCommand::Purge) => cluster::purge()?,
        Command::Cluster(ClusterCommand::Status { output }) => {
            let status = cluster::status()?;
            answer(&status.render(output)?)?;
            return Ok(if status.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Cluster(ClusterCommand::Kubeconfig { content }) => {
            let path = Cluster::attach()?.kubeconfig();
            let text = if content { std::fs::read_to_string(&path)? } else { path.display().to_string() };
            answer(text.trim_end())?;
        }
        Command::Image { names, profile } => load(&names, profile)?,
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
