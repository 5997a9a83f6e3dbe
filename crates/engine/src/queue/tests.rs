use std::sync::{Arc, atomic::AtomicI64};

use crate::desk::person;
use hardwon_core::{
    CallStatus, InquiryTriggers, RawEvent, RunStatus, Status, ToolCall, Trace, TrustClass,
    event::scrub_event,
};
use hardwon_store::{ConsideredLesson, LessonListing, Moment, PromptDigest, Recall, Treatment};
use hardwon_store_suite::MemoryStore;

use super::*;
use crate::{Clock, Engine, InquiryPolicy, LessonContent, Note, Policy};

/// A clock that is set by hand, in seconds.
#[derive(Clone, Default)]
struct Hand(Arc<AtomicI64>);

impl Clock for Hand {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.0.load(Ordering::SeqCst)).unwrap()
    }
}

/// A model made of a function.
struct Scripted<F>(F, AtomicU32);

impl<F: Fn(&ModelRequest) -> std::result::Result<ModelAnswer, ModelError> + Send + Sync> Model
    for Scripted<F>
{
    fn complete(&self, ask: &ModelRequest) -> std::result::Result<ModelAnswer, ModelError> {
        self.1.fetch_add(1, Ordering::SeqCst);
        (self.0)(ask)
    }
}

fn says(reply: &str) -> impl Model {
    let reply = reply.to_owned();
    Scripted(
        move |_: &ModelRequest| {
            Ok(ModelAnswer {
                text: RawText::new(reply.clone()),
                tokens: Some(1100),
            })
        },
        AtomicU32::new(0),
    )
}

fn fails(error: ModelError) -> impl Model {
    Scripted(
        move |_: &ModelRequest| Err(error.clone()),
        AtomicU32::new(0),
    )
}

const GOOD: &str = "<situation>`make deploy` asks for a region</situation><mistake>none was given\
    </mistake><correction>Set REGION before `make deploy`.</correction><tags>make, deploy</tags>";

const HOW: DrainOptions = DrainOptions {
    max_workers: 2,
    max_jobs: 10,
    lease: SignedDuration::from_secs(60),
    max_answer_tokens: 500,
    tokens_per_day: None,
};

struct Stage {
    engine: Engine,
    clock: Hand,
    tenant: TenantId,
}

impl Stage {
    fn new(method: JobMethod) -> Self {
        Self::waiting(method, SignedDuration::ZERO)
    }

    /// Makes a stage that asks about a run once it was quiet for so long.
    fn waiting(method: JobMethod, quiet_period: SignedDuration) -> Self {
        let clock = Hand::default();
        let policy = Policy {
            inquiries: Some(InquiryPolicy {
                triggers: InquiryTriggers::default(),
                method,
                quiet_period,
            }),
            ..Policy::default()
        };
        Self {
            engine: Engine::new(
                Box::new(MemoryStore::new()),
                policy,
                Box::new(clock.clone()),
            ),
            clock,
            tenant: TenantId::default(),
        }
    }

    fn later(&self, seconds: i64) {
        self.clock.0.fetch_add(seconds, Ordering::SeqCst);
    }

    /// Learns from a run that failed on this command.
    fn run(&self, name: &str, command: &str) -> bool {
        let mut trace = Trace::new(RunId::parse(name).unwrap(), Scope::default());
        let events = [
            RawEvent::Tool(ToolCall {
                turn: 0,
                tool: "bash".into(),
                args: command.into(),
                status: CallStatus::Error("no region given".into()),
                outside: None,
            }),
            RawEvent::End {
                status: RunStatus::Failed,
                score: None,
            },
        ];
        events
            .into_iter()
            .for_each(|it| trace.push(scrub_event(it)));
        person(&self.engine)
            .learn_from_run(&trace)
            .unwrap()
            .has_inquiry
    }

    fn helped(&self, id: LessonId) -> u64 {
        let lesson = person(&self.engine).lesson(id).unwrap();
        lesson.counts.helped
    }

    fn drain(&self, model: &dyn Model) -> DrainReport {
        person(&self.engine).drain_queue(model, &HOW).unwrap()
    }

    fn lessons(&self) -> Vec<Lesson> {
        let listing = LessonListing::default();
        self.engine
            .store
            .snapshot()
            .unwrap()
            .lessons(&self.tenant, &listing)
            .unwrap()
    }

    fn distilled(&self) -> usize {
        let lessons = self.lessons();
        let by_model = |it: &&Lesson| it.trust.class == TrustClass::Distilled;
        lessons.iter().filter(by_model).count()
    }

    fn states(&self) -> Vec<&'static str> {
        let jobs = self
            .engine
            .store
            .snapshot()
            .unwrap()
            .jobs(&self.tenant, &JobListing::default());
        jobs.unwrap().iter().map(|job| job.state.name()).collect()
    }
}

#[test]
fn a_run_is_asked_about_once_and_its_lesson_is_a_models() {
    let stage = Stage::new(JobMethod::Lesson);
    assert!(stage.run("r1", "make deploy"));
    let drained = stage.drain(&says(GOOD));
    assert_eq!((drained.done.len(), drained.stop), (1, None));
    let lessons = stage.lessons();
    let lesson = lessons
        .iter()
        .find(|it| it.trust.class == TrustClass::Distilled)
        .unwrap();
    assert_eq!(
        lesson.content.text.as_str(),
        "Set REGION before `make deploy`."
    );
    assert_eq!(lesson.evidence[0].reference.as_str(), "r1");
    assert_eq!(lesson.status, Status::Active);
    assert_eq!(stage.states(), ["done"]);
    assert_eq!(
        lesson.content.signature.as_str(),
        "make deploy (no region given)",
        "what failed, whatever the model calls it"
    );
    // The same failure is not asked about again, whichever run hits it.
    for (run, command) in [
        ("r1", "make deploy"),
        ("r1", "make deploy R="),
        ("r2", "make deploy"),
    ] {
        assert!(!stage.run(run, command));
        assert_eq!(stage.drain(&says(GOOD)).done.len(), 0);
    }
}

/// Plays a run of a command that failed and then worked; returns whether a model is to be asked.
fn got_past(stage: &Stage, name: &str, tries: usize) -> bool {
    // Each run gets past it in its own way, so the rules learn nothing.
    got_past_by(stage, name, tries, &format!("bin/stage {name}"))
}

fn got_past_by(stage: &Stage, name: &str, tries: usize, step: &str) -> bool {
    let mut trace = Trace::new(RunId::parse(name).unwrap(), Scope::default());
    let call = |args: &str, status| {
        RawEvent::Tool(ToolCall {
            turn: 0,
            tool: "bash".into(),
            args: args.into(),
            status,
            outside: None,
        })
    };
    for _ in 0..tries {
        let refused = CallStatus::Error("stage: no desk is open".into());
        trace.push(scrub_event(call("bin/stage push out", refused)));
    }
    trace.push(scrub_event(call(step, CallStatus::Ok)));
    trace.push(scrub_event(call("bin/stage push out", CallStatus::Ok)));
    trace.push(scrub_event(RawEvent::End {
        status: RunStatus::Completed,
        score: None,
    }));
    person(&stage.engine)
        .learn_from_run(&trace)
        .unwrap()
        .has_inquiry
}

#[test]
fn nobody_is_asked_about_what_the_rules_learn_in_the_same_moment() {
    let stage = Stage::new(JobMethod::Lesson);
    for name in ["r1", "r2", "r3"] {
        assert!(!got_past_by(&stage, name, 1, "bin/stage open"), "{name}");
    }
    assert_eq!(stage.lessons().len(), 1);
    assert_eq!(person(&stage.engine).hasten_jobs().unwrap(), 0);
}

#[test]
fn a_trouble_that_cost_little_is_asked_about_once_a_second_run_meets_it() {
    let stage = Stage::new(JobMethod::Lesson);
    assert!(!got_past(&stage, "r1", 1));
    assert!(!got_past(&stage, "r1", 2), "it is still the same run");
    assert_eq!(
        (stage.states(), stage.drain(&says(GOOD)).done.len()),
        (vec![], 0)
    );
    assert_eq!(person(&stage.engine).hasten_jobs().unwrap(), 0);
    assert!(got_past(&stage, "r2", 1));
    assert!(got_past(&stage, "r3", 1), "it has one more record");
    assert_eq!(stage.states(), ["waiting"]);
    let both = Scripted(
        |ask: &ModelRequest| {
            assert_eq!(ask.prompt.user.matches("another run:").count(), 2);
            assert!(ask.prompt.user.contains("met 2 times in this run"));
            Ok(ModelAnswer {
                text: GOOD.into(),
                tokens: None,
            })
        },
        AtomicU32::new(0),
    );
    assert_eq!(stage.drain(&both).done.len(), 1);
    let is_models = |it: &Lesson| it.trust.class == TrustClass::Distilled;
    let lesson = stage.lessons().into_iter().find(is_models).unwrap();
    let runs: Vec<&str> = lesson
        .evidence
        .iter()
        .map(|it| it.reference.as_str())
        .collect();
    assert_eq!(runs, ["r1", "r2", "r3"]);
    assert!(!got_past(&stage, "r4", 3), "its lesson is known");
}

#[test]
fn what_cost_much_is_asked_about_at_once_and_what_is_skipped_never_again() {
    let stage = Stage::new(JobMethod::Lesson);
    assert!(got_past(&stage, "r1", 3));
    assert_eq!(stage.drain(&says("<skip>no</skip>")).done.len(), 1);
    assert!(!got_past(&stage, "r2", 3));
    assert_eq!(stage.states(), ["done"]);
}

#[test]
fn what_is_like_a_question_is_shown_with_it() {
    let stage = Stage::new(JobMethod::Lesson);
    let content = LessonContent::new("bin/stage", "Open the desk before `bin/stage push`.");
    let note = Note::new(content);
    person(&stage.engine).note(note).unwrap();
    assert!(got_past(&stage, "r1", 3));
    let reads = Scripted(
        |ask: &ModelRequest| {
            let known = "known:\n- [bin/stage] Open the desk before `bin/stage push`.\n\nBEGIN";
            assert!(ask.prompt.user.starts_with(known), "{}", ask.prompt.user);
            Err(ModelError::TimedOut)
        },
        AtomicU32::new(0),
    );
    assert_eq!(stage.drain(&reads).failed.len(), 1);
}

#[test]
fn what_the_rules_found_is_there_without_a_model() {
    let stage = Stage::new(JobMethod::Lesson);
    for name in ["r1", "r2"] {
        stage.run(name, "make deploy");
    }
    let before = stage.lessons();
    let away = ModelError::Unreachable("connection refused".to_owned());
    for _ in 0..20 {
        let drained = stage.drain(&fails(away.clone()));
        assert_eq!(drained.stop, Some(DrainStop::ModelFailed(away.clone())));
        assert_eq!(drained.cost.tokens, 0);
        stage.later(2 * 60 * 60);
    }
    assert_eq!(stage.lessons(), before);
    assert_eq!(stage.states(), ["waiting"], "it waits for it for ever");
    assert_eq!(stage.drain(&says("<skip>nothing</skip>")).done.len(), 1);
    assert_eq!((stage.lessons(), stage.states()), (before, vec!["done"]));
}

#[test]
fn what_is_off_the_form_is_no_lesson_and_is_given_up() {
    let stage = Stage::new(JobMethod::Lesson);
    stage.run("r1", "make deploy");
    let chatter = says("Happy to help! key is password=hunter2");
    let drained = stage.drain(&chatter);
    let why = "the reply holds no block of the form asked for";
    assert_eq!(drained.failed, [(JobId(1), why.to_owned())]);
    assert_eq!(stage.drain(&chatter).failed, [], "it is not due yet");
    stage.later(20);
    assert_eq!(stage.drain(&chatter).failed.len(), 1);
    assert_eq!((stage.states(), stage.distilled()), (vec!["dead"], 0));
    assert_eq!(
        person(&stage.engine)
            .retry_jobs(&JobSelection::default())
            .unwrap(),
        1
    );
    assert_eq!(stage.drain(&says(GOOD)).done.len(), 1);
    assert_eq!(
        person(&stage.engine)
            .purge_jobs(&JobSelection::default())
            .unwrap(),
        0
    );
    assert_eq!(
        person(&stage.engine)
            .purge_jobs(&JobSelection {
                only_job: Some(JobId(1)),
                scope_filter: None
            })
            .unwrap(),
        1
    );
    assert_eq!(stage.states(), [""; 0]);
}

#[test]
fn a_model_that_fails_is_asked_a_few_times() {
    let stage = Stage::new(JobMethod::Lesson);
    stage.run("r1", "make deploy");
    let mut calls = 0;
    while stage.states() == ["waiting"] {
        calls += stage.drain(&fails(ModelError::TimedOut)).failed.len();
        stage.later(60 * 60);
    }
    assert_eq!((calls, stage.states()), (5, vec!["dead"]));
    stage.run("r2", "make release");
    stage.drain(&fails(ModelError::Refused("too long".to_owned())));
    assert_eq!(stage.states(), ["dead", "dead"]);
}

#[test]
fn no_more_is_spent_than_is_allowed() {
    let stage = Stage::new(JobMethod::Lesson);
    for n in 0..9 {
        stage.run(&format!("r{n}"), &format!("make deploy{n}"));
    }
    let model = says("<skip>no</skip>");
    let limited = |tokens| DrainOptions {
        tokens_per_day: Some(tokens),
        max_workers: 1,
        ..HOW
    };
    let drain = |how: &DrainOptions| person(&stage.engine).drain_queue(&model, how).unwrap();
    // A call takes 1,100 tokens; the estimate is about as much.
    let drained = drain(&limited(2500));
    assert_eq!(
        (drained.done.len(), drained.stop),
        (2, Some(DrainStop::OverBudget))
    );
    let drained = drain(&limited(3600));
    assert_eq!(
        (drained.done.len(), drained.stop),
        (1, Some(DrainStop::OverBudget))
    );
    assert_eq!(drained.cost, ModelCost::of_call(1100));
    let spent = |day| {
        stage
            .engine
            .store
            .snapshot()
            .unwrap()
            .model_cost(&stage.tenant, day)
            .unwrap()
    };
    assert_eq!((spent(0).calls, spent(0).tokens), (3, 3300));
    stage.later(24 * 60 * 60);
    assert_eq!(drain(&limited(2500)).done.len(), 2, "another day");
    assert_eq!(
        drain(&DrainOptions { max_jobs: 1, ..HOW }).stop,
        Some(DrainStop::LimitReached)
    );
}

#[test]
fn no_more_workers_than_allowed_are_at_work() {
    let stage = Stage::new(JobMethod::Lesson);
    for n in 0..4 {
        stage.run(&format!("r{n}"), &format!("make deploy{n}"));
    }
    let (most, now) = (AtomicU32::new(0), AtomicU32::new(0));
    let watched = Scripted(
        |_: &ModelRequest| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            // Another process finds a worker busy already, and leaves the rest to it.
            let how = DrainOptions {
                max_workers: 1,
                ..HOW
            };
            let other = person(&stage.engine)
                .drain_queue(&says(GOOD), &how)
                .unwrap();
            assert_eq!((other.done.len(), other.failed.len()), (0, 0));
            now.fetch_sub(1, Ordering::SeqCst);
            Err(ModelError::TimedOut)
        },
        AtomicU32::new(0),
    );
    stage.drain(&watched);
    assert!((1..=2).contains(&most.load(Ordering::SeqCst)));
}

#[test]
fn an_answer_that_comes_too_late_teaches_nothing() {
    let stage = Stage::new(JobMethod::Lesson);
    stage.run("r1", "make deploy");
    let slow = Scripted(
        |_: &ModelRequest| {
            stage.later(61);
            let other = stage.drain(&says(GOOD));
            assert_eq!(other.done.len(), 1);
            Ok(ModelAnswer {
                text: GOOD.replace("REGION", "ZONE").into(),
                tokens: None,
            })
        },
        AtomicU32::new(0),
    );
    let alone = DrainOptions {
        max_workers: 1,
        ..HOW
    };
    let drained = person(&stage.engine).drain_queue(&slow, &alone).unwrap();
    assert_eq!((drained.done.len(), drained.failed.len()), (0, 0));
    assert!(drained.cost.tokens > 0, "it was paid for all the same");
    assert_eq!((stage.distilled(), stage.states()), (1, vec!["done"]));
}

#[test]
fn a_judge_hears_of_the_lessons_shown_and_is_held_to_them() {
    let stage = Stage::new(JobMethod::Judge);
    let content = LessonContent::new("make deploy", "Give `make deploy` a region.");
    let note = Note::new(content);
    person(&stage.engine).note(note).unwrap();
    let shown = Recall {
        scope: Scope::default(),
        run: Some(RunId::parse("r1").unwrap()),
        client: None,
        at: stage.clock.now(),
        moment: Moment::Prompt,
        prompt: PromptDigest {
            hash: [0; 8],
            chars: 9,
        },
        query_text: None,
        considered: vec![ConsideredLesson {
            lesson: LessonId(1),
            score: 1.0,
            treatment: Treatment::Shown,
            holdout_chance: 0.0,
        }],
        silence: None,
    };
    stage.engine.store.spool_recall(&shown).unwrap();
    stage.run("r1", "make deploy");
    let judge = Scripted(
        |ask: &ModelRequest| {
            assert!(ask.wants_json);
            assert!(
                ask.prompt
                    .user
                    .contains("1. [make deploy] Give `make deploy` a region.")
            );
            let reply = r#"{"verdicts": [{"lesson": 1, "followed": "no", "effect": "helped"},
                {"lesson": 2, "followed": "yes", "effect": "harmed"}],
                "lessons": [{"situation": "deploys", "correction": "Read `deploy.md` first."}]}"#;
            Ok(ModelAnswer {
                text: reply.into(),
                tokens: None,
            })
        },
        AtomicU32::new(0),
    );
    let drained = stage.drain(&judge);
    let opinion = judge::LessonOpinion {
        lesson: LessonId(1),
        followed: judge::FollowedOpinion::No,
        effect: judge::EffectOpinion::Helped,
    };
    assert_eq!(drained.opinions, [(RunId::parse("r1").unwrap(), opinion)]);
    // It counts once, also when the run goes on and is asked about again.
    assert_eq!(stage.helped(LessonId(1)), 1);
    stage.run("r1", "make deploy; ls");
    assert_eq!(stage.helped(LessonId(1)), 1);
    assert_eq!(stage.drain(&judge).opinions.len(), 1);
    assert_eq!(stage.helped(LessonId(1)), 1);
    assert_eq!(stage.distilled(), 1);
}

#[test]
fn a_run_is_left_alone_until_it_is_quiet() {
    let stage = Stage::waiting(JobMethod::Lesson, SignedDuration::from_mins(10));
    stage.run("r1", "make deploy");
    stage.later(599);
    stage.run("r1", "make deploy; make deploy");
    stage.later(599);
    assert_eq!(stage.drain(&says(GOOD)).done.len(), 0);
    stage.later(1);
    let read = Scripted(
        |ask: &ModelRequest| {
            assert!(ask.prompt.user.contains("make deploy; make deploy"));
            Err(ModelError::TimedOut)
        },
        AtomicU32::new(0),
    );
    assert_eq!(stage.drain(&read).failed.len(), 1);
}
