//! The stores, the processes on them, and the steps that are played on both.
//!
//! Every step is played twice: by an engine over the memory store, which is the readable reference, and by one of the
//! engines that share a SQLite file. Both hit the same fault at the same write, and must answer alike.

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
use hardwon_core::{LessonId, LessonJudgement, RawText, RunId, Scope, writ};
use hardwon_engine::{
    Clock, Desk, Engine, Error, FileSessions, Lesson, LessonEdit, Note, NoteOutcome, Nudge,
    Opinion, Policy, RecallRequest,
};
use hardwon_store::{SqliteStore, Store};
use hardwon_store_suite::MemoryStore;
use jiff::Timestamp;
use tempfile::TempDir;

use super::{
    agent::{self, PLACES, SimVoice},
    answers::{check_preamble, check_recall},
    bounds::{BUDGET, CAPACITY, PROCESSES},
    faults::{FaultPlan, FaultyStore},
    model::SimModel,
    plan::{PlanAction, PlanStep},
};
use crate::desk::{self, person_desk};

/// A clock that only moves when it is told to.
#[derive(Debug, Clone)]
pub(super) struct ManualClock(pub(super) Arc<AtomicI64>);

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.0.load(Ordering::Relaxed)).expect("a time of our days")
    }
}

/// A transcript, and the lines of its session that the file does not hold yet.
#[derive(Debug)]
struct GrowingTranscript {
    path: PathBuf,
    unwritten: Vec<u8>,
}

/// The state of a simulation.
pub(super) struct SimWorld {
    dir: TempDir,
    /// How often new processes took the file over.
    generation: u32,
    clock: ManualClock,
    pub(super) memory: Engine,
    pub(super) processes: Vec<Engine>,
    fault_plans: [Arc<FaultPlan>; 2],
    transcripts: Vec<GrowingTranscript>,
    pub(super) model: SimModel,
    pub(super) secrets: Vec<String>,
    words: u64,
    runs: u64,
    /// All replies to agents and people in this step.
    pub(super) answers: String,
}

/// Returns the judgements of a run that ended.
fn judgements_in(nudge: &Nudge) -> &[LessonJudgement] {
    match nudge {
        Nudge::Learned(learned) => &learned.credit.lessons,
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

impl SimWorld {
    pub(super) fn new(seed: u64) -> anyhow::Result<Self> {
        let dir = TempDir::new()?;
        let clock = ManualClock(Arc::new(AtomicI64::new(1_772_000_000_000)));
        let troubles = [Arc::default(), Arc::default()];
        let memory = build_engine(Arc::new(MemoryStore::new()), &troubles[0], &clock);
        let transcript = |place: usize| GrowingTranscript {
            path: dir.path().join(format!("{place}.jsonl")),
            unwritten: Vec::new(),
        };
        let transcripts = (0..PLACES.len()).map(transcript).collect();
        let mut world = Self {
            dir,
            generation: 0,
            clock,
            memory,
            processes: Vec::new(),
            fault_plans: troubles,
            transcripts,
            model: SimModel::default(),
            secrets: agent::make_secrets(seed),
            words: 0,
            runs: 0,
            answers: String::new(),
        };
        world.start_processes()?;
        Ok(world)
    }

    /// Returns the folder of the store's files.
    pub(super) fn folder(&self) -> PathBuf {
        self.dir.path().join(format!("store-{}", self.generation))
    }

    /// Returns how many writes failed as planned.
    pub(super) fn fault_count(&self) -> u64 {
        self.fault_plans[0].fault_count.load(Ordering::Relaxed)
    }

    /// Opens the file again, in each of the processes.
    fn start_processes(&mut self) -> anyhow::Result<()> {
        let path = self.folder().join("hardwon.db");
        self.processes.clear();
        for _ in 0..PROCESSES {
            let store = Arc::new(SqliteStore::open(&path)?);
            let engine = build_engine(store, &self.fault_plans[1], &self.clock);
            self.processes.push(engine);
        }
        Ok(())
    }

    /// Leaves the files as a killed process does, and continues with a copy of them.
    fn kill_processes(&mut self) -> anyhow::Result<()> {
        let left = self.folder();
        self.generation += 1;
        let taken_over = self.folder();
        fs::create_dir(&taken_over)?;
        for file in fs::read_dir(&left)? {
            let file = file?;
            // The processes' shared memory is lost with them.
            if !file.file_name().to_string_lossy().ends_with("-shm") {
                fs::copy(file.path(), taken_over.join(file.file_name()))?;
            }
        }
        self.start_processes()?;
        Ok(fs::remove_dir_all(left)?)
    }

    /// Plays a step on both sides, and reports the result to the model.
    pub(super) fn play_step(&mut self, step: &PlanStep) -> anyhow::Result<()> {
        self.answers.clear();
        self.clock.0.fetch_add(step.pause, Ordering::Relaxed);
        for trouble in &self.fault_plans {
            trouble.set_fault(step.fault);
        }
        self.play_action(step)?;
        let is_gone = self
            .fault_plans
            .each_ref()
            .map(|each_ref| each_ref.take_killed());
        ensure!(is_gone[0] == is_gone[1], "only one of two processes died");
        self.fault_plans
            .iter()
            .for_each(|fault_plan| fault_plan.set_fault(None));
        if is_gone[0] {
            self.kill_processes()?;
        }
        Ok(())
    }

    fn play_action(&mut self, step: &PlanStep) -> anyhow::Result<()> {
        let scope = agent::scope_of_place(step.place);
        match step.act {
            PlanAction::Note { by_person, count } => self.play_note(step, &scope, by_person, count),
            PlanAction::Writ { pick } => self.play_writ(step, &scope, pick),
            PlanAction::Work { share } => self.play_work(step, share),
            PlanAction::Learn { share } => self.play_learn(step, &scope, share),
            PlanAction::Watch => self.play_watch(step, &scope),
            PlanAction::Recall { shown } => self.play_recall(step, &scope, shown),
            PlanAction::Report { pick, helped } => self.play_report(step, &scope, pick, helped),
            PlanAction::Revise { pick } => self.play_revise(step, &scope, pick),
            PlanAction::Approve { pick } => {
                self.play_change(step, &scope, pick, |desk, id| desk.approve_lesson(id, None))
            }
            PlanAction::Archive { pick } => {
                let why = RawText::from(self.voice(step).compose_reason());
                self.play_change(step, &scope, pick, move |desk, id| {
                    desk.archive_lesson(id, &why)
                })
            }
            PlanAction::Delete { pick } => self.play_delete(step, &scope, pick),
            PlanAction::DrainSpool => self
                .run_on_both(step, |engine| {
                    person_desk(engine, &scope).flush_recalls(Timestamp::MIN)
                })
                .map(drop),
            PlanAction::Restart => self.start_processes(),
            PlanAction::Kill => self.kill_processes(),
        }
    }

    fn voice(&mut self, step: &PlanStep) -> SimVoice<'_> {
        SimVoice::new(step.words, step.place, &self.secrets, &mut self.words)
    }

    /// Runs an action on both sides. They must answer alike; the answers are kept for the checks.
    fn run_on_both<T: Debug>(
        &mut self,
        step: &PlanStep,
        act: impl Fn(&Engine) -> Result<T, Error>,
    ) -> anyhow::Result<Option<T>> {
        let (expected, got) = (act(&self.memory), act(&self.processes[step.process]));
        self.answers += &format!("{got:?}\n");
        let [memory, sqlite] = [&expected, &got].map(describe_answer);
        ensure!(
            memory == sqlite,
            "memory says\n{memory}\nand SQLite says\n{sqlite}"
        );
        Ok(got.ok())
    }

    fn play_note(
        &mut self,
        step: &PlanStep,
        scope: &Scope,
        by_person: bool,
        count: usize,
    ) -> anyhow::Result<()> {
        let mut voice = self.voice(step);
        let (notes, words): (Vec<Note>, Vec<String>) = (0..count)
            .map(|_| voice.compose_note())
            .map(|(content, word)| (Note::new(content), word))
            .unzip();
        let noted = self.run_on_both(step, |engine| {
            let desk = if by_person {
                person_desk(engine, scope)
            } else {
                desk::agent_desk(engine, scope, false)
            };
            desk.note_all(notes.clone())
        })?;
        for (noted, word) in noted.into_iter().flatten().zip(words) {
            if let NoteOutcome::Recorded(lesson) | NoteOutcome::Pending(lesson) = noted {
                self.model.fact(&scope.tenant, lesson.id).word = Some(word);
            }
        }
        Ok(())
    }

    fn play_writ(&mut self, step: &PlanStep, scope: &Scope, pick: usize) -> anyhow::Result<()> {
        let id = self
            .model
            .pick_lesson(&scope.tenant, pick)
            .unwrap_or(LessonId(1));
        let (text, word) = self.voice(step).compose_writ(id.0);
        for spotted in writ::parse(&text) {
            let before = person_desk(&self.memory, scope).lesson(id).ok();
            let done = self.run_on_both(step, |engine| {
                desk::agent_desk(engine, scope, false).run_writ(&spotted.writ)
            })?;
            let surely = done.as_ref().is_some_and(|outcome| outcome.is_done);
            let may_count = before.is_some_and(|before| before.scope.is_visible_from(scope));
            let fact = self.model.fact(&scope.tenant, id);
            match spotted.writ.as_ref().map(writ::Writ::verb) {
                Ok("helped") if surely || (done.is_none() && may_count) => fact.helped.add(surely),
                Ok("wrong") if surely || (done.is_none() && may_count) => fact.harmed.add(surely),
                Ok("create") => {
                    let made = done.and_then(|lesson| lesson.id);
                    let is_new = made.filter(|made| self.has_word(scope, *made, &word));
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
    fn has_word(&self, scope: &Scope, id: LessonId, word: &str) -> bool {
        let lesson = person_desk(&self.memory, scope).lesson(id);
        lesson.is_ok_and(|lesson| lesson.content.text.as_str().contains(word))
    }

    /// Plays an agent's work: its session is generated, and part of it is in its transcript already.
    fn play_work(&mut self, step: &PlanStep, share: usize) -> anyhow::Result<()> {
        self.runs += 1;
        let run = format!("run-{}", self.runs);
        let lines = self.voice(step).compose_session(&run);
        let ahead = &mut self.transcripts[step.place].unwritten;
        for line in lines {
            ahead.extend_from_slice(format!("{line}\n").as_bytes());
        }
        self.grow_transcript(step.place, share)
    }

    /// Lets a transcript grow, perhaps by half a line.
    fn grow_transcript(&mut self, place: usize, share: usize) -> anyhow::Result<()> {
        let GrowingTranscript {
            path,
            unwritten: ahead,
        } = &mut self.transcripts[place];
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        let grown: Vec<u8> = ahead.drain(..ahead.len() * share / 100).collect();
        Ok(file.write_all(&grown)?)
    }

    fn play_learn(&mut self, step: &PlanStep, scope: &Scope, share: usize) -> anyhow::Result<()> {
        self.grow_transcript(step.place, share)?;
        let path = self.transcripts[step.place].path.clone();
        let read = |it: &Engine| {
            person_desk(it, scope).read_transcript::<ClientTranscript>(
                &path,
                &|_| None,
                &mut |_| (),
            )
        };
        self.run_on_both(step, read).map(drop)
    }

    fn play_watch(&mut self, step: &PlanStep, scope: &Scope) -> anyhow::Result<()> {
        self.runs += 1;
        let name = format!("live-{}", self.runs);
        let lines = self.voice(step).compose_session(&name);
        let run = RunId::parse(&name)?;
        let struck = self.fault_count();
        // The lessons that each engine reported, also where it failed after that.
        let told: RefCell<Vec<Vec<LessonId>>> = RefCell::default();
        let nudges = self.run_on_both(step, |engine| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let sessions = FileSessions::new(folder.path());
            let desk = person_desk(engine, scope);
            let mut live = desk.follow_run(run.clone(), &sessions);
            let mut nudges: Vec<Nudge> = Vec::new();
            told.borrow_mut().push(Vec::new());
            for line in &lines {
                let event = plain::parse_event(&line.to_string()).expect("a plain trace");
                nudges.extend(live.observe_event(event)?);
                if let Some(told) = told.borrow_mut().last_mut() {
                    *told = lessons_in(&nudges);
                }
            }
            Ok(nudges)
        })?;
        let surely = self.fault_count() == struck;
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
        for part in nudges.iter().flatten().flat_map(judgements_in) {
            let fact = self.model.fact(&scope.tenant, part.lesson);
            (0..part.delta.helped).for_each(|_| fact.helped.add(true));
            (0..part.delta.harmed).for_each(|_| fact.harmed.add(true));
        }
        for nudge in nudges.into_iter().flatten() {
            if let Nudge::Lesson { id, text } = nudge {
                let lesson = person_desk(&self.memory, scope).lesson(id)?;
                ensure!(
                    lesson.scope.is_visible_from(scope),
                    "{id} was shown elsewhere"
                );
                check_preamble(&text)?;
            }
        }
        Ok(())
    }

    fn play_recall(&mut self, step: &PlanStep, scope: &Scope, shown: usize) -> anyhow::Result<()> {
        let prompt = self.voice(step).compose_prompt();
        let ask = RecallRequest {
            limit: Some(shown),
            ..RecallRequest::new(scope.clone(), prompt)
        };
        // A showing counts as shown, even if it cannot be recorded.
        let shown = person_desk(&self.memory, scope)
            .explain_recall(&ask)?
            .preamble
            .shown;
        let struck = self.fault_count();
        if let Some(recalled) =
            self.run_on_both(step, |engine| person_desk(engine, scope).recall(&ask))?
        {
            check_recall(&recalled, &ask)?;
        }
        let surely = self.fault_count() == struck;
        for id in shown {
            self.model.fact(&scope.tenant, id).shown.add(surely);
        }
        Ok(())
    }

    fn play_report(
        &mut self,
        step: &PlanStep,
        scope: &Scope,
        pick: usize,
        helped: bool,
    ) -> anyhow::Result<()> {
        let Some(lesson) = self.picked_lesson(scope, pick)? else {
            return Ok(());
        };
        let opinion = if helped {
            Opinion::Helped
        } else {
            Opinion::Wrong
        };
        let done = self.run_on_both(step, |engine| {
            person_desk(engine, scope).report_opinion(lesson.id, opinion)
        })?;
        // Words about a lesson of one's own, or of one that was not shown, do not count.
        let counts = |done: &Lesson| (done.counts.helped, done.counts.harmed);
        let has_counted = done.is_some_and(|done| counts(&done) != counts(&lesson));
        let fact = self.model.fact(&scope.tenant, lesson.id);
        if helped {
            fact.helped.add(has_counted);
        } else {
            fact.harmed.add(has_counted);
        }
        Ok(())
    }

    fn play_revise(&mut self, step: &PlanStep, scope: &Scope, pick: usize) -> anyhow::Result<()> {
        let Some(lesson) = self.picked_lesson(scope, pick)? else {
            return Ok(());
        };
        let place = agent::place_of_scope(&lesson.scope);
        let (content, word) =
            SimVoice::new(step.words, place, &self.secrets, &mut self.words).compose_note();
        let edit = LessonEdit {
            text: Some(content.text),
            tags: Some(content.tags),
            ..LessonEdit::default()
        };
        let done = self.run_on_both(step, |engine| {
            match person_desk(engine, scope).revise_lesson(lesson.id, &edit) {
                Ok(_) => Ok(true),
                Err(Error::Curation(_) | Error::RejectedByGuard(_)) => Ok(false),
                Err(error) => Err(error),
            }
        })?;
        match done {
            Some(true) => self.model.fact(&scope.tenant, lesson.id).word = Some(word),
            // Rejected: the lesson keeps its words.
            Some(false) => {}
            None => self.model.fact(&scope.tenant, lesson.id).word = None,
        }
        Ok(())
    }

    fn play_change(
        &mut self,
        step: &PlanStep,
        scope: &Scope,
        pick: usize,
        act: impl Fn(&Desk<'_>, LessonId) -> Result<Lesson, Error>,
    ) -> anyhow::Result<()> {
        let Some(lesson) = self.picked_lesson(scope, pick)? else {
            return Ok(());
        };
        self.run_on_both(step, |engine| act(&person_desk(engine, scope), lesson.id))
            .map(drop)
    }

    fn play_delete(&mut self, step: &PlanStep, scope: &Scope, pick: usize) -> anyhow::Result<()> {
        let Some(lesson) = self.picked_lesson(scope, pick)? else {
            return Ok(());
        };
        let done = self.run_on_both(step, |engine| {
            person_desk(engine, scope).erase_lesson(lesson.id)
        })?;
        self.model
            .record_deletion(&scope.tenant, lesson.id, done.is_some());
        Ok(())
    }

    /// Returns the lesson that a step is about, if there is any.
    fn picked_lesson(&self, scope: &Scope, pick: usize) -> anyhow::Result<Option<Lesson>> {
        let Some(id) = self.model.pick_lesson(&scope.tenant, pick) else {
            return Ok(None);
        };
        Ok(person_desk(&self.memory, scope).lesson(id).ok())
    }
}

/// Returns an answer as text; of errors that a machine has a part in, their kind.
pub(super) fn describe_answer<T: Debug>(answer: &Result<T, Error>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(Error::Store(error)) => format!("{:?}", error.kind()),
        Err(
            error @ (Error::Denied(_)
            | Error::Curation(_)
            | Error::RejectedByGuard(_)
            | Error::Repeated(_)
            | Error::Sweep(_)),
        ) => error.to_string(),
        Err(
            Error::ReadTranscript { source, .. }
            | Error::LessonFiles { source, .. }
            | Error::RunState(source),
        ) => format!("{:?}", source.kind()),
    }
}

fn build_engine(store: Arc<dyn Store>, trouble: &Arc<FaultPlan>, clock: &ManualClock) -> Engine {
    let store = FaultyStore {
        inner: store,
        faults: trouble.clone(),
    };
    let policy = Policy {
        capacity: CAPACITY,
        budget: BUDGET,
        keep_prompts: true,
        ..Policy::default()
    };
    Engine::new(Box::new(store), policy, Box::new(clock.clone()))
}
