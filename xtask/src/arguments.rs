//! The command line of `cargo xtask`.

use std::ffi::OsString;

use clap::{Parser, Subcommand};
use xtask::bench::Bench;
use xtask::binary::Profile;
use xtask::cluster::{self, layout};
use xtask::demo::Demo;
use xtask::image::Recipe;
use xtask::own::Own;
use xtask::soak::Part;
use xtask::test::Stage;

/// The project's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Cut the power of three databases while a client writes, and check that every row comes back.
    ///
    /// The first run takes up to 20 minutes on two cores, most of it to compile. Later runs take three. The command needs
    /// root and starts a local cluster, which it removes at the end. With --context it uses your cluster. The set gets its
    /// policy from a registry in the local cluster, or from a ConfigMap in yours. The last power cut kills the operator and
    /// the registry too, and the registry stays away. The exit code is 1 if an acknowledged row is lost, if another policy
    /// decides, or if a replay of the last decision gives another result. A power cut kills processes only: the data in the
    /// page cache of the machine survives.
    Demo {
        #[command(flatten)]
        demo: Demo,
        #[command(flatten)]
        own: Option<Own>,
    },
    /// Measure the time of a recovery and the size of the operator, as JSON lines.
    ///
    /// Five power cuts take about 7 minutes, after the release build of the operator, which takes minutes the first time.
    /// Each cut is measured with the operator, and with a script that knows the right answers. The other lines are medians,
    /// the ratio of both, and of the operator: its size, start time, memory, requests without work, and the time to get a
    /// policy from a registry. The clusters are those of `demo`. The command uses the namespaces rss-bench and
    /// rss-bench-system, and adds flow schemas rss-bench-* that count the operator's requests. The exit code is 1 only if
    /// something could not be measured.
    Bench {
        #[command(flatten)]
        bench: Bench,
        #[command(flatten)]
        own: Option<Own>,
    },
    /// Run the tests that each change must pass in stages, up to the first stage that fails.
    ///
    /// The first run takes up to 40 minutes on two cores, half of it to compile. The command writes to target and to the
    /// cache. Stage e2e needs root: it installs packages and starts the local cluster with five nodes, in place of a local
    /// cluster of another size. It removes the cluster afterwards, unless a cluster of five nodes ran before. With --context
    /// stage e2e runs in your cluster, and leaves out the tests that take power from nodes or need a cluster of their own.
    Test {
        /// Run this stage only. May be given more than once.
        #[arg(long, value_enum, value_name = "STAGE")]
        only: Vec<Stage>,
        /// Leave this stage out. May be given more than once.
        #[arg(long, value_enum, value_name = "STAGE")]
        skip: Vec<Stage>,
        /// Run all tests on the real cluster except three long ones of the soak, and larger samples of stories and small worlds.
        #[arg(long)]
        full: bool,
        /// List the 30 slowest tests at the end. The stages run one after the other then.
        #[arg(long)]
        times: bool,
        /// Never remove the cluster, so that you can look at it.
        #[arg(long)]
        keep: bool,
        #[command(flatten)]
        own: Option<Own>,
    },
    /// Write the files that are generated from the source, such as deploy/crd.yaml.
    ///
    /// The command compiles the operator first. It writes nothing else.
    Generate {
        /// Compare only. The exit code is 1 if a file is stale.
        #[arg(long)]
        check: bool,
    },
    /// Build the policy components of policies and examples into target/policies, and test each as the operator does.
    ///
    /// The first run compiles the operator's code, which the build tool links. The command writes to target only.
    Policies {
        /// Build a second time from a copy of the source in another folder. The exit code is 1 if a byte differs.
        #[arg(long)]
        check: bool,
    },
    /// Run stories of a simulated cluster. The exit code is 1 if a story fails, and the output names its seed.
    ///
    /// Many stories run in a second after the first build. The command writes to target only.
    Simulate {
        /// The first seed.
        #[arg(long, value_name = "SEED", value_parser = clap::value_parser!(u64).range(..u64::MAX))]
        from: u64,
        /// The number of seeds, 1 or more.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
        count: u64,
        /// Print every event of the first seed, whether its story fails or not.
        #[arg(long, conflicts_with = "count")]
        trace: bool,
    },
    /// Run one part of the long tests. Each call continues after the rounds that passed.
    ///
    /// A part is a list of rounds. The command keeps the result of each round in target/soak/PART.jsonl, with the version
    /// and the commit. A later call skips each round that passed, on whatever commit it passed. The first round that fails
    /// ends the call with exit code 1, and the next call runs it again. At its end the command prints the sums of the
    /// counts of all rounds that passed, how many of the rounds of a release passed, and each failure with the command
    /// that runs the round alone. Most parts go on with new seeds after the rounds of a release. Part e2e-repeat uses a
    /// cluster like `test --only e2e --keep`, and only this part takes --context. Parts faults and requests use the local
    /// cluster.
    Soak {
        /// The part to run.
        #[arg(long, value_enum, value_name = "PART")]
        part: Part,
        /// Start no round that would probably end after this time. The first round always starts.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=24 * 60))]
        minutes: u64,
        /// Delete target/soak/PART.jsonl first, and begin with the first round.
        #[arg(long)]
        again: bool,
        #[command(flatten)]
        own: Option<Own>,
    },
    /// Run a Kubernetes cluster of several nodes on this machine.
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// Build images and load them into every node of the local cluster.
    ///
    /// An image takes seconds. The first database image takes a minute, and the image of the operator compiles it first.
    /// Each image has the name that the manifests use. The command writes to the cache and to the nodes.
    Image {
        /// The images: operator, registry, or a folder in examples that has an image.json.
        #[arg(required = true)]
        names: Vec<Recipe>,
        /// The build of the operator in its image.
        #[arg(long, value_enum, default_value = "dev")]
        profile: Profile,
    },
}

#[derive(Subcommand)]
pub(crate) enum ClusterCommand {
    /// Start the cluster, and remove the rest of an interrupted run first.
    ///
    /// Takes half a minute. The first time takes five minutes more, to install packages and build Kubernetes. Needs root.
    /// A healthy cluster of the same size is left as it is. A cluster of another size is removed.
    Up {
        /// The number of nodes.
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=i64::from(layout::MOST_NODES)))]
        nodes: u8,
    },
    /// Stop the cluster and remove all of it except the cache. Takes seconds.
    Down,
    /// Print which parts run. The exit code is 1 if a part does not run.
    Status {
        /// `json` for programs.
        #[arg(short, long, value_enum, default_value = "text")]
        output: cluster::Format,
    },
    /// Print the path of the kubeconfig.
    Kubeconfig {
        /// Print the content of the file in place of its path.
        #[arg(long)]
        content: bool,
    },
    /// Run kubectl in the cluster: `cargo xtask cluster kubectl get pods -A`.
    #[command(disable_help_flag = true)]
    Kubectl {
        /// The arguments of kubectl.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        arguments: Vec<OsString>,
    },
    /// Stop a node as a power cut does. Its disk stays. Takes seconds.
    StopNode {
        /// The name of the node, such as node2.
        name: String,
    },
    /// Start a stopped node. Takes seconds.
    StartNode {
        /// The name of the node, such as node2.
        name: String,
    },
    /// Empty the volumes of deleted claims, and make them available again.
    Recycle,
    /// Start a registry in the cluster if there is none, and print its address and credentials.
    ///
    /// Takes 15 seconds. The first time takes a minute or two more, to build it. `down` removes the registry too.
    Registry,
    /// Stop the cluster and remove the cache too. The next start takes minutes.
    Purge,
}

/// The reason why a part of the soak does not take --context.
pub(crate) fn refuses_context(part: Part) -> Option<&'static str> {
    match part {
        Part::E2eRepeat => None,
        Part::Faults => Some("this part stops nodes and the API server of the local cluster"),
        Part::Requests => Some(
            "this part uses the local cluster. For yours run RSS_CONTEXT=NAME cargo test -p e2e requests::",
        ),
        Part::Simulate
        | Part::SimulateShell
        | Part::Adversary
        | Part::Exhaust
        | Part::Struck
        | Part::Misled
        | Part::Walk
        | Part::Mutants
        | Part::Fuzz => Some("this part uses no cluster"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, ValueEnum};

    fn parsed(line: &str) -> Result<Command, clap::Error> {
        let words = ["cargo-xtask"].into_iter().chain(line.split(' '));
        Arguments::try_parse_from(words).map(|arguments| arguments.command)
    }

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn only_some_commands_take_a_context() {
        for taken in ["demo", "bench", "test --only e2e", "soak --part e2e-repeat"] {
            let own = |line: &str| match parsed(&format!("{taken}{line}")).expect(taken) {
                Command::Demo { own, .. } | Command::Bench { own, .. } => own,
                Command::Test { own, .. } | Command::Soak { own, .. } => own,
                _ => None,
            };
            assert!(own("").is_none(), "{taken}");
            let own = own(" --context mine --image-prefix host/folder").expect(taken);
            assert_eq!((own.context.as_str(), own.image_prefix.as_deref()), ("mine", Some("host/folder")));
        }
        for refused in [
            "cluster up --context mine",
            "image dummy --context mine",
            "generate --context mine",
            "simulate --from 1 --context mine",
            "--context mine demo",
            "demo --image-prefix host/folder",
            "bench --policies --context mine",
        ] {
            assert_eq!(parsed(refused).map_err(|error| error.exit_code()).err(), Some(2), "{refused}");
        }
    }

    #[test]
    fn only_part_e2e_repeat_of_the_soak_takes_a_context() {
        for part in Part::value_variants() {
            assert_eq!(refuses_context(*part).is_none(), *part == Part::E2eRepeat, "{part:?}");
        }
    }

    #[test]
    fn simulate_refuses_a_count_of_zero_and_a_count_with_trace() {
        for refused in [
            "--from 1 --count 0",
            "--from 18446744073709551615",
            "--from -1",
            "--count 3",
            "--from 1 --trace --count 3",
        ] {
            let error = parsed(&format!("simulate {refused}")).map_err(|error| error.exit_code()).err();
            assert_eq!(error, Some(2), "{refused}");
        }
        for taken in ["--from 0", "--from=7 --count 3", "--from 7 --trace"] {
            assert!(parsed(&format!("simulate {taken}")).is_ok(), "{taken}");
        }
    }
}
