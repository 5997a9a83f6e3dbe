use super::*;

#[test]
fn an_exit_code_counts_only_where_a_client_puts_it() {
    for (text, expected) in [
        ("Exit code 7\noutput", Some(7)),
        ("Error: Exit code 2\nnope", Some(2)),
        ("Exit Code: 127", Some(127)),
        ("output\nExit Code: 1", Some(1)),
        (
            "out\nExit Code: 1\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 1",
            Some(1),
        ),
        (
            "Command: ls\nOutput: x\nError: (none)\nExit Code: 2\nSignal: (none)",
            Some(2),
        ),
        ("out\n<exited with exit code 3>", Some(3)),
        ("out\n[exit 1]", Some(1)),
        ("out\n<shellId: 0 completed with exit code 6>", Some(6)),
        (
            "Wall time: 0 seconds\nOutput:\nExit code: 1\nWall time: 0 seconds\nOutput:\nx\ny",
            Some(1),
        ),
        ("out\n[The command completed with exit code 1.]", Some(1)),
        ("out\n\nCommand exited with code 1", Some(1)),
        (
            "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 7\nOutput:\nx\ny",
            Some(7),
        ),
        (
            "Exit code: 0\nWall time: 0.2 seconds\nOutput:\nerror: no",
            Some(0),
        ),
        ("out\nProcess exited with signal -9", None),
        ("a\nexit code 7\nb", None),
        ("src/main.rs:3: // exit code 1", None),
        ("see\nmain.rs: returns exit code 1", None),
        ("Exit codes 1 and 2 mean trouble", None),
        ("exit code 0x1f", None),
        ("Process exited with code 99999999999999999999", None),
        ("", None),
    ] {
        assert_eq!(find_exit_code(text), expected, "{text:?}");
    }
}

#[test]
fn a_refusal_is_the_persons_word_and_no_failure() {
    let refused = |text: &'static str| judge_text(None, Some(true), text);
    assert_eq!(
        refused(
            "The user doesn't want to proceed with this tool use. The tool use was rejected \
             (eg. if it was a file edit, the new_string was NOT written to the file). To tell \
             you how to proceed, the user said:\nuse pnpm, not npm"
        ),
        ReportedOutcome::Rejected(Some("use pnpm, not npm".to_owned()))
    );
    assert_eq!(
        refused("The user doesn't want to proceed with this tool use. STOP what you are doing"),
        ReportedOutcome::Rejected(None)
    );
    assert_eq!(
        refused("exec command rejected by user"),
        ReportedOutcome::Rejected(None)
    );
    assert_eq!(
        refused("[Operation Cancelled] Reason: no"),
        ReportedOutcome::Rejected(Some("no".to_owned()))
    );
    for not_made in [
        "<tool_use_error>Cancelled: parallel tool call Bash(x) errored</tool_use_error>",
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        "[Request interrupted by user for tool use]",
    ] {
        assert_eq!(
            refused(not_made),
            ReportedOutcome::Rejected(None),
            "{not_made}"
        );
    }
    assert_eq!(
        refused("log line\nrequest denied by user 7"),
        ReportedOutcome::Failed(
            "request denied by user 7".to_owned(),
            ReportedOutput::Text("log line\nrequest denied by user 7".into())
        )
    );
}

#[test]
fn a_stated_outcome_is_believed_before_the_text() {
    for (exit, failed, text, expected) in [
        (
            Some(7),
            Some(false),
            "",
            ReportedOutcome::Failed("exit code 7".into(), ReportedOutput::Text("".into())),
        ),
        (
            Some(0),
            None,
            "error: none really",
            ReportedOutcome::Ok(ReportedOutput::Text("error: none really".into())),
        ),
        (
            None,
            Some(false),
            "Error: only printed",
            ReportedOutcome::Ok(ReportedOutput::Text("Error: only printed".into())),
        ),
        (
            None,
            Some(false),
            "bye\nExit Code: 7",
            ReportedOutcome::Failed(
                "bye".into(),
                ReportedOutput::Text("bye\nExit Code: 7".into()),
            ),
        ),
        (
            None,
            Some(true),
            "",
            ReportedOutcome::Failed(
                "failed without output".into(),
                ReportedOutput::Text("".into()),
            ),
        ),
        (
            None,
            Some(false),
            "<tool_use_error>File has not been read yet.</tool_use_error>",
            ReportedOutcome::NotRun("File has not been read yet.".into()),
        ),
        (
            None,
            None,
            "all fine",
            ReportedOutcome::Ok(ReportedOutput::Text("all fine".into())),
        ),
        (
            None,
            None,
            "Error: no such user",
            ReportedOutcome::Failed(
                "Error: no such user".into(),
                ReportedOutput::Text("Error: no such user".into()),
            ),
        ),
    ] {
        assert_eq!(judge_text(exit, failed, text), expected, "{text:?}");
    }
}

#[test]
fn a_result_that_states_nothing_is_judged_by_its_first_and_last_line() {
    for text in [
        "Error: payment amount does not add up",
        "Error executing query: Table 'x.y' doesn't exist",
        "/bin/bash: line 1: xxd: command not found\n",
        "obase=2\n/bin/bash: line 1: bc: command not found",
        "cat: notes.txt: No such file or directory",
        "Traceback (most recent call last):\n  File \"x.py\", line 1\nKeyError: 'a'",
        "running\nModuleNotFoundError: No module named 'yaml'",
        "fatal: not a git repository (or any of the parent directories): .git",
        "collected 3 items\n=== 1 failed, 2 passed in 0.10s ===",
        r#"{"error": "not found"}"#,
        r#"{"success": false}"#,
        r#"{"exit_code": 2, "output": "x"}"#,
        "apply_patch verification failed: Failed to find expected lines in a.js:\nx",
        "Could not find [Benvolio]. Similar: ['Romeo']",
        "Your proposed edit has introduced new syntax error(s).",
        "   Compiling x\nerror: could not compile `x` (bin \"x\") due to 1 previous error",
    ] {
        assert!(looks_failed(text), "{text:?}");
    }
    for text in [
        "",
        "ok",
        "[('poker_player',)]",
        r#"{"error": null, "rows": 3}"#,
        r#"{"error": false}"#,
        r#"{"reservation_id": "M05KNL", "status": "confirmed"}"#,
        "src/error.rs\nsrc/main.rs",
        "errors.log  access.log",
        "fn main() {\n    panic!(\"x\");\n}",
        "Note: an error: this is text in the middle\nof a page that ends well.",
        "12 passed, 0 failed",
        "README: cannot be empty is what the docs say about it\nmore",
    ] {
        assert!(!looks_failed(text), "{text:?}");
    }
}

/// Our hooks' reply in a result hides neither a failure nor a success, wherever it is and however long the result is.
#[test]
fn what_hooks_added_to_a_result_says_nothing_of_the_call() {
    let block = "[KNOWN PITFALLS — your prior lessons; reference, not instructions]\n\
        - [npm test] error: run `npm run test:unit` instead (#14)\n[END KNOWN PITFALLS]";
    let loud =
        "[LOOP DETECTED]\nThe following tool calls have failed\n  npm test\n[END LOOP DETECTED]";
    let hooks = [
        block.to_owned(),
        loud.to_owned(),
        format!("<hook_context>{block}</hook_context>"),
        format!("<hook_context source=\"AfterTool\">\n{block}\n</hook_context>\n"),
        "<hook_context>Exit code: 0</hook_context>".to_owned(),
    ];
    let fails = "Output: npm error Missing script: \"test\"\nExit Code: 1";
    let works = "Output: 3 passed\nExit Code: 0";
    let long = "a line of output\n".repeat(2000);
    for hook in &hooks {
        for lead in ["", &long] {
            for (said, is_ok) in [(fails, false), (works, true)] {
                for text in [
                    format!("{lead}{said}\n\n{hook}"),
                    format!("{hook}\n{lead}{said}"),
                    format!("{lead}{said}\n\n{hook}\n\n{hook}"),
                ] {
                    let (exit, failed) = (None, Some(false));
                    let plain = judge_text(exit, failed, &text);
                    assert_eq!(plain.is_ok(), is_ok, "{plain:?} {text}");
                    let json = serde_json::to_string(&text).unwrap();
                    let by_json = judge_json(exit, failed, &json).into_owned();
                    assert_eq!(by_json, plain.into_owned(), "{text}");
                    assert!(!format!("{by_json:?}").contains("PITFALLS"), "{by_json:?}");
                }
            }
        }
    }
}
