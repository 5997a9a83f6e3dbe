//! The week of `hardwon demo night`, played step by step, with what must be true after each; and how it is told.

use std::{fs, path::Path};

use hardwon_cli::cmd::demo::{StoryStep, folder::StoryFolder, tables::WEEK};
use insta::assert_snapshot;
use serde_json::Value;

use crate::env::TestEnv;

/// The week after a step, and what the step printed.
struct WeekSoFar<'a> {
    stage: &'a StoryFolder,
    said: String,
}

impl WeekSoFar<'_> {
    /// Runs a command line in the shop that must succeed, and returns what it prints.
    fn ask(&self, line: &str) -> String {
        let (code, text) = self.stage.run(line).unwrap();
        assert_eq!(code, 0, "{line}: {text}");
        text.trim_end().to_owned()
    }

    fn exit_code(&self, line: &str) -> i32 {
        self.stage.run(line).unwrap().0
    }

    fn lesson(&self, id: u32) -> Value {
        serde_json::from_str(&self.ask(&format!("hardwon lesson show {id} --json"))).unwrap()
    }

    /// Returns the numbers of the lessons that are in use, and checks how many there are at all.
    fn active(&self, all: usize) -> Vec<i64> {
        let list: Value = serde_json::from_str(&self.ask("hardwon lesson list --json")).unwrap();
        let lessons = list["lessons"].as_array().unwrap();
        let mut active: Vec<i64> = lessons
            .iter()
            .filter(|it| it["status"] == "active")
            .map(|it| it["id"].as_i64().unwrap())
            .collect();
        active.sort_unstable();
        let verified = self.ask("hardwon journal verify");
        assert!(verified.contains(&format!(" {all} lessons,")), "{verified}");
        active
    }

    /// Returns how often a lesson was shown, helped and was wrong.
    fn record(&self, id: u32) -> [i64; 3] {
        let lesson = self.lesson(id);
        ["shown", "helped", "wrong"].map(|name| lesson[name].as_i64().unwrap())
    }

    fn subjects(&self) -> Vec<String> {
        let log = self.ask("git log --format=%s origin/main..HEAD");
        log.lines().map(str::to_owned).collect()
    }

    fn has(&self, parts: &[&str]) {
        for part in parts {
            assert!(
                self.said.contains(part),
                "{part} is missing in\n{}",
                self.said
            );
        }
    }

    fn lacks(&self, parts: &[&str]) {
        for part in parts {
            assert!(!self.said.contains(part), "{part} is in\n{}", self.said);
        }
    }
}

/// What must be true after each step, in the order of the week.
const CHECKS: &[fn(&WeekSoFar<'_>)] = &[
    |week| {
        assert_eq!(week.active(4), [1, 2, 3, 4]);
        let texts = [1, 2, 3, 4].map(|id| week.lesson(id)["text"].as_str().unwrap().to_owned());
        assert_snapshot!(texts.join("\n"), @r#"
        `npm test` fails with *Missing script: "test"*. Run `npm run test:unit` instead.
        Never edit generated files by hand. Run `make gen`. Never copy them elsewhere.
        Never edit generated files by hand. Run `make gen`.
        Run `make gen`. Never edit generated files by hand.
        "#);
        assert_eq!(week.lesson(2)["cause"], "correction");
    },
    |week| {
        assert_eq!(week.active(4), [1, 2]);
        for id in [3, 4] {
            assert_eq!(week.lesson(id)["why"], "superseded by #2");
        }
        let evidence = week.lesson(2)["evidence"].clone();
        assert_eq!(evidence.as_array().unwrap().len(), 3, "{evidence}");
    },
    |week| week.has(&["3 merged into 1", "- stays: #2 "]),
    |week| {
        week.has(&["(#1)", "(#2)"]);
        week.lacks(&["(#3)", "(#4)"]);
        assert_eq!(week.record(1), [1, 0, 0]);
    },
    |week| {
        assert_eq!(week.active(5), [1, 2, 5]);
        assert_eq!(week.record(1), [1, 1, 0]);
    },
    |week| week.has(&["helped 1, wrong 0"]),
    |week| {
        assert_eq!(week.active(6), [1, 2, 5, 6]);
        assert_eq!(week.record(1), [2, 2, 0]);
    },
    |week| {
        assert_eq!(week.active(6), [1, 5, 6]);
        let why = week.lesson(2)["why"].to_string();
        assert!(why.contains("make has no script `gen` any more"), "{why}");
        // Nothing is new, so the next night changes nothing.
        let digest = week.ask("hardwon sweep");
        assert!(digest.ends_with("Nothing to do."), "{digest}");
    },
    |week| week.has(&["1 held for review", "  - on probation: "]),
    |week| {
        week.has(&["+ - `npm test", "what came of it speaks for it"]);
        assert_eq!(week.subjects(), ["Generate with npm"]);
    },
    |week| {
        week.has(&["not pushed"]);
        assert_eq!(
            week.subjects(),
            ["Update the project memory", "Generate with npm"]
        );
        assert_eq!(
            week.ask("git show --name-only --format= HEAD"),
            "AGENTS.md\nCLAUDE.md"
        );
        let file = week.ask("cat AGENTS.md");
        assert!(
            file.contains("(#1)") && !file.contains("(#5)") && !file.contains("(#6)"),
            "{file}"
        );
        assert!(
            week.ask("git log -1 --format=%B")
                .contains("Hardwon-Place: ")
        );
        week.ask("hardwon place --check");
    },
    |week| assert!(week.stage.shop().join(".git/hooks/pre-push").exists()),
    |week| {
        week.has(&["src/pay.js:1:16: github-token", "error: failed to push"]);
        week.lacks(&["ghp_"]);
    },
    |week| {
        week.has(&["no leaks"]);
        assert!(!week.stage.shop().join("src/pay.js").exists());
    },
    |week| {
        week.has(&["fixed    Take a discount", "exit status 0 (sh test.sh)"]);
        assert_eq!(
            week.subjects()[..2],
            ["Final review fixes", "Take discounts"]
        );
        assert_eq!(
            week.ask("git show --name-only --format= HEAD"),
            "src/cart.js"
        );
        week.ask("sh test.sh");
        week.ask("hardwon review gate --head");
        assert_eq!(week.active(8), [1, 5, 6, 7, 8]);
        assert_eq!(week.lesson(7)["cause"], "reviewed");
    },
    |week| week.has(&["-  price - percent;\n+  price * (100 - percent) / 100;"]),
    |week| {
        week.has(&["blocked\nblocker  Dropping the table"]);
        assert_eq!(week.subjects()[0], "Move the orders");
        assert_eq!(week.exit_code("hardwon review gate --base discount"), 1);
        assert_eq!(week.active(9), [1, 5, 6, 7, 8, 9]);
    },
    |week| {
        week.has(&["learned from this report before: nothing changed"]);
        assert_eq!(week.active(9), [1, 5, 6, 7, 8, 9]);
    },
    |week| assert_eq!(week.said.lines().count(), 7, "{}", week.said),
    |week| {
        week.has(&["(#5)", "(#6)", "(#7)", "(#8)", "(#9)"]);
        week.lacks(&["(#1)", "(#2)"]);
    },
    |week| assert_eq!(week.said.lines().count(), 5, "{}", week.said),
    |week| week.has(&["the journal verifies"]),
];

/// Returns the command line of a step, if it is one.
fn find_line(step: &StoryStep) -> Option<&'static str> {
    match step {
        StoryStep::Run(line, _) | StoryStep::Fail(line, _) => Some(line),
        _ => None,
    }
}

#[test]
fn a_week_goes_as_it_is_told() {
    let stage = StoryFolder::set_up(Path::new(env!("CARGO_BIN_EXE_hardwon"))).unwrap();
    let ask = |line: &str| stage.run(line).unwrap().1;
    let (remote, first) = (ask("git ls-remote origin"), ask("git rev-parse HEAD"));
    assert!(remote.contains(first.trim()), "{remote}");
    let mut checks = CHECKS.iter();
    for step in WEEK {
        let said = stage
            .play(step)
            .unwrap_or_else(|error| panic!("{step:?}: {error}"));
        if let Some(line) = find_line(step) {
            let stage = &stage;
            checks.next().unwrap()(&WeekSoFar { stage, said });
            // Whatever was done, nobody's work is touched, and nothing is pushed.
            assert_eq!(ask("git status --porcelain"), "", "{line}");
            assert_eq!(ask("git ls-remote origin"), remote, "{line}");
        }
    }
    assert!(checks.next().is_none());
}

/// The programs that the week needs.
const PROGRAMS: &[&str] = &[
    "git", "sh", "cat", "cp", "grep", "mkdir", "mv", "rm", "sed", "tar",
];

#[test]
fn it_is_told_to_the_end_and_leaves_nothing() {
    let env = TestEnv::new();
    env.with_programs(PROGRAMS);
    let told = env.ok(&["demo", "night"]);
    let mut rest = &*told;
    for (step, line) in WEEK
        .iter()
        .filter_map(|step| Some((step, find_line(step)?)))
    {
        let shown = format!("  $ {line}\n");
        rest = match rest.split_once(&shown) {
            Some((_, rest)) => rest,
            None => panic!("{shown:?} is missing in\n{told}"),
        };
        assert!(has_output(rest, step), "{shown:?} shows nothing in\n{told}");
    }
    assert!(!told.contains("ghp_"), "{told}");
    for line in told.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    let home = fs::read_dir(env.work().join("..")).unwrap();
    let home: Vec<_> = home.map(|it| it.unwrap().file_name()).collect();
    assert_eq!(
        home.len(),
        3,
        "programs, work and temporary files: {home:?}"
    );
    assert_eq!(fs::read_dir(env.temp()).unwrap().count(), 0);
}

/// Returns whether a step shows something before the next one begins.
fn has_output(rest: &str, step: &StoryStep) -> bool {
    let shown = rest.split("\n\n").next().unwrap_or_default();
    let lines = shown.lines().filter(|line| line.starts_with("    "));
    lines.count() > usize::from(matches!(step, StoryStep::Fail(..)))
}

#[test]
fn without_git_it_says_so() {
    let env = TestEnv::new();
    env.with_programs(&["sh"]);
    assert_snapshot!(env.told(&["demo", "night"]), @"
    ! hardwon: playing the week needs `git`: No such file or directory (os error 2)
    ! hint: install it, or see `hardwon demo`, which needs nothing
    [exit 2]
    ");
}
