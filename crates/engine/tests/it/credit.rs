//! Credit end to end, on a store on disk: lessons are shown in runs, runs end, outcomes are credited.

use hardwon_core::{
    CallStatus, CleanEvent, CleanText, Lesson, LessonId, Moment, RunId, RunStatus, Scope, Status,
    ToolCall, Trace, Treatment,
};
use hardwon_engine::{
    Engine, FixedClock, KeptWrit, LessonContent, Note, Opinion, Policy, Principal, RecallRequest,
    Visibility,
};
use hardwon_store::{JudgementListing, RecallListing, SqliteStore};
use jiff::Timestamp;
use tempfile::TempDir;

use crate::person;

const ASK: &str = "why does npm test fail with a missing script?";
const MISSING: &str = "npm ERR! Missing script: \"test\"";

struct World {
    engine: Engine,
    _folder: TempDir,
}

impl World {
    fn new(holdout: bool) -> Self {
        Self::of(Policy {
            holdout,
            ..Policy::default()
        })
    }

    fn of(policy: Policy) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("hardwon.db")).unwrap();
        let clock = FixedClock(Timestamp::UNIX_EPOCH);
        Self {
            engine: Engine::new(Box::new(store), policy, Box::new(clock)),
            _folder: folder,
        }
    }

    /// Two runs hit the same failure and get past it, which makes it a lesson about that failure.
    fn taught(holdout: bool) -> Self {
        let world = Self::new(holdout);
        let calls = [("npm test", Some(MISSING)), ("npm run test:unit", None)];
        for run in ["a", "b"] {
            let trace = trace(run, &calls, RunStatus::Completed);
            person(&world.engine).learn_from_run(&trace).unwrap();
        }
        assert!(world.lesson().failure.is_some());
        world
    }

    fn lesson(&self) -> Lesson {
        person(&self.engine).lesson(LessonId(1)).unwrap()
    }

    /// Recalls in a run, and returns whether a lesson was shown.
    fn ask(&self, run: &str, moment: Moment) -> bool {
        let ask = RecallRequest {
            run: Some(RunId::parse(run).unwrap()),
            moment,
            ..RecallRequest::new(Scope::default(), ASK)
        };
        !person(&self.engine)
            .recall(&ask)
            .unwrap()
            .preamble
            .shown
            .is_empty()
    }

    fn head(&self) -> u64 {
        person(&self.engine).count_entries().unwrap()
    }
}

fn trace(run: &str, calls: &[(&str, Option<&str>)], status: RunStatus) -> Trace {
    let clean = |text: &str| CleanText::from_stored(text.to_owned());
    let mut trace = Trace::new(RunId::parse(run).unwrap(), Scope::default());
    for (line, error) in calls {
        trace.push(CleanEvent::Tool(ToolCall {
            turn: 0,
            tool: clean("Bash"),
            args: clean(line),
            status: error.map_or(CallStatus::Ok, |error| CallStatus::Error(clean(error))),
            outside: None,
        }));
    }
    trace.push(CleanEvent::End {
        status,
        score: None,
    });
    trace
}

#[test]
fn a_run_is_credited_once_however_often_it_is_learned_from() {
    let world = World::taught(false);
    assert!(world.ask("r1", Moment::Prompt));
    let counts = |world: &World| {
        let counts = world.lesson().counts;
        (
            counts.helped,
            counts.harmed,
            counts.went_well,
            counts.went_badly,
        )
    };
    let well = trace("r1", &[("npm run test:unit", None)], RunStatus::Completed);
    let credited = person(&world.engine).learn_from_run(&well).unwrap().credit;
    assert_eq!(credited.lessons.len(), 1);
    assert_eq!(counts(&world), (1, 0, 1, 0));
    let (head, leaning) = (world.head(), world.lesson().counts.gaussian_message);
    person(&world.engine).learn_from_run(&well).unwrap();
    assert_eq!(
        (world.head(), world.lesson().counts.gaussian_message),
        (head, leaning)
    );

    // The run goes on and hits the failure again by the old command, which is not the lesson's fault.
    let calls = [("npm run test:unit", None), ("npm test", Some(MISSING))];
    let grown = trace("r1", &calls, RunStatus::Completed);
    person(&world.engine).learn_from_run(&grown).unwrap();
    assert_eq!(counts(&world), (1, 0, 1, 0));
    // Then the recommended call hits the failure after all.
    let calls = [calls[0], calls[1], ("npm run test:unit", Some(MISSING))];
    let grown = trace("r1", &calls, RunStatus::Completed);
    person(&world.engine).learn_from_run(&grown).unwrap();
    assert_eq!(counts(&world), (0, 1, 0, 1));
    assert_eq!(world.lesson().counts.contradicted, 1);
    assert!(world.lesson().is_caution() && world.lesson().posterior().mean < 0.5);
    assert!(person(&world.engine).audit_journal().unwrap().is_sound());

    // A run without recalls is judged for no lesson.
    person(&world.engine)
        .learn_from_run(&trace("r2", &calls, RunStatus::Failed))
        .unwrap();
    let listing = JudgementListing::default();
    let judged = person(&world.engine).judgements(&listing).unwrap();
    assert_eq!(judged.len(), 1);
}

#[test]
fn what_a_run_says_is_there_for_two_processes_that_learn_from_it_at_once() {
    let world = World::taught(false);
    world.ask("r1", Moment::Prompt);
    let well = trace("r1", &[("npm run test:unit", None)], RunStatus::Completed);
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| person(&world.engine).learn_from_run(&well).unwrap());
        }
    });
    assert_eq!(world.lesson().counts.helped, 1);
}

#[test]
fn lessons_are_held_back_now_and_then() {
    let world = World::taught(true);
    let mut held = 0;
    for task in 0..200 {
        let run = format!("r{task}");
        let is_shown = world.ask(&run, Moment::Prompt);
        held += u32::from(!is_shown);
        assert_eq!(world.ask(&run, Moment::Prompt), is_shown, "{run}");
        assert!(task >= 2 || is_shown, "a new lesson gets its chance");
        person(&world.engine).flush_recalls(Timestamp::MIN).unwrap();
    }
    assert!((70..=130).contains(&held), "{held}");
    assert!((0..50).all(|task| world.ask(&format!("r{task}"), Moment::Requested)));

    let listing = RecallListing::default();
    let recalls = person(&world.engine).recalls(&listing).unwrap();
    let considered = recalls.iter().flat_map(|it| &it.1.considered);
    let back: Vec<f32> = considered
        .filter(|it| it.treatment == Treatment::HeldOut)
        .map(|it| it.holdout_chance)
        .collect();
    assert_eq!(back.len(), 2 * usize::try_from(held).unwrap());
    assert!(back.iter().all(|chance| (chance - 0.5).abs() < 1e-6));

    let off = World::taught(false);
    assert!((0..100).all(|task| off.ask(&format!("r{task}"), Moment::Prompt)));
}

/// Praise counts once per author, lesson and run; not of one's own lesson, and not of one that was not shown.
#[test]
fn praise_counts_where_it_could_be_otherwise() {
    let world = World::taught(false);
    let agent = Principal::agent(Scope::default(), false);
    let say = |id: i64, run: &str| {
        let desk = world.engine.acting_as(agent.clone());
        let kept: KeptWrit =
            serde_json::from_str(&format!(r#"{{"order":{{"helped":{id}}}}}"#)).unwrap();
        let run = RunId::parse(run).unwrap();
        let done = desk.run_kept_writ(&run, &kept).unwrap().unwrap();
        done.why_undone.unwrap_or_default()
    };
    let own = "nothing counts that is said of a lesson of one's own";
    let unshown = "it was not shown, so it cannot have helped";
    let repeated = "that was counted before: once in a run";
    let helped = || world.lesson().counts.helped;
    assert_eq!(say(1, "r1"), unshown);
    assert!(world.ask("r1", Moment::Prompt));
    assert_eq!((say(1, "r1"), helped()), (String::new(), 1));
    assert_eq!((say(1, "r1").as_str(), helped()), (repeated, 1));
    assert_eq!(say(1, "r2"), unshown);
    assert!(world.ask("r2", Moment::Prompt));
    assert_eq!((say(1, "r2"), helped()), (String::new(), 2));
    // Outside of any run once in all, for each who says it.
    for (who, expected) in [(&agent, 3), (&Principal::person(Scope::default()), 4)] {
        for _ in 0..3 {
            let desk = world.engine.acting_as(who.clone());
            desk.report_opinion(LessonId(1), Opinion::Helped).unwrap();
        }
        assert_eq!(helped(), expected);
    }
    // What an agent wrote in a run it does not praise in that run, nor where no run is known; a person never.
    for (who, id) in [(&agent, 2), (&Principal::person(Scope::default()), 3)] {
        let text = format!("Run `npm run test:unit {id}` for the missing script of npm test.");
        let note = Note::new(LessonContent::new(format!("npm test {id}"), text));
        let desk = world.engine.acting_as(who.clone());
        assert_eq!(desk.note(note).unwrap().id(), Some(LessonId(id)));
        assert!(world.ask("r3", Moment::Prompt));
        let after = desk.report_opinion(LessonId(id), Opinion::Helped).unwrap();
        assert_eq!(after.counts.helped, 0, "{id}");
    }
    assert_eq!(say(2, "r3"), own);
}

#[test]
fn what_a_person_calls_wrong_twice_is_taken_out_until_a_person_brings_it_back() {
    let world = World::new(false);
    let note = Note::new(LessonContent::new(
        "npm test",
        "Run it twice: npm test fails at first.",
    ));
    person(&world.engine).note(note).unwrap();
    let report = |opinion| {
        person(&world.engine)
            .report_opinion(LessonId(1), opinion)
            .unwrap()
    };
    assert_eq!(report(Opinion::Wrong).status, Status::Active);
    assert!(matches!(
        report(Opinion::Wrong).status,
        Status::Quarantined { .. }
    ));
    assert!(!world.ask("r1", Moment::Prompt));

    let back = person(&world.engine)
        .approve_lesson(LessonId(1), None)
        .unwrap();
    assert_eq!(back.status, Status::Active);
    assert!(world.ask("r1", Moment::Prompt));
    // Its record starts anew: one more report does not take it out again.
    assert_eq!(report(Opinion::Wrong).status, Status::Active);
    assert_eq!(world.lesson().counts.harmed, 3);
    assert!(person(&world.engine).audit_journal().unwrap().is_sound());
}

/// Nobody's words about their own lesson count, and one voice moves a more trusted one once a day.
#[test]
fn one_voice_is_no_proof() {
    let agent = |name: &str| {
        let agent = hardwon_core::id::AgentId::parse(name).unwrap();
        Principal::agent(
            Scope {
                agent,
                ..Scope::default()
            },
            false,
        )
    };
    let everywhere = |it: Principal| it.restrict_to(Visibility::Project);
    let world = World::taught(false);
    let own = Note::new(LessonContent::new("yarn", "Use `npm`, not `yarn`, here."));
    let noted = world.engine.acting_as(agent("default")).note(own).unwrap();
    let own = noted.lesson().unwrap().id;
    let say = |by: Principal, id, opinion| {
        let counts = world
            .engine
            .acting_as(everywhere(by))
            .report_opinion(id, opinion);
        let counts = counts.unwrap().counts;
        (counts.helped, counts.harmed)
    };
    for opinion in [Opinion::Helped, Opinion::Helped, Opinion::Wrong] {
        assert_eq!(say(agent("default"), own, opinion), (0, 0));
    }
    // A person's lesson is more trusted than what an agent says of it, and is moved once a day.
    let persons = Note::new(LessonContent::new("bun", "Use `npm`, not `bun`, here."));
    let noted = person(&world.engine).note(persons).unwrap();
    let persons = noted.lesson().unwrap().id;
    for _ in 0..3 {
        assert_eq!(say(agent("default"), persons, Opinion::Wrong), (0, 1));
    }
}

/// Runs that an agent only names say nothing of a person's lesson, and of those that it reports whole one a day counts.
#[test]
fn no_number_of_reports_takes_out_a_more_trusted_lesson() {
    let world = World::new(false);
    let note = Note::new(LessonContent::new(
        "npm test",
        "Run `npm run test:unit`: npm test fails with a missing script.",
    ));
    person(&world.engine).note(note).unwrap();
    let agent = || {
        world
            .engine
            .acting_as(Principal::agent(Scope::default(), false))
    };
    let show = |run: &str| {
        let run = RunId::parse(run).unwrap();
        let ask = RecallRequest {
            run: Some(run.clone()),
            ..RecallRequest::new(Scope::default(), ASK)
        };
        assert_eq!(agent().recall(&ask).unwrap().preamble.shown, [LessonId(1)]);
        run
    };
    for number in 0..20 {
        let run = show(&format!("invented-{number}"));
        agent()
            .report_run_end(&run, RunStatus::Failed, Some(0.0))
            .unwrap();
    }
    let counts = world.lesson().counts;
    assert_eq!(
        (world.lesson().status.clone(), counts.went_badly),
        (Status::Active, 0)
    );
    for number in 0..20 {
        let run = format!("seen-{number}");
        show(&run);
        let failed = trace(
            &run,
            &[("npm run test:unit", Some(MISSING))],
            RunStatus::Failed,
        );
        agent().learn_from_run(&failed).unwrap();
    }
    let counts = world.lesson().counts;
    assert_eq!(
        (world.lesson().status.clone(), counts.went_badly),
        (Status::Active, 1)
    );
    // A person's reports are not bounded.
    for number in 0..20 {
        let run = show(&format!("watched-{number}"));
        person(&world.engine)
            .report_run_end(&run, RunStatus::Failed, Some(0.0))
            .unwrap();
    }
    assert_eq!(world.lesson().counts.went_badly, 21);
}

/// A lesson that nobody follows never becomes a caution, however often its failure recurs.
#[test]
fn a_lesson_that_nobody_follows_is_not_blamed() {
    let world = World::taught(false);
    for run in 1..=12 {
        let name = format!("r{run}");
        world.ask(&name, Moment::Prompt);
        let calls = [("npm test", Some(MISSING)), ("npm test --help; true", None)];
        let ended = trace(&name, &calls, RunStatus::Failed);
        person(&world.engine).learn_from_run(&ended).unwrap();
        let lesson = world.lesson();
        let counts = lesson.counts;
        assert_eq!((counts.helped, counts.harmed, counts.went_badly), (0, 0, 0));
        assert_eq!(
            (counts.not_followed, lesson.is_not_followed()),
            (run, run >= 10)
        );
        assert!(!lesson.is_caution() && lesson.status == Status::Active);
        assert_eq!(
            lesson.posterior(),
            hardwon_core::lesson::Posterior::prior(lesson.trust)
        );
    }
    world.ask("r13", Moment::Prompt);
    let calls = [("npm test", Some(MISSING)), ("npm run test:unit", None)];
    let ended = trace("r13", &calls, RunStatus::Completed);
    person(&world.engine).learn_from_run(&ended).unwrap();
    let counts = world.lesson().counts;
    // It is of use; but its failure had come already, and nothing was spared.
    assert_eq!(
        (counts.helped, counts.harmed, counts.not_followed),
        (0, 0, 0)
    );
}

/// A stored prompt has no secrets, is short, and is stored only where the policy says so.
#[test]
fn what_a_recall_was_made_for_is_kept_only_where_it_is_wanted() {
    let long = format!(
        "{ASK} token=ghp_16C7e42F292c6912E7710c838347Ae178B4a {}",
        "x ".repeat(999)
    );
    let ask = |world: &World| {
        person(&world.engine)
            .recall(&RecallRequest::new(Scope::default(), long.as_str()))
            .unwrap();
        person(&world.engine).flush_recalls(Timestamp::MIN).unwrap();
        let page = person(&world.engine).recalls(&RecallListing::default());
        let asked = |id| person(&world.engine).query_text(id).unwrap();
        asked(page.unwrap()[0].0)
    };
    assert_eq!(ask(&World::new(false)), None);
    let keeping = World::of(Policy {
        keep_prompts: true,
        ..Policy::default()
    });
    let asked = ask(&keeping).unwrap();
    assert!(asked.as_str().starts_with(ASK), "{asked}");
    assert!(!asked.as_str().contains("ghp_16C7"), "{asked}");
    assert!(asked.as_str().chars().count() <= 300, "{asked}");
}

/// Advice that too many of a project's calls go against, in runs that never do as it says, is left to prompts and failures.
/// A warning is not, nor is advice that runs follow once they were told.
#[test]
fn advice_that_is_too_broad_leaves_the_calls() {
    let check = |rule: &str, other: &str, is_left: bool| {
        let world = World::new(false);
        let content = LessonContent::new("", rule);
        let note = Note::new(content);
        let lesson = person(&world.engine)
            .note(note)
            .unwrap()
            .into_lesson()
            .unwrap();
        let is_shown = || {
            let answer = (person(&world.engine))
                .lessons_at_call(&Scope::default(), &"npm ci".into(), None)
                .unwrap();
            assert_eq!(answer.before.len() + answer.nearly.len(), 1, "{rule}");
            answer.before.len() == 1
        };
        assert!(is_shown(), "{rule}");
        let mut calls = vec![("ls", None); 40];
        calls.extend([
            ("npm ci", None),
            (other, None),
            (other, None),
            (other, None),
        ]);
        for run in 0..6 {
            let name = format!("r{run}");
            let ask = RecallRequest {
                run: Some(RunId::parse(&name).unwrap()),
                ..RecallRequest::new(Scope::default(), rule)
            };
            let preamble = person(&world.engine).recall(&ask).unwrap().preamble;
            assert_eq!(preamble.shown, [lesson.id], "{rule}");
            let ended = trace(&name, &calls, RunStatus::Completed);
            for _ in 0..2 {
                person(&world.engine).learn_from_run(&ended).unwrap();
            }
        }
        assert_eq!(is_shown(), !is_left, "{rule}");
        let moments = person(&world.engine).describe_moments(&lesson).unwrap();
        let moments = moments.join("; ");
        assert_eq!(moments.contains("; not before"), is_left, "{moments}");
    };
    check("Use `pnpm` for packages.", "npm install left-pad", true);
    check("Use `pnpm` for packages.", "pnpm add left-pad", false);
    check("Use `pnpm` for packages.", "ls", false);
    check("Never run `npm ci`.", "npm ci", false);
}
