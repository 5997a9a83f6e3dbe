//! Sweeps over PostgreSQL: killed at random moments, and beside recalls.
//!
//! No command of `hardwon` sweeps a database yet, so a process that is killed is this program: it takes the lease,
//! plans under it, and applies the plan, as `hardwon sweep --unattended` does on a file. A lease that is left
//! behind ends by itself, and the next sweep waits for that. Then recalls of several threads are timed, without and
//! with sweeps of their tenants beside them.

use std::{
    io::Write as _,
    process::{Command, ExitCode, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::ensure;
use hardwon_core::{
    evidence::Evidence,
    id::{ProjectId, RunId, TenantId},
    lesson::{Cause, Draft, RunOutcome, Status, Trust, TrustClass},
    sweep::SweepPolicy,
};
use hardwon_engine::{
    Engine, Error, LessonContent, Policy, RecallRequest, Scope, SystemClock,
    sweep::{SweepError, SweepRequest},
};
use hardwon_store::{LessonListing, ScopeFilter, Store as _};
use hardwon_store_postgres::{PostgresOptions, PostgresStore};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::{
    desk::{agent_desk, person_desk},
    processes::make_mark,
};

/// Sweeps a PostgreSQL database: kills sweeps, and times recalls beside them.
#[derive(Debug, clap::Args)]
pub(crate) struct SweepPostgresArgs {
    /// The database: it is migrated, and the tenants `s0` and so on are erased from it first.
    #[arg(long)]
    postgres: String,
    /// How many sweeps are killed.
    #[arg(long, default_value_t = 200)]
    kills: u32,
    /// Seconds of recalls, without and with sweeps.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Which random moments.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only sweeps this tenant, as a process to be killed.
    #[arg(long, hide = true)]
    only: Option<String>,
}

/// How long a lease holds: after a kill the next sweep waits so long at most.
const LEASE: SignedDuration = SignedDuration::from_millis(400);
/// The first is swept by processes that are killed, the others beside recalls.
const TENANTS: u64 = 4;
/// Lessons of each tenant that belong to no group.
const BANK: u64 = 300;
/// Threads that recall.
const READERS: u64 = 2;

pub(crate) fn run(args: &SweepPostgresArgs) -> anyhow::Result<ExitCode> {
    if let Some(tenant) = &args.only {
        sweep(&open(args)?, tenant)?;
        return Ok(ExitCode::SUCCESS);
    }
    PostgresStore::migrate(&args.postgres, PostgresOptions::default())?;
    let store = PostgresStore::open(&args.postgres, PostgresOptions::default())?;
    for number in 0..TENANTS {
        store.erase_tenant(&TenantId::parse(&name_tenant(number))?)?;
    }
    let engine = open(args)?;
    for tenant in 0..TENANTS {
        for lesson in 0..BANK {
            let mark = make_mark(lesson);
            let text = format!("Start {mark} before the build, since it listens on another port.");
            add_lessons(&engine, &name_tenant(tenant), &mark, &[text], None)?;
        }
    }
    let killed = kill_sweeps(args, &engine)?;
    let alone = time_recalls(args, &engine, false)?;
    let beside = time_recalls(args, &engine, true)?;
    let mut is_sound = true;
    for tenant in 0..TENANTS {
        let desk_scope = scope_of(&name_tenant(tenant))?;
        is_sound &= person_desk(&engine, &desk_scope)
            .audit_journal()?
            .is_sound();
    }
    let ok = killed["broken"] == json!([]) && is_sound;
    let report = json!({
        "seed": args.seed, "sweeps": killed, "recalls_alone": alone, "recalls_beside_sweeps": beside,
        "journals_sound": is_sound, "ok": ok,
    });
    writeln!(std::io::stdout(), "{report}")?;
    Ok(ExitCode::from(u8::from(!ok)))
}

fn open(args: &SweepPostgresArgs) -> anyhow::Result<Engine> {
    let store = PostgresStore::open(&args.postgres, PostgresOptions::default())?;
    Ok(Engine::new(
        Box::new(store),
        Policy::default(),
        Box::new(SystemClock),
    ))
}

fn name_tenant(number: u64) -> String {
    format!("s{number}")
}

fn scope_of(tenant: &str) -> anyhow::Result<Scope> {
    Ok(Scope {
        tenant: TenantId::parse(tenant)?,
        project: Some(ProjectId::parse("works")?),
        ..Scope::default()
    })
}

/// Adds lessons of these texts that hold until a time; `None` for good.
fn add_lessons(
    engine: &Engine,
    tenant: &str,
    mark: &str,
    texts: &[String],
    until: Option<Timestamp>,
) -> anyhow::Result<()> {
    let scope = scope_of(tenant)?;
    let drafts = texts.iter().map(|text| Draft {
        scope: scope.clone(),
        content: LessonContent::new(format!("{mark} feed"), text.as_str()),
        cause: Cause::Manual,
        outcome: RunOutcome::Mixed,
        evidence: vec![Evidence::from_run(
            &RunId::parse(mark).expect("a mark names a run"),
        )],
        trust: Trust::untainted(TrustClass::Agent),
        confidence: 0.5,
        failure: None,
        expires_at: until,
        supersedes: Vec::new(),
        task: None,
    });
    agent_desk(engine, &scope, false).admit_drafts(drafts.collect())?;
    Ok(())
}

/// Adds three lessons whose time is over at once.
fn add_group(engine: &Engine, tenant: &str, mark: &str) -> anyhow::Result<()> {
    let texts = [
        format!("The {mark} importer stalls when the {mark} feed is empty; skip an empty feed."),
        format!("Restart the {mark} importer after the feed is renamed."),
        format!("Read the {mark} feed twice before its importer counts rows."),
    ];
    add_lessons(engine, tenant, mark, &texts, Some(Timestamp::now()))
}

/// Sweeps a tenant, under a lease, once nobody else does; returns how many lessons left.
fn sweep(engine: &Engine, tenant: &str) -> anyhow::Result<usize> {
    let scope = scope_of(tenant)?;
    let desk = person_desk(engine, &scope);
    let lease = loop {
        match desk.take_sweep_lease(LEASE) {
            Ok(lease) => break lease,
            Err(Error::Sweep(SweepError::Busy(_))) => thread::sleep(Duration::from_millis(20)),
            Err(error) => return Err(error.into()),
        }
    };
    let request = SweepRequest {
        within: ScopeFilter::Tenant,
        policy: SweepPolicy::default(),
        model: None,
        repository: None,
        is_unattended: true,
    };
    let planned = desk.plan_sweep(&request, Some(&lease))?;
    let retired = match planned.plan.items.is_empty() {
        true => 0,
        false => {
            let done = desk.apply_sweep(&planned.plan, &planned.within, Some(&lease))?;
            done.retired.len()
        }
    };
    desk.end_sweep(lease)?;
    Ok(retired)
}

/// Kills processes that sweep, and counts the groups that are neither untouched nor whole.
fn kill_sweeps(args: &SweepPostgresArgs, engine: &Engine) -> anyhow::Result<Value> {
    let mut random = fastrand::Rng::with_seed(args.seed);
    let (mut killed, mut ended, mut longest) = (0, 0, Duration::from_millis(300));
    let mut marks = Vec::new();
    let mut broken = Vec::new();
    let tenant = name_tenant(0);
    while killed < args.kills {
        let mark = make_mark(100_000 + u64::try_from(marks.len())?);
        add_group(engine, &tenant, &mark)?;
        marks.push(mark);
        let start = Instant::now();
        let mut child = Command::new(std::env::current_exe()?)
            .args(["sweep-postgres", "--postgres", &args.postgres])
            .args(["--only", &tenant])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()?;
        let wait = random.u64(0..u64::try_from(longest.as_micros())?);
        thread::sleep(Duration::from_micros(wait));
        // It may have ended by itself.
        drop(child.kill());
        match child.wait()?.code() {
            None => {
                killed += 1;
                longest = longest.mul_f64(1.02);
            }
            Some(code) => {
                ensure!(code == 0, "a sweep failed: exit code {code}");
                ended += 1;
                longest = start.elapsed();
            }
        }
        let states = read_groups(engine, &tenant, &marks)?;
        broken.extend(find_broken(&marks, &states));
        if random.u32(0..4) == 0 {
            sweep(engine, &tenant)?;
        }
    }
    sweep(engine, &tenant)?;
    let last = read_groups(engine, &tenant, &marks)?;
    let swept = last.iter().filter(|it| it.is_swept()).count();
    Ok(json!({
        "killed": killed, "ended_before": ended, "broken": broken, "groups": marks.len(), "groups_swept": swept,
    }))
}

/// How many lessons of a group there are in each state.
#[derive(Debug, Clone, Default)]
struct GroupCount {
    active: usize,
    archived: usize,
}

impl GroupCount {
    fn is_swept(&self) -> bool {
        (self.active, self.archived) == (0, 3)
    }

    fn is_untouched(&self) -> bool {
        (self.active, self.archived) == (3, 0)
    }
}

fn find_broken(marks: &[String], counts: &[GroupCount]) -> Vec<String> {
    let pairs = marks.iter().zip(counts);
    let broken = pairs.filter(|(_, count)| !count.is_swept() && !count.is_untouched());
    broken
        .map(|(mark, count)| format!("{mark}: {count:?}"))
        .collect()
}

fn read_groups(engine: &Engine, tenant: &str, marks: &[String]) -> anyhow::Result<Vec<GroupCount>> {
    let scope = scope_of(tenant)?;
    let desk = person_desk(engine, &scope);
    let mut counts = vec![GroupCount::default(); marks.len()];
    let mut listing = LessonListing::default();
    loop {
        let page = desk.lessons(&listing)?;
        let Some(last) = page.last() else {
            return Ok(counts);
        };
        listing.before = Some(last.id);
        for lesson in &page {
            let signature = lesson.content.signature.as_str();
            let of = marks
                .iter()
                .position(|it| signature.starts_with(it.as_str()));
            let Some(at) = of else { continue };
            match lesson.status {
                Status::Active => counts[at].active += 1,
                Status::Archived { .. } => counts[at].archived += 1,
                _ => {}
            }
        }
    }
}

/// Times recalls of several threads; with sweeps, each tenant is swept again and again meanwhile.
fn time_recalls(
    args: &SweepPostgresArgs,
    engine: &Engine,
    with_sweeps: bool,
) -> anyhow::Result<Value> {
    let is_over = &AtomicBool::new(false);
    let (times, swept) = thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS)
            .map(|number| scope.spawn(move || recall_until(engine, number, is_over)))
            .collect();
        let sweeper = with_sweeps.then(|| scope.spawn(|| sweep_until(engine, is_over)));
        thread::sleep(Duration::from_secs(args.seconds));
        is_over.store(true, Ordering::SeqCst);
        let mut times = Vec::new();
        for reader in readers {
            times.extend(reader.join().expect("a reader does not panic")?);
        }
        let swept = sweeper.map(|it| it.join().expect("the sweeper does not panic"));
        anyhow::Ok((times, swept.transpose()?))
    })?;
    let mut micros: Vec<u128> = times.iter().map(Duration::as_micros).collect();
    micros.sort_unstable();
    ensure!(!micros.is_empty(), "nothing was recalled");
    let at = |share: usize| micros[(micros.len() - 1) * share / 100];
    let (sweeps, retired) = swept.unwrap_or_default();
    Ok(json!({
        "recalls": micros.len(), "p50_us": at(50), "p99_us": at(99), "sweeps": sweeps, "lessons_retired": retired,
    }))
}

fn recall_until(
    engine: &Engine,
    number: u64,
    is_over: &AtomicBool,
) -> anyhow::Result<Vec<Duration>> {
    let mut random = fastrand::Rng::with_seed(number);
    let mut times = Vec::new();
    while !is_over.load(Ordering::SeqCst) {
        let scope = scope_of(&name_tenant(random.u64(1..TENANTS)))?;
        let mark = make_mark(random.u64(0..BANK));
        let ask = RecallRequest::new(scope.clone(), format!("which port does {mark} listen on"));
        let start = Instant::now();
        let recalled = agent_desk(engine, &scope, false).recall(&ask)?;
        times.push(start.elapsed());
        let is_told = recalled.preamble.text.contains(&mark);
        ensure!(is_told, "{mark} was not recalled");
    }
    Ok(times)
}

fn sweep_until(engine: &Engine, is_over: &AtomicBool) -> anyhow::Result<(u64, usize)> {
    let (mut sweeps, mut retired) = (0, 0);
    while !is_over.load(Ordering::SeqCst) {
        let tenant = name_tenant(1 + sweeps % (TENANTS - 1));
        add_group(engine, &tenant, &make_mark(200_000 + sweeps))?;
        retired += sweep(engine, &tenant)?;
        sweeps += 1;
    }
    Ok((sweeps, retired))
}
