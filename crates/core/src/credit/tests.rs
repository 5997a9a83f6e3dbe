//! Runs, and what they show about the lessons that were shown in them.

mod beliefs;
mod words;

use proptest::prelude::*;

use jiff::Timestamp;

use super::*;
use crate::{
    AdmittedLesson, CallFailure, CallStatus, Change, CleanEvent, CleanText, Lesson, LessonContent,
    LessonCounts, MessageRole, Posterior, Scope, Slug, Status, ToolCall, Trace, Trust, TrustClass,
    change::apply_change,
    event::RunStatus,
    id::RunId,
    lesson::{Cause, RunOutcome},
    recall::{ConsideredLesson, PromptDigest, Recall, Treatment},
};

fn clean(text: &str) -> CleanText {
    CleanText::from_stored(text.to_owned())
}

fn call(line: &str, error: Option<&str>) -> ToolCall<CleanText> {
    ToolCall {
        turn: 0,
        tool: clean("Bash"),
        args: clean(line),
        status: error.map_or(CallStatus::Ok, |error| CallStatus::Error(clean(error))),
        outside: None,
    }
}

/// A run as lines: `> words` are a person's, `< words` the agent's, `line ! error` is a call that failed, `end STATUS` is the end, and any
/// other line a call that worked.
fn trace(lines: &str) -> Trace {
    let mut trace = Trace::new(RunId::parse("r1").unwrap(), Scope::default());
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        trace.push(match line.split_once(' ') {
            Some((who @ (">" | "<"), said)) => CleanEvent::Message {
                role: match who {
                    ">" => MessageRole::User,
                    _ => MessageRole::Assistant,
                },
                text: clean(said),
            },
            Some(("end", status)) => CleanEvent::End {
                status: match status {
                    "completed" => RunStatus::Completed,
                    "failed" => RunStatus::Failed,
                    _ => RunStatus::Aborted,
                },
                score: None,
            },
            _ => CleanEvent::Tool(match line.split_once(" ! ") {
                Some((line, error)) => call(line, Some(error)),
                None => call(line, None),
            }),
        });
    }
    trace
}

const MISSING: &str = "npm ERR! Missing script: \"test\"";

fn lesson(id: i64, signature: &str, text: &str) -> Lesson {
    let admitted = AdmittedLesson {
        scope: Scope::default(),
        slug: Slug::from_text(text),
        content: LessonContent::new(clean(signature), clean(text)),
        cause: Cause::Error,
        outcome: RunOutcome::Failure,
        evidence: Vec::new(),
        trust: Trust::untainted(TrustClass::Derived),
        confidence: 0.5,
        failure: None,
        status: Status::Active,
        expires_at: None,
        supersedes: Vec::new(),
        task: None,
    };
    Lesson {
        id: LessonId(id),
        admitted,
        counts: LessonCounts::default(),
        contradicts: Vec::new(),
        created: Timestamp::UNIX_EPOCH,
        updated: Timestamp::UNIX_EPOCH,
    }
}

/// The lesson that the rules write about `npm test` without such a script.
fn npm() -> Lesson {
    let text = "`npm test` fails with *missing script*. Run `npm run test:unit` instead.";
    let mut lesson = lesson(1, "npm test (Missing script: \"test\")", text);
    let failure = CallFailure::from_call(&call("npm test", Some(MISSING))).unwrap();
    lesson.admitted.failure = Some(failure.key);
    lesson.admitted.content.tools = vec![clean("npm test"), clean("bash")];
    lesson
}

fn recall(moment: Moment, prompt: &str, considered: &[(i64, f32, Treatment, f32)]) -> Recall {
    let considered = considered.iter().cloned();
    Recall {
        scope: Scope::default(),
        run: Some(RunId::parse("r1").unwrap()),
        client: None,
        at: Timestamp::UNIX_EPOCH,
        moment,
        prompt: PromptDigest::from_text(prompt),
        query_text: None,
        considered: considered
            .map(|(id, score, treatment, chance)| ConsideredLesson {
                lesson: LessonId(id),
                score,
                treatment,
                holdout_chance: chance,
            })
            .collect(),
        silence: None,
    }
}

fn shown_at(moment: Moment, prompt: &str) -> Vec<(RecallId, Recall)> {
    let considered = [(1, 2.0, Treatment::Shown, 0.0)];
    vec![(RecallId(7), recall(moment, prompt, &considered))]
}

/// That a program works which a lesson says is not there is no merit of the lesson.
#[test]
fn what_is_otherwise_is_not_avoided() {
    let mut told = lesson(
        1,
        "xxd (command not found)",
        "`xxd` is not installed here. Use `od` instead.",
    );
    let failed = call("xxd a", Some("bash: xxd: command not found"));
    told.admitted.failure = CallFailure::from_call(&failed).map(|failure| failure.key);
    let check = |lines: &str, expected: LessonOutcome| {
        let recalls = shown_at(Moment::BeforeCall, "xxd a");
        let found = observe_outcomes(&trace(lines), &recalls, &[told.clone()]);
        assert_eq!(found[0].outcome, expected, "{lines}");
    };
    check("xxd a\nxxd b", LessonOutcome::NotNeeded);
    check("xxd a\nod b", LessonOutcome::Followed);
    let programs = |lines: &str| Vec::from_iter(worked_programs(&trace(lines)));
    assert_eq!(programs("cd x && xxd a && od b"), ["cd", "od", "xxd"]);
    for unsure in [
        "xxd a | head",
        "xxd a; true",
        "od a || xxd a",
        "xxd a ! Exit code 1",
        "PATH=/opt/bin:$PATH xxd a",
        "source env && xxd a",
        "./tools/xxd a",
        "which xxd",
    ] {
        assert!(!programs(unsure).contains(&"xxd".to_owned()), "{unsure}");
    }
    let missing = "xxd a ! bash: xxd: command not found";
    for (rest, expected) in [
        ("od b ! od: b: cannot read", true),
        ("od b ! od: b: cannot read\nod -N 4 b", false),
        ("od b", false),
        ("ls", false),
    ] {
        let run = trace(&format!("{missing}\n{rest}"));
        let remedies = std::slice::from_ref(&told);
        assert_eq!(were_in_vain(&run, remedies), [expected], "{rest}");
        assert!(may_show_vain(&run) || !expected, "{rest}");
    }
}

#[test]
fn the_fate_of_a_lesson_about_a_trouble() {
    let check = |moment: Moment, lines: &str, expected: LessonOutcome| {
        let found = observe_outcomes(&trace(lines), &shown_at(moment, "run the tests"), &[npm()]);
        assert_eq!(found[0].outcome, expected, "{moment:?} {lines}");
    };
    let fails = format!("npm test ! {MISSING}");
    let turn = Moment::Prompt;
    // Its failure occurred, and the advice was not followed.
    check(turn, &fails, LessonOutcome::Repeated);
    check(
        turn,
        &format!("cd web && CI=1 npm test ! {MISSING}\nls"),
        LessonOutcome::Repeated,
    );
    // Its command worked without the advice.
    check(turn, "npm test", LessonOutcome::NotNeeded);
    check(turn, "npm test --version; true", LessonOutcome::NotNeeded);
    check(turn, "npm run test:unit --help", LessonOutcome::NotNeeded);
    check(turn, "echo npm run test:unit", LessonOutcome::NotNeeded);
    check(
        turn,
        "cd web && npm run test:unit -- -w",
        LessonOutcome::Followed,
    );
    check(
        turn,
        "npm run test:unit 2>&1 | tail -3",
        LessonOutcome::Followed,
    );
    check(
        turn,
        "npm run test:unit ! 3 tests failed",
        LessonOutcome::Followed,
    );
    check(
        turn,
        "npm test ! npm ERR! connect ETIMEDOUT",
        LessonOutcome::NotNeeded,
    );
    check(turn, "ls -la\nnpm install", LessonOutcome::NotNeeded);
    // Of a run without calls the end tells, and where there is none nothing does.
    check(turn, "", LessonOutcome::NotNeeded);
    check(turn, "end completed", LessonOutcome::Avoided);
    check(
        turn,
        "> which tests?\nend completed",
        LessonOutcome::NotNeeded,
    );
    check(turn, "end failed", LessonOutcome::Repeated);
    check(turn, "end aborted", LessonOutcome::NotNeeded);
    check(
        Moment::SessionStart,
        "end completed",
        LessonOutcome::NotNeeded,
    );
    // A failure before the advice was followed does not count against it, and neither does returning to the old
    // command.
    let followed = "npm run test:unit";
    check(
        turn,
        &format!("{fails}\n{followed}"),
        LessonOutcome::Followed,
    );
    check(
        turn,
        &format!("{followed}\n{fails}"),
        LessonOutcome::Followed,
    );
    // The very call that it recommends has its failure.
    let in_vain = format!("{followed} ! {MISSING}");
    check(turn, &in_vain, LessonOutcome::InVain);
    check(
        turn,
        &format!("{in_vain}\n{followed}"),
        LessonOutcome::InVain,
    );
    // Shown at a failure, that failure does not count against it, and nothing tells if no call comes after it.
    check(Moment::Failure, &fails, LessonOutcome::NotNeeded);
    check(
        Moment::Failure,
        &format!("{fails}\nls"),
        LessonOutcome::Avoided,
    );
    for moment in [Moment::Failure, Moment::Requested] {
        check(
            moment,
            &format!("{fails}\n{followed}"),
            LessonOutcome::Followed,
        );
        check(
            moment,
            &format!("{fails}\nls\n{fails}"),
            LessonOutcome::Repeated,
        );
        check(
            moment,
            &format!("{fails}\nls\n{in_vain}"),
            LessonOutcome::InVain,
        );
    }
    // Neither does a failure before the prompt that it was recalled for.
    let later = format!("> build it\n{in_vain}\n> run the tests\n");
    check(turn, &later, LessonOutcome::NotNeeded);
    check(turn, &format!("{later}{fails}"), LessonOutcome::Repeated);
    check(turn, &format!("{later}{in_vain}"), LessonOutcome::InVain);
    check(
        turn,
        &format!("> other words\n{in_vain}"),
        LessonOutcome::InVain,
    );
}

#[test]
fn what_was_before_the_call_or_the_failure_is_not_held_against_a_lesson() {
    let check = |moment: Moment, at: &str, lines: &str, expected: LessonOutcome| {
        let found = observe_outcomes(&trace(lines), &shown_at(moment, at), &[npm()]);
        assert_eq!(found[0].outcome, expected, "{moment:?} {at} {lines}");
    };
    let in_vain = format!("npm run test:unit ! {MISSING}");
    let call = "npm test -- web";
    check(
        Moment::BeforeCall,
        call,
        &format!("{in_vain}\n{call}"),
        LessonOutcome::NotNeeded,
    );
    // The call that was under way is none of those after it.
    check(
        Moment::BeforeCall,
        call,
        &format!("{call} ! {MISSING}\nls"),
        LessonOutcome::Avoided,
    );
    check(
        Moment::BeforeCall,
        call,
        &format!("{call}\n{call} ! {MISSING}"),
        LessonOutcome::Repeated,
    );
    check(
        Moment::BeforeCall,
        call,
        &format!("{call}\n{in_vain}"),
        LessonOutcome::InVain,
    );
    check(
        Moment::BeforeCall,
        "else",
        &format!("{call}\n{in_vain}"),
        LessonOutcome::InVain,
    );
    let other = format!("{call} ! other trouble");
    check(
        Moment::Failure,
        call,
        &format!("{in_vain}\n{other}\nls"),
        LessonOutcome::Avoided,
    );
    check(Moment::SessionStart, "", &in_vain, LessonOutcome::InVain);
}

/// The call that is warned of was made before the lesson could be heeded: nothing was avoided, and nothing held against it.
#[test]
fn a_warning_that_came_with_the_call_avoided_nothing() {
    let check = |at: &str, lines: &str, expected: (LessonOutcome, Option<bool>)| {
        let told = lesson(1, "", "Never run `docker system prune` here.");
        let recalls = shown_at(Moment::BeforeCall, at);
        let found = &observe_outcomes(&trace(lines), &recalls, &[told])[0];
        assert_eq!((found.outcome, found.met_again), expected, "{lines}");
    };
    let prune = "docker system prune -af";
    let made = format!("{prune}\nls");
    check(prune, &made, (LessonOutcome::Repeated, None));
    check(prune, prune, (LessonOutcome::Repeated, None));
    let again = format!("{made}\n{prune}");
    check(prune, &again, (LessonOutcome::Repeated, Some(true)));
    // A call that was refused was not made.
    let refused = format!("{prune} ! The user doesn't want to proceed\nls");
    check(prune, &refused, (LessonOutcome::Avoided, Some(false)));
}

/// Whatever its words say of it, the failure at which it was shown is one that it is to prevent.
#[test]
fn the_failure_at_which_it_was_shown_comes_again() {
    let check = |signature: &str, moment: Moment, lines: &str, expected: LessonOutcome| {
        let lesson = lesson(1, signature, "Await the import first.");
        let found = observe_outcomes(&trace(lines), &shown_at(moment, "node a.js"), &[lesson]);
        assert_eq!(found[0].outcome, expected, "{signature} {moment:?} {lines}");
    };
    let fails = "node a.js ! TypeError: x is not a function";
    let twice = format!("{fails}\n{fails}");
    for signature in ["TypeError: x is not a function", "some import"] {
        check(signature, Moment::Failure, &twice, LessonOutcome::Repeated);
        let mended = format!("{fails}\nnode a.js");
        check(signature, Moment::Failure, &mended, LessonOutcome::Avoided);
    }
    let start = Moment::SessionStart;
    check("TypeError: x is not", start, fails, LessonOutcome::Repeated);
    check("some import", start, fails, LessonOutcome::NotNeeded);
}

/// A call that was not let through never ran.
#[test]
fn a_refused_call_breaks_no_rule() {
    let check = |lines: &str, expected: LessonOutcome| {
        let lesson = lesson(1, "", "Never run `terraform destroy`; use `make teardown`.");
        let recalls = shown_at(Moment::SessionStart, "");
        let found = observe_outcomes(&trace(lines), &recalls, &[lesson]);
        assert_eq!(found[0].outcome, expected, "{lines}");
    };
    let refused = "terraform destroy ! blocked by a hook: never run it";
    check(refused, LessonOutcome::Avoided);
    check(
        &format!("{refused}\nmake teardown"),
        LessonOutcome::Followed,
    );
    let made = format!("{refused}\nterraform destroy");
    check(&made, LessonOutcome::Repeated);
}

/// What the agent only answered needed no lesson, whether its client reports the question as a message or as the task.
#[test]
fn a_conversation_needs_no_lesson() {
    for (lines, expected) in [
        ("end completed", LessonOutcome::Avoided),
        ("< It has none.\nend completed", LessonOutcome::NotNeeded),
        (
            "> why?\n< It has none.\nend completed",
            LessonOutcome::NotNeeded,
        ),
    ] {
        let recalls = shown_at(Moment::Prompt, "");
        let found = observe_outcomes(&trace(lines), &recalls, &[npm()]);
        assert_eq!(found[0].outcome, expected, "{lines}");
    }
}

#[test]
fn what_was_followed_is_past() {
    let check = |lines: &str, expected: &str| {
        let recalls = shown_at(Moment::Prompt, "");
        let found = observe_outcomes(&trace(lines), &recalls, &[npm()]);
        let judged = judge_run(&found, None, &CreditPriors::default());
        assert_eq!(judged.lessons[0].words(), expected, "{lines}");
    };
    let fails = format!("npm test ! {MISSING}");
    check(&format!("npm run test:unit\n{fails}"), "followed");
    check(&format!("{fails}\nnpm run test:unit"), "met, then followed");
    let missing = "npm run test:unit ! npm error Missing script: \"test:unit\"";
    check(missing, "in vain");
}

#[test]
fn a_lesson_that_wants_something_done_first_answers_for_what_comes_then() {
    let check = |lines: &str, expected: LessonOutcome| {
        let mut lesson = npm();
        let text = "`npm test` fails with *missing script*. Run `make scripts` first.";
        lesson.admitted.content.text = clean(text);
        let found = observe_outcomes(&trace(lines), &shown_at(Moment::Prompt, ""), &[lesson]);
        assert_eq!(found[0].outcome, expected, "{lines}");
    };
    let fails = format!("npm test ! {MISSING}");
    check(&fails, LessonOutcome::Repeated);
    check("make scripts", LessonOutcome::Followed);
    check(
        &format!("make scripts && npm test ! {MISSING}"),
        LessonOutcome::InVain,
    );
    check(
        &format!("{fails}\nmake scripts && npm test"),
        LessonOutcome::Followed,
    );
    check(&format!("make scripts\n{fails}"), LessonOutcome::InVain);
    // Advice that is not there was wrong; what else kept it from working is not its affair.
    let no_rule = "make: *** No rule to make target 'scripts'.  Stop.";
    check(
        &format!("make scripts ! {no_rule}\n{fails}"),
        LessonOutcome::InVain,
    );
    check(
        &format!("make scripts ! {no_rule}\nmake scripts\nnpm test"),
        LessonOutcome::Followed,
    );
    check(
        &format!("make scripts ! the port is taken\n{fails}"),
        LessonOutcome::Repeated,
    );
    // What worked without it did not need it, and what fails once the occasion is past is another one.
    check("npm test\nmake scripts", LessonOutcome::NotNeeded);
    check(
        &format!("make scripts\nnpm test\nrm scripts\n{fails}"),
        LessonOutcome::Followed,
    );
}

#[test]
fn the_fate_of_a_lesson_in_plain_words() {
    let check = |signature: &str, text: &str, lines: &str, expected: LessonOutcome| {
        let lesson = lesson(1, signature, text);
        let found = observe_outcomes(&trace(lines), &shown_at(Moment::Prompt, ""), &[lesson]);
        assert_eq!(found[0].outcome, expected, "{signature} {text} {lines}");
    };
    let tar = "Use `tar czf …`, since zip is not there.";
    check("", "Ask the owner first.", "ls", LessonOutcome::NotNeeded);
    let push = "Ask before you push.";
    check("", push, "ls", LessonOutcome::NotNeeded);
    check("", push, "git push", LessonOutcome::Avoided);
    check("", push, "git push ! rejected", LessonOutcome::Repeated);
    let never = "Never `git push --force` here.";
    check("", never, "git push", LessonOutcome::NotNeeded);
    check("", never, "git push -f", LessonOutcome::Repeated);
    let pnpm = "Use pnpm instead of npm.";
    check("", pnpm, "npm install", LessonOutcome::Repeated);
    check("", pnpm, "pnpm install", LessonOutcome::Followed);
    check(
        "",
        pnpm,
        "npm install\npnpm install",
        LessonOutcome::Followed,
    );
    check("", pnpm, "ls", LessonOutcome::NotNeeded);
    check("", tar, "tar czf a.tgz a", LessonOutcome::Followed);
    check("", tar, "tar xf a", LessonOutcome::NotNeeded);
    check(
        "",
        tar,
        "make tgz || tar czf a.tgz a",
        LessonOutcome::Followed,
    );
    check(
        "",
        tar,
        "tar czf a.tgz a && sh x ! sh: x: not found",
        LessonOutcome::Followed,
    );
    check("", tar, "", LessonOutcome::NotNeeded);
    // The occasion alone is no following; the advice is another call, or is in prose.
    check(
        "npm test",
        "Needs a database.",
        "npm test",
        LessonOutcome::Avoided,
    );
    check(
        "npm test",
        "Needs a database.",
        "npm tests",
        LessonOutcome::NotNeeded,
    );
    let first = "Run `make db` before `npm test`.";
    check("npm test", first, "npm test", LessonOutcome::Repeated);
    check(
        "npm test",
        first,
        "make db\nnpm test",
        LessonOutcome::Followed,
    );
    check(
        "npm test",
        first,
        "make db && npm test ! 3 failed",
        LessonOutcome::Followed,
    );
}

/// What a lesson wants done beside its own command makes that command as it says; if it fails all the same, it was in vain.
#[test]
fn an_order_that_is_obeyed_is_no_failure() {
    let check = |signature: &str, text: &str, lines: &str, expected: (LessonOutcome, bool)| {
        let told = lesson(1, signature, text);
        let recalls = shown_at(Moment::SessionStart, "");
        let found = &observe_outcomes(&trace(lines), &recalls, &[told])[0];
        let got = (found.outcome, found.met_again == Some(true));
        assert_eq!(got, expected, "{signature} {text} {lines}");
    };
    use LessonOutcome::{Followed, InVain, Repeated};
    let login = "Run `make login` first.";
    check(
        "make deploy",
        login,
        "make login\nmake deploy",
        (Followed, false),
    );
    check(
        "make deploy",
        login,
        "make login && make deploy",
        (Followed, false),
    );
    check("make deploy", login, "make deploy", (Repeated, true));
    let refused = "make deploy ! 401 Unauthorized";
    let late = format!("{refused}\nmake login\nmake deploy");
    check("make deploy", login, &late, (Followed, true));
    let vain = format!("make login\n{refused}");
    check("make deploy", login, &vain, (InVain, true));
    for text in [
        "Run `make db` first, it needs the database.",
        "Fails with P1001: run `make db` first.",
        "Start the database: `make db`.",
        "It fails unless `make db` ran.",
    ] {
        let down = "prisma migrate dev ! Error: P1001: Can't reach database server";
        for (lines, expected) in [
            ("make db\nprisma migrate dev".to_owned(), (Followed, false)),
            (format!("make db\n{down}"), (InVain, true)),
            (
                down.replacen("prisma", "make db && prisma", 1),
                (InVain, true),
            ),
            (down.to_owned(), (Repeated, true)),
            (
                "make db\nprisma migrate dev ! 3 tests failed".to_owned(),
                (Followed, false),
            ),
        ] {
            check("prisma migrate", text, &lines, expected);
        }
    }
    let push = "npm test\ngit push";
    check(
        "",
        "Don't `git push` until `npm test` has passed.",
        push,
        (Followed, false),
    );
    let format = "git commit -m x\nmake fmt";
    check(
        "",
        "After a `git commit` run `make fmt`.",
        format,
        (Followed, false),
    );
    // What is forbidden by name, or has another command in its place, stays what it is.
    let fetch = "Never `git push --force`; run `git fetch` first.";
    check("", fetch, "git fetch\ngit push --force", (Followed, true));
    let instead = "Use `npm run test:unit` instead.";
    check(
        "npm test",
        instead,
        "npm run test:unit\nnpm test",
        (Followed, true),
    );
}

#[test]
fn of_several_recalls_the_first_that_showed_it_counts() {
    let held = || (1, 2.0, Treatment::HeldOut, 0.2);
    let shown = || (1, 1.0, Treatment::Shown, 0.2);
    let passed = || (1, 9.0, Treatment::Excluded { why: clean("") }, 0.0);
    let other = |id| (id, 4.0, Treatment::Shown, 0.0);
    let check = |recalls: &[Vec<(i64, f32, Treatment, f32)>], expected: &[_]| {
        let recalls: Vec<_> = (1..)
            .zip(recalls)
            .map(|(id, it)| (RecallId(id), recall(Moment::Prompt, "", it)))
            .collect();
        let lessons = [npm(), lesson(2, "", "Ask first.")];
        let found = observe_outcomes(&trace("ls"), &recalls, &lessons);
        let got: Vec<_> = found
            .iter()
            .map(|it| (it.lesson.0, it.recall.0, it.is_control, it.weight))
            .collect();
        assert_eq!(got, expected);
    };
    check(&[vec![held()], vec![shown()]], &[(1, 2, false, 1.0)]);
    check(&[vec![held()], vec![held()]], &[(1, 1, true, 1.0)]);
    check(
        &[vec![shown(), other(2)], vec![shown()]],
        &[(1, 1, false, 0.25), (2, 1, false, 1.0)],
    );
    check(&[vec![passed(), other(2)]], &[(2, 1, false, 1.0)]);
    check(&[vec![other(3)]], &[]);
}

/// Plays runs one after another and returns the lessons afterwards. Each run is the lessons shown, the lessons
/// withheld, and how it went.
fn play(lessons: &[Lesson], runs: &[(&[i64], &[i64], &str)]) -> Vec<Lesson> {
    play_at(Moment::Prompt, lessons, runs)
}

fn play_at(moment: Moment, lessons: &[Lesson], runs: &[(&[i64], &[i64], &str)]) -> Vec<Lesson> {
    let mut lessons = lessons.to_vec();
    let mut baselines = std::collections::BTreeMap::new();
    for (shown, held, lines) in runs {
        let treated = |id: &i64, treatment: Treatment| (*id, 1.0, treatment, 0.2);
        let considered: Vec<_> = shown
            .iter()
            .map(|id| treated(id, Treatment::Shown))
            .chain(held.iter().map(|id| treated(id, Treatment::HeldOut)))
            .collect();
        let recalls = [(RecallId(1), recall(moment, "", &considered))];
        let trace = trace(lines);
        let found = observe_outcomes(&trace, &recalls, &lessons);
        let judged = judged(&trace, &found, &lessons, &baselines);
        for (about, leaning) in &judged.baselines {
            let sum = baselines.entry(about.clone()).or_default();
            *sum = *sum + *leaning;
        }
        for change in changes_from_judgement(&lessons, None, &judged, "a run") {
            apply(&mut lessons, &change);
        }
    }
    lessons
}

fn judged(
    trace: &Trace,
    found: &[ObservedOutcome],
    lessons: &[Lesson],
    baselines: &std::collections::BTreeMap<BaselineKey, GaussianMessage>,
) -> Judgement {
    let known = |about: BaselineKey| {
        let leaning = baselines.get(&about).copied().unwrap_or_default();
        (about, leaning)
    };
    let before = CreditPriors {
        lessons: lessons
            .iter()
            .map(|it| {
                (
                    it.id,
                    LessonPrior::from_lesson_without(it, RecordDelta::default()),
                )
            })
            .collect(),
        baselines: super::required_baselines(found)
            .into_iter()
            .map(known)
            .collect(),
    };
    judge_run(found, trace.end().and_then(went_well), &before)
}

fn apply(lessons: &mut [Lesson], change: &Change) {
    let lesson = lessons
        .iter_mut()
        .find(|it| it.id == change.lesson_id())
        .expect("a change names a lesson that is there");
    let after = apply_change(Some(lesson.clone()), change, Timestamp::UNIX_EPOCH);
    *lesson = after.expect("it fits").expect("it is still there");
}

/// Checks lessons 1, 2 and 3 after some runs: counts, the estimated effect in hundredths, and the state.
fn check(times: usize, runs: &[(&[i64], &[i64], &str)], expected: &[&str]) {
    let plain = |id| lesson(id, "", "Ask first.");
    let runs: Vec<_> = runs
        .iter()
        .copied()
        .cycle()
        .take(times * runs.len())
        .collect();
    let lessons = play(&[npm(), plain(2), plain(3)], &runs);
    let told: Vec<String> = lessons
        .iter()
        .map(|it| {
            let counts = it.counts;
            let effect = crate::lesson::round_to_i64(it.posterior().mean * 100.0);
            format!(
                "+{} -{} {effect} {}",
                counts.helped,
                counts.harmed,
                it.status.name()
            )
        })
        .collect();
    assert_eq!(told, expected, "{times} times {runs:?}");
}
