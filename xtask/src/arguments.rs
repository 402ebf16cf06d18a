//! The command line.

use std::ffi::OsString;

use clap::{Parser, Subcommand};
use xtask::bench::Bench;
use xtask::cluster::{self, layout};
use xtask::demo::Demo;
use xtask::image::Recipe;
use xtask::operator::Profile;
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
    /// Cut the power of three databases while a client writes to them, and watch every row come back.
    ///
    /// Their policy is pulled from a registry in the cluster. In the last cut operator and registry are killed too, and
    /// the registry stays away. From nothing, on two cores: about 15 minutes the first time, most of it compiling; then
    /// two. Needs root, unless --context names a cluster, where the policy comes from a ConfigMap. A cluster that it
    /// brings up it takes down at the end; ends with 1 if an acknowledged row is lost, another policy decides, or its
    /// last decision is another one when it is replayed. Processes are killed, the machine goes on: what the kernel
    /// holds in memory survives.
    Demo {
        #[command(flatten)]
        demo: Demo,
        #[command(flatten)]
        own: Option<Own>,
    },
    /// Measure speed and size: power cuts under the operator, and under a script that knows the answers.
    ///
    /// About 7 minutes with the default of 5 cuts, after the shipped operator is compiled, which takes minutes the
    /// first time. Prints one JSON object on each line: every cut, medians, and how many times as long the operator
    /// takes. Also the size of its program, its start, memory, requests while there is nothing to do, and how long a
    /// policy takes from a registry. It uses
    /// clusters as demo does, in namespaces rss-bench and rss-bench-system, and has the API server count the
    /// operator's requests apart (flow schemas rss-bench-*). Ends with 1 only if something could not be measured.
    Bench {
        #[command(flatten)]
        bench: Bench,
        #[command(flatten)]
        own: Option<Own>,
    },
    /// Test everything, in stages; end with 1 and the name of the first that fails.
    ///
    /// On two cores the first run takes up to 65 minutes, half of it compiling. It writes to target and to the
    /// cache. Stage e2e needs root: it installs packages and brings the local cluster up with five nodes, in
    /// the place of one of another size, and takes it down afterwards unless it was there before. With --context it
    /// runs in that cluster, leaves out the tests that take power from nodes or need a cluster for themselves, and
    /// keeps nothing for evidence.
    Test {
        /// Run this stage only; may be given more than once.
        #[arg(long, value_enum, value_name = "STAGE")]
        only: Vec<Stage>,
        /// Leave this stage out; may be given more than once.
        #[arg(long, value_enum, value_name = "STAGE")]
        skip: Vec<Stage>,
        /// Leave the cluster up in any case, to look around in it.
        #[arg(long)]
        keep: bool,
        #[command(flatten)]
        own: Option<Own>,
    },
    /// Write the files that are generated from the source, such as deploy/crd.yaml.
    ///
    /// Takes as long as the operator compiles. Writes nothing else.
    Generate {
        /// Write nothing; end with 1 if a file is stale.
        #[arg(long)]
        check: bool,
    },
    /// Build the components of the policies in policies and of those in examples, into target/policies, and try each as
    /// the operator does.
    ///
    /// The first time it takes as long as the operator compiles, whose code the tool that builds them is linked with.
    /// Writes nothing but target.
    Policies {
        /// Build them again from a copy of the source in the folder for temporary files, and end with 1 if a byte differs.
        #[arg(long)]
        check: bool,
    },
    /// Run stories of a simulated cluster; end with 1 and the seed of the first that goes wrong.
    ///
    /// Many a second once it is compiled; one that never comes to rest takes longest. Writes nothing but target.
    Simulate {
        /// The first seed.
        #[arg(long, value_name = "SEED", value_parser = clap::value_parser!(u64).range(..u64::MAX))]
        from: u64,
        /// How many, 1 at least.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
        count: u64,
        /// Tell the first one alone, in full, whether it goes wrong or not.
        #[arg(long, conflicts_with = "count")]
        trace: bool,
    },
    /// Run a part of the long tests; call it again to go on where it stopped.
    ///
    /// Ends before the time is over, or with 1 at the first failure, which the next call repeats. Where it stopped is
    /// told by the results of this commit, below target; of a tree that is none nothing is kept, and the next call
    /// begins with the same round. e2e-repeat uses a cluster as `test --only e2e --keep` does, and it alone takes --context;
    /// faults and requests use the local one.
    Soak {
        /// Which part.
        #[arg(long, value_enum, value_name = "NAME")]
        part: Part,
        /// How long at most, unless a single round takes longer.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=24 * 60))]
        minutes: u64,
        #[command(flatten)]
        own: Option<Own>,
    },
    /// Say what test and soak showed of this very commit, and what is missing; end with 1 if anything is, or failed.
    ///
    /// Seconds. Reads what each stage and each round kept below target, and what the folder evidence has; the tree must be
    /// a commit. What failed once on it counts as failed, whatever it said another time.
    Evidence {
        /// Write it into the folder evidence, to be committed: that commit is the same source.
        #[arg(long)]
        write: bool,
    },
    /// A Kubernetes of several nodes on this machine, from nothing.
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// Build images and give them to every node of the local cluster.
    ///
    /// Seconds each; the first database image takes a minute, and operator compiles the operator first.
    /// An image is called what the manifests call it. Writes to the cache and to the nodes.
    Image {
        /// Which: operator, registry, or a folder under examples with an image.json.
        #[arg(required = true)]
        names: Vec<Recipe>,
        /// Which build of the operator the image holds.
        #[arg(long, value_enum, default_value = "dev")]
        profile: Profile,
    },
}

#[derive(Subcommand)]
pub(crate) enum ClusterCommand {
    /// Start the cluster; what an interrupted run left is removed first.
    ///
    /// Half a minute; the first time five minutes more, to install packages and build Kubernetes. Needs root. A
    /// cluster of this size in which all is well is left as it is, one of another size is removed.
    Up {
        /// How many nodes.
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=i64::from(layout::MOST_NODES)))]
        nodes: u8,
    },
    /// Stop the cluster and remove all of it but the cache. Seconds.
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
    /// Run kubectl in the cluster: `cargo xtask cluster kubectl get pods -A`.
    #[command(disable_help_flag = true)]
    Kubectl {
        /// What kubectl takes.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        arguments: Vec<OsString>,
    },
    /// Take a node away as a power cut does; what is on its disk stays. Seconds.
    StopNode {
        /// Which, such as node2.
        name: String,
    },
    /// Bring a stopped node back. Seconds.
    StartNode {
        /// Which, such as node2.
        name: String,
    },
    /// Empty the volumes whose claims were deleted, and offer them again.
    Recycle,
    /// Start a registry in the cluster, unless there is one; print where it is and how to be let in.
    ///
    /// A quarter of a minute; the first time a minute or two more, to build it. It is gone with the cluster.
    Registry,
    /// Do what `down` does and remove the cache too, which takes minutes to make anew.
    Purge,
}

/// Why --context means nothing to a part of the soak, if so.
pub(crate) fn needs_no_context(part: Part) -> Option<&'static str> {
    match part {
        Part::E2eRepeat => None,
        Part::Faults => Some("this part takes nodes and the API server of the local cluster away"),
        Part::Requests => Some(
            "this part asks the local cluster; yours: RSS_CONTEXT=NAME cargo test -p api-server --test real",
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

    fn said(line: &str) -> Result<Command, clap::Error> {
        let words = ["cargo-xtask"].into_iter().chain(line.split(' '));
        Arguments::try_parse_from(words).map(|arguments| arguments.command)
    }

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_context_is_taken_by_what_can_use_a_cluster_of_the_users_own_alone() {
        for taken in ["demo", "bench", "test --only e2e", "soak --part e2e-repeat"] {
            let own = |line: &str| match said(&format!("{taken}{line}")).expect(taken) {
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
            "evidence --context mine",
            "--context mine demo",
            "demo --image-prefix host/folder",
            "bench --policies --context mine",
        ] {
            assert_eq!(said(refused).map_err(|error| error.exit_code()).err(), Some(2), "{refused}");
        }
    }

    #[test]
    fn of_the_soak_one_part_alone_runs_in_a_cluster_of_the_users_own() {
        for part in Part::value_variants() {
            assert_eq!(needs_no_context(*part).is_none(), *part == Part::E2eRepeat, "{part:?}");
        }
    }

    #[test]
    fn stories_of_which_there_are_none_and_a_count_beside_the_one_that_is_told_are_refused() {
        for refused in [
            "--from 1 --count 0",
            "--from 18446744073709551615",
            "--from -1",
            "--count 3",
            "--from 1 --trace --count 3",
        ] {
            let error = said(&format!("simulate {refused}")).map_err(|error| error.exit_code()).err();
            assert_eq!(error, Some(2), "{refused}");
        }
        for taken in ["--from 0", "--from=7 --count 3", "--from 7 --trace"] {
            assert!(said(&format!("simulate {taken}")).is_ok(), "{taken}");
        }
    }
}
