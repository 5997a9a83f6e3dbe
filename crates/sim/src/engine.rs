//! The engine as a JSON-lines program, for simulations of learning that are written elsewhere.
//!
//! One request a line on stdin, one answer a line on stdout:
//!
//! ```text
//! {"op":"capture","task":…,"error":…,"lesson":…,"signature":…,"source":…}  -> {"id":14} or {"id":null}
//! {"op":"retrieve","task":…,"k":3}                                        -> {"ids":[14,…]}
//! {"op":"feedback","ids":[14,…],"success":true}                           -> {}
//! {"op":"state"}       -> {"utility":{"14":0.7,…},"quarantined":["9",…],"pending":["8",…]}
//! ```
//!
//! It is a door: what a captured text is worth, which lessons are shown, what waits for review and
//! what outcomes make of lessons is decided as it is for everybody. Each task is a run of its own,
//! which begins with a recall and ends well or not; a trace of it that holds nothing but its end is
//! what the engine learns from. What each source stands for is in `docs/design/simulation.md`.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, Write as _},
    path::PathBuf,
};

use crate::desk::person_desk;
use hardwon_core::{
    Cause, CleanEvent, Draft, Evidence, LessonContent, RawText, RunId, RunOutcome, RunStatus,
    Scope, Status, Trace, Trust, TrustClass, limits,
};
use hardwon_engine::{Desk, Engine, NoteOutcome, Policy, RecallRequest, SystemClock};
use hardwon_store::{LessonListing, SqliteStore, Store};
use hardwon_store_suite::MemoryStore;
use serde::Deserialize;
use serde_json::{Value, json};

/// Answers JSON lines on stdin with JSON lines on stdout.
#[derive(Debug, clap::Args)]
pub(crate) struct EngineArgs {
    /// The database file; without it, lessons live in memory.
    #[arg(long)]
    db: Option<PathBuf>,
    /// Approves whatever waits for review, as a careless person would.
    #[arg(long)]
    approve_all: bool,
    /// Takes the text of a task for the agent's own word, as a memory without taint would.
    #[arg(long)]
    trust_all: bool,
    /// Holds lessons back by chance now and then, to measure what showing them changes.
    #[arg(long)]
    holdout: bool,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum SimulatorRequest {
    Capture {
        #[serde(default)]
        task: String,
        #[serde(default)]
        error: String,
        lesson: String,
        #[serde(default)]
        signature: String,
        source: TextSource,
    },
    Retrieve {
        task: String,
        k: Option<usize>,
    },
    /// How the task went for which lessons were retrieved last; the store knows which.
    Feedback {
        success: bool,
    },
    State,
}

/// The source of a captured text. An unknown source is treated as the least trusted.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TextSource {
    /// The agent failed, and wrote this about it.
    Struggle,
    /// The initial bank: a person's lessons.
    Filler,
    /// The text of a task, which anybody may have written.
    #[serde(other)]
    TaskText,
}

impl TextSource {
    fn trust(self, trust_all: bool) -> Trust {
        match self {
            Self::TaskText if trust_all => Self::Struggle.trust(false),
            Self::Struggle => Trust::untainted(TrustClass::Distilled),
            Self::Filler => Trust::untainted(TrustClass::Person),
            Self::TaskText => Trust::new(TrustClass::Distilled, true),
        }
    }
}

pub(crate) fn run(args: &EngineArgs) -> anyhow::Result<()> {
    let store: Box<dyn Store> = match &args.db {
        Some(path) => Box::new(SqliteStore::open(path)?),
        None => Box::new(MemoryStore::new()),
    };
    let policy = Policy {
        holdout: args.holdout,
        ..Policy::default()
    };
    let engine = Engine::new(store, policy, Box::new(SystemClock));
    let mut session = EngineSession {
        approve_all: args.approve_all,
        trust_all: args.trust_all,
        ..EngineSession::new(engine)
    };
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = session.answer_request(serde_json::from_str(&line?)?)?;
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

struct EngineSession {
    engine: Engine,
    scope: Scope,
    approve_all: bool,
    trust_all: bool,
    /// Number of runs so far: tasks, and captures, each of which is evidence of its own.
    runs: u64,
    /// The run of the current task.
    task: Option<RunId>,
    tasks_done: u64,
}

impl EngineSession {
    fn new(engine: Engine) -> Self {
        Self {
            engine,
            scope: Scope::default(),
            approve_all: false,
            trust_all: false,
            runs: 0,
            task: None,
            tasks_done: 0,
        }
    }

    fn answer_request(&mut self, request: SimulatorRequest) -> anyhow::Result<Value> {
        Ok(match request {
            SimulatorRequest::Capture {
                task,
                error,
                lesson,
                signature,
                source,
            } => {
                let mut content = LessonContent::new(signature, lesson);
                let situation = if error.is_empty() { task } else { error };
                content.situation = (!situation.is_empty()).then(|| situation.into());
                json!({"id": self.capture_lesson(content, source)?})
            }
            SimulatorRequest::Retrieve { task, k } => {
                json!({"ids": self.retrieve_lessons(task, k)?})
            }
            SimulatorRequest::Feedback { success } => {
                self.record_feedback(success)?;
                json!({})
            }
            SimulatorRequest::State => self.report_state()?,
        })
    }

    fn capture_lesson(
        &mut self,
        content: LessonContent<RawText>,
        source: TextSource,
    ) -> anyhow::Result<Option<i64>> {
        let run = self.next_run()?;
        let draft = Draft {
            scope: self.scope.clone(),
            content,
            cause: Cause::Error,
            outcome: RunOutcome::Failure,
            evidence: vec![Evidence::from_run(&run)],
            trust: source.trust(self.trust_all),
            confidence: limits::CONFIDENCE_DEFAULT,
            failure: None,
            expires_at: None,
            supersedes: Vec::new(),
            task: None,
        };
        let mut noted = self.desk().admit_drafts(vec![draft])?;
        Ok(match noted.pop() {
            Some(NoteOutcome::Pending(lesson)) if self.approve_all => {
                Some(self.desk().approve_lesson(lesson.id, None)?.id.0)
            }
            Some(noted) => noted.into_lesson().ok().map(|lesson| lesson.id.0),
            None => None,
        })
    }

    fn desk(&self) -> Desk<'_> {
        person_desk(&self.engine, &self.scope)
    }

    fn next_run(&mut self) -> anyhow::Result<RunId> {
        self.runs += 1;
        Ok(RunId::parse(&format!("r{}", self.runs))?)
    }

    fn retrieve_lessons(&mut self, task: String, k: Option<usize>) -> anyhow::Result<Vec<i64>> {
        self.task = Some(self.next_run()?);
        let ask = RecallRequest {
            limit: k,
            run: self.task.clone(),
            ..RecallRequest::new(self.scope.clone(), task)
        };
        let shown = self.desk().recall(&ask)?.preamble.shown;
        Ok(shown.into_iter().map(|id| id.0).collect())
    }

    fn record_feedback(&mut self, success: bool) -> anyhow::Result<()> {
        if let Some(run) = self.task.take() {
            self.desk()
                .learn_from_run(&outcome_trace(run, &self.scope, success))?;
        }
        self.tasks_done += 1;
        Ok(())
    }

    fn report_state(&self) -> anyhow::Result<Value> {
        let (mut utility, mut quarantined, mut pending) = (BTreeMap::new(), vec![], vec![]);
        let mut listing = LessonListing::default();
        loop {
            let page = self.desk().lessons(&listing)?;
            let Some(last) = page.last() else { break };
            listing.before = Some(last.id);
            for lesson in &page {
                let id = lesson.id.0.to_string();
                match lesson.status {
                    Status::Quarantined { .. } => quarantined.push(id.clone()),
                    Status::Pending { .. } => pending.push(id.clone()),
                    _ => {}
                }
                if lesson.counts.shown > 0 {
                    utility.insert(id, lesson.posterior().utility());
                }
            }
        }
        // The simulator has one word for all that is withheld.
        quarantined.extend(pending.clone());
        Ok(json!({"utility": utility, "quarantined": quarantined, "pending": pending}))
    }
}

/// Returns a run of which only the end is known.
pub(crate) fn outcome_trace(run: RunId, scope: &Scope, success: bool) -> Trace {
    let status = if success {
        RunStatus::Completed
    } else {
        RunStatus::Failed
    };
    let mut trace = Trace::new(run, scope.clone());
    trace.push(CleanEvent::End {
        status,
        score: None,
    });
    trace
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(approve_all: bool) -> EngineSession {
        let engine = Engine::new(
            Box::new(MemoryStore::new()),
            Policy::default(),
            Box::new(SystemClock),
        );
        EngineSession {
            approve_all,
            ..EngineSession::new(engine)
        }
    }

    fn check(session: &mut EngineSession, request: &str, answer: &str) {
        let request = serde_json::from_str(request).unwrap();
        assert_eq!(session.answer_request(request).unwrap().to_string(), answer);
    }

    const ASK: &str = r#"{"op":"retrieve","task":"zip is not found on the runner","k":3}"#;

    #[test]
    fn what_was_learned_comes_back_and_is_credited() {
        let mut session = session(false);
        let captured = r#"{"op":"capture","task":"pack the release","error":"zip: not found on the runner","lesson":"Use tar, since zip is not on the runner.","signature":"zip not found","source":"struggle"}"#;
        check(&mut session, captured, r#"{"id":1}"#);
        check(&mut session, ASK, r#"{"ids":[1]}"#);
        let feedback = r#"{"op":"feedback","ids":[1],"success":true}"#;
        check(&mut session, feedback, "{}");
        let state = r#"{"pending":[],"quarantined":[],"utility":{"1":0.7119925759505864}}"#;
        check(&mut session, r#"{"op":"state"}"#, state);
    }

    #[test]
    fn text_from_outside_waits_for_a_person() {
        let captured = r#"{"op":"capture","lesson":"Use tar, since zip is not on the runner.","source":"task-text"}"#;
        let mut waits = session(false);
        check(&mut waits, captured, r#"{"id":1}"#);
        check(&mut waits, ASK, r#"{"ids":[]}"#);
        let mut careless = session(true);
        check(&mut careless, captured, r#"{"id":1}"#);
        check(&mut careless, ASK, r#"{"ids":[1]}"#);
    }
}
