//! Fixes without a similar call: refusals, wrappers, what was done next, steps of one line.

use super::*;

#[test]
fn a_refusal_that_states_its_remedy_teaches_it() {
    for (run, expected) in [
        (
            "@Edit {\"file_path\":\"a\"} => File has not been read yet. Read it first before writing to it.\n@Read {\"file_path\":\"a\"}\n@Edit {\"file_path\":\"a\"}",
            "lesson: `edit` refuses a file that was not read in this session. Read the file first, then edit or write it.",
        ),
        (
            "@Edit {\"old_string\":\"x\"} => String to replace not found in file.\n@Edit {\"old_string\":\"y\"} => String to replace not found in file.\n@Edit {\"old_string\":\"z\"}",
            "lesson: `edit` did not find its text in the file. Read those lines again and copy them exactly, white space included.",
        ),
        // Read again in between: a fix that took two calls is a lesson at once.
        (
            "@Edit {\"old_string\":\"x\"} => String to replace not found in file.\n@Read {\"file_path\":\"a\"}\n@Edit {\"old_string\":\"y\"}",
            "lesson: `edit` did not find its text in the file. Read those lines again and copy them exactly, white space included.",
        ),
        (
            "@Edit {\"old_string\":\"x\"} => String to replace not found in file.\n@Edit {\"old_string\":\"y\"}",
            "witness: `edit` did not find its text in the file. Read those lines again and copy them exactly, white space included.",
        ),
        (
            "@Task {\"agent\":\"plan2\"} => Agent type 'plan2' not found. Available agents: Bash, general-purpose\n@Task {\"agent\":\"Bash\"}",
            "lesson: `task` does not know that name. Known ones are `Bash` and `general-purpose`.",
        ),
        (
            "$ cat -A a.txt => cat: illegal option -- A\n$ git status",
            "witness: `cat` does not know `-A` here. Leave `-A` out, or use another command.",
        ),
        // It is the program's option, whichever subcommand follows.
        (
            "$ git -C a status => error: unexpected argument '-C' found\n$ git -C b add c => error: unexpected argument '-C' found\n$ ls a",
            "lesson: `git` does not know `-C` here. Leave `-C` out, or use another command.",
        ),
        (
            "$ git -C a status => error: unexpected argument '-C' found\n$ git status",
            "witness: `git` with `-C` fails with *unexpected argument '-C' found*. Leave `-C` out; the rest of the command works.",
        ),
    ] {
        assert_eq!(drafts(run), [expected], "{run}");
    }
    let took_it = "$ git -C a status => error: unexpected argument '-C' found\n$ git -C b log";
    assert!(drafts(took_it).is_empty());
}

#[test]
fn what_only_stood_before_the_command_is_left_out() {
    for (run, expected) in [
        (
            "$ rtk bun run test => error: unrecognized subcommand 'bun'\n$ bun run lint",
            &[
                "witness: `rtk` before `bun` fails with *unrecognized subcommand 'bun'*. Run `bun` without it.",
            ][..],
        ),
        ("$ rtk git push => error: remote gone\n$ git status", &[]),
    ] {
        assert_eq!(drafts(run), expected, "{run}");
    }
}

#[test]
fn an_error_that_says_what_to_do_is_taken_at_its_word_once_that_worked() {
    for (run, expected) in [
        // An option that the error asks for forces something; is only listed; was not given.
        (
            "$ bin/kiln fire a.pot => kiln: already fired, use --force to fire again\n$ bin/kiln fire b.pot --force",
            &[][..],
        ),
        (
            "$ bin/kiln fire a.pot => kiln: bad pot. usage: kiln fire [--glaze x] pot, must be dry\n$ bin/kiln fire b.pot --glaze blue",
            &[],
        ),
        (
            "$ bin/kiln fire a.pot => kiln: no glaze given, use --glaze to name one\n$ bin/kiln fire b.pot --heat 9",
            &[],
        ),
        // The command that the error asks for, though no list knows it as set-up.
        (
            "$ bin/kiln fire a.pot => kiln: it is cold. Run `bin/kiln warm` first\n$ bin/kiln warm\n$ bin/kiln fire a.pot",
            &[
                "lesson: `bin/kiln` fails with *kiln: it is cold. Run '…' first*. Run `bin/kiln warm` first; after it the same command worked.",
            ][..],
        ),
        (
            "$ bin/kiln fire a.pot => kiln: it is cold. Run `bin/kiln warm` first\n$ GLAZE=oak bin/kiln warm\n$ bin/kiln fire a.pot",
            &[
                "lesson: `bin/kiln` fails with *kiln: it is cold. Run '…' first*. Run `GLAZE=oak bin/kiln warm` first; after it the same command worked.",
            ],
        ),
        (
            "$ bin/kiln fire a.pot => kiln: no yard. Run 'yard build-42'\n$ yard build-42 --now\n$ bin/kiln fire a.pot",
            &[
                "lesson: `bin/kiln` fails with *kiln: no yard. Run '…'*. Run `yard … --now` first; after it the same command worked.",
            ],
        ),
        (
            "$ bin/kiln fire a.pot => kiln: it is cold\n$ bin/kiln warm\n$ bin/kiln fire a.pot",
            &[],
        ),
    ] {
        assert_eq!(drafts(run), expected, "{run}");
    }
}

#[test]
fn the_mending_form_of_a_check_is_a_candidate() {
    let lint = "$ bun run lint => × Formatter would have printed the following content:";
    let mended = "candidate: `bun run lint` fails with an error. Run `bun run lint:fix` first; after it the same command worked.";
    for (run, expected) in [
        (
            format!("{lint}\n$ bun run lint:fix\n$ bun run lint"),
            &[mended][..],
        ),
        // Other errors of the same check are the same failure; for the steps between, runs must agree.
        (
            format!("{lint}\n@Edit {{\"old_string\":\"x\"}}\n$ bun run lint:fix && bun run lint"),
            &[mended],
        ),
        (format!("{lint}\n$ bun run lint:fix"), &[]),
        (format!("{lint}\n$ bun run lint"), &[]),
        (
            "$ bun run lint => Request interrupted by user\n$ bun run lint:fix\n$ bun run lint"
                .to_owned(),
            &[],
        ),
        (format!("{lint}\n$ bun run test:fix\n$ bun run lint"), &[]),
        // The same command without the option that makes it a check, or with one that makes it mend.
        (
            "$ cargo fmt --check => Diff in /w/src/a.rs:27:\\n-  x\n$ cargo fmt\n$ cargo fmt --check"
                .to_owned(),
            &["candidate: `cargo fmt --check` fails with an error. Run `cargo fmt` first; after it the same command worked."],
        ),
        (
            "$ ruff check . => Found 3 errors.\n$ ruff check . --fix\n$ ruff check .".to_owned(),
            &["candidate: `ruff …` fails with an error. Run `ruff … --fix` first; after it the same command worked."],
        ),
        (
            "$ cargo test --check => 3 tests failed\n$ cargo test -p a\n$ cargo test --check"
                .to_owned(),
            &[],
        ),
        ("$ npm publish --dry-run => 403 Forbidden\n$ npm publish\n$ npm publish --dry-run".to_owned(), &[]),
    ] {
        assert_eq!(all_drafts(&run), expected, "{run}");
    }
}

/// What a call that failed the same way had too, or lacked too, made no difference.
#[test]
fn a_call_that_failed_the_same_way_is_a_control() {
    let heap =
        "=> FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory";
    let heap_run = format!(
        "$ npm run kiln {heap}\n$ npm run kiln -- --glaze {heap}\n$ NODE_OPTIONS=--max-old-space-size=8192 npm run kiln"
    );
    for (run, expected) in [
        (
            heap_run.as_str(),
            &[
                "lesson: `npm run kiln` fails with *FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory*. Set `NODE_OPTIONS=--max-old-space-size=8192` for it; then it works.",
                "candidate: `npm` fails with *FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory*. Set `NODE_OPTIONS=--max-old-space-size=8192` for it; then it works.",
            ][..],
        ),
        (
            "$ make hull => oak: bad caulk\n$ make -j1 hull => oak: bad caulk\n$ make CC=clang hull",
            &[
                "candidate: `make` without `CC=clang` fails with *oak: bad caulk*. Add `CC=clang`; with it the same command worked.",
            ],
        ),
        // What the same program did between may have been what helped: another run must show that the step alone helps.
        (
            "$ oak ship a => oak: another voyage is under way\n$ oak moor a\n$ oak ship a --wait",
            &[
                "candidate: `oak` without `--wait` fails with *oak: another voyage is under way*. Add `--wait`; with it the same command worked.",
            ],
        ),
        // What ends the options is none.
        (
            "$ npm test => kiln is cold\n$ npm test -- --heat=9",
            &[
                "witness: `npm test` without `--heat=9` fails with *kiln is cold*. Add `--heat=9`; with it the same command worked.",
                "candidate: `npm` without `-- --heat=9` fails with *kiln is cold*. Add `-- --heat=9`; with it the same command worked.",
                "candidate: `npm` without `--heat=9` fails with *kiln is cold*. Add `--heat=9`; with it the same command worked.",
                "candidate: `npm` without `--heat=…` fails with *kiln is cold*. Add `--heat=…`; with it the same command worked.",
            ],
        ),
    ] {
        assert_eq!(all_drafts(run), expected, "{run}");
    }
}

#[test]
fn a_missing_program_is_no_typo_of_the_one_that_replaced_it() {
    for (run, expected) in [
        (
            "$ gradle assemble => bash: gradle: command not found\n$ ./gradlew assemble",
            &[
                "witness: `gradle` is not installed here. Use `./gradlew` instead: `./gradlew assemble` worked in its place.",
                "candidate: `gradle` fails with *command not found*. Run `./gradlew` instead.",
            ][..],
        ),
        (
            "$ gti status => bash: gti: command not found\n$ git status",
            &[],
        ),
    ] {
        assert_eq!(all_drafts(run), expected, "{run}");
    }
}

#[test]
fn what_a_shell_takes_for_a_pattern_is_quoted() {
    for (run, expected) in [
        (
            "$ cd src && grep -rn berth . --include=*.rs | head -3 => (eval):1: no matches found: --include=*.rs\n$ grep -rn berth src",
            &[
                "witness: The shell here takes `--include=*.rs` for names of files before `grep` sees it, and stops (*no matches found*). Quote it: `--include='*.rs'`.",
            ][..],
        ),
        (
            "$ curl -s https://yard.example/a?b=1 => zsh: no matches found: https://yard.example/a?b=1\n$ ls",
            &[
                "witness: The shell here takes `https://yard.example/a?b=1` for names of files before `curl` sees it, and stops (*no matches found*). Quote it: `'https://yard.example/a?b=1'`.",
            ],
        ),
        // The shell names the word, in whichever step of the line; another pattern is the same.
        (
            "$ cd app && echo == && grep -rn berth --include=*.rs && echo b && grep -rn quay --include=*.rs => ==\\n(eval):1: no matches found: --include=*.rs\n$ ls src",
            &[
                "witness: The shell here takes `--include=*.rs` for names of files before `grep` sees it, and stops (*no matches found*). Quote it: `--include='*.rs'`.",
            ],
        ),
        (
            "$ grep -rn berth --include=*.rs src => zsh: no matches found: --include=*.rs\n$ grep -rn quay --include=*_test.rs src => zsh: no matches found: --include=*_test.rs\n$ ls src",
            &[
                "lesson: The shell here takes `--include=*.rs` for names of files before `grep` sees it, and stops (*no matches found*). Quote it: `--include='*.rs'`.",
            ],
        ),
        (
            "$ pip install -e .[dev] => zsh: no matches found: .[dev]\n$ pip install -e '.[dev]'",
            &[
                "witness: The shell here takes `.[dev]` for names of files before `pip install` sees it, and stops (*no matches found*). Quote it: `'.[dev]'`.",
            ],
        ),
        // Files that do not exist; a text of its own; nothing worked after it.
        (
            "$ ls docs/*.adoc => zsh: no matches found: docs/*.adoc\n$ ls docs",
            &[],
        ),
        (
            "$ cat log => no matches found: --include=*.rs\n$ ls docs",
            &[],
        ),
        (
            "$ grep -rn berth . --include=*.rs => zsh: no matches found: --include=*.rs",
            &[],
        ),
    ] {
        assert_eq!(all_drafts(run), expected, "{run}");
    }
}

#[test]
fn what_was_done_next_is_a_candidate() {
    for (run, expected) in [
        (
            "$ cat -Q notes.txt => cat: unexpected thing: usage: cat file\n$ xxd notes.txt",
            &[
                "candidate: `cat` fails with *cat: unexpected thing: usage: cat file*. Run `xxd` instead.",
            ][..],
        ),
        (
            "@Skill {\"skill\":\"commit\"} => Unknown skill: commit\n$ git commit -m x",
            &["candidate: `skill` fails with *Unknown skill: commit*. Use `git commit` instead."],
        ),
        // Tools that are no shell: another argument.
        (
            "@mcp__yard__weigh {\"crate\":\"oak-lid\",\"mode\":\"fast\"} => the scale is busy and cannot answer\n@mcp__yard__weigh {\"crate\":\"oak-lid\",\"mode\":\"slow\"}",
            &[
                "candidate: `weigh` fails with *the scale is busy and cannot answer* when `mode` is `fast`. With `slow` the same call worked.",
            ],
        ),
        // An edit after a failed command is the agent's ordinary work.
        (
            "$ yard show a/oak-lid.md => yard: it cannot be shown\n@Edit {\"file_path\":\"a/oak-lid.md\"}",
            &[],
        ),
        // Arguments that a client made up for a call that it could not parse.
        (
            "@mcp__yard__weigh {\"__raw\":\"oak-lid\"} => it could not be read\n@mcp__yard__weigh {\"crate\":\"oak-lid\"}",
            &[],
        ),
        // It only looks, where something was to be done; it is about another thing; it destroys.
        (
            "@mcp__yard__ship {\"crate\":\"oak-lid\"} => it cannot be shipped\n@Read {\"file_path\":\"a/oak-lid\"}",
            &[],
        ),
        (
            "@mcp__yard__ship {\"crate\":\"oak-lid\"} => it cannot be shipped\n@mcp__yard__page {\"crate\":\"elm-lid\"}",
            &[],
        ),
        (
            "@mcp__yard__ship {\"crate\":\"oak-lid\"} => it cannot be shipped\n$ rm a/oak-lid",
            &[],
        ),
        // What worked in the end had failed before, so what ran between made the difference.
        (
            "$ bin/ferry push a/41 => ferry: push is refused\n$ bin/ferry push --force a/41 => ferry: push is refused\n$ bin/ferry berth\n$ bin/ferry push a/41",
            &[
                "candidate: `ferry` fails with *ferry: push is refused*. Run `bin/ferry berth` first; after it the same command worked.",
            ],
        ),
        // It destroys, forces or waits; it is about another thing; it only looks.
        ("$ foo add x.txt => foo: usage: foo x\n$ rm x.txt", &[]),
        (
            "$ foo push x.txt => foo: usage: foo x\n$ foo push x.txt --force",
            &[],
        ),
        ("$ foo add x.txt => foo: usage: foo x\n$ bar add y.txt", &[]),
        ("$ foo add x.txt => foo: usage: foo x\n$ ls x.txt", &[]),
    ] {
        assert_eq!(all_drafts(run), expected, "{run}");
    }
}

#[test]
fn a_line_is_compared_step_by_step() {
    let steps = |failed: &[(usize, &str)]| {
        let failed = failed.iter().map(|(step, error)| crate::event::FailedStep {
            step: *step,
            error: CleanText::from_stored((*error).to_owned()),
        });
        CallStatus::PartlyFailed(failed.collect())
    };
    let run = |line: &str, status| {
        let mut trace = Trace::new(RunId::parse("r").unwrap(), Scope::default());
        trace.push(CleanEvent::Tool(crate::event::ToolCall {
            turn: 0,
            tool: CleanText::from_stored("Bash".to_owned()),
            args: CleanText::from_stored(line.to_owned()),
            status,
            outside: None,
        }));
        trace.push(CleanEvent::End {
            status: RunStatus::Completed,
            score: None,
        });
        let gated = capture_episodes(&trace, &CapturePolicy::default());
        let mut sure = gated.episodes;
        sure.retain(|episode| episode.weight != EpisodeWeight::Tentative);
        let drafts = sure.iter().filter_map(draft_episode);
        drafts
            .map(|it| it.content.text.expose().to_owned())
            .collect::<Vec<_>>()
    };
    for (line, failed, expected) in [
        (
            "npm test; npm run test:unit",
            &[(0, "npm error Missing script: \"test\"")][..],
            &["`npm test` fails with *Missing script: \"test\"*. Run `npm run test:unit` instead."]
                [..],
        ),
        (
            "for m in --fast --slow; do bin/ride $m x; done",
            &[(0, "ride: unknown option --fast")],
            &[
                "`ride` with `--fast` fails with *ride: unknown option --fast*. Use `--slow` instead; with it the command worked.",
            ],
        ),
        // Commands after a failure and `&&` never ran.
        (
            "npm test && npm run test:unit",
            &[(0, "npm error Missing script: \"test\"")],
            &[],
        ),
    ] {
        assert_eq!(run(line, steps(failed)), expected, "{line}");
    }
}

/// A program that is not on PATH is there if a later call shows it; the false "not installed" does not come up beside it.
#[test]
fn a_program_that_lies_elsewhere_is_said_to_lie_there() {
    let missing = "$ cd yard && go build ./... => /bin/bash: line 1: go: command not found";
    let there = "lesson: `go` is installed here, but not on PATH (*command not found*). Run it as `/usr/local/go/bin/go`, or put its folder on PATH first.";
    for (rest, expected) in [
        (
            "$ which go || ls /usr/local/go/bin/go 2>/dev/null\n$ export PATH=\"/usr/local/go/bin:$PATH\" && cd yard && go build ./...",
            &[there.replace("lesson:", "witness:")][..],
        ),
        ("$ ls\n$ PATH=$PATH:/usr/local/go/bin && cd yard && go build ./...", &[there.to_owned()]),
        ("$ ls\n$ export PATH=/usr/local/go/bin:$PATH\n$ cd yard && go test", &[there.to_owned()]),
        // The work failed, and so the program was there.
        (
            "$ ls\n$ export PATH=/usr/local/go/bin:$PATH && go test => --- FAIL: TestA",
            &[there.to_owned()],
        ),
        (
            "$ ls /home/ana/go/bin/go",
            &["witness: `go` is installed here, but not on PATH (*command not found*). Run it as `~/go/bin/go`, or put its folder on PATH first.".to_owned()],
        ),
        (
            "$ ls\n$ . ~/go/env.sh >/dev/null && go build ./...",
            &["lesson: `go` fails with *command not found*. Run `. ~/go/env.sh` first; after it the same command worked.".to_owned()],
        ),
        // It was only looked for, lies where only this task has it, or was still not found.
        ("$ find / -name go", &["witness: `go` is not installed here (*command not found*). Use another program, or install it first.".to_owned()]),
        ("$ ls\n$ /tmp/x1/go build ./...", &[]),
        ("$ ls /home/ana/yard/go/", &["witness: `go` is not installed here (*command not found*). Use another program, or install it first.".to_owned()]),
        (
            "$ ls\n$ PATH=$PATH:/usr/lib/go && go build => go: command not found",
            &["lesson: `go` is not installed here (*command not found*). Use another program, or install it first.".to_owned()],
        ),
    ] {
        assert_eq!(drafts(&format!("{missing}\n{rest}")), expected, "{rest}");
    }
}

#[test]
fn a_path_from_the_folder_that_the_shell_kept_is_told() {
    let kept = "witness: The shell here keeps its folder from one call to the next: after a `cd` in one call, a relative path in a later one is looked for inside that folder (*No such file or directory*). Give `cd` the whole path, or write paths from the folder that the shell is in.";
    let missing = "No such file or directory";
    for (run, expected) in [
        (
            format!(
                "$ cd src && go build\n$ cd src && go test => /bin/bash: line 1: cd: src: {missing}\n$ cd /home/dev/app/src && go test\n$ cat src/run.go => cat: src/run.go: {missing}\n$ cd /home/dev/app && cat src/run.go"
            ),
            &[kept][..],
        ),
        (
            format!(
                "$ cd src && go vet\n$ git add src/run.go && git commit -m x => warning: could not open directory 'src/src/': {missing}\\nfatal: pathspec 'src/run.go' did not match any files\n$ cd /home/dev/app && git add src/run.go"
            ),
            &[kept],
        ),
        (
            format!(
                "$ cd src && go vet\n$ cat src/run.go => cat: src/run.go: {missing}\n$ cat run.go"
            ),
            &[kept],
        ),
        // Another name was wrong; the same path was never right; it was entered in a subshell; the shell begins anew.
        (
            format!(
                "$ cd src && go vet\n$ cat lib/run.go => cat: lib/run.go: {missing}\n$ cd /home/dev/app && cat lib/run.go"
            ),
            &[],
        ),
        (
            format!("$ cd src && go vet\n$ cat src/run.go => cat: src/run.go: {missing}\n$ ls"),
            &[],
        ),
        (
            format!(
                "$ (cd src && go vet)\n$ cat src/run.go => cat: src/run.go: {missing}\n$ cd /home/dev/app && cat src/run.go"
            ),
            &[],
        ),
        (
            format!(
                "$ cd src && go vet\n$ cat src/run.go => cat: src/run.go: {missing}\n$ cat src/main.go"
            ),
            &[],
        ),
    ] {
        assert_eq!(drafts(&run), expected, "{run}");
    }
}

#[test]
fn what_is_asked_for_by_a_made_up_name_teaches_nothing() {
    for run in [
        "$ bin/kiln --bogus => kiln: unknown option --bogus\n$ bin/kiln --bogus => kiln: unknown option --bogus\n$ bin/kiln",
        "$ bin/kiln fire does-not-exist => kiln: no such pot: does-not-exist\n$ bin/kiln warm\n$ bin/kiln fire does-not-exist --glaze blue",
        "$ npm run nonexistent => npm error Missing script: \"nonexistent\"\n$ npm run test",
    ] {
        assert!(all_drafts(run).is_empty(), "{run}: {:?}", all_drafts(run));
    }
    // A word that the error does not blame is somebody's text.
    let searched = "$ bin/kiln find --deep \"invalid\" => kiln: unexpected argument '--deep' found\n$ bin/kiln find \"invalid\"";
    assert!(!drafts(searched).is_empty());
}

/// What stands in the way of session after session is kept from each: what got past it, or what was tried in vain.
#[test]
fn an_error_without_a_known_remedy_may_be_a_wall() {
    let walls = |run: &str| -> Vec<String> {
        let gated = capture_episodes(&trace(run), &CapturePolicy::default());
        let walls = gated.episodes.iter();
        let walls = walls.filter(|episode| matches!(episode.kind, EpisodeKind::Wall(_)));
        walls
            .map(|wall| {
                assert_eq!(wall.runs_needed(), 3);
                let draft = draft_episode(wall);
                draft.map_or_else(
                    || "silent".to_owned(),
                    |it| it.content.text.expose().to_owned(),
                )
            })
            .collect()
    };
    let failed = "$ yard test a => yard: the lids of this crate are not there";
    for (rest, expected) in [
        // The value is one task's.
        (
            "$ yard test a --lids oak",
            &[
                "`yard` without `--lids` fails with *yard: the lids of this crate are not there*. Add `--lids`; with it the same command worked. Several sessions met this error; that got past it last.",
            ][..],
        ),
        (
            "$ yard test a --warm => yard: the lids of this crate are not there",
            &[
                "`yard` fails with *yard: the lids of this crate are not there* in session after session, and nothing got past it: `yard …` and `yard … --warm` did not help. Do it without `yard`, or ask the person.",
            ],
        ),
        // It is counted, and says nothing yet.
        ("$ ls", &["silent"]),
    ] {
        assert_eq!(walls(&format!("{failed}\n{rest}")), expected, "{rest}");
    }
    // A check prints what is wrong with the work.
    let check = "$ bun run test a => 186 | submitJobError: new Error(\"no lids\")";
    assert_eq!(
        walls(&format!(
            "{check}\n{}\n$ ls",
            check.replace(" a =>", " --all =>")
        )),
        ["silent"]
    );
    // The work itself, a guess, a network that is away, what has a rule of its own.
    for run in [
        "$ pytest -q => FAILED tests/test_a.py::test_b - assert 1 == 2\n$ ls",
        "$ cat a.txt => cat: a.txt: No such file or directory\n$ ls",
        "$ curl -s a.example => curl: (6) Could not resolve host: a.example\n$ ls",
        "$ npm test => Missing script: \"test\"\n$ cat package.json\n$ npm run test:unit",
        "$ yard --bogus a => yard: there is no option --bogus\n$ ls",
    ] {
        assert!(walls(run).is_empty(), "{run}: {:?}", walls(run));
    }
}

/// Another program that took over, the runner of a script, a line that was written into a file: candidates all.
#[test]
fn what_did_the_work_instead_is_a_candidate() {
    let check = |run: &str, expected: Option<&str>| {
        let mut got = all_drafts(run);
        got.retain(|draft| draft.starts_with("candidate"));
        assert_eq!(got.first().map(String::as_str), expected, "{run}");
    };
    let failed = "$ go test ./store => error: the yard of this store is not defined at build time";
    check(
        &format!("{failed}\n$ grep -n test Makefile\n$ make test-store RUN=TestA"),
        Some(
            "candidate: `go` fails with *the yard of this store is not defined at build time*. Use `make test-store` instead.",
        ),
    );
    // The program itself worked later: it was a step before it. Another purpose; an edit came between.
    check(
        &format!("{failed}\n$ make test-store\n$ go test ./store"),
        Some(
            "candidate: `go` fails with *the yard of this store is not defined at build time*. Run `make test-store` first; after it the same command worked.",
        ),
    );
    check(&format!("{failed}\n$ make build"), None);
    check(
        &format!("{failed}\n@Edit {{\"file_path\":\"a.go\"}}\n$ make test-store"),
        None,
    );
    check(
        "$ ./scripts/load.sh a => /bin/bash: line 1: ./scripts/load.sh: Permission denied\n$ bash scripts/load.sh a",
        Some(
            "candidate: `./scripts/…` fails with *…: Permission denied*. Run `bash scripts/…` instead.",
        ),
    );
    check("$ cat a/b => cat: a/b: Permission denied\n$ bash a/c", None);
    let lids = "$ yard test a => yard: the lids of this crate are not there";
    check(
        &format!(
            "{lids}\n@Edit {{\"file_path\":\"/w/yard.toml\",\"old_string\":\"[yard]\",\"new_string\":\"lids = 3\"}}\n$ yard test a"
        ),
        Some(
            "candidate: `yard` fails with *yard: the lids of this crate are not there*. Write `lids = 3` into `yard.toml`; after it the same command worked.",
        ),
    );
    // More than a line; a line that switches a check off; two edits.
    for edit in [
        "{\"file_path\":\"yard.toml\",\"new_string\":\"a = 1\\nb = 2\"}",
        "{\"file_path\":\"yard.toml\",\"new_string\":\"strict = false\"}",
        "{\"file_path\":\"yard.toml\",\"new_string\":\"lids = 3\"}\n@Edit {\"file_path\":\"b.c\",\"new_string\":\"int a;\"}",
    ] {
        check(&format!("{lids}\n@Edit {edit}\n$ yard test a"), None);
    }
}
