use proptest::prelude::*;

use super::*;
use crate::CallFailure;

fn clean(text: &str) -> CleanText {
    CleanText::from_stored(text.to_owned())
}

fn call(tool: &str, args: &str, error: Option<&str>) -> ToolCall<CleanText> {
    ToolCall {
        turn: 1,
        tool: clean(tool),
        args: clean(args),
        status: error.map_or(CallStatus::Ok, |error| CallStatus::Error(clean(error))),
        outside: None,
    }
}

fn empty() -> Trace {
    Trace::new(RunId::parse("r1").unwrap(), Scope::default())
}

fn key(tool: &str, args: &str, error: &str) -> String {
    let failure = CallFailure::from_call(&call(tool, args, Some(error))).unwrap();
    failure.key.as_str().to_owned()
}

/// Each row is one failure seen twice, in wordings that do not matter.
#[test]
fn the_same_trouble_has_the_same_key() {
    for (one, two) in [
        (
            ("Bash", "npm test", "Missing script: \"test\""),
            (
                "shell",
                "cd web && CI=1 npm test -- -w",
                "npm ERR! Missing script: \"test\"",
            ),
        ),
        (
            ("Bash", "npm test", "Missing script: \"test\""),
            (
                "mcp__box__do",
                "{\"command\":\"rtk npm test\"}",
                "npm error Missing script: \"test\"",
            ),
        ),
        (
            ("Bash", "make deploy", "no rule to make target deploy"),
            (
                "Bash",
                "docker compose exec -T web make deploy",
                "no rule to make target deploy",
            ),
        ),
        (
            ("Bash", "xxd -p a", "bash: xxd: command not found"),
            (
                "run_shell_command",
                "xxd b | head",
                "zsh: command not found: xxd",
            ),
        ),
        (
            (
                "Bash",
                "xxd -p a",
                "/bin/bash: line 1: xxd: command not found",
            ),
            (
                "exec_command",
                "{\"cmd\":\"xxd -p a\"}",
                "sh: 1: xxd: not found",
            ),
        ),
        (
            (
                "Bash",
                "cargo build",
                "error: could not find `Cargo.toml` in `/a/b`",
            ),
            (
                "Bash",
                "timeout 60 cargo build 2>&1 | tail",
                "error: could not find `Cargo.toml` in `/home/x`",
            ),
        ),
        (
            ("sql", "SELECT 1 FROM a", "Table 'shop.a' doesn't exist"),
            ("sql", "SELECT 2 FROM b", "Table 'hr.b' doesn't exist"),
        ),
        (
            ("fetch", "https://a", "HTTP 403"),
            ("fetch", "https://b", "HTTP 403"),
        ),
        (
            ("fetch", "https://a", "403"),
            ("mcp__web__fetch", "https://b", "403"),
        ),
        (
            ("book", "{}", "total price is 375, but paid 299"),
            ("book", "{}", "total price is 12, but paid 1.50"),
        ),
        (
            (
                "Bash",
                "git push origin x",
                "fatal: The current branch x has no upstream branch.",
            ),
            (
                "Bash",
                "git push",
                "fatal: The current branch x has no upstream branch.",
            ),
        ),
        (
            (
                "Bash",
                "sudo apt-get install -y a",
                "E: Unable to locate package a",
            ),
            ("Bash", "apt-get install a", "E: Unable to locate package a"),
        ),
        (
            (
                "Bash",
                "python a.py",
                "Traceback (most recent call last):\n  File \"/a/b.py\", line 3\nModuleNotFoundError: No module named 'yaml'",
            ),
            (
                "Bash",
                "python b.py",
                "ModuleNotFoundError: No module named 'yaml'",
            ),
        ),
        (
            ("Bash", "python3 -m pytest -q", "No module named pytest"),
            (
                "Bash",
                "cd x; python3 -m pytest tests",
                "/usr/bin/python3: No module named pytest",
            ),
        ),
        (
            (
                "Bash",
                "docker ps",
                "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.",
            ),
            (
                "Bash",
                "docker ps -a",
                "Cannot connect to the Docker daemon at tcp://1.2.3.4:2375.",
            ),
        ),
        (
            (
                "Bash",
                "make deploy",
                "make: *** [deploy] Error 2 at 10:00:01",
            ),
            (
                "Bash",
                "make deploy",
                "make: *** [deploy] Error 2 at 22:13:59",
            ),
        ),
        (
            (
                "Bash",
                "curl https://a.dev",
                "curl: (7) Failed to connect to localhost port 8080",
            ),
            (
                "Bash",
                "curl https://b.dev",
                "curl: (7) Failed to connect to localhost:9090 port 80",
            ),
        ),
        (
            ("Read", "{\"p\":1}", "open /tmp/abc123/x: bad thing"),
            ("read", "{\"p\":2}", "open /var/y: bad thing"),
        ),
        (
            (
                "Bash",
                "bash -lc 'go mod tidy'",
                "go: go.mod file not found in current directory",
            ),
            (
                "Bash",
                "go mod tidy",
                "go: go.mod file not found in current directory",
            ),
        ),
        (
            (
                "Bash",
                "./x.sh",
                "job 550e8400-e29b-41d4-a716-446655440000 lost",
            ),
            (
                "Bash",
                "./x.sh a",
                "job 123e4567-e89b-12d3-a456-426614174000 lost",
            ),
        ),
        (
            ("Bash", "git checkout 3ea751c", "commit 3ea751c087f3 is odd"),
            ("Bash", "git checkout ffa0123", "commit ffa01232222 is odd"),
        ),
        // An option before the subcommand belongs to the program.
        (
            (
                "Bash",
                "git -C a status",
                "error: unexpected argument '-C' found",
            ),
            (
                "Bash",
                "git -C b add c",
                "error: unexpected argument '-C' found",
            ),
        ),
        (
            ("book", "{}", "not enough seats on flight HAT290"),
            ("book", "{}", "not enough seats on flight HAT229"),
        ),
        (
            ("Bash", "x run", "took 3.2s, gave up"),
            ("Bash", "x run", "took 45ms, gave up"),
        ),
        (
            (
                "Bash",
                "cargo build",
                "error: failed to run custom build command for `prost-build v0.12`",
            ),
            (
                "Bash",
                "cargo build",
                "error: failed to run custom build command for `prost-build v0.13.1`",
            ),
        ),
        (
            (
                "Bash",
                "pytest -k a",
                "OperationalError: connection to server at \"127.0.0.1\", port 5432 failed: Connection refused",
            ),
            (
                "Bash",
                "pytest -x",
                "OperationalError: connection to server at \"127.0.0.2\", port 5433 failed: Connection refused",
            ),
        ),
    ] {
        assert_eq!(
            key(one.0, one.1, one.2),
            key(two.0, two.1, two.2),
            "{one:?} {two:?}"
        );
    }
}

/// Each row is two failures that look similar.
#[test]
fn another_trouble_has_another_key() {
    for (one, two) in [
        (
            ("Bash", "npm test", "Missing script: \"test\""),
            ("Bash", "npm run lint", "Missing script: \"lint\""),
        ),
        (
            ("Bash", "bun test", "unrecognized subcommand 'bun'"),
            ("Bash", "rtk bun test", "unrecognized subcommand 'bun'"),
        ),
        (
            ("Bash", "xxd a", "xxd: command not found"),
            ("Bash", "jq a", "jq: command not found"),
        ),
        (
            ("Bash", "python a.py", "No module named 'yaml'"),
            ("Bash", "python a.py", "No module named 'numpy'"),
        ),
        (("fetch", "a", "HTTP 403"), ("fetch", "a", "HTTP 404")),
        (("fetch", "a", "403"), ("fetch", "a", "500")),
        (("fetch", "a", "HTTP 403"), ("search", "a", "HTTP 403")),
        (
            ("Bash", "git push", "rejected: fetch first"),
            ("Bash", "git pull", "rejected: fetch first"),
        ),
        (
            ("Bash", "cargo build", "could not find `Cargo.toml`"),
            ("Bash", "cargo build", "no space left on device"),
        ),
        (
            ("Bash", "ls --foo", "unrecognized option '--foo'"),
            ("Bash", "ls --bar", "unrecognized option '--bar'"),
        ),
        (
            (
                "Bash",
                "git add -C a",
                "error: unexpected argument '-C' found",
            ),
            (
                "Bash",
                "git log -C b",
                "error: unexpected argument '-C' found",
            ),
        ),
        (
            ("sql", "SELECT a FROM t", "Unknown column 'a'"),
            ("sql", "SELECT a FROM t", "Table 't' doesn't exist"),
        ),
        (
            ("Bash", "docker compose up", "port is already allocated"),
            ("Bash", "docker build .", "port is already allocated"),
        ),
        (
            ("Bash", "npm run a", "exit status 1 of lint"),
            ("Bash", "npm run b", "exit status 1 of lint"),
        ),
        (
            ("Bash", "make", "make: *** No rule to make target 'a'"),
            ("Bash", "make", "make: *** No rule to make target 'b'"),
        ),
        (
            ("Bash", "x", "a must be a string"),
            ("Bash", "x", "b must be a string"),
        ),
        // What an error names is what it is about: in quotes, in backticks, with a version, as a library.
        (
            (
                "Bash",
                "uv run a.py",
                "Traceback (most recent call last):\nKeyError: 'STRIPE_KEY'",
            ),
            (
                "Bash",
                "uv run a.py",
                "Traceback (most recent call last):\nKeyError: 'user'",
            ),
        ),
        (
            (
                "Bash",
                "cargo test",
                "error[E0432]: unresolved import `anyhow`\nerror: could not compile `r` (lib)",
            ),
            (
                "Bash",
                "cargo test",
                "error[E0432]: unresolved import `clap`\nerror: could not compile `r` (lib)",
            ),
        ),
        (
            (
                "Bash",
                "cargo build",
                "error: failed to run custom build command for `prost-build v0.12`",
            ),
            (
                "Bash",
                "cargo build",
                "error: failed to run custom build command for `openssl-sys v0.9.102`",
            ),
        ),
        (
            (
                "Bash",
                "pnpm build",
                "[vite]: Rollup failed to resolve import \"@x/a\" from \"/w/a.ts\".",
            ),
            (
                "Bash",
                "pnpm build",
                "[vite]: Rollup failed to resolve import \"@x/b\" from \"/w/a.ts\".",
            ),
        ),
        (
            (
                "Bash",
                "python a.py",
                "ImportError: libpq.so.5: cannot open shared object file: No such file or directory",
            ),
            (
                "Bash",
                "python a.py",
                "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
            ),
        ),
    ] {
        assert_ne!(
            key(one.0, one.1, one.2),
            key(two.0, two.1, two.2),
            "{one:?} {two:?}"
        );
    }
}

#[test]
fn a_failure_is_named_for_people() {
    for (tool, args, error, pattern) in [
        (
            "Bash",
            "npm test",
            "npm ERR! Missing script: \"test\"",
            "npm test (Missing script: \"test\")",
        ),
        (
            "Bash",
            "xxd /etc/passwd",
            "bash: xxd: command not found",
            "xxd (command not found)",
        ),
        (
            "Bash",
            "cat a | tr -d ' -x' | md5sum",
            "tr: range-endpoints of ' -x' are in reverse collating sequence order",
            "tr (tr: range-endpoints of '…' are in reverse collating sequence order)",
        ),
        (
            "Bash",
            "cp /home/ann/a b",
            "cp: cannot stat '/home/ann/a': No such file or directory",
            "cp (cp: cannot stat '…': No such file or directory)",
        ),
        (
            "book",
            "{\"name\":\"Ann Lee\"}",
            "Error: guest 'Ann Lee' is 17, must be 18",
            "book (guest '…' is N, must be N)",
        ),
        (
            "Bash",
            "uv run a.py",
            "Traceback (most recent call last):\nKeyError: 'STRIPE_KEY'",
            "uv run a.py (KeyError: 'STRIPE_KEY')",
        ),
        (
            "Bash",
            "cargo build",
            "error: failed to run custom build command for `prost-build v0.12`",
            "cargo build (failed to run custom build command for `prost-build`)",
        ),
        (
            "Bash",
            "yard build",
            "ERROR: the crate targets oak, while elm was specified",
            "yard (the crate targets oak, while elm was specified)",
        ),
        ("Bash", "false", "Exit code 1", "false"),
    ] {
        let failure = CallFailure::from_call(&call(tool, args, Some(error))).unwrap();
        assert_eq!(failure.signature(), pattern);
    }
    let long = format!("it failed because {}", "very ".repeat(100));
    let gist = CallFailure::from_call(&call("t", "", Some(&long)))
        .unwrap()
        .gist;
    assert!(
        gist.chars().count() <= limits::GIST_CHARS && gist.ends_with('…'),
        "{gist}"
    );
}

#[test]
fn a_trace_stays_within_its_limits_and_keeps_what_is_open() {
    let mut trace = empty();
    trace.push(CleanEvent::Tool(call(
        "Bash",
        "make deploy",
        Some("no such host"),
    )));
    trace.push(CleanEvent::Tool(call("Bash", "npm test", Some("oops"))));
    for index in 0..3 * limits::TRACE_STEPS {
        trace.push(CleanEvent::Tool(call(
            "Bash",
            &format!("npm test {index}"),
            None,
        )));
    }
    assert!(trace.steps().len() <= limits::TRACE_STEPS);
    assert!(
        matches!(&trace.steps()[0].kind, StepKind::Call(call) if call.args.as_str() == "make deploy")
    );
    assert!(trace.steps()[1].position > limits::TRACE_STEPS.try_into().unwrap());
    for _ in 0..limits::TRACE_STEPS {
        trace.push(CleanEvent::Tool(call(
            "Bash",
            &"x".repeat(1800),
            Some("still open"),
        )));
    }
    assert!(trace.steps().len() <= limits::TRACE_STEPS && trace.kept_bytes <= limits::TRACE_BYTES);
    assert_eq!(
        trace.call_count(),
        2 + 4 * u32::try_from(limits::TRACE_STEPS).unwrap()
    );
}

#[test]
fn a_run_that_goes_on_has_not_ended() {
    let mut trace = empty();
    trace.push(CleanEvent::End {
        status: RunStatus::Completed,
        score: Some(0.5),
    });
    assert!(trace.end().is_some());
    trace.push(CleanEvent::Message {
        role: MessageRole::User,
        text: clean("and now?"),
    });
    assert!(trace.end().is_none());
}

#[test]
fn a_damaged_trace_is_an_error() {
    for text in [
        "",
        "{}",
        "[1]",
        // Of the version before: in its form, and in this one.
        r#"{"v":1,"run":"r","tenant":"t","agent":"a","seen":0,"calls":0,"answered":false,"steps":[]}"#,
        r#"{"v":1,"run":"r","tenant":"t","agent":"a","seen":0,"calls":0,"turn":"none","steps":[]}"#,
        r#"{"v":2,"run":" ","tenant":"t","agent":"a","seen":0,"calls":0,"turn":"none","steps":[]}"#,
        r#"{"v":2,"run":"r","tenant":"t","agent":"a","seen":0,"calls":0,"turn":"none","steps":[{"at":1,"was":{"user":{"text":"","after":"act"}}},{"at":1,"was":{"user":{"text":"","after":"act"}}}]}"#,
    ] {
        assert!(Trace::from_json(text).is_err(), "{text}");
    }
}

#[test]
fn a_stored_trace_is_read_by_its_form() {
    let text = r#"{"v":2,"run":"r","tenant":"t","agent":"a","seen":0,"calls":0,"turn":"question","steps":[{"at":1,"was":{"user":{"text":"","after":"act"}}},{"at":2,"was":{"call":{"turn":0,"tool":"Bash","args":"x","status":[null,[[0,"no"]]],"outside":true}}}]}"#;
    let trace = Trace::from_json(text).unwrap();
    assert_eq!(Trace::from_json(&trace.to_json()).unwrap(), trace);
    assert!(trace.has_read_outside());
    let errors = trace.steps()[1].call().unwrap().status.errors();
    assert_eq!(errors.map(CleanText::as_str).collect::<Vec<_>>(), ["no"]);
}

fn any_event() -> impl Strategy<Value = CleanEvent> {
    let text = "[ -~é\n]{0,30}".prop_map(CleanText::from_stored);
    prop_oneof![
        (
            text.clone(),
            text.clone(),
            proptest::option::of(text.clone()),
            any::<bool>()
        )
            .prop_map(|(tool, args, error, external)| CleanEvent::Tool(ToolCall {
                turn: 2,
                tool,
                args,
                status: error.map_or(CallStatus::Ok, CallStatus::Error),
                outside: external.then(OutsideWords::default),
            })),
        text.clone().prop_map(|text| CleanEvent::Message {
            role: MessageRole::User,
            text
        }),
        text.clone()
            .prop_map(|detail| CleanEvent::Signal(Signal::LowQuality {
                score: Some(0.25),
                detail
            })),
        text.clone()
            .prop_map(|fix| CleanEvent::Signal(Signal::RootCause {
                cause: fix.clone(),
                fix: Some(fix)
            })),
        text.prop_map(|point| CleanEvent::Signal(Signal::Review {
            fixed: vec![point; 20],
            flagged: vec![]
        })),
        Just(CleanEvent::End {
            status: RunStatus::Failed,
            score: None
        }),
    ]
}

proptest! {
    #[test]
    fn a_trace_comes_back_as_it_was(events in proptest::collection::vec(any_event(), 0..20)) {
        let mut trace = empty();
        for event in events {
            trace.push(event);
        }
        prop_assert_eq!(Trace::from_json(&trace.to_json()).unwrap(), trace);
    }
}

#[test]
fn a_call_is_told_with_its_tool_unless_it_is_a_command() {
    let check = |tool: &str, args: &str, expected: &str| {
        let told = call::parse_call(&call(tool, args, None)).describe(tool);
        assert_eq!(told.replace('\n', " / "), expected);
    };
    check("Bash", r#"{"command":"npm test"}"#, "npm test");
    check(
        "Edit",
        r#"{"file_path":"a.ts","old_string":"a","new_string":"\tb"}"#,
        "Edit / file_path: a.ts / new_string: \tb / old_string: a",
    );
    check(
        "mcp__jira__create_issue",
        r#"{"labels":["a"],"project":"OPS"}"#,
        r#"mcp__jira__create_issue / labels: ["a"] / project: OPS"#,
    );
    check(
        "apply_patch",
        "*** Begin Patch",
        "apply_patch / *** Begin Patch",
    );
}
