//! A process of its own in which a policy is loaded first, within limits that the kernel enforces.
//!
//! The checks of the bytes bound all attacks that are known. Another attack can exist: it ends this process and not the
//! operator, which loads only what this process loaded.

mod bounds;
mod child;
mod ended;
mod said;

use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

pub use bounds::Bounds;
pub use child::ChildArguments;
pub use ended::{Limit, NoVerdict};

use super::refusal::Refusal;
use super::settings::{Settings, Unfit};
use child::Job;
use ended::Verdict;
use said::Subject;

/// Starts these processes.
#[derive(Clone, Debug)]
pub struct Isolated {
    program: PathBuf,
    bounds: Bounds,
}

impl Isolated {
    /// Of the program that runs, also if its file was replaced since.
    #[must_use]
    pub fn own() -> Self {
        Self::new("/proc/self/exe", Bounds::default())
    }

    /// Of another program that knows the command, within other bounds.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>, bounds: Bounds) -> Self {
        Self { program: program.into(), bounds }
    }

    /// Loads these bytes as a policy, and lets go of it.
    ///
    /// # Errors
    /// If the process came to no verdict; within: why the bytes are no policy.
    pub async fn load(&self, bytes: &[u8]) -> Result<Result<(), Refusal>, NoVerdict> {
        Ok(match self.verdict(Job::Component, bytes).await? {
            Verdict::Good => Ok(()),
            Verdict::Refused(words) => Err(Refusal::Isolated(words)),
            Verdict::Limit(limit) => Err(Refusal::Limit(limit)),
        })
    }

    /// Checks settings by the schema of a policy.
    ///
    /// # Errors
    /// If the process came to no verdict; within: what is wrong with the settings.
    pub async fn check(&self, schema: &str, settings: &Settings) -> Result<Result<(), Unfit>, NoVerdict> {
        let subject = Subject { schema: schema.into(), settings: settings.map() };
        let subject = serde_json::to_vec(&subject).map_err(io::Error::from).map_err(NoVerdict::Talk)?;
        Ok(match self.verdict(Job::Settings, &subject).await? {
            Verdict::Good => Ok(()),
            Verdict::Refused(words) => Err(Unfit::Isolated(words)),
            Verdict::Limit(limit) => Err(Unfit::Limit(limit)),
        })
    }

    async fn verdict(&self, job: Job, input: &[u8]) -> Result<Verdict, NoVerdict> {
        let mut child = self.command(job).spawn().map_err(NoVerdict::Start)?;
        let heard = tokio::time::timeout(self.bounds.time, hear(&mut child, input)).await;
        let Ok(heard) = heard else {
            // The next load begins when the memory of this one is free.
            drop(child.kill().await);
            return Err(NoVerdict::Late(self.bounds.time));
        };
        let (said, status) = heard.map_err(NoVerdict::Talk)?;
        Verdict::of(&said, status, self.bounds)
    }

    fn command(&self, job: Job) -> Command {
        let mut command = Command::new(&self.program);
        command.args(ChildArguments::new(job, self.bounds).line());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Tokens of the operator's environment are none of a policy's business.
        command.env_clear().current_dir("/").kill_on_drop(true);
        command
    }
}

/// Gives a process its input, and hears what it says until it ends.
async fn hear(child: &mut Child, input: &[u8]) -> io::Result<(Vec<u8>, ExitStatus)> {
    if let Some(mut stdin) = child.stdin.take() {
        // A process that ended does not read to the end: how it ended says why.
        drop(stdin.write_all(input).await);
    }
    let mut said = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(said::LONGEST).read_to_end(&mut said).await?;
    }
    Ok((said, child.wait().await?))
}
