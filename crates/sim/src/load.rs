//! `load`: a server under requests that come by the clock, whether or not the ones before were answered.
//!
//! A closed loop waits with a slow server and so hides its slowness (coordinated omission); here a request's time counts
//! from the moment it was due. First a closed loop finds how much the server can do; then it is given shares of that. Every
//! answer is checked: it is a success, and no lesson in it is another tenant's. What was acknowledged is looked for at
//! the end. The processor time and memory are the server's own.

mod client;
mod report;
pub(crate) mod setup;

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use clap::Args;
use tokio::{runtime::Runtime, task::JoinSet, time::sleep_until};

use self::{
    client::{LoadConnection, LoadRequest, RequestKind},
    report::LoadPhase,
    setup::{LoadedServer, ServerPlan},
};

/// What `load` takes.
#[derive(Debug, Args)]
pub(crate) struct LoadArgs {
    /// The program to serve with.
    #[arg(long)]
    hardwon: PathBuf,
    /// How many tenants there are; most have 1,000 lessons, a tenth 10,000, one in a hundred 100,000.
    #[arg(long, default_value_t = 100)]
    tenants: u32,
    /// Seconds of each phase.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Connections.
    #[arg(long, default_value_t = 32)]
    connections: usize,
    /// Requests a second of the phases, instead of shares of what a closed loop found.
    #[arg(long, value_delimiter = ',')]
    rates: Vec<f64>,
    /// After that, minutes of the mix at half of what a closed loop found, with a row for each: memory and handles stay
    /// as they are.
    #[arg(long, default_value_t = 0)]
    soak: u64,
    /// Of a hundred requests, how many are recalls; of the rest half write and half read.
    #[arg(long, default_value_t = 90)]
    recalls: u32,
    /// A PostgreSQL database to serve from instead of a file: the tenants `t0` and so on are erased from it first.
    #[arg(long)]
    postgres: Option<String>,
    /// Options of `hardwon serve`.
    #[arg(last = true)]
    serve: Vec<String>,
}

/// Shares of what the closed loop found.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 0.9];

pub(crate) fn run(args: &LoadArgs) -> anyhow::Result<()> {
    let server = Arc::new(LoadedServer::start(ServerPlan {
        program: std::path::absolute(&args.hardwon)?,
        tenants: args.tenants,
        lessons: count_lessons,
        postgres: args.postgres.clone(),
        options: args.serve.clone(),
    })?);
    let runtime = Runtime::new()?;
    report::print_head();
    let floor = [RequestKind::Health];
    let mix = mix_of(args.recalls);
    let seconds = Duration::from_secs(args.seconds);
    let phase_of = |seconds, name: &str, kinds: &[RequestKind], rate: Option<f64>| {
        let plan = LoadPlan {
            kinds: kinds.to_vec(),
            rate,
            seconds,
            connections: args.connections,
        };
        runtime.block_on(run_phase(&server, name, plan))
    };
    let phase = |name: &str, kinds: &[RequestKind], rate| phase_of(seconds, name, kinds, rate);
    phase("a route that does nothing, closed loop", &floor, None)?;
    phase("recalls, closed loop", &[RequestKind::Recall], None)?;
    phase("one recall at a time", &[RequestKind::Recall], Some(50.0))?;
    let most = phase("the mix, closed loop", &mix, None)?.rate();
    let shares = SHARES
        .iter()
        .map(|share| (format!("{:.0} %", share * 100.0), share * most));
    let chosen = args.rates.iter().map(|rate| (format!("{rate}/s"), *rate));
    let rates: Vec<(String, f64)> = if args.rates.is_empty() {
        shares.collect()
    } else {
        chosen.collect()
    };
    for (name, rate) in rates {
        phase(&format!("the mix, {name}"), &mix, Some(rate))?;
    }
    for minute in 1..=args.soak {
        let half = Some(most / 2.0);
        phase_of(
            Duration::from_secs(60),
            &format!("minute {minute}"),
            &mix,
            half,
        )?;
    }
    runtime.block_on(server.check_acknowledged())
}

fn count_lessons(tenant: u32) -> u32 {
    match tenant {
        it if it % 100 == 0 => 100_000,
        it if it % 10 == 0 => 10_000,
        _ => 1_000,
    }
}

fn mix_of(recalls: u32) -> Vec<RequestKind> {
    (0..100)
        .map(|at| match at {
            at if at < recalls => RequestKind::Recall,
            at if at % 2 == 0 => RequestKind::Add,
            _ => RequestKind::List,
        })
        .collect()
}

/// What is sent in a phase.
#[derive(Debug, Clone)]
struct LoadPlan {
    /// The kinds of requests, drawn with the same chance.
    kinds: Vec<RequestKind>,
    /// Requests a second; `None` for as many as the connections can take.
    rate: Option<f64>,
    seconds: Duration,
    connections: usize,
}

async fn run_phase(
    server: &Arc<LoadedServer>,
    name: &str,
    plan: LoadPlan,
) -> anyhow::Result<LoadPhase> {
    let (before, began) = (server.usage()?, Instant::now());
    let next = Arc::new(AtomicUsize::new(0));
    let mut senders = JoinSet::new();
    for seed in 0..plan.connections {
        let sender = LoadSender {
            server: Arc::clone(server),
            plan: plan.clone(),
            next: Arc::clone(&next),
            began,
        };
        senders.spawn(sender.run(seed as u64));
    }
    let mut phase = LoadPhase::default();
    while let Some(sent) = senders.join_next().await {
        phase.add(sent??);
    }
    phase.finish(began.elapsed(), server.usage()?.since(before));
    phase.print(name);
    Ok(phase)
}

/// One connection's part of a phase.
struct LoadSender {
    server: Arc<LoadedServer>,
    plan: LoadPlan,
    next: Arc<AtomicUsize>,
    began: Instant,
}

impl LoadSender {
    async fn run(self, seed: u64) -> anyhow::Result<LoadPhase> {
        let mut phase = LoadPhase::default();
        let mut random = fastrand::Rng::with_seed(seed);
        let mut connection = LoadConnection::open(&self.server).await?;
        while let Some(due) = self.await_turn().await {
            let kind = self.plan.kinds[random.usize(..self.plan.kinds.len())];
            let request = LoadRequest::draw(kind, &self.server, &mut random);
            let answered = connection.send(&self.server, request).await;
            phase.record(due.elapsed(), answered.is_ok());
            if let Err(error) = answered {
                phase.note_error(&error);
                connection = LoadConnection::open(&self.server).await?;
            }
        }
        Ok(phase)
    }

    /// Waits until the next request is due, and returns when that was; `None` at the end of the phase.
    async fn await_turn(&self) -> Option<Instant> {
        let Some(rate) = self.plan.rate else {
            return (self.began.elapsed() < self.plan.seconds).then(Instant::now);
        };
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let after = Duration::from_secs_f64(number as f64 / rate);
        let due = self.began + after;
        sleep_until(due.into()).await;
        (after < self.plan.seconds).then_some(due)
    }
}
