//! The question at the end of a turn, asked through the door that agents use.

use super::*;

/// What Claude Code sets in a session that a person types into.
const ATTENDED: [(&str, &str); 2] = [
    ("CLAUDE_CODE_SESSION_ATTENDED", "1"),
    ("CLAUDE_CODE_SESSION_ID", "s"),
];
const ALWAYS: [(&str, &str); 1] = [("HARDWON_ASK", "always")];

impl Stage {
    fn hook_with(&self, client: &str, payload: &Value, vars: &[(&str, &str)]) -> String {
        let mut command = self.command(&["hook", "--client", client]);
        command.envs(vars.iter().copied());
        let ran = self.run(command, payload.to_string().as_bytes());
        assert_eq!((ran.code, &*ran.err), (0, ""), "{payload}");
        ran.out
    }

    /// A turn in which a command fails twice and then works; nothing is said during it.
    fn struggle(&self, session: &str) {
        let call = |id: &str, name: &str, more: Value| {
            let command = json!({"tool_name": "Bash", "tool_input": {"command": "bin/stage push out/x"}, "tool_use_id": id});
            with(with(event(session, name), command), more)
        };
        let error = json!({"error": "Exit code 71\nerror: push is refused, no desk is open"});
        for payload in [
            prompt(session, "hand the build over"),
            call("a", "PostToolUseFailure", error.clone()),
            call("b", "PostToolUseFailure", error),
            call(
                "c",
                "PostToolUse",
                json!({"tool_response": {"stdout": "ok", "interrupted": false}}),
            ),
        ] {
            let told = self.hook("claude-code", &payload);
            let is_reply = told.starts_with("[/lesson create");
            assert!(
                told.is_empty() || is_reply || told.starts_with("[LOOP DETECTED]"),
                "{told}"
            );
        }
    }

    fn answers(&self, session: &str) {
        let said = "/lesson bin/stage push: Run `bin/stage open` first; it is refused without.";
        let answer = with(stop(session, said), json!({"stop_hook_active": true}));
        assert_eq!(self.hook_with("claude-code", &answer, &ATTENDED), "");
    }

    fn stops(&self, session: &str, vars: &[(&str, &str)]) -> String {
        self.hook_with("claude-code", &stop(session, "done"), vars)
    }
}

fn is_question(out: &str) -> bool {
    let forms = [
        r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"#,
        r#"{"decision":"block","reason":"#,
    ];
    let says = forms.iter().find_map(|form| out.strip_prefix(form));
    let asks = says.is_some_and(|says| says.starts_with(r#""[TURN QUESTION]\n"#));
    assert!(asks || out.is_empty(), "{out}");
    asks
}

#[test]
fn an_agent_that_got_past_trouble_is_asked_and_answers() {
    let stage = Stage::new();
    stage.struggle("s");
    let asked = stage.stops("s", &ATTENDED);
    assert!(is_question(&asked));
    assert!(
        asked.contains("stage (push is refused, no desk is open) failed 2 times"),
        "{asked}"
    );
    let log = stage.env.ok(&["log"]);
    assert!(log.contains("no answer yet"), "{log}");
    stage.answers("s");
    let lesson = stage.env.ok(&["lesson", "show", "1"]);
    assert!(lesson.contains("failed 2 times"), "{lesson}");
    let log = stage.env.ok(&["log"]);
    assert!(log.contains("it answered with #1"), "{log}{}", stage.log());
    let json: Value =
        serde_json::from_str(stage.env.ok(&["log", "--json"]).lines().next().unwrap()).unwrap();
    assert_eq!((&json["lessons"], &json["run"]), (&json!([1]), &json!("s")));
    assert_eq!(stage.log(), "");
    // Once a session, and what is known is not asked about.
    stage.struggle("s");
    assert!(!is_question(&stage.stops("s", &ATTENDED)));
}

/// Whoever reads the last message of a run that nobody types into gets it as ever.
#[test]
fn nobody_is_asked_where_no_person_surely_types() {
    let check = |vars: &[(&str, &str)], expected: bool| {
        let stage = Stage::new();
        stage.struggle("s");
        assert_eq!(is_question(&stage.stops("s", vars)), expected, "{vars:?}");
        assert_eq!(stage.log(), "");
    };
    check(&[], false);
    check(&[ATTENDED[1], ("CLAUDE_CODE_SESSION_ATTENDED", "0")], false);
    check(&[ATTENDED[0], ATTENDED[1], ("CI", "true")], false);
    check(&[ATTENDED[0], ATTENDED[1], ("HARDWON_ASK", "off")], false);
    check(
        &[ATTENDED[0], ATTENDED[1], ("HARDWON_ASKS_PER_DAY", "0")],
        false,
    );
    check(&[ATTENDED[0], ATTENDED[1], ("HARDWON_PAUSED", "1")], false);
    check(&ALWAYS, true);
    check(&[ALWAYS[0], ("CI", "true")], true);
}

#[test]
fn an_answer_with_nothing_is_no_trouble() {
    let stage = Stage::new();
    stage.struggle("s");
    assert!(is_question(&stage.stops("s", &ALWAYS)));
    let answer = with(
        stop("s", "Nothing to add."),
        json!({"stop_hook_active": true}),
    );
    assert_eq!(stage.hook_with("claude-code", &answer, &ALWAYS), "");
    let log = stage.env.ok(&["log"]);
    assert!(log.contains("it had nothing to add"), "{log}");
    assert_eq!(stage.log(), "");
}

#[test]
fn there_is_a_limit_a_day() {
    let stage = Stage::new();
    let vars = [ALWAYS[0], ("HARDWON_ASKS_PER_DAY", "2")];
    let asked = ["a", "b", "c"].map(|session| {
        stage.struggle(session);
        is_question(&stage.stops(session, &vars))
    });
    assert_eq!(asked, [true, true, false]);
}

/// The rollout says who began the turn, and a session may change hands.
#[test]
fn codex_is_asked_in_a_terminal_and_not_by_exec() {
    let check = |began_by: &str, expected: bool| {
        let stage = Stage::new();
        let line = |by: &str| {
            format!(
                r#"{{"type":"event_msg","payload":{{"type":"task_started","turn_attribution":{{"turn_trigger":"{by}"}}}}}}"#
            )
        };
        let rollout = stage.env.write(
            "rollout-1.jsonl",
            &format!("{}\n{}\n", line("user"), line(began_by)),
        );
        stage.struggle("s");
        let payload = with(
            stop("s", "done"),
            json!({"turn_id": "t", "transcript_path": rollout}),
        );
        assert_eq!(
            is_question(&stage.hook_with("codex", &payload, &[])),
            expected,
            "{began_by}"
        );
    };
    check("user", true);
    check("exec", false);
}

/// Each client has a form of its own for it, and may be asked where its owner wants it always.
#[test]
fn every_client_whose_answer_is_heard_is_asked_in_its_own_form() {
    let check = |client: &str, payload: Value, start: &str| {
        let stage = Stage::new();
        let said = r#"{"type":"assistant.message","data":{"content":"done"}}"#;
        stage.env.write("events.jsonl", said);
        stage.struggle("s");
        let mut payload = payload;
        if client == "copilot-cli" {
            payload["transcriptPath"] = json!(stage.env.work().join("events.jsonl"));
        }
        let out = stage.hook_with(client, &payload, &ALWAYS);
        let begins = format!("{{{start}:\"[TURN QUESTION]");
        let as_expected = match start {
            "" => out.is_empty(),
            _ => out.starts_with(&begins),
        };
        assert!(as_expected, "{client}: {out}");
    };
    let block = r#""decision":"block","reason""#;
    let context = r#""hookSpecificOutput":{"hookEventName":"Stop","additionalContext""#;
    check("claude-code", stop("s", "done"), context);
    check("qwen-code", stop("s", "done"), block);
    let after = json!({"prompt_response": "done", "stop_hook_active": false});
    let after = with(event("s", "AfterAgent"), after);
    check("gemini-cli", after, r#""decision":"deny","reason""#);
    check("copilot-cli", event("s", "Stop"), block);
    for client in ["opencode", "pi"] {
        let payload =
            json!({"v": 1, "client": client, "event": "stop", "session": "s", "said": "done"});
        check(client, payload, r#""goOn""#);
    }
    // A plugin says when a person types, and when its client is over before anybody could go on.
    for (client, more, vars, expected) in [
        ("opencode", json!({"typed": true}), &[][..], true),
        ("opencode", json!({"typed": false}), &[][..], false),
        ("pi", json!({"typed": true}), &[][..], true),
        ("pi", json!({"asked": true}), &ALWAYS[..], false),
    ] {
        let stage = Stage::new();
        stage.struggle("s");
        let payload =
            json!({"v": 1, "client": client, "event": "stop", "session": "s", "said": "done"});
        let out = stage.hook_with(client, &with(payload, more), vars);
        assert_eq!(out.contains("[TURN QUESTION]"), expected, "{client} {out}");
    }
    // It does not say what its agent said, so nobody would hear the answer.
    let cursor =
        json!({"hook_event_name": "stop", "conversation_id": "s", "cursor_version": "2.0"});
    check("cursor", cursor, "");
}
