//! A server: no lesson that it acknowledged is lost or doubled, however often it is killed.
//!
//! Clients add lessons, each request with a name of its own (`Idempotency-Key`). Now and then the server is killed
//! (SIGKILL) and started again; a client whose request was not answered makes it again, as one should. At the end every
//! acknowledged lesson must be there once, and every other at most once.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::{CrashArgs, Deed, Round, Tally};
use crate::load::setup::{LoadedServer, ServerPlan};

/// Time between two lessons of a client.
const PAUSE: Duration = Duration::from_millis(40);
/// Most lessons of a client: with more, the oldest would have to make room.
const LESSONS: u32 = 900;

/// Longest life of the server.
const LONGEST: Duration = Duration::from_millis(1500);

/// A server, and its clients, each of a tenant of its own.
pub(super) struct Server {
    server: LoadedServer,
    is_over: Arc<AtomicBool>,
    clients: Vec<JoinHandle<anyhow::Result<KillClient>>>,
}

impl Server {
    pub(super) fn new(args: &CrashArgs) -> anyhow::Result<Self> {
        let server = LoadedServer::start(ServerPlan {
            program: std::path::absolute(&args.hardwon)?,
            tenants: args.writers,
            lessons: |_| 20,
            postgres: args.postgres.clone(),
            options: args.serve.clone(),
        })?;
        let is_over = Arc::new(AtomicBool::new(false));
        let start = |tenant| {
            let client = KillClient::new(&server, tenant, Arc::clone(&is_over));
            thread::spawn(move || client.run())
        };
        let clients = (0..server.tenants.len()).map(start).collect();
        Ok(Self {
            server,
            is_over,
            clients,
        })
    }
}

impl Deed for Server {
    fn play(&mut self, round: &mut Round<'_>) -> anyhow::Result<()> {
        round.sleep_up_to(LONGEST)?;
        self.server.kill_and_restart()?;
        round.tally.note_end("server", true);
        Ok(())
    }

    fn finish(&mut self, tally: &mut Tally) -> anyhow::Result<()> {
        self.is_over.store(true, Ordering::Relaxed);
        for client in self.clients.drain(..) {
            let client = client.join().ok().context("a client broke off")??;
            client.check(tally)?;
        }
        Ok(())
    }
}

/// A client that adds one lesson after another.
struct KillClient {
    url: String,
    is_over: Arc<AtomicBool>,
    agent: ureq::Agent,
    authorization: String,
    tenant: usize,
    /// Requests that were made again, and those that had been carried out before.
    repeated: u64,
    replayed: u64,
    /// The word of each lesson that was tried, and its number if it was acknowledged.
    words: BTreeMap<String, Option<i64>>,
}

/// What became of one request.
enum KillAnswer {
    Added {
        id: i64,
        is_replayed: bool,
    },
    /// It was carried out, and its answer is lost.
    DoneBefore,
    /// Nobody knows.
    None,
}

impl KillClient {
    fn new(server: &LoadedServer, tenant: usize, is_over: Arc<AtomicBool>) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(20)))
            .build();
        Self {
            url: format!("http://{}/v1/lessons", server.address),
            is_over,
            agent: config.into(),
            authorization: server.tenants[tenant].authorization.clone(),
            tenant,
            repeated: 0,
            replayed: 0,
            words: BTreeMap::new(),
        }
    }

    fn run(mut self) -> anyhow::Result<Self> {
        for number in 0..LESSONS {
            if self.is_over.load(Ordering::Relaxed) {
                break;
            }
            self.add_lesson(&format!("mark{}x{number}", self.tenant))?;
            thread::sleep(PAUSE);
        }
        Ok(self)
    }

    /// Adds a lesson, with as many tries as it takes.
    fn add_lesson(&mut self, word: &str) -> anyhow::Result<()> {
        self.words.insert(word.to_owned(), None);
        loop {
            match self.send(word)? {
                KillAnswer::Added { id, is_replayed } => {
                    self.replayed += u64::from(is_replayed);
                    self.words.insert(word.to_owned(), Some(id));
                    return Ok(());
                }
                KillAnswer::DoneBefore => {
                    self.replayed += 1;
                    return Ok(());
                }
                KillAnswer::None => {
                    self.repeated += 1;
                    thread::sleep(Duration::from_millis(5));
                }
            }
        }
    }

    fn send(&self, word: &str) -> anyhow::Result<KillAnswer> {
        let body = json!({
            "signature": word,
            "lesson_text": format!("Turn the valve {word} before the pump."),
        });
        let sent = self
            .agent
            .post(&self.url)
            .header("authorization", &self.authorization)
            .header("idempotency-key", word)
            .send(body.to_string());
        let Ok(mut answer) = sent else {
            return Ok(KillAnswer::None);
        };
        let is_replayed = answer.headers().contains_key("idempotency-replayed");
        let is_to_retry = answer.headers().contains_key("retry-after");
        Ok(match answer.status().as_u16() {
            201 => match answer.body_mut().read_to_vec() {
                Ok(body) => KillAnswer::Added {
                    id: read_id(&body)?,
                    is_replayed,
                },
                Err(_) => KillAnswer::None,
            },
            409 if !is_to_retry => KillAnswer::DoneBefore,
            409 | 503 => KillAnswer::None,
            status => anyhow::bail!("{status}: {}", answer.body_mut().read_to_string()?),
        })
    }

    /// Looks for every lesson.
    fn check(self, tally: &mut Tally) -> anyhow::Result<()> {
        for (word, acknowledged) in &self.words {
            let count = self.count_active(word)?;
            tally.reject(&format!("times {word} is there"), count.saturating_sub(1));
            if let Some(id) = acknowledged {
                let is_lost = self.get(&format!("/{id}")).is_err();
                tally.reject(&format!("{word} acknowledged and lost"), is_lost.into());
                tally.count("lessons acknowledged", 1);
            }
        }
        tally.count("requests made again", self.repeated);
        tally.count("of them done already", self.replayed);
        Ok(())
    }

    fn count_active(&self, word: &str) -> anyhow::Result<u64> {
        let found = self.get(&format!("?q={word}&limit=200"))?;
        let found = found["lessons"].as_array().context("no lessons")?;
        let found = found.iter().filter(|lesson| lesson["signature"] == *word);
        Ok(u64::try_from(found.count())?)
    }

    fn get(&self, rest: &str) -> anyhow::Result<Value> {
        let asked = self.agent.get(format!("{}{rest}", self.url));
        let asked = asked.header("authorization", &self.authorization);
        let mut answer = asked.call()?;
        let status = answer.status();
        let body = answer.body_mut().read_to_string()?;
        ensure!(status.is_success(), "it answers {status}: {body}");
        Ok(serde_json::from_str(&body)?)
    }
}

fn read_id(answer: &[u8]) -> anyhow::Result<i64> {
    let answer: Value = serde_json::from_slice(answer)?;
    answer["lesson"]["id"].as_i64().context("no number")
}
