//! The stores, the processes on them, and what a step does to both.
//!
//! Every step is played twice: by an engine over the memory store, which is the readable
//! reference, and by one of the engines that share a SQLite file. Both meet the same fault at the
//! same write, and must answer alike.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    fmt::Debug,
    fs::{self, OpenOptions},
    io::Write as _,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use anyhow::ensure;
use hardwon_clients::{archive::ClientTranscript, transcript::plain};
use hardwon_core::{
    credit::Part,
    id::{LessonId, RunId},
    preamble::Budget,
    scope::Scope,
    text::RawText,
    writ,
};
use hardwon_engine::{
    Ask, Clock, Desk, Edit, Engine, Error, Lesson, Note, Noted, Nudge, Opinion, Policy,
    sessions::MemorySessions,
};
use hardwon_store::{Memory, Sqlite, Store};
use jiff::Timestamp;
use tempfile::TempDir;

use super::{
    agent::{self, PLACES, Voice},
    faults::{Faulty, Trouble},
    model::Model,
    plan::{Act, Step},
};
use crate::desk::{self, person};

/// Processes that share the SQLite file.
pub(super) const PROCESSES: usize = 2;
/// Learned lessons that one scope may hold: few, so that some must leave.
pub(super) const CAPACITY: usize = 5;
/// How large a preamble may be: small, so that not all fits.
pub(super) const BUDGET: Budget = Budget {
    bytes: 700,
    tokens: 150,
};

/// A clock that only moves when it is told to.
#[derive(Debug, Clone)]
struct Hands(Arc<AtomicI64>);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.0.load(Ordering::Relaxed)).expect("a time of our days")
    }
}

/// A transcript, and what its agent has said and the file does not hold yet.
#[derive(Debug)]
struct Transcript {
    path: PathBuf,
    ahead: Vec<u8>,
}

/// Everything there is.
pub(super) struct World {
    dir: TempDir,
    /// How often the file was taken over by new processes.
    generation: u32,
    clock: Hands,
    pub(super) memory: Engine,
    pub(super) processes: Vec<Engine>,
    troubles: [Arc<Trouble>; 2],
    transcripts: Vec<Transcript>,
    pub(super) model: Model,
    pub(super) secrets: Vec<String>,
    words: u64,
    runs: u64,
    /// What was said to agents and people in this step.
    pub(super) told: String,
}

/// Returns what a run that ended said of the lessons that it was told.
fn judged_in(nudge: &Nudge) -> &[Part] {
    match nudge {
        Nudge::Learned(learned) => &learned.credited.parts,
        Nudge::Loop { .. } | Nudge::Lesson { .. } => &[],
    }
}

/// Returns the lessons that nudges are about.
fn lessons_in(nudges: &[Nudge]) -> Vec<LessonId> {
    let lesson = |nudge: &Nudge| match nudge {
        Nudge::Lesson { id, .. } => Some(*id),
        Nudge::Loop { .. } | Nudge::Learned(_) => None,
    };
    nudges.iter().filter_map(lesson).collect()
}

impl World {
    pub(super) fn new(seed: u64) -> anyhow::Result<Self> {
        let dir = TempDir::new()?;
        let clock = Hands(Arc::new(AtomicI64::new(1_772_000_000_000)));
        let troubles = [Arc::default(), Arc::default()];
        let memory = engine(Arc::new(Memory::new()), &troubles[0], &clock);
        let transcript = |place: usize| Transcript {
            path: dir.path().join(format!("{place}.jsonl")),
            ahead: Vec::new(),
        };
        let transcripts = (0..PLACES.len()).map(transcript).collect();
        let mut world = Self {
            dir,
            generation: 0,
            clock,
            memory,
            processes: Vec::new(),
            troubles,
            transcripts,
            model: Model::default(),
            secrets: agent::secrets(seed),
            words: 0,
            runs: 0,
            told: String::new(),
        };
        world.start()?;
        Ok(world)
    }

    /// Returns where the store's files are.
    pub(super) fn folder(&self) -> PathBuf {
        self.dir.path().join(format!("store-{}", self.generation))
    }

    /// Returns how many writes failed as planned.
    pub(super) fn struck(&self) -> u64 {
        self.troubles[0].struck.load(Ordering::Relaxed)
    }

    /// Opens the file anew, in as many processes as there are.
    fn start(&mut self) -> anyhow::Result<()> {
        let path = self.folder().join("hardwon.db");
        self.processes.clear();
        for _ in 0..PROCESSES {
            let store = Arc::new(Sqlite::open(&path)?);
            let engine = engine(store, &self.troubles[1], &self.clock);
            self.processes.push(engine);
        }
        Ok(())
    }

    /// Leaves the files as a killed process does, and goes on with a copy of them.
    fn kill(&mut self) -> anyhow::Result<()> {
        let left = self.folder();
        self.generation += 1;
        let taken_over = self.folder();
        fs::create_dir(&taken_over)?;
        for file in fs::read_dir(&left)? {
            let file = file?;
            // What the processes share in memory dies with them.
            if !file.file_name().to_string_lossy().ends_with("-shm") {
                fs::copy(file.path(), taken_over.join(file.file_name()))?;
            }
        }
        self.start()?;
        Ok(fs::remove_dir_all(left)?)
    }

    /// Plays a step on both sides, and tells the model how it went.
    pub(super) fn play(&mut self, step: &Step) -> anyhow::Result<()> {
        self.told.clear();
        self.clock.0.fetch_add(step.pause, Ordering::Relaxed);
        for trouble in &self.troubles {
            trouble.plan(step.fault);
        }
        self.act(step)?;
        let is_gone = self.troubles.each_ref().map(|it| it.bury());
        ensure!(is_gone[0] == is_gone[1], "only one of two processes died");
        self.troubles.iter().for_each(|it| it.plan(None));
        if is_gone[0] {
            self.kill()?;
        }
        Ok(())
    }

    fn act(&mut self, step: &Step) -> anyhow::Result<()> {
        let scope = agent::scope(step.place);
        match step.act {
            Act::Note { by_person, count } => self.note(step, &scope, by_person, count),
            Act::Writ { pick } => self.writ(step, &scope, pick),
            Act::Work { share } => self.work(step, share),
            Act::Learn { share } => self.learn(step, &scope, share),
            Act::Watch => self.watch(step, &scope),
            Act::Recall { shown } => self.recall(step, &scope, shown),
            Act::Report { pick, helped } => self.report(step, &scope, pick, helped),
            Act::Revise { pick } => self.revise(step, &scope, pick),
            Act::Approve { pick } => {
                self.change(step, &scope, pick, |desk, id| desk.approve(id, None))
            }
            Act::Archive { pick } => {
                let why = RawText::from(self.voice(step).reason());
                self.change(step, &scope, pick, move |desk, id| desk.archive(id, &why))
            }
            Act::Delete { pick } => self.delete(step, &scope, pick),
            Act::Settle => self
                .both(step, |it| person(it, &scope).flush_recalls(Timestamp::MIN))
                .map(drop),
            Act::Restart => self.start(),
            Act::Kill => self.kill(),
        }
    }

    fn voice(&mut self, step: &Step) -> Voice<'_> {
        Voice::new(step.words, step.place, &self.secrets, &mut self.words)
    }

    /// Does something on both sides. They must answer alike; what they answered is kept for those
    /// who look for what nobody may say.
    fn both<T: Debug>(
        &mut self,
        step: &Step,
        act: impl Fn(&Engine) -> Result<T, Error>,
    ) -> anyhow::Result<Option<T>> {
        let (expected, got) = (act(&self.memory), act(&self.processes[step.process]));
        self.told += &format!("{got:?}\n");
        let kind = |error: &Error| match error {
            Error::Store(error) => format!("{:?}", error.kind()),
            Error::Denied(_) | Error::Unfit(_) | Error::Guarded(_) => error.to_string(),
            Error::Read { source, .. } | Error::Files { source, .. } => {
                format!("{:?}", source.kind())
            }
        };
        let [memory, sqlite] = [&expected, &got].map(|answer| match answer {
            Ok(answer) => format!("{answer:?}"),
            Err(error) => kind(error),
        });
        ensure!(
            memory == sqlite,
            "memory says\n{memory}\nand SQLite says\n{sqlite}"
        );
        Ok(got.ok())
    }

    fn note(
        &mut self,
        step: &Step,
        scope: &Scope,
        by_person: bool,
        count: usize,
    ) -> anyhow::Result<()> {
        let mut voice = self.voice(step);
        let (notes, words): (Vec<Note>, Vec<String>) = (0..count)
            .map(|_| voice.note())
            .map(|(content, word)| (Note::new(content), word))
            .unzip();
        let noted = self.both(step, |it| {
            let desk = match by_person {
                true => person(it, scope),
                false => desk::agent(it, scope, false),
            };
            desk.note_all(notes.clone())
        })?;
        for (noted, word) in noted.into_iter().flatten().zip(words) {
            if let Noted::Recorded(lesson) | Noted::Waiting(lesson) = noted {
                self.model.fact(&scope.tenant, lesson.id).word = Some(word);
            }
        }
        Ok(())
    }

    fn writ(&mut self, step: &Step, scope: &Scope, pick: usize) -> anyhow::Result<()> {
        let id = self.model.pick(&scope.tenant, pick).unwrap_or(LessonId(1));
        let (text, word) = self.voice(step).writ(id.0);
        for spotted in writ::parse(&text) {
            let before = person(&self.memory, scope).lesson(id).ok();
            let done = self.both(step, |it| desk::agent(it, scope, false).writ(&spotted.writ))?;
            let surely = done.as_ref().is_some_and(|it| it.ok);
            let may_count = before.is_some_and(|it| it.scope.is_visible_from(scope));
            let fact = self.model.fact(&scope.tenant, id);
            match spotted.writ.as_ref().map(writ::Writ::verb) {
                Ok("helped") if surely || (done.is_none() && may_count) => fact.helped.add(surely),
                Ok("wrong") if surely || (done.is_none() && may_count) => fact.harmed.add(surely),
                Ok("create") => {
                    let made = done.and_then(|it| it.id);
                    let is_new = made.filter(|made| self.is_said(scope, *made, &word));
                    if let Some(made) = is_new {
                        self.model.fact(&scope.tenant, made).word = Some(word.clone());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns whether a lesson holds a word.
    fn is_said(&self, scope: &Scope, id: LessonId, word: &str) -> bool {
        let lesson = person(&self.memory, scope).lesson(id);
        lesson.is_ok_and(|it| it.content.text.as_str().contains(word))
    }

    /// An agent works: what it did is said, and part of it is in its transcript already.
    fn work(&mut self, step: &Step, share: usize) -> anyhow::Result<()> {
        self.runs += 1;
        let run = format!("run-{}", self.runs);
        let lines = self.voice(step).session(&run);
        let ahead = &mut self.transcripts[step.place].ahead;
        for line in lines {
            ahead.extend_from_slice(format!("{line}\n").as_bytes());
        }
        self.grow(step.place, share)
    }

    /// A transcript grows, perhaps by half a line.
    fn grow(&mut self, place: usize, share: usize) -> anyhow::Result<()> {
        let Transcript { path, ahead } = &mut self.transcripts[place];
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        let grown: Vec<u8> = ahead.drain(..ahead.len() * share / 100).collect();
        Ok(file.write_all(&grown)?)
    }

    fn learn(&mut self, step: &Step, scope: &Scope, share: usize) -> anyhow::Result<()> {
        self.grow(step.place, share)?;
        let path = self.transcripts[step.place].path.clone();
        let read = |it: &Engine| {
            person(it, scope).read_file::<ClientTranscript>(&path, &|_| None, &mut |_| ())
        };
        self.both(step, read).map(drop)
    }

    fn watch(&mut self, step: &Step, scope: &Scope) -> anyhow::Result<()> {
        self.runs += 1;
        let name = format!("live-{}", self.runs);
        let lines = self.voice(step).session(&name);
        let run = RunId::parse(&name)?;
        let struck = self.struck();
        // What each engine told, also where it broke off after that.
        let told: RefCell<Vec<Vec<LessonId>>> = RefCell::default();
        let nudges = self.both(step, |it| {
            let sessions = MemorySessions::default();
            let desk = person(it, scope);
            let mut live = desk.follow_run(run.clone(), &sessions);
            let mut nudges: Vec<Nudge> = Vec::new();
            told.borrow_mut().push(Vec::new());
            for line in &lines {
                let event = plain::parse(&line.to_string()).expect("a plain trace");
                nudges.extend(live.observe(event)?);
                if let Some(told) = told.borrow_mut().last_mut() {
                    *told = lessons_in(&nudges);
                }
            }
            Ok(nudges)
        })?;
        let surely = self.struck() == struck;
        let told: BTreeSet<LessonId> = told.into_inner().into_iter().flatten().collect();
        for id in told {
            let fact = self.model.fact(&scope.tenant, id);
            fact.shown.add(surely);
            if nudges.is_none() {
                // Whether the run was judged is not known.
                fact.helped.add(false);
                fact.harmed.add(false);
            }
        }
        for part in nudges.iter().flatten().flat_map(judged_in) {
            let fact = self.model.fact(&scope.tenant, part.lesson);
            (0..part.tally.helped).for_each(|_| fact.helped.add(true));
            (0..part.tally.harmed).for_each(|_| fact.harmed.add(true));
        }
        for nudge in nudges.into_iter().flatten() {
            if let Nudge::Lesson { id, text } = nudge {
                let lesson = person(&self.memory, scope).lesson(id)?;
                ensure!(
                    lesson.scope.is_visible_from(scope),
                    "{id} was shown elsewhere"
                );
                super::check::preamble(&text)?;
            }
        }
        Ok(())
    }

    fn recall(&mut self, step: &Step, scope: &Scope, shown: usize) -> anyhow::Result<()> {
        let prompt = self.voice(step).prompt();
        let ask = Ask {
            limit: Some(shown),
            ..Ask::new(scope.clone(), prompt)
        };
        // What is shown is shown, even if it cannot be noted.
        let shown = person(&self.memory, scope).explain(&ask)?.preamble.shown;
        let struck = self.struck();
        if let Some(recalled) = self.both(step, |it| person(it, scope).recall(&ask))? {
            super::check::recalled(&recalled, &ask)?;
        }
        let surely = self.struck() == struck;
        for id in shown {
            self.model.fact(&scope.tenant, id).shown.add(surely);
        }
        Ok(())
    }

    fn report(
        &mut self,
        step: &Step,
        scope: &Scope,
        pick: usize,
        helped: bool,
    ) -> anyhow::Result<()> {
        let Some(lesson) = self.picked(scope, pick)? else {
            return Ok(());
        };
        let opinion = match helped {
            true => Opinion::Helped,
            false => Opinion::Wrong,
        };
        let done = self.both(step, |it| person(it, scope).report(lesson.id, opinion))?;
        let fact = self.model.fact(&scope.tenant, lesson.id);
        match helped {
            true => fact.helped.add(done.is_some()),
            false => fact.harmed.add(done.is_some()),
        }
        Ok(())
    }

    fn revise(&mut self, step: &Step, scope: &Scope, pick: usize) -> anyhow::Result<()> {
        let Some(lesson) = self.picked(scope, pick)? else {
            return Ok(());
        };
        let place = agent::place(&lesson.scope);
        let (content, word) = Voice::new(step.words, place, &self.secrets, &mut self.words).note();
        let edit = Edit {
            text: Some(content.text),
            tags: Some(content.tags),
            ..Edit::default()
        };
        let done = self.both(step, |it| {
            match person(it, scope).revise(lesson.id, &edit) {
                Ok(_) => Ok(true),
                Err(Error::Unfit(_) | Error::Guarded(_)) => Ok(false),
                Err(error) => Err(error),
            }
        })?;
        match done {
            Some(true) => self.model.fact(&scope.tenant, lesson.id).word = Some(word),
            // Turned away: it says what it said.
            Some(false) => {}
            None => self.model.fact(&scope.tenant, lesson.id).word = None,
        }
        Ok(())
    }

    fn change(
        &mut self,
        step: &Step,
        scope: &Scope,
        pick: usize,
        act: impl Fn(&Desk<'_>, LessonId) -> Result<Lesson, Error>,
    ) -> anyhow::Result<()> {
        let Some(lesson) = self.picked(scope, pick)? else {
            return Ok(());
        };
        self.both(step, |it| act(&person(it, scope), lesson.id))
            .map(drop)
    }

    fn delete(&mut self, step: &Step, scope: &Scope, pick: usize) -> anyhow::Result<()> {
        let Some(lesson) = self.picked(scope, pick)? else {
            return Ok(());
        };
        let done = self.both(step, |it| person(it, scope).erase(lesson.id))?;
        self.model.deleted(&scope.tenant, lesson.id, done.is_some());
        Ok(())
    }

    /// Returns the lesson that a step is about, if there is any.
    fn picked(&self, scope: &Scope, pick: usize) -> anyhow::Result<Option<Lesson>> {
        let Some(id) = self.model.pick(&scope.tenant, pick) else {
            return Ok(None);
        };
        Ok(person(&self.memory, scope).lesson(id).ok())
    }
}

fn engine(store: Arc<dyn Store>, trouble: &Arc<Trouble>, clock: &Hands) -> Engine {
    let store = Faulty {
        inner: store,
        trouble: trouble.clone(),
    };
    let policy = Policy {
        capacity: CAPACITY,
        budget: BUDGET,
        keep_prompts: true,
        ..Policy::default()
    };
    Engine::new(Box::new(store), policy, Box::new(clock.clone()))
}
