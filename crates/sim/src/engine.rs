//! The engine as a JSON-lines program, for simulations of learning that are written elsewhere.
//!
//! One request a line on stdin, one answer a line on stdout:
//!
//! ```text
//! {"op":"capture","task":…,"error":…,"lesson":…,"signature":…,"source":…}  -> {"id":14} or {"id":null}
//! {"op":"retrieve","task":…,"k":3}                                        -> {"ids":[14,…]}
//! {"op":"feedback","ids":[14,…],"success":true}                           -> {}
//! {"op":"state"}                                   -> {"utility":{"14":0.7,…},"quarantined":["9",…]}
//! ```
//!
//! It is a door: what a captured text is worth, which lessons are shown and what waits for review
//! is decided as it is for everybody. What each source stands for is in `docs/design/simulation.md`.
//! Credit is the plain one: every lesson that was shown shares the outcome of its run.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, Write as _},
    path::PathBuf,
};

use hardwon_core::{
    evidence::Evidence,
    id::{LessonId, RunId},
    lesson::{Cause, Content, Draft, Outcome, Status, Trust, TrustClass},
    limits,
    scope::Scope,
    text::RawText,
};
use hardwon_engine::{Actor, Ask, Engine, Lesson, Noted, Opinion, Policy, SystemClock};
use hardwon_store::{Listing, Memory, Sqlite, Store};
use serde::Deserialize;
use serde_json::{Value, json};

/// Answers JSON lines on stdin with JSON lines on stdout.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The database file; without it, lessons live in memory.
    #[arg(long)]
    db: Option<PathBuf>,
    /// Approves whatever waits for review, as a careless person would.
    #[arg(long)]
    approve_all: bool,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Request {
    Capture {
        #[serde(default)]
        task: String,
        #[serde(default)]
        error: String,
        lesson: String,
        #[serde(default)]
        signature: String,
        source: Source,
    },
    Retrieve {
        task: String,
        k: Option<usize>,
    },
    Feedback {
        ids: Vec<i64>,
        success: bool,
    },
    State,
}

/// Where a captured text comes from. One that nobody heard of is taken for the worst.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Source {
    /// The agent failed, and this is what it made of it.
    Struggle,
    /// The bank that was there before: what a person wrote down.
    Filler,
    /// The text of a task, which anybody may have written.
    #[serde(other)]
    TaskText,
}

impl Source {
    fn trust(self) -> Trust {
        match self {
            Self::Struggle => Trust::of(TrustClass::Distilled),
            Self::Filler => Trust::of(TrustClass::Person),
            Self::TaskText => Trust {
                class: TrustClass::Distilled,
                tainted: true,
            },
        }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let store: Box<dyn Store> = match &args.db {
        Some(path) => Box::new(Sqlite::open(path)?),
        None => Box::new(Memory::new()),
    };
    let engine = Engine::new(store, Policy::default(), Box::new(SystemClock));
    let mut session = Session {
        engine,
        scope: Scope::default(),
        approve_all: args.approve_all,
        runs: 0,
    };
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = session.answer(serde_json::from_str(&line?)?)?;
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

struct Session {
    engine: Engine,
    scope: Scope,
    approve_all: bool,
    /// Captured runs so far; each is evidence of its own.
    runs: u64,
}

impl Session {
    fn answer(&mut self, request: Request) -> anyhow::Result<Value> {
        Ok(match request {
            Request::Capture {
                task,
                error,
                lesson,
                signature,
                source,
            } => {
                let mut content = Content::new(signature, lesson);
                let situation = if error.is_empty() { task } else { error };
                content.situation = (!situation.is_empty()).then(|| situation.into());
                json!({"id": self.capture(content, source)?})
            }
            Request::Retrieve { task, k } => json!({"ids": self.retrieve(task, k)?}),
            Request::Feedback { ids, success } => {
                self.feedback(&ids, success)?;
                json!({})
            }
            Request::State => self.state()?,
        })
    }

    fn capture(
        &mut self,
        content: Content<RawText>,
        source: Source,
    ) -> anyhow::Result<Option<i64>> {
        self.runs += 1;
        let run = RunId::parse(&format!("r{}", self.runs))?;
        let draft = Draft {
            scope: self.scope.clone(),
            content,
            cause: Cause::Error,
            outcome: Outcome::Failure,
            evidence: vec![Evidence::run(&run)],
            trust: source.trust(),
            confidence: limits::CONFIDENCE_DEFAULT,
            failure: None,
            expires_at: None,
            supersedes: Vec::new(),
        };
        let by = Actor::agent(&self.scope.agent);
        let mut noted = self.engine.admit(&self.scope.tenant, vec![draft], &by)?;
        Ok(match noted.pop() {
            Some(Noted::Waiting(lesson)) if self.approve_all => {
                Some(self.engine.approve(&lesson, None, &Actor::person())?.id.0)
            }
            Some(noted) => noted.lesson().ok().map(|lesson| lesson.id.0),
            None => None,
        })
    }

    fn retrieve(&self, task: String, k: Option<usize>) -> anyhow::Result<Vec<i64>> {
        let ask = Ask {
            limit: k,
            ..Ask::new(self.scope.clone(), task)
        };
        let shown = self.engine.recall(&ask)?.preamble.shown;
        Ok(shown.into_iter().map(|id| id.0).collect())
    }

    fn feedback(&self, ids: &[i64], success: bool) -> anyhow::Result<()> {
        let opinion = if success {
            Opinion::Helped
        } else {
            Opinion::Wrong
        };
        let by = Actor::agent(&self.scope.agent);
        for id in ids {
            if let Some(lesson) = self.engine.lesson(&self.scope.tenant, LessonId(*id))? {
                self.engine.report(&lesson, opinion, &by)?;
            }
        }
        Ok(())
    }

    fn state(&self) -> anyhow::Result<Value> {
        let (mut utility, mut quarantined) = (BTreeMap::new(), Vec::new());
        let mut listing = Listing::default();
        loop {
            let page = self.engine.lessons(&self.scope.tenant, &listing)?;
            let Some(last) = page.last() else { break };
            listing.before = Some(last.id);
            for lesson in &page {
                utility.extend(useful(lesson).map(|share| (lesson.id.0.to_string(), share)));
                if matches!(lesson.status, Status::Quarantined { .. }) {
                    quarantined.push(lesson.id.0.to_string());
                }
            }
        }
        Ok(json!({"utility": utility, "quarantined": quarantined}))
    }
}

/// The share of outcomes that speak for a lesson, drawn towards a half while they are few; none
/// when there are none.
fn useful(lesson: &Lesson) -> Option<f64> {
    let (helped, harmed) = (lesson.counts.helped, lesson.counts.harmed);
    let outcomes = u32::try_from(helped + harmed).ok().filter(|n| *n > 0)?;
    let helped = u32::try_from(helped).ok()?;
    Some(f64::from(1 + helped) / f64::from(2 + outcomes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(approve_all: bool) -> Session {
        Session {
            engine: Engine::new(
                Box::new(Memory::new()),
                Policy::default(),
                Box::new(SystemClock),
            ),
            scope: Scope::default(),
            approve_all,
            runs: 0,
        }
    }

    fn check(session: &mut Session, request: &str, answer: &str) {
        let request = serde_json::from_str(request).unwrap();
        assert_eq!(session.answer(request).unwrap().to_string(), answer);
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
        let state = r#"{"quarantined":[],"utility":{"1":0.6666666666666666}}"#;
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
