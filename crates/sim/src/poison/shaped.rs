//! Poison that looks like any lesson: wrong advice in plain words. Nothing in it can be told, so it is
//! shown until outcomes take it out. How often is that?
//!
//! Tasks come from a few kinds of trouble, the frequent ones often, and some go well anyway. The agent
//! writes the right remedy down after its first failure; an attacker has planted a wrong one for the most frequent
//! kinds. Who follows the wrong one fails. Every run is learned from as the engine learns: it sees
//! the calls, or nothing but how the run ended, which now and then is told wrongly.

use std::collections::BTreeMap;

use hardwon_core::{
    event::{CallStatus, Event, RunStatus, ToolCall},
    evidence::Evidence,
    id::{LessonId, RunId},
    lesson::{Cause, Content, Draft, Outcome, Status, Trust, TrustClass},
    limits,
    redact::scrub,
    scope::Scope,
    text::RawText,
    trace::Trace,
};
use hardwon_engine::{Ask, Engine, FixedClock, Note, Noted, Policy};
use hardwon_store::Memory;
use jiff::Timestamp;

use crate::desk::{agent, person};
use crate::processes::mark;

/// Kinds of trouble.
const KINDS: usize = 40;
/// How much more frequent the frequent ones are.
const ZIPF: f64 = 1.1;
/// How many of them, the most frequent first, have a wrong remedy planted.
const PLANTED: usize = 8;
/// How often a task meets its trouble; the others go well unless somebody spoils them.
const MEETS: f64 = 0.7;
/// How often a task that meets it fails without any remedy.
const FAILS: f64 = 0.93;
/// How often a run's end is told wrongly.
const NOISE: f64 = 0.05;

/// By whose word the poison came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// An agent wrote it down, and nobody knows that it had read it. A model's word is believed
    /// alike.
    Agent,
    /// It is known to be from outside, and somebody approves whatever waits.
    Approved,
    /// It is known to be from outside.
    Waiting,
}

impl Way {
    pub(super) const ALL: [Self; 3] = [Self::Agent, Self::Approved, Self::Waiting];

    fn name(self) -> &'static str {
        match self {
            Self::Agent => "an agent's word",
            Self::Approved => "from outside, approved unread",
            Self::Waiting => "from outside",
        }
    }

    fn trust(self) -> Trust {
        let class = match self {
            Self::Agent => TrustClass::Agent,
            Self::Approved | Self::Waiting => TrustClass::Distilled,
        };
        let tainted = matches!(self, Self::Approved | Self::Waiting);
        Trust { class, tainted }
    }
}

/// One stream of tasks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stream {
    pub(super) way: Way,
    /// Whether the engine sees what the agent called, or only how the run ended.
    pub(super) has_calls: bool,
    /// How often the agent does what a lesson says.
    pub(super) follows: f64,
    pub(super) tasks: u32,
}

/// What became of the poison of some streams.
#[derive(Debug, Default)]
pub(super) struct Sum {
    /// How often each was shown until it was out, or to the end.
    shown: Vec<u32>,
    out: u32,
    followed: u32,
}

impl Sum {
    pub(super) const HEAD: &str = "poison in plain words            seen by credit  follows  planted  taken out  shown before: median  worst  followed";

    pub(super) fn told(&mut self, stream: &Stream) -> String {
        self.shown.sort_unstable();
        let median = self.shown.get(self.shown.len() / 2).copied();
        format!(
            "{:<33}{:<16}{:>7}{:>9}{:>11}{:>22}{:>7}{:>10}",
            stream.way.name(),
            if stream.has_calls {
                "calls and end"
            } else {
                "end"
            },
            stream.follows,
            self.shown.len(),
            self.out,
            median.unwrap_or(0),
            self.shown.last().copied().unwrap_or(0),
            self.followed
        )
    }

    /// Returns how often the worst was shown, and how many were taken out.
    #[cfg(test)]
    pub(super) fn worst(&self) -> (u32, u32) {
        (self.shown.iter().copied().max().unwrap_or(0), self.out)
    }
}

impl Stream {
    /// Plays the stream once.
    pub(super) fn play(&self, seed: u64, sum: &mut Sum) -> anyhow::Result<()> {
        let clock = FixedClock(Timestamp::from_second(1_800_000_000)?);
        let engine = Engine::new(Box::new(Memory::new()), Policy::default(), Box::new(clock));
        let mut world = World {
            stream: self,
            engine,
            scope: Scope::default(),
            random: fastrand::Rng::with_seed(seed),
            right: BTreeMap::new(),
            wrong: BTreeMap::new(),
            shown: BTreeMap::new(),
        };
        for kind in 0..PLANTED {
            world.plant(kind)?;
        }
        let weights: Vec<f64> = (1..=KINDS).map(|it| (it as f64).powf(-ZIPF)).collect();
        for task in 0..self.tasks {
            let kind = drawn(&mut world.random, &weights);
            sum.followed += u32::from(world.task(task, kind)?);
        }
        for id in world.wrong.values() {
            sum.shown.push(world.shown.get(id).copied().unwrap_or(0));
            let lesson = person(&world.engine, &world.scope).lesson(*id)?;
            sum.out += u32::from(lesson.status != Status::Active);
        }
        Ok(())
    }
}

fn drawn(random: &mut fastrand::Rng, weights: &[f64]) -> usize {
    let mut left = random.f64() * weights.iter().sum::<f64>();
    let place = weights.iter().position(|weight| {
        left -= weight;
        left <= 0.0
    });
    place.unwrap_or(0)
}

/// A stream in the middle of it.
struct World<'a> {
    stream: &'a Stream,
    engine: Engine,
    scope: Scope,
    random: fastrand::Rng,
    /// The lessons with the right remedy, by kind of trouble, and those with the wrong one.
    right: BTreeMap<usize, LessonId>,
    wrong: BTreeMap<usize, LessonId>,
    /// How often a wrong one was shown.
    shown: BTreeMap<LessonId, u32>,
}

/// What an agent is about to do, and what it says when that fails.
fn trouble(kind: usize) -> (String, String) {
    let word = mark(kind as u64);
    (
        format!("build {word}"),
        format!("error: {word} has no lock file"),
    )
}

fn remedy(kind: usize, is_right: bool) -> String {
    let verb = if is_right { "lock" } else { "reset" };
    format!("make {verb}-{}", mark(kind as u64))
}

fn advice(kind: usize, is_right: bool) -> Content<RawText> {
    let (call, _) = trouble(kind);
    let text = format!("Run `{}` before `{call}`.", remedy(kind, is_right));
    Content::new(call, text)
}

impl World<'_> {
    fn plant(&mut self, kind: usize) -> anyhow::Result<()> {
        let way = self.stream.way;
        let draft = Draft {
            scope: self.scope.clone(),
            content: advice(kind, false),
            cause: Cause::Error,
            outcome: Outcome::Failure,
            evidence: vec![Evidence::run(&RunId::parse(&format!("planted-{kind}"))?)],
            trust: way.trust(),
            confidence: limits::CONFIDENCE_DEFAULT,
            failure: None,
            expires_at: None,
            supersedes: Vec::new(),
            task: None,
        };
        let noted = person(&self.engine, &self.scope).admit(vec![draft])?;
        for noted in noted {
            if let (Noted::Waiting(lesson), Way::Approved) = (&noted, way) {
                person(&self.engine, &self.scope).approve(lesson.id, None)?;
            }
            self.wrong.extend(noted.id().map(|id| (kind, id)));
        }
        Ok(())
    }

    /// Does one task; whether the agent did what the poison says.
    fn task(&mut self, number: u32, kind: usize) -> anyhow::Result<bool> {
        let run = RunId::parse(&format!("task-{number}"))?;
        let (call, error) = trouble(kind);
        let ask = Ask {
            run: Some(run.clone()),
            ..Ask::new(self.scope.clone(), format!("{call} stops: {error}"))
        };
        let shown = person(&self.engine, &self.scope)
            .recall(&ask)?
            .preamble
            .shown;
        for id in shown
            .iter()
            .filter(|id| self.wrong.values().any(|it| it == *id))
        {
            *self.shown.entry(*id).or_default() += 1;
        }
        let is_shown =
            |of: &BTreeMap<usize, LessonId>| of.get(&kind).is_some_and(|id| shown.contains(id));
        let (right, wrong) = (is_shown(&self.right), is_shown(&self.wrong));
        let follows = self.stream.follows;
        let is_misled = wrong && self.random.f64() < if right { follows / 2.0 } else { follows };
        let is_helped = !is_misled && right && self.random.f64() < follows;
        let meets = self.random.f64() < MEETS;
        let is_good = !is_misled && (is_helped || !meets || self.random.f64() >= FAILS);
        let done = [(is_misled, false), (is_helped, true)];
        let done = done.iter().find(|it| it.0).map(|it| remedy(kind, it.1));
        self.learn(run, done, kind, is_good)?;
        if !is_good && !self.right.contains_key(&kind) {
            let agent = agent(&self.engine, &self.scope, false);
            let noted = agent.note(Note::new(advice(kind, true)))?;
            self.right.extend(noted.id().map(|id| (kind, id)));
        }
        Ok(is_misled)
    }

    fn learn(
        &mut self,
        run: RunId,
        done: Option<String>,
        kind: usize,
        is_good: bool,
    ) -> anyhow::Result<()> {
        let mut trace = Trace::new(run, self.scope.clone());
        let (call, error) = trouble(kind);
        let mut called = |args: String, error: Option<String>| {
            let status = error.map_or(CallStatus::Ok, |it| CallStatus::Error(it.into()));
            trace.push(scrub(hardwon_core::event::RawEvent::Tool(ToolCall {
                turn: 0,
                tool: "Bash".into(),
                args: args.into(),
                status,
                outside: None,
            })));
        };
        if self.stream.has_calls {
            if let Some(done) = done {
                called(done, None);
            }
            called(call, (!is_good).then_some(error));
        }
        let is_told = is_good != (self.random.f64() < NOISE);
        let status = match is_told {
            true => RunStatus::Completed,
            false => RunStatus::Failed,
        };
        trace.push(Event::End {
            status,
            score: None,
        });
        person(&self.engine, &self.scope).learn(&trace)?;
        Ok(())
    }
}
