//! A served database of many tenants, and a key of each.

use std::{
    io::{BufRead, BufReader, Seek as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Mutex, PoisonError},
};

use anyhow::{Context as _, ensure};
use hardwon_core::{Actor, AgentId, KeyName, TenantId};
use hardwon_server::KeyStore;
use hardwon_server::{
    ApiKey, ApiKeyRecord, KeyGrant, KeyKind, KeyLimits, KeyOrder, KeyReach, Role,
    api_key::KEY_ENTROPY_BYTES,
};
use hardwon_store::{Store as _, sqlite::SqliteKeyDatabase};
use hardwon_store_postgres::{PostgresOptions, PostgresStore};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::report::{MeasuredUsage, print_line};
use crate::bench::text::RandomTexts;

/// The file of the database.
const DATABASE: &str = "hardwon.db";
/// Prompts that a tenant's requests are drawn from.
const PROMPTS: usize = 200;

/// What a server is started with.
#[derive(Debug, Clone)]
pub(crate) struct ServerPlan {
    /// The program.
    pub(crate) program: PathBuf,
    pub(crate) tenants: u32,
    /// How many lessons the tenant of a number has.
    pub(crate) lessons: fn(u32) -> u32,
    /// The database to serve from, in PostgreSQL; `None` for a file.
    pub(crate) postgres: Option<String>,
    /// Options of `serve`.
    pub(crate) options: Vec<String>,
}

impl ServerPlan {
    /// Opens the keys; a database is migrated first.
    fn open_keys(&self, folder: &Path) -> anyhow::Result<KeyStore> {
        let Some(url) = &self.postgres else {
            let file = SqliteKeyDatabase::open(&folder.join("keys.db"))?;
            return Ok(KeyStore::new(file));
        };
        PostgresStore::migrate(url, PostgresOptions::default())?;
        let store = PostgresStore::open(url, PostgresOptions::default())?;
        for number in 0..self.tenants {
            store.erase_tenant(&TenantId::parse(&name_tenant(number))?)?;
        }
        Ok(KeyStore::new(store.keys()))
    }
}

fn name_tenant(number: u32) -> String {
    format!("t{number}")
}

/// A server that was started, with the tenants in its database.
pub(crate) struct LoadedServer {
    plan: ServerPlan,
    child: Child,
    dir: tempfile::TempDir,
    pub(crate) address: String,
    pub(crate) ops_address: String,
    pub(crate) tenants: Vec<LoadTenant>,
}

/// A tenant, and what requests in its name are made of.
pub(crate) struct LoadTenant {
    pub(crate) name: String,
    pub(crate) authorization: String,
    prompts: Vec<String>,
    acknowledged: Mutex<Vec<i64>>,
}

impl LoadTenant {
    pub(crate) fn draw_prompt(&self, random: &mut fastrand::Rng) -> &str {
        &self.prompts[random.usize(..self.prompts.len())]
    }

    pub(crate) fn note_acknowledged(&self, answer: &[u8]) -> anyhow::Result<()> {
        let answer: Value = serde_json::from_slice(answer)?;
        let id = answer["lesson"]["id"].as_i64().context("no number")?;
        self.acknowledged
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(id);
        Ok(())
    }
}

impl LoadedServer {
    /// Makes the database, and serves it.
    pub(crate) fn start(plan: ServerPlan) -> anyhow::Result<Self> {
        let dir = tempfile::tempdir()?;
        let keys = plan.open_keys(dir.path())?;
        let tenants = (0..plan.tenants)
            .map(|number| make_tenant(&plan, &dir.path().join(DATABASE), &keys, number))
            .collect::<anyhow::Result<Vec<_>>>()?;
        let any = "127.0.0.1:0";
        let (child, address, ops_address) = serve(&plan, dir.path(), [any, any])?;
        Ok(Self {
            plan,
            child,
            dir,
            address,
            ops_address,
            tenants,
        })
    }

    /// Kills the server, and starts it again at the same address.
    pub(crate) fn kill_and_restart(&mut self) -> anyhow::Result<()> {
        self.child.kill().and_then(|()| self.child.wait())?;
        let addresses = [&*self.address, &*self.ops_address];
        (self.child, ..) = serve(&self.plan, self.dir.path(), addresses)?;
        Ok(())
    }

    /// Draws a tenant by Zipf's law: the first is asked most.
    pub(crate) fn draw_tenant(&self, random: &mut fastrand::Rng) -> usize {
        let weight = |rank: usize| 1.0 / (rank + 1) as f64;
        let all: f64 = (0..self.tenants.len()).map(weight).sum();
        let mut left = random.f64() * all;
        let drawn = (0..self.tenants.len()).find(|rank| {
            left -= weight(*rank);
            left <= 0.0
        });
        drawn.unwrap_or_default()
    }

    /// Reads what the server has used so far.
    pub(super) fn usage(&self) -> anyhow::Result<MeasuredUsage> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let (_, fields) = stat.rsplit_once(')').context("no end of the name")?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
        // User and system time in hundredths of a second, resident memory in pages.
        let ticks = number(11).zip(number(12)).context("no times")?;
        Ok(MeasuredUsage {
            cpu_seconds: (ticks.0 + ticks.1) / 100.0,
            resident_mib: number(21).context("no memory")? * 4096.0 / 1_048_576.0,
            handles: std::fs::read_dir(format!("/proc/{}/fd", self.child.id()))?.count(),
        })
    }

    /// Looks for every lesson that was acknowledged.
    pub(crate) async fn check_acknowledged(&self) -> anyhow::Result<()> {
        let agent = ureq::agent();
        let mut count = 0_u64;
        for tenant in &self.tenants {
            let ids = tenant
                .acknowledged
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            for id in ids.iter() {
                let url = format!("http://{}/v1/lessons/{id}", self.address);
                let answer = agent
                    .get(&url)
                    .header("authorization", &tenant.authorization)
                    .call();
                if let Err(error) = answer {
                    anyhow::bail!("lesson {id} of {} is lost: {error}", tenant.name);
                }
                count += 1;
            }
        }
        print_line(&format!(
            "{count} lessons were acknowledged, and all are there"
        ));
        Ok(())
    }
}

impl Drop for LoadedServer {
    fn drop(&mut self) {
        self.child.kill().and_then(|()| self.child.wait()).ok();
    }
}

fn serve(
    plan: &ServerPlan,
    folder: &Path,
    [listen, ops_listen]: [&str; 2],
) -> anyhow::Result<(Child, String, String)> {
    let mut child = program_command(&plan.program, &folder.join(DATABASE))
        .args(["serve", "--listen", listen, "--ops-listen", ops_listen])
        .args(&plan.options)
        .envs(plan.postgres.iter().map(|url| ("HARDWON_STORE", url)))
        .stderr(Stdio::piped())
        .spawn()?;
    let told = BufReader::new(child.stderr.take().context("no standard error")?);
    let (address, ops_address) = read_addresses(told)?;
    Ok((child, address, ops_address))
}

fn program_command(program: &Path, database: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("HOME", database.parent().unwrap_or(Path::new("/")))
        .env("HARDWON_DB", database)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

/// Reads where the server listens from what it says at its start, and lets the rest of what it says through.
fn read_addresses(mut told: impl BufRead + Send + 'static) -> anyhow::Result<(String, String)> {
    let mut addresses = Vec::new();
    let mut line = String::new();
    while addresses.len() < 2 {
        line.clear();
        ensure!(
            told.read_line(&mut line)? > 0,
            "the server ended at its start"
        );
        let found = line
            .split("http://")
            .nth(1)
            .map(|part| part.trim().trim_end_matches('/'));
        addresses.extend(found.map(str::to_owned));
    }
    std::thread::spawn(move || std::io::copy(&mut told, &mut std::io::stderr()));
    let ops = addresses.pop().context("no second address")?;
    Ok((addresses.pop().context("no first address")?, ops))
}

fn make_tenant(
    plan: &ServerPlan,
    database: &Path,
    keys: &KeyStore,
    number: u32,
) -> anyhow::Result<LoadTenant> {
    let name = name_tenant(number);
    let mut texts = RandomTexts::new(number.into());
    let lessons = (0..(plan.lessons)(number)).map(|_| texts.draw_lesson());
    load_lessons(&plan.program, database, &name, lessons)?;
    if let Some(url) = &plan.postgres {
        let mut command = program_command(&plan.program, database);
        command
            .args(["tenant", "move", &name, "--to", url, "--from"])
            .arg(database);
        ensure!(command.status()?.success(), "moving {name} failed");
    }
    let key = add_key(keys, &name)?;
    Ok(LoadTenant {
        authorization: format!("Bearer {}", key.reveal()),
        prompts: (0..PROMPTS).map(|_| texts.draw_prompt(false)).collect(),
        acknowledged: Mutex::default(),
        name,
    })
}

fn load_lessons(
    program: &Path,
    database: &Path,
    name: &str,
    texts: impl Iterator<Item = String>,
) -> anyhow::Result<()> {
    let mut lines = tempfile::tempfile()?;
    let mut output = std::io::BufWriter::new(&lines);
    for text in texts {
        writeln!(output, "{}", json!({"text": text}))?;
    }
    output.flush()?;
    drop(output);
    lines.rewind()?;
    let mut command = program_command(program, database);
    command
        .args(["--agent", name, "--everywhere", "lesson", "add", "--jsonl"])
        .env("HARDWON_TENANT", name)
        .stdin(lines);
    ensure!(command.status()?.success(), "{command:?} failed");
    Ok(())
}

fn add_key(keys: &KeyStore, tenant: &str) -> anyhow::Result<ApiKey> {
    let tenant = TenantId::parse(tenant)?;
    let mut random = fastrand::Rng::new();
    let mut entropy = [0; KEY_ENTROPY_BYTES];
    random.fill(&mut entropy);
    let key = ApiKey::from_entropy(KeyKind::Tenant, entropy);
    let limits = KeyLimits {
        agents: [AgentId::parse(tenant.as_str())?].into(),
        ..KeyLimits::default()
    };
    let grant = KeyGrant::new(Role::Agent, Some(tenant.clone()), limits)?;
    let record = ApiKeyRecord::new(&key, grant, KeyName::parse("load")?, Timestamp::now(), None);
    let order = KeyOrder {
        at: Timestamp::now(),
        by: Actor::person(),
        reach: KeyReach::Server,
    };
    // In a database it may be there from a run before.
    drop(keys.add_tenant(&order, &tenant));
    keys.add_key(&order, &record)?;
    Ok(key)
}
