//! The processes of the operator in a story, one after the other, and the one that stands by.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use crate::api_server::ApiServer;
use crate::life::Life;
use crate::process::Process;
use crate::strikes::{Strikes, Trouble};
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
    strikes: Strikes,
    deaths: usize,
    /// What earlier processes did.
    past: Vec<String>,
}

impl Operators {
    /// The first one is started.
    #[must_use]
    pub fn start(server: &ApiServer, watches: Watches) -> Self {
        let strikes = Strikes::default();
        let process = Process::start(server, 0, &watches, &strikes);
        let server = server.clone();
        Self { server, process, standby: None, watches, strikes, deaths: 0, past: Vec::new() }
    }

    /// Lets time go on. Another process is started whenever one died.
    pub async fn passes(&mut self, time: Duration) {
        let until = Instant::now() + time;
        loop {
            let leads = Some(Arc::clone(&self.process.life));
            let beside = self.standby.as_ref().map(|process| Arc::clone(&process.life));
            tokio::select! {
                () = sleep_until(until) => return,
                life = death(leads) => self.process = self.successor(0, &life).await,
                life = death(beside) => self.standby = Some(self.successor(BESIDE, &life).await),
            }
        }
    }

    /// The next process comes after a while.
    async fn successor(&mut self, number: usize, before: &Life) -> Process {
        self.server.act(|state| state.cluster.say(|| "the operator dies".to_owned()));
        sleep(PAUSE).await;
        self.deaths += 1;
        self.past.extend(before.effects());
        Process::start(&self.server, number + self.deaths, &self.watches, &self.strikes)
    }

    /// Another process is started beside the one that leads.
    pub fn stand_by(&mut self) {
        self.standby = Some(Process::start(&self.server, BESIDE, &self.watches, &self.strikes));
    }

    /// The process dies; as time goes on, the next one is started.
    pub(crate) fn die(&self) {
        self.process.life.die();
    }

    /// This goes wrong with what is done after so many effects more, whichever process does it.
    pub fn strike(&self, more: usize, trouble: Trouble) {
        self.strikes.each(&[(more, trouble)]);
    }

    /// These go wrong, each so many effects after the one before.
    pub(crate) fn strike_each(&self, troubles: &[(usize, Trouble)]) {
        self.strikes.each(troubles);
    }

    /// What went wrong so far with what they did, in the order in which it struck. What was drawn for an effect that never
    /// came is not among it.
    #[must_use]
    pub fn struck(&self) -> Vec<Trouble> {
        self.strikes.struck()
    }

    /// How much of that was no death: those are counted where a process ends.
    pub(crate) fn struck_besides(&self) -> u64 {
        self.struck().iter().filter(|trouble| **trouble != Trouble::Death).count() as u64
    }

    /// How many processes died.
    #[must_use]
    pub fn deaths(&self) -> usize {
        self.deaths
    }

    /// Whether the lease has troubles, which end a term while its process lives.
    pub(crate) fn loses_its_term(&self) -> bool {
        self.watches.unelected
    }

    /// In how many ways they are kept from hearing at once what is so: watches that are late or break off, questions that get
    /// no answer, terms that end.
    pub(crate) fn hears_badly(&self) -> usize {
        let watches = &self.watches;
        let is_late = watches.stutters || watches.lags.iter().any(|(_, millis)| *millis > 0);
        [is_late, watches.unanswered, watches.unelected].into_iter().filter(|is| *is).count()
    }

    /// What all processes did.
    #[must_use]
    pub fn effects(&self) -> Vec<String> {
        let beside = self.standby.iter().flat_map(|process| process.life.effects());
        self.past.iter().cloned().chain(self.process.life.effects()).chain(beside).collect()
    }
}

/// The one that died, if there is one that can.
async fn death(life: Option<Arc<Life>>) -> Arc<Life> {
    match life {
        Some(life) => {
            life.death().await;
            life
        }
        None => pending().await,
    }
}
