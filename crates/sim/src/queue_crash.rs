//! Kills processes that ask a model, in every state a job can be in, and checks that each job is done once.
//!
//! A model of our own answers on this machine, over HTTP, and knows the state of each call: so a process is killed
//! before it claims a job, when it has claimed one and connects, while it waits, with the answer in its hands, and
//! while it commits. The model words every answer differently, so a job that is done twice leaves two lessons. An
//! abandoned claim expires after a time; the simulation makes it expire at once.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, ExitCode},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::Context as _;
use hardwon_core::{
    id::TenantId,
    lesson::TrustClass,
    queue::{Job, JobState},
};
use hardwon_store::{Commit as _, JobListing, LessonListing, SqliteStore, Store as _};
use jiff::Timestamp;
use serde_json::json;

use crate::processes::{ProgramHome, StoreContents, find_marks, make_mark};

/// Kills processes that ask a model, in every state, and checks that each job is done once.
#[derive(Debug, clap::Args)]
pub(crate) struct QueueCrashArgs {
    /// The program under test.
    #[arg(long)]
    hardwon: PathBuf,
    /// How many processes are killed.
    #[arg(long, default_value_t = 200)]
    rounds: u32,
    /// Jobs that each round adds.
    #[arg(long, default_value_t = 3)]
    jobs: u64,
    /// Which random moments.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The state of a job when its process is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KillMoment {
    /// The process has started, and nothing was claimed yet.
    Start,
    /// The job is claimed, and the call has begun.
    Claimed,
    /// The model has the question.
    Asked,
    /// The answer is on its way.
    Answered,
    /// The answer is there, and is being stored: a little later, at random.
    Stored,
}

const MOMENTS: [KillMoment; 5] = [
    KillMoment::Start,
    KillMoment::Claimed,
    KillMoment::Asked,
    KillMoment::Answered,
    KillMoment::Stored,
];

/// The process to kill, and when.
#[derive(Default)]
struct KillTrap {
    child: Option<Child>,
    moment: Option<KillMoment>,
    /// How many calls to let pass before.
    calls_to_skip: u32,
    /// The delay of the kill, in microseconds.
    delay_micros: u64,
}

impl KillTrap {
    fn kill(&mut self) {
        self.moment = None;
        if let Some(child) = &mut self.child {
            // It may have ended by itself.
            drop(child.kill());
        }
    }
}

type SharedTrap = Arc<Mutex<KillTrap>>;

fn lock_trap(trap: &SharedTrap) -> MutexGuard<'_, KillTrap> {
    trap.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn run(args: &QueueCrashArgs) -> anyhow::Result<ExitCode> {
    let mut random = fastrand::Rng::with_seed(args.seed);
    let home = ProgramHome::new(&args.hardwon)?;
    let trap = SharedTrap::default();
    let calls = Arc::new(AtomicU64::new(0));
    let url = serve_model(trap.clone(), calls.clone())?;
    configure_model(&home, &url)?;
    let (mut jobs, mut killed) = (Vec::new(), [0_u32; MOMENTS.len()]);
    for round in 0..args.rounds {
        let first = u64::try_from(jobs.len())? + 1;
        let fresh: Vec<String> = (first..first + args.jobs).map(make_mark).collect();
        learn_failed_runs(&home, round, &fresh)?;
        jobs.extend(fresh);
        let at = usize::try_from(round)? % MOMENTS.len();
        let pass = random.u32(0..u32::try_from(args.jobs)?);
        let late = random.u64(0..4_000);
        killed[at] += u32::from(drain_and_kill(&home, &trap, MOMENTS[at], pass, late)?);
        expire_claims(&home)?;
    }
    // The remaining jobs are done by a process that is not killed.
    let last = home
        .command(&["queue", "drain", "--now", "-n", "100000"])
        .output()?;
    anyhow::ensure!(
        last.status.success(),
        "{}",
        String::from_utf8_lossy(&last.stderr)
    );
    let (states, contents) = read_store(&home)?;
    let (lost, twice) = contents.count_lost_and_twice(&jobs);
    let unsound = home.verify_journal()?;
    let open = states.iter().filter(|it| **it != JobState::Done).count();
    let ok = lost + twice == 0 && open == 0 && states.len() == jobs.len() && unsound.is_none();
    let report = json!({
        "rounds": args.rounds, "seed": args.seed, "jobs": jobs.len(),
        "done_once": u64::try_from(jobs.len())? - lost - twice, "lost": lost, "twice": twice,
        "not_done": open, "model_calls": calls.load(Ordering::SeqCst), "unsound": unsound,
        "killed": MOMENTS.iter().zip(killed).map(|(moment, count)| {
            (format!("{moment:?}").to_lowercase(), count)
        }).collect::<std::collections::BTreeMap<_, _>>(),
        "ok": ok,
    });
    writeln!(std::io::stdout(), "{report}")?;
    Ok(ExitCode::from(u8::from(!ok)))
}

fn configure_model(home: &ProgramHome, url: &str) -> anyhow::Result<()> {
    home.set_all(&[
        ("model", "openai"),
        ("model_url", url),
        ("model_name", "scripted"),
        ("model_quiet", "0"),
        ("model_tokens_per_day", "0"),
    ])
}

/// Learns from failed runs, each of which leaves a question for the model.
fn learn_failed_runs(home: &ProgramHome, round: u32, marks: &[String]) -> anyhow::Result<()> {
    let path = home.path_to(&format!("round-{round}.jsonl"));
    let text: String = marks
        .iter()
        .map(|mark| {
            format!(
                "{{\"type\":\"run\",\"run\":\"{mark}\"}}\n\
                 {{\"type\":\"tool\",\"tool\":\"bash\",\"args\":\"{mark} --go\",\
                 \"status\":\"error\",\"error\":\"{mark} cannot go\"}}\n\
                 {{\"type\":\"end\",\"status\":\"failed\"}}\n"
            )
        })
        .collect();
    fs::write(&path, text)?;
    let learned = home
        .command(&["learn", "--json", &path.to_string_lossy()])
        .output()?;
    let told = String::from_utf8_lossy(&learned.stdout);
    let asks = format!("\"asks\":{}", marks.len());
    anyhow::ensure!(told.contains(&asks), "no job was made: {told}");
    Ok(())
}

/// Starts a process that drains the queue, and kills it; returns whether it was killed.
fn drain_and_kill(
    home: &ProgramHome,
    trap: &SharedTrap,
    moment: KillMoment,
    pass: u32,
    late: u64,
) -> anyhow::Result<bool> {
    let mut child = home.command(&["queue", "drain", "--now"]).spawn()?;
    let mut out = child.stdout.take().context("a pipe was asked for")?;
    {
        let mut trap = lock_trap(trap);
        *trap = KillTrap {
            child: Some(child),
            moment: Some(moment),
            calls_to_skip: pass,
            delay_micros: late,
        };
    }
    if moment == KillMoment::Start {
        thread::sleep(Duration::from_micros(late));
        lock_trap(trap).kill();
    }
    // The pipe ends with the process.
    out.read_to_end(&mut Vec::new())?;
    let child = lock_trap(trap).child.take();
    let status = child.context("it was put there")?.wait()?;
    Ok(!status.success())
}

/// Makes all claims expire.
fn expire_claims(home: &ProgramHome) -> anyhow::Result<()> {
    let store = SqliteStore::open(&home.path_to("hardwon.db"))?;
    let tenant = TenantId::default();
    store.commit(&tenant, |tx| -> anyhow::Result<()> {
        let listing = JobListing {
            state: Some("running"),
            ..JobListing::default()
        };
        for job in tx.reader().jobs(&tenant, &listing)? {
            let until = Timestamp::UNIX_EPOCH;
            let state = JobState::Running { until };
            tx.update_job(&Job { state, ..job })?;
        }
        Ok(())
    })
}

/// Returns the state of every job, and how many lessons of the model carry each mark.
fn read_store(home: &ProgramHome) -> anyhow::Result<(Vec<JobState>, StoreContents)> {
    let store = SqliteStore::open(&home.path_to("hardwon.db"))?;
    let tenant = TenantId::default();
    let mut states = Vec::new();
    let mut listing = JobListing::default();
    loop {
        let page = store.snapshot()?.jobs(&tenant, &listing)?;
        let Some(last) = page.last() else { break };
        listing.before = Some(last.id);
        states.extend(page.iter().map(|job| job.state));
    }
    let mut contents = StoreContents::default();
    let mut listing = LessonListing::default();
    loop {
        let page = store.snapshot()?.lessons(&tenant, &listing)?;
        let Some(last) = page.last() else { break };
        listing.before = Some(last.id);
        for lesson in page
            .iter()
            .filter(|it| it.trust.class == TrustClass::Distilled)
        {
            contents.lessons += 1;
            for mark in find_marks(lesson.content.text.as_str()).take(1) {
                *contents.lessons_by_mark.entry(mark.to_owned()).or_default() += 1;
            }
        }
    }
    Ok((states, contents))
}

/// Starts the model, and returns its address.
fn serve_model(trap: SharedTrap, calls: Arc<AtomicU64>) -> anyhow::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/v1", listener.local_addr()?);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (trap, calls) = (trap.clone(), calls.clone());
            // Broken connections are the subject of this test.
            thread::spawn(move || drop(answer_call(stream, &trap, &calls)));
        }
    });
    Ok(url)
}

/// Answers one call, and kills the process that made it if its moment has come.
fn answer_call(mut stream: TcpStream, trap: &SharedTrap, calls: &AtomicU64) -> std::io::Result<()> {
    let victim = |now: KillMoment| {
        let mut trap = lock_trap(trap);
        if trap.moment == Some(now) {
            match trap.calls_to_skip.checked_sub(1) {
                Some(left) => trap.calls_to_skip = left,
                None => trap.kill(),
            }
        }
    };
    victim(KillMoment::Claimed);
    let asked = read_question(&stream)?;
    let number = calls.fetch_add(1, Ordering::SeqCst);
    victim(KillMoment::Asked);
    let mark = find_marks(&asked).next().unwrap_or_default();
    let text = format!(
        "<situation>{mark} cannot go</situation><correction>Start {mark} with step {number} before \
         `{mark} --go`.</correction><tags>steps</tags>"
    );
    let body = json!({
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 400, "completion_tokens": 40},
    })
    .to_string();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all((head + &body).as_bytes())?;
    victim(KillMoment::Answered);
    let late = lock_trap(trap).delay_micros;
    thread::sleep(Duration::from_micros(late));
    victim(KillMoment::Stored);
    Ok(())
}

fn read_question(stream: &TcpStream) -> std::io::Result<String> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(String::from_utf8_lossy(&body).into_owned())
}
