//! `isolation`: tenants that share a store learn nothing of each other.
//!
//! This is noninterference (Goguen and Meseguer, 1982): what a tenant is answered must be the same whether or not others
//! are there. Random principals of several tenants do random things in one store; the steps of each tenant are done
//! again in a store in memory that no other tenant uses. Both answers must be equal to the byte: words, numbers, counts,
//! scores, statistics and digests. All tenants use the same names and numbers, so each asks for the others' lessons all
//! the time.
//!
//! What is not seen here: how long an answer takes.

mod step;

use std::{
    collections::BTreeMap,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Instant,
};

use anyhow::ensure;
use fastrand::Rng;
use hardwon_core::TenantId;
use hardwon_engine::{Engine, Policy};
use hardwon_store::{SqliteStore, Store};
use hardwon_store_suite::MemoryStore;

use self::step::{IsolationStep, play_verb};
use super::{
    agent::{self, SimVoice},
    world::ManualClock,
};

/// What `isolation` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct IsolationArgs {
    /// What all is drawn from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many steps.
    #[arg(long, default_value_t = 10_000)]
    steps: u64,
    /// The folder of the shared database file; without it a temporary one.
    #[arg(long)]
    dir: Option<PathBuf>,
    /// A PostgreSQL database to share instead of a file: it is migrated, and the tenants are erased from it first.
    #[cfg(feature = "load")]
    #[arg(long)]
    postgres: Option<String>,
}

/// So many tenants share the store.
const TENANTS: usize = 5;
/// Lessons of one scope: little, so that there is no room now and then.
const CAPACITY: usize = 40;

pub(crate) fn run(args: &IsolationArgs) -> anyhow::Result<()> {
    let began = Instant::now();
    let folder = tempfile::tempdir()?;
    let folder = args.dir.as_deref().unwrap_or(folder.path());
    let mut world = IsolationWorld::new(args.seed, open_shared(args, folder)?);
    for number in 0..args.steps {
        let step = IsolationStep::draw(&mut world.random, number);
        world.play_step(&step)?;
    }
    let mut out = std::io::stdout().lock();
    let IsolationWorld {
        answered,
        refused,
        shown,
        ..
    } = world;
    writeln!(
        out,
        "{} steps of {TENANTS} tenants in {:.0} s: {answered} answered, {refused} refused, {shown} lessons shown; \
         every answer is the one that the tenant gets alone",
        args.steps,
        began.elapsed().as_secs_f64(),
    )?;
    Ok(())
}

#[cfg(feature = "load")]
fn open_shared(args: &IsolationArgs, folder: &Path) -> anyhow::Result<Box<dyn Store>> {
    use hardwon_store_postgres::{PostgresOptions, PostgresStore};
    let Some(url) = &args.postgres else {
        return Ok(Box::new(SqliteStore::open(&folder.join("hardwon.db"))?));
    };
    PostgresStore::migrate(url, PostgresOptions::default())?;
    let store = PostgresStore::open(url, PostgresOptions::default())?;
    for tenant in 0..TENANTS {
        store.erase_tenant(&name_tenant(tenant))?;
    }
    Ok(Box::new(store))
}

#[cfg(not(feature = "load"))]
fn open_shared(_: &IsolationArgs, folder: &Path) -> anyhow::Result<Box<dyn Store>> {
    Ok(Box::new(SqliteStore::open(&folder.join("hardwon.db"))?))
}

fn name_tenant(number: usize) -> TenantId {
    TenantId::parse(&format!("tenant-{number}")).expect("a name")
}

/// The shared store, and one for each tenant alone.
struct IsolationWorld {
    random: Rng,
    clock: ManualClock,
    shared: Engine,
    alone: BTreeMap<usize, Engine>,
    secrets: Vec<String>,
    answered: u64,
    refused: u64,
    shown: u64,
}

impl IsolationWorld {
    fn new(seed: u64, store: Box<dyn Store>) -> Self {
        let clock = ManualClock(Arc::new(AtomicI64::new(1_772_000_000_000)));
        let build = |store: Box<dyn Store>| {
            let policy = Policy {
                capacity: CAPACITY,
                keep_prompts: true,
                ..Policy::default()
            };
            Engine::new(store, policy, Box::new(clock.clone()))
        };
        Self {
            random: Rng::with_seed(seed),
            shared: build(store),
            alone: (0..TENANTS)
                .map(|tenant| (tenant, build(Box::new(MemoryStore::new()))))
                .collect(),
            clock,
            secrets: agent::make_secrets(seed),
            answered: 0,
            refused: 0,
            shown: 0,
        }
    }

    fn play_step(&mut self, step: &IsolationStep) -> anyhow::Result<()> {
        self.clock.0.fetch_add(step.pause_ms, Ordering::Relaxed);
        let alone = &self.alone[&step.tenant];
        let [expected, got] = [alone, &self.shared].map(|engine| {
            let mut words = step.words * 10;
            let voice = SimVoice::new(step.words, step.place, &self.secrets, &mut words);
            play_verb(&engine.acting_as(step.principal.clone()), step, voice)
        });
        ensure!(
            expected.text == got.text,
            "{step:?}\nis answered alone with\n{}\nand beside other tenants with\n{}",
            expected.text,
            got.text,
        );
        self.shown += got.shown;
        if got.is_refused {
            self.refused += 1;
        } else {
            self.answered += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_answer_depends_on_other_tenants() {
        let dir = tempfile::tempdir().unwrap();
        run(&IsolationArgs {
            seed: 7,
            steps: 600,
            dir: Some(dir.path().to_owned()),
            #[cfg(feature = "load")]
            postgres: None,
        })
        .unwrap();
    }
}
