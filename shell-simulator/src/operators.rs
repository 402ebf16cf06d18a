//! The processes of the operator in a story, one after the other, and the one that stands by.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use crate::api_server::ApiServer;
use crate::life::Trouble;
use crate::process::Process;
use crate::watches::Watches;

/// How long after a death the next process is started.
const PAUSE: Duration = Duration::from_secs(2);

/// The number of the process that stands by.
const BESIDE: usize = 100;

/// The processes of a story.
pub struct Operators {
    pub(crate) server: ApiServer,
    process: Process,
    standby: Option<Process>,
    watches: Watches,
    deaths: usize,
    /// What earlier processes did.
    past: Vec<String>,
}

impl Operators {
    /// The first one is started.
    #[must_use]
    pub fn start(server: &ApiServer, watches: Watches) -> Self {
        let process = Process::start(server, 0, &watches);
        let server = server.clone();
        Self { server, process, standby: None, watches, deaths: 0, past: Vec::new() }
    }

    /// Lets time go on. Another process is started whenever one died.
    pub async fn passes(&mut self, time: Duration) {
        let until = Instant::now() + time;
        loop {
            let life = Arc::clone(&self.process.life);
            tokio::select! {
                () = sleep_until(until) => return,
                () = life.death() => self.succeed().await,
            }
        }
    }

    /// The next process comes after a while.
    async fn succeed(&mut self) {
        self.server.act(|state| state.cluster.say(|| "the operator dies".to_owned()));
        sleep(PAUSE).await;
        self.deaths += 1;
        let process = Process::start(&self.server, self.deaths, &self.watches);
        let before = std::mem::replace(&mut self.process, process);
        self.process.life.strike_each(before.life.spared());
        self.past.extend(before.life.effects());
    }

    /// Another process is started beside the one that leads.
    pub fn stand_by(&mut self) {
        self.standby = Some(Process::start(&self.server, BESIDE, &self.watches));
    }

    /// The process dies; as time goes on, the next one is started.
    pub(crate) fn die(&self) {
        self.process.life.die();
    }

    /// This goes wrong with what the process does after so many effects more.
    pub fn strike(&self, more: usize, trouble: Trouble) {
        self.process.life.strike(more, trouble);
    }

    /// These go wrong with what it and those after it do, each so many effects after the one before.
    pub(crate) fn strike_each(&self, troubles: &[(usize, Trouble)]) {
        self.process.life.strike_each(troubles.iter().copied().collect());
    }

    /// How many processes died.
    #[must_use]
    pub fn deaths(&self) -> usize {
        self.deaths
    }

    /// What all processes did.
    #[must_use]
    pub fn effects(&self) -> Vec<String> {
        let beside = self.standby.iter().flat_map(|process| process.life.effects());
        self.past.iter().cloned().chain(self.process.life.effects()).chain(beside).collect()
    }
}
