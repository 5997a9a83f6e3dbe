use hardwon_core::shell;

use super::{LineVerdict, StepFailure};

/// Returns the steps of a line that certainly failed.
fn failed_steps(line: &str, printed: &str) -> Vec<StepFailure> {
    match super::judge_line(line, || printed.into()) {
        LineVerdict::Failed(steps) => steps,
        LineVerdict::InDoubt(_) | LineVerdict::Worked => Vec::new(),
    }
}

/// Checks which commands of a line failed, by their words as the reader has them.
fn check(line: &str, printed: &str, expected: &[&str]) {
    let failed = failed_steps(line, printed);
    let read = shell::parse_line(line);
    let failed: Vec<String> = failed
        .iter()
        .map(|it| read.commands[it.step].texts().join(" "))
        .collect();
    assert_eq!(failed, expected, "{line}\n{printed}");
}

#[test]
fn a_status_that_the_line_prints_tells_of_the_step_before() {
    check(
        "bin/push out/x; echo rc=$?",
        "push: refused (code 71)\nrc=71",
        &["bin/push out/x"],
    );
    check("bin/push out/x; echo rc=$?", "pushed\nrc=0", &[]);
    check(
        "bin/push a; echo \"exit: $?\"; bin/open a; echo \"exit: $?\"",
        "no lane\nexit: 3\nopen\nexit: 0",
        &["bin/push a"],
    );
    check(
        "x() { :; }; make a; rc=$?; echo \"status $rc\"",
        "oops\nstatus 2",
        &["make a"],
    );
    check(
        "npm run build 2>&1 | tail -3; echo ${PIPESTATUS[0]}",
        "boom\n1",
        &["npm run build"],
    );
    check("bin/a | tail -1; echo $?", "words\n0", &[]);
    check(
        "for k in k1 k2; do bin/t $k; echo \"$k -> $?\"; done",
        "bad key\nk1 -> 4\nfine\nk2 -> 0",
        &["bin/t k1"],
    );
    check(
        "bin/a; printf 'rc=%d\\n' $?",
        "wrong lane\nrc=9",
        &["bin/a"],
    );
    check("bin/a; echo rc $?", "wrong lanerc 9", &["bin/a"]);
    check(
        "set -o pipefail; bin/a | tail -3 && echo ok || echo FAILED",
        "no lane\nFAILED",
        &["bin/a"],
    );
}

/// Checks which command of a line may have failed.
#[test]
fn what_reads_like_an_error_is_in_doubt() {
    for (line, printed, expected) in [
        (
            "yard test 2>&1 | tail -5",
            "press lids\nerror: no dock was named",
            Some("yard test"),
        ),
        (
            "yard up | tail",
            "there are not enough docks",
            Some("yard up"),
        ),
        // In `a && b | tail` the status of `a` is seen; of several the last one.
        (
            "yard prepare && yard test | tail -3",
            "Error: Failed to start `yard`",
            Some("yard test"),
        ),
        (
            "yard a; crane b | tail",
            "well\nError: no dock",
            Some("crane b"),
        ),
        // It went well, it prints texts from elsewhere, it mentions nothing of the kind.
        (
            "yard test | tail -5",
            "error: none of these\n5 passed",
            None,
        ),
        ("yard test | tail", "tests 9\npass 9\nfail 0", None),
        ("yard build | tail", "0 Warning(s)\n0 Error(s)", None),
        (
            "yard up | tail",
            "there are not enough docks, 0 warnings",
            Some("yard up"),
        ),
        // A check prints such words of the work too, and whoever reads it asks whether it was run in another form.
        (
            "yard test | tail",
            "refuses lids: an error was raised",
            Some("yard test"),
        ),
        (
            "yard up > up.log 2>&1; tail -4 up.log",
            "there are not enough docks",
            Some("yard up"),
        ),
        (
            "yard up > up.log 2>&1; tail crane.log",
            "there are not enough docks",
            None,
        ),
        ("yard up | tail", "FAILED 0.52s no lid", Some("yard up")),
        (
            "cat log.txt; yard test | tail",
            "error: no dock was named",
            None,
        ),
        (
            "yard build | tail -5",
            "lids.c compiled\nthe dock is built",
            None,
        ),
        // What is edited in place is not printed, `-V x` may set something, and a warning is none.
        (
            "sed -i 's/a/b/' up.cfg && yard up | tail",
            "press lids\nthere are not enough docks",
            Some("yard up"),
        ),
        (
            "yard up -V lids=3 | tail",
            "Error making lids",
            Some("yard up -V lids=3"),
        ),
        (
            "yard up | tail",
            "up.py:3: FutureWarning: lids are not for long",
            None,
        ),
    ] {
        let verdict = super::judge_line(line, || printed.into());
        let step = match verdict {
            LineVerdict::InDoubt(failure) => Some(failure.step),
            LineVerdict::Failed(_) | LineVerdict::Worked => None,
        };
        let read = shell::parse_line(line);
        let command = step.map(|step| read.commands[step].texts().join(" "));
        assert_eq!(command.as_deref(), expected, "{line}\n{printed}");
    }
}

#[test]
fn a_status_of_one_may_be_an_answer() {
    for line in [
        "grep -q x f; echo $?",
        "diff a b; echo $?",
        "test -f x; echo $?",
        "which jq; echo $?",
    ] {
        check(line, "1", &[]);
    }
    check("git diff --quiet; echo $?", "1", &[]);
    check("grep x nosuch; echo $?", "2", &["grep x nosuch"]);
}

#[test]
fn who_names_himself_failed() {
    check(
        "cat a.txt; ls",
        "cat: a.txt: No such file or directory\nb.txt",
        &["cat a.txt"],
    );
    check(
        "jq . a | head; date",
        "zsh:1: command not found: jq\nSun",
        &["jq . a"],
    );
    check(
        "foo --x 2>&1 | tail -5",
        "bash: line 1: foo: command not found",
        &["foo --x"],
    );
    check(
        "cat -A x | head -2; ls",
        "cat: illegal option -- A\nusage: cat [-belnstuv]",
        &["cat -A x"],
    );
    check(
        "python3 tool.py --all; ls",
        "usage: tool.py [-h]\ntool.py: error: unrecognized arguments: --all",
        &["python3 tool.py --all"],
    );
    check(
        "bin/stage push x | tail -2",
        "stage: push refused: lane is closed (code 71)",
        &["bin/stage push x"],
    );
    check(
        "ls *.foo; pwd",
        "(eval):1: no matches found: *.foo",
        &["ls *.foo"],
    );
}

#[test]
fn whose_word_is_quoted_failed() {
    check(
        "rtk bun test 2>&1 | tail -20",
        "error: unrecognized subcommand 'bun'\n\nUsage: rtk <COMMAND>",
        &["rtk bun test"],
    );
    check(
        "gh pr view 4 --stat; git status",
        "unknown flag: --stat\n\nUsage:  gh pr view",
        &["gh pr view 4 --stat"],
    );
    check(
        "bun run lnt | tail",
        "error: Script not found \"lnt\"",
        &["bun run lnt"],
    );
}

#[test]
fn what_only_looks_like_a_failure_is_none() {
    for (line, printed) in [
        ("cat build.log | tail -3", "error: could not compile"),
        (
            "git log --oneline | head -3",
            "fatal: fix crash\nerror: handling",
        ),
        ("grep -rn error src | head", "src/a.rs:1: error: x"),
        (
            "npm test 2>&1 | tail -5",
            "Error: expected on purpose\n  12 passed",
        ),
        (
            "cargo build 2>&1 | tail -2",
            "warning: unused\n    Finished dev",
        ),
        ("eslint . | tail; echo done", "0 errors, 2 warnings\ndone"),
        ("gh issue view 3; ls", "error: the app crashes\nREADME.md"),
        ("which foo || echo none", "foo not found\nnone"),
        ("ls; echo 'error: x'", "a\nerror: x"),
        ("curl -s localhost/x | jq .", "{\"error\": \"no\"}"),
    ] {
        check(line, printed, &[]);
    }
}

#[test]
fn a_number_before_a_word_is_not_its_count() {
    check(
        "docker compose up -d | tail -3; ls",
        "Error response from daemon: bind for :8080 failed: in use",
        &["docker compose up -d"],
    );
    check(
        "foo build | tail -3; ls",
        "error: 0 failed, all is well",
        &[],
    );
}

#[test]
fn a_build_that_closes_as_failed_failed() {
    check(
        "cargo build 2>&1 | tail -3",
        "error: could not compile `a` (lib) due to 1 previous error",
        &["cargo build"],
    );
    check(
        "npm test 2>&1 | tail -3",
        "Tests:  1 failed, 4 passed, 5 total",
        &["npm test"],
    );
    check(
        "make all | tail -2; ls",
        "make: *** [all] Error 2",
        &["make all"],
    );
    check(
        "python3 a.py; ls",
        "Traceback (most recent call last):\n  File \"a.py\"\nValueError: bad",
        &["python3 a.py"],
    );
}

/// One row of the labelled table: a successful line, its output, and which of its commands failed.
#[derive(serde::Deserialize)]
struct Labelled {
    command: String,
    output: String,
    failed: Vec<String>,
}

/// The tables were labelled before the rules were seen, the second after the rules had been corrected on the first;
/// docs/design/capture.md has the figures of first sight. A failed step matches a label that names its program.
#[test]
fn labelled_calls() {
    check_labelled(include_str!("labelled.jsonl"));
    check_labelled(include_str!("labelled_later.jsonl"));
}

/// Rows written together with the rules: short ones of the forms in which unseen calls hid a failure.
#[test]
fn forms_of_hidden_failures() {
    check_labelled(include_str!("forms.jsonl"));
}

fn check_labelled(table: &str) {
    let rows = table.lines();
    let rows = rows.map(|row| serde_json::from_str::<Labelled>(row).unwrap());
    let (mut labels, mut met) = (0, 0);
    let mut wrong = Vec::new();
    let mut missed = Vec::new();
    for row in rows {
        let read = shell::parse_line(&row.command);
        let found = failed_steps(&row.command, &row.output);
        let found: Vec<&shell::ShellCommand> =
            found.iter().map(|it| &read.commands[it.step]).collect();
        let is_met = |label: &&String| found.iter().any(|it| is_labelled(it, label));
        labels += row.failed.len();
        met += row.failed.iter().filter(is_met).count();
        if !row.failed.iter().all(|label| is_met(&label)) {
            missed.push(format!("{}\n>> {}", row.command, row.output));
        }
        let is_right =
            |it: &&shell::ShellCommand| row.failed.iter().any(|label| is_labelled(it, label));
        if !found.iter().all(is_right) {
            wrong.push(row.command);
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(
        met * 100 >= labels * 90,
        "{met} of {labels}: {}",
        missed.join("\n---\n")
    );
}

/// Returns whether a label names a command: by its program, or, where a variable does that, by its words.
fn is_labelled(command: &shell::ShellCommand, label: &str) -> bool {
    let args: Vec<&str> = command.args().iter().map(|it| it.raw.as_str()).collect();
    let is_by_variable = label.starts_with('$') && label.ends_with(&args.join(" "));
    label.contains(command.program()) || is_by_variable
}

#[test]
fn what_a_program_says_may_come_behind_its_status() {
    let error = |line: &str, printed: &str| {
        let failed = failed_steps(line, printed);
        let errors = failed.iter().map(|it| it.error.as_str());
        errors.collect::<Vec<_>>().join(" / ")
    };
    for (line, printed, expected) in [
        // It shows the log that the step wrote.
        (
            "bin/push out > push.log 2>&1; echo $?; tail -3 push.log",
            "7\nlane 4\nError: no lane is open",
            "Error: no lane is open",
        ),
        (
            "bin/push out; echo rc=$?",
            "rc=7\npush: refused (P7)",
            "push: refused (P7)",
        ),
        (
            "bin/push a; echo $?; bin/push b; echo $?",
            "7\n9\npush: refused (P7)\npush: no lane is open",
            "push: refused (P7) / push: no lane is open",
        ),
        (
            "bin/push; bin/push help; bin/push a; echo rc=$?",
            "rc=7\npush: bad usage\npush: refused (P7)",
            "push: refused (P7)",
        ),
        (
            "bin/push a; echo rc=$?; bin/push b",
            "rc=7\npush: bad usage\npush: refused (P7)",
            "push: bad usage / push: refused (P7)",
        ),
        ("bin/push a; echo rc=$?; ls", "rc=7\na\nb: c", "exit code 7"),
        (
            "bin/push a; echo rc=$?; bin/push status",
            "rc=7\nno desk\npush: reading a\npush: refused (P7)",
            "push: refused (P7)",
        ),
    ] {
        assert_eq!(error(line, printed), expected, "{line}\n{printed}");
    }
}

#[test]
fn loops_within_loops_are_as_many_tries() {
    check(
        "for i in red blue; do for f in 1 2; do echo \"== $i $f\"; bin/draw $i $f; echo rc=$?; done; done",
        "== red 1\nno\nrc=2\n== red 2\nno\nrc=2\n== blue 1\ndrawn\nrc=0\n== blue 2\nno\nrc=5",
        &["bin/draw red 1", "bin/draw red 2", "bin/draw blue 2"],
    );
    check(
        "for a in \"\" \"-k x\" \"x y\"; do bin/probe $a; echo \"rc $?\"; done",
        "none\nrc 3\nnone\nrc 5\n1 passed\nrc 0",
        &["bin/probe", "bin/probe -k x"],
    );
}

/// A shell that cannot read a word says so before the command's own redirections take effect.
#[test]
fn what_the_shell_itself_says_is_not_muted() {
    let refused = "== a ==\n(eval):1: no matches found: --include=*.go";
    check(
        "echo \"== a ==\"; grep -rn berth --include=*.go src/ 2>/dev/null | grep -v _test",
        refused,
        &["grep -rn berth --include=*.go src/"],
    );
    check(
        "for d in a b; do grep -rn berth --include=*.go $d 2>/dev/null; done; ls",
        "(eval):1: no matches found: --include=*.go\na.go",
        &["grep -rn berth --include=*.go a"],
    );
    // The program's own complaint cannot be of a step whose errors went away; a probe only asks.
    check(
        "grep x a.go 2>/dev/null; cat b",
        "grep: a.go: No such file",
        &[],
    );
    check(
        "ls a* 2>/dev/null || echo none",
        "(eval):1: no matches found: a*\nnone",
        &[],
    );
}
