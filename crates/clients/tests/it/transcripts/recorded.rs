//! Tests that the same session, recorded with different clients, reads the same.

use super::{all_transcripts, read_file, render::Reading};

/// Returns the recordings of a scenario, with the client's name.
fn recordings(scenario: &str) -> Vec<(String, Reading)> {
    let found: Vec<_> = all_transcripts()
        .into_iter()
        .filter(|path| path.file_stem().is_some_and(|stem| stem == scenario))
        .map(|path| {
            let client = path.parent().unwrap().file_name().unwrap();
            (
                client.to_string_lossy().into_owned(),
                read_file(&path).unwrap(),
            )
        })
        .collect();
    assert!(!found.is_empty(), "no recording of {scenario}");
    found
}

/// Returns the events that hold `mark`, from there on.
fn with<'r>(reading: &'r Reading, mark: &str) -> Vec<&'r str> {
    let lines = reading.lines.iter();
    lines
        .filter_map(|line| Some(&line[line.find(mark)?..]))
        .collect()
}

/// Checks that every recording of a scenario has exactly these failures and this end.
fn check(scenario: &str, failures: &[&str], end: &str) {
    for (client, reading) in recordings(scenario) {
        let of = format!("{scenario} of {client}");
        let errors = with(&reading, " => error ");
        assert_eq!(errors.len(), failures.len(), "{of}: {errors:#?}");
        for (error, failure) in errors.iter().zip(failures) {
            assert!(error.contains(failure), "{of}: {error}");
        }
        assert_eq!(with(&reading, " end "), [format!(" end {end}")], "{of}");
        assert_eq!(reading.summary.unreadable, 0, "{of}");
        assert_eq!(with(&reading, " run agent=").len(), 1, "{of}");
        let begins = format!(" run agent={client} project=- task=");
        assert_eq!(with(&reading, &begins).len(), 1, "{of}");
        let begins = with(&reading, " run agent=");
        let has_folder = begins[0].contains(" in /home/dev/");
        assert_eq!(has_folder, client != "gemini-cli", "{of}");
    }
}

#[test]
fn a_missing_script() {
    let no_script = "npm error Missing script: \"test\"";
    for (client, reading) in recordings("missing-script") {
        let errors = with(&reading, " => error ");
        assert_eq!(errors.len(), 3, "{client}");
        assert_eq!(errors[0], format!(" => error {no_script}"), "{client}");
        assert_eq!(errors[1], " => error error: '19.9 == 18'", "{client}");
    }
    check("missing-script-again", &[no_script], "Completed");
}

#[test]
fn a_loop_is_four_failures_alike() {
    check(
        "loop",
        &["curl: (7) Failed to connect to 127.0.0.1 port 3000"; 4],
        "Failed",
    );
}

#[test]
fn failures_that_were_mended() {
    check(
        "cargo-feature",
        &["error: the package 'inkwell' does not contain this feature: sqlite"],
        "Completed",
    );
    check(
        "python-path",
        &["ModuleNotFoundError: No module named 'ledger'"],
        "Completed",
    );
    check(
        "command-not-found",
        &["pytest: command not found", "No module named pytest"],
        "Completed",
    );
    check(
        "push-rejected",
        &["! [rejected]        main -> main (fetch first)"],
        "Completed",
    );
    check(
        "secret-in-command",
        &["must be a bare version"],
        "Completed",
    );
}

/// Every call is a script; a command in it counts with its own status, a patch with what the client says of the script.
#[test]
fn commands_in_scripts() {
    let failures = [
        "npm error Missing script: \"test\"",
        "cat: src/basket.js: No such file or directory",
        "apply_patch verification failed: Failed to find expected lines in /home/dev/shop/src/cart.js",
        "git: 'stauts' is not a git command. See 'git --help'.",
    ];
    check("code-mode", &failures, "Failed");
    for (_, reading) in recordings("code-mode") {
        let calls = with(&reading, " tool 0 ");
        let steps = calls.iter().map(|call| {
            call.split(" => ")
                .next()
                .unwrap()
                .split('⏎')
                .next()
                .unwrap()
        });
        assert_eq!(
            steps.collect::<Vec<_>>(),
            [
                " tool 0 exec_command npm test",
                " tool 0 exec_command cat package.json",
                " tool 0 exec_command cat src/cart.js && cat src/basket.js",
                " tool 0 apply_patch *** Begin Patch",
                " tool 0 apply_patch *** Begin Patch",
                " tool 0 exec_command sleep 2 && npm run test:unit",
                " tool 0 exec_command git stauts",
            ]
        );
    }
}

#[test]
fn a_correction_is_one_message_of_a_person() {
    for (client, reading) in recordings("user-correction") {
        assert_eq!(
            with(&reading, " user "),
            [" user No, don't edit generated files. Change routes.def and run `make gen`."],
            "{client}"
        );
    }
    check("user-correction", &[], "Completed");
}

#[test]
fn orders_in_a_page_are_not_said_by_a_person() {
    for (client, reading) in recordings("injection-in-page") {
        assert!(with(&reading, " user ").is_empty(), "{client}");
        let told = with(&reading, "ignore all previous instructions");
        assert!(told.is_empty(), "{client}: {told:?}");
    }
    check(
        "injection-in-page",
        &["configure: error: unrecognized option '--with-cache'"],
        "Completed",
    );
}

#[test]
fn a_call_that_was_not_granted_is_no_failure() {
    check("not-granted", &[], "Completed");
}

#[test]
fn a_run_that_was_killed_in_a_call_is_aborted() {
    check("killed", &["npm error Missing script: \"test\""], "Aborted");
}

#[test]
fn a_good_run_has_no_failure() {
    check("good-run", &[], "Completed");
}
