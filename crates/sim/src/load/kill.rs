//! `kill-server`: no lesson that a server acknowledged is lost or doubled, however often it is killed.
//!
//! Clients add lessons, each request with a name of its own (`Idempotency-Key`). Now and then the server is killed
//! (SIGKILL) and started again; a client whose request was not answered makes it again, as one should. At the end every
//! acknowledged lesson must be there once, and every other at most once.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use anyhow::{Context as _, ensure};
use clap::Args;
use serde_json::{Value, json};

use super::{
    report::print_line,
    setup::{LoadedServer, ServerPlan},
};

/// Time between two lessons of a client.
const PAUSE: Duration = Duration::from_millis(40);
/// Most lessons of a client: with more, the oldest would have to make room.
const LESSONS: u32 = 900;

/// What `kill-server` takes.
#[derive(Debug, Args)]
pub(crate) struct KillServerArgs {
    /// The program to serve with.
    #[arg(long)]
    hardwon: PathBuf,
    /// How often it is killed.
    #[arg(long, default_value_t = 50)]
    rounds: u32,
    /// Clients at the same time, each of a tenant of its own.
    #[arg(long, default_value_t = 8)]
    clients: u32,
    /// Longest life of the server, in milliseconds.
    #[arg(long, default_value_t = 1500)]
    longest: u64,
    /// Which random moments.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A PostgreSQL database to serve from instead of a file: the tenants `t0` and so on are erased from it first.
    #[arg(long)]
    postgres: Option<String>,
    /// Options of `hardwon serve`.
    #[arg(last = true)]
    serve: Vec<String>,
}

pub(crate) fn run(args: &KillServerArgs) -> anyhow::Result<()> {
    let mut random = fastrand::Rng::with_seed(args.seed);
    let mut server = LoadedServer::start(ServerPlan {
        program: std::path::absolute(&args.hardwon)?,
        tenants: args.clients,
        lessons: |_| 20,
        postgres: args.postgres.clone(),
        options: args.serve.clone(),
    })?;
    let target = Arc::new(KillTarget::new(&server));
    let clients: Vec<_> = (0..server.tenants.len())
        .map(|tenant| {
            let client = KillClient::new(Arc::clone(&target), &server, tenant);
            std::thread::spawn(move || client.run())
        })
        .collect();
    for _ in 0..args.rounds {
        std::thread::sleep(Duration::from_millis(random.u64(1..args.longest)));
        server.kill_and_restart()?;
    }
    target.is_over.store(true, Ordering::Relaxed);
    let mut total = KillTotals::default();
    for client in clients {
        let client = client.join().ok().context("a client broke off")??;
        total.add(&client.check()?);
    }
    print_line(&format!(
        "killed {} times: {} lessons acknowledged, all there once; {} requests were made again, {} of them were done \
         already",
        args.rounds, total.acknowledged, total.repeated, total.replayed,
    ));
    Ok(())
}

/// What clients know of the server.
struct KillTarget {
    url: String,
    is_over: AtomicBool,
}

impl KillTarget {
    fn new(server: &LoadedServer) -> Self {
        Self {
            url: format!("http://{}/v1/lessons", server.address),
            is_over: AtomicBool::new(false),
        }
    }
}

#[derive(Debug, Default)]
struct KillTotals {
    acknowledged: usize,
    repeated: u64,
    replayed: u64,
}

impl KillTotals {
    fn add(&mut self, other: &Self) {
        self.acknowledged += other.acknowledged;
        self.repeated += other.repeated;
        self.replayed += other.replayed;
    }
}

/// A client that adds one lesson after another.
struct KillClient {
    target: Arc<KillTarget>,
    agent: ureq::Agent,
    authorization: String,
    tenant: usize,
    totals: KillTotals,
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
    fn new(target: Arc<KillTarget>, server: &LoadedServer, tenant: usize) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(20)))
            .build();
        Self {
            target,
            agent: config.into(),
            authorization: server.tenants[tenant].authorization.clone(),
            tenant,
            totals: KillTotals::default(),
            words: BTreeMap::new(),
        }
    }

    fn run(mut self) -> anyhow::Result<Self> {
        for number in 0..LESSONS {
            if self.target.is_over.load(Ordering::Relaxed) {
                break;
            }
            self.add_lesson(&format!("mark{}x{number}", self.tenant))?;
            std::thread::sleep(PAUSE);
        }
        Ok(self)
    }

    /// Adds a lesson, with as many tries as it takes.
    fn add_lesson(&mut self, word: &str) -> anyhow::Result<()> {
        self.words.insert(word.to_owned(), None);
        loop {
            match self.send(word)? {
                KillAnswer::Added { id, is_replayed } => {
                    self.totals.replayed += u64::from(is_replayed);
                    self.totals.acknowledged += 1;
                    self.words.insert(word.to_owned(), Some(id));
                    return Ok(());
                }
                KillAnswer::DoneBefore => {
                    self.totals.replayed += 1;
                    return Ok(());
                }
                KillAnswer::None => {
                    self.totals.repeated += 1;
                    std::thread::sleep(Duration::from_millis(5));
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
            .post(&self.target.url)
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
    fn check(self) -> anyhow::Result<KillTotals> {
        for (word, acknowledged) in &self.words {
            let count = self.count_active(word)?;
            ensure!(count <= 1, "{word} is there {count} times");
            if let Some(id) = acknowledged {
                let found = self.get(&format!("/{id}"));
                found.with_context(|| format!("{word} was acknowledged and is lost"))?;
            }
        }
        Ok(self.totals)
    }

    fn count_active(&self, word: &str) -> anyhow::Result<usize> {
        let found = self.get(&format!("?q={word}&limit=200"))?;
        let found = found["lessons"].as_array().context("no lessons")?;
        Ok(found.iter().filter(|it| it["signature"] == *word).count())
    }

    fn get(&self, rest: &str) -> anyhow::Result<Value> {
        let asked = self.agent.get(format!("{}{rest}", self.target.url));
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
