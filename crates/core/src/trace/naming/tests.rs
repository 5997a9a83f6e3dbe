use super::*;
use crate::{
    event::{CallStatus, ToolCall},
    trace::call::parse_call,
};

fn called(tool: &str, args: &str) -> ParsedCall {
    parse_call(&ToolCall {
        turn: 0,
        tool: CleanText::assume_clean(tool.to_owned()),
        args: CleanText::assume_clean(args.to_owned()),
        status: CallStatus::Ok,
        outside: None,
    })
}

fn content(signature: &str, tools: &[&str]) -> LessonContent {
    let mut content = LessonContent::new(
        CleanText::assume_clean(signature.to_owned()),
        CleanText::default(),
    );
    content.tools = tools
        .iter()
        .map(|tool| CleanText::assume_clean((*tool).to_owned()))
        .collect();
    content
}

fn check(signature: &str, tool: &str, args: &str, expected: bool) {
    let found = names_call(&content(signature, &[]), &called(tool, args));
    assert_eq!(found, expected, "[{signature}] {tool} {args}");
}

#[test]
fn a_command_is_named_wherever_it_runs() {
    for line in [
        "npm test",
        "cd x && npm test -- --watch",
        "CI=1 sudo npm test | tail -5",
        "bash -lc 'npm test'",
        "npm --prefix web test; echo done",
    ] {
        check("npm test", "Bash", line, true);
        check("`npm test`", "exec_command", line, true);
        check("npm test (Missing script: \"test\")", "Bash", line, true);
        check("npm", "run_shell_command", line, true);
    }
    for line in [
        "npm testing",
        "npm run test",
        "echo npm test",
        "echo 'npm test'",
        "git commit -m 'npm test'",
        "grep -r \"npm test\" .",
        "cat <<EOF\nnpm test\nEOF",
        "npm install test",
        "# npm test",
        "pnpm test",
        "",
    ] {
        check("npm test", "Bash", line, false);
    }
}

#[test]
fn every_word_of_a_signature_must_be_in_the_call() {
    check("pytest -n auto", "Bash", "pytest tests -n auto -q", true);
    check("pytest -n auto", "Bash", "pytest tests", false);
    check(
        "cargo test --features sqlite",
        "Bash",
        "cargo test --features=sqlite",
        true,
    );
    check(
        "git push --force",
        "Bash",
        "git -C x push origin main --force",
        true,
    );
    check("git push --force", "Bash", "git push origin main", false);
    check("git push --force", "Bash", "git pull --force", false);
    check(
        "docker compose up",
        "Bash",
        "docker compose -f a.yml up -d",
        true,
    );
    check("make gen routes.def", "Bash", "make gen", false);
    check("python3 -m pytest", "Bash", "python3 -m pytest -q", true);
    check("python3 -m pytest", "Bash", "python3 -m unittest", false);
    check(
        "deploy.sh (must run as root)",
        "Bash",
        "./scripts/deploy.sh x",
        true,
    );
}

#[test]
fn sentences_name_no_command() {
    for signature in [
        "find the right config first",
        "make sure the port is free",
        "go through the proxy",
        "test",
        "time",
        "tests fail on main",
        "don't push; ask",
        "make gen && make test",
    ] {
        for line in [
            "find . -name config",
            "make",
            "go build ./...",
            "test -f x && time make sure",
            "git push",
        ] {
            check(signature, "Bash", line, false);
        }
    }
}

#[test]
fn an_error_names_the_calls_that_hold_what_it_is_about() {
    for (signature, args, expected) in [
        (
            "sh configure (configure: error: unrecognized option '--with-cache')",
            "sh configure --with-cache",
            true,
        ),
        (
            "sh configure (configure: error: unrecognized option '--with-cache')",
            "sh configure",
            false,
        ),
        (
            "cargo test (the package '…' does not contain this feature: sqlite)",
            "cargo test --features sqlite",
            true,
        ),
        (
            "cargo test (the package '…' does not contain this feature: sqlite)",
            "cargo test",
            false,
        ),
        (
            "cargo test (the package '…' does not contain this feature: sqlite)",
            "cargo test --features store-sqlite",
            false,
        ),
        (
            "python3 (ModuleNotFoundError: No module named 'ledger')",
            "python3 -m ledger",
            true,
        ),
        (
            "python3 (ModuleNotFoundError: No module named 'ledger')",
            "python3 -c 'print(1)'",
            false,
        ),
        (
            "git push (! [rejected] main -> main (fetch first))",
            "git push -u origin x",
            true,
        ),
        (
            "sh release.sh (release: '…' must be a bare version such as N, without the v)",
            "sh release.sh v2",
            true,
        ),
        ("pytest (command not found)", "pytest -q", true),
        ("pytest (command not found)", ".venv/bin/pytest -q", false),
        (
            "find (find: paths must precede expression: `…')",
            "find . -name x",
            false,
        ),
        (
            "tr (tr: range-endpoints of '…' are in reverse collating sequence order)",
            "tr -d x",
            false,
        ),
    ] {
        check(signature, "Bash", args, expected);
    }
}

#[test]
fn a_tool_is_named_with_the_words_it_is_given() {
    let page = r#"{"url":"https://docs.rs/regex"}"#;
    check("/fetch", "fetch", page, true);
    check("WebFetch docs.rs", "WebFetch", page, true);
    check("WebFetch docs.r", "WebFetch", page, false);
    check("/fetch behind cloudflare", "fetch", page, false);
    check("create_issue", "mcp__github__create_issue", "{}", true);
    check(
        "mcp__github__create_issue",
        "mcp_github_create_issue",
        "{}",
        true,
    );
    check("issue", "mcp_github_create_issue", "{}", true);
    check("issue", "create_issue", "{}", false);
    check("Bash", "Bash", "ls", true);
    check("Bash npm test", "Bash", "echo npm test", false);
    check("book (the amount does not add up)", "book", "{}", true);
    check("edit (unexpected indent)", "Edit", "{}", false);
    check("edit (unexpected indent)", "Write", "{}", false);
    check("python (command not found)", "python", "print(1)", false);
    let sql = "sql (no such table or column: cars or cars_data.car_name)";
    check(sql, "sql", "select * from cars", true);
    check(sql, "sql", "select car_name from cars_data", true);
    check(sql, "sql", "select * from people", false);
}

#[test]
fn tools_of_a_lesson_must_fit() {
    for (signature, tools, tool, args, expected) in [
        (
            "npm test",
            &["npm test", "bash"][..],
            "exec_command",
            "npm test",
            true,
        ),
        ("npm test", &["Bash"], "run_shell_command", "npm test", true),
        ("npm test", &["WebFetch"], "Bash", "npm test", false),
        ("", &["WebFetch"], "WebFetch", "{}", true),
        ("", &["WebFetch"], "Read", "{}", false),
        ("", &["Bash"], "Bash", "npm test", false),
        ("", &[], "WebFetch", "{}", false),
    ] {
        let found = names_call(&content(signature, tools), &called(tool, args));
        assert_eq!(found, expected, "[{signature}] {tools:?} {tool} {args}");
    }
}

#[test]
fn lessons_are_found_by_what_is_called() {
    for (tool, args, expected) in [
        (
            "Bash",
            "cd web && CI=1 npm test -- --watch src/a/b.test.ts | tail -5",
            "npm test npm test test -- --watch",
        ),
        (
            "Bash",
            "git commit -m 'a long message'",
            "git commit git commit commit -m",
        ),
        (
            "fetch",
            r#"{"url":"https://x.io"}"#,
            "fetch\nfetch\nhttps://x.io",
        ),
        ("Bash", "cd x", ""),
    ] {
        assert_eq!(search_words(&called(tool, args)), expected);
    }
}

proptest::proptest! {
    #[test]
    fn any_text_may_be_a_signature(signature in "\\PC{0,60}", args in "\\PC{0,60}") {
        let content = content(&signature, &["x"]);
        for tool in ["Bash", "x"] {
            let call = called(tool, &args);
            let _named: bool = names_call(&content, &call);
            proptest::prop_assert!(search_words(&call).len() <= 3 * (tool.len() + args.len()) + 9);
        }
    }
}
