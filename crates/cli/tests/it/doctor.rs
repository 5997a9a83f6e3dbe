//! What doctor says about coding agents: each trouble by its name, with the command that mends it.

use std::fs;

use insta::assert_snapshot;

use crate::env::TestEnv;

/// Puts a shell script on the search path.
fn program(env: &TestEnv, name: &str, text: &str) {
    let path = env.write(&format!("../bin/{name}"), &format!("#!/bin/sh\n{text}"));
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// Says what doctor says about agents only, and the exit code.
fn agents(env: &TestEnv) -> String {
    let told = env.told(&["doctor"]);
    let (_, agents) = told.split_once("sessions").unwrap();
    agents.split_once('\n').unwrap().1.to_owned()
}

fn json(env: &TestEnv) -> serde_json::Value {
    let ran = env.run(&["doctor", "--json"]);
    let all: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let agents = all
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| !finding["client"].is_null());
    agents.map(|finding| finding["client"].clone()).collect()
}

#[cfg(unix)]
#[test]
fn a_package_of_npm_is_not_started_for_its_version() {
    let env = TestEnv::new();
    let package = "../lib/node_modules/@google/gemini-cli";
    env.write(
        &format!("{package}/package.json"),
        r#"{"version":"0.74.2"}"#,
    );
    env.write(
        &format!("{package}/dist/package.json"),
        r#"{"type":"module"}"#,
    );
    let script = env.write(&format!("{package}/dist/index.js"), "#!/bin/sh\nsleep 60\n");
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    fs::create_dir(env.work().join("../bin")).unwrap();
    std::os::unix::fs::symlink(script, env.work().join("../bin/gemini")).unwrap();
    assert_snapshot!(agents(&env), @"
    note Gemini CLI  0.74.2, newer than 0.61.0, whose files this hardwon was tried on, not set up
                     -> hardwon init --client gemini-cli
    ");
}

#[cfg(unix)]
#[test]
fn each_agent_is_looked_at() {
    let env = TestEnv::new();
    program(&env, "hardwon", "");
    program(&env, "claude", "echo '2.1.0 (Claude Code)'");
    program(&env, "gemini", "echo no idea; exit 3");
    env.write("../.qwen/here", "");
    assert_snapshot!(agents(&env), @"
    note Claude Code 2.1.0, not set up
                     -> hardwon init --client claude-code
    note Gemini CLI  version unknown, not set up
                     -> hardwon init --client gemini-cli
    note Qwen Code   program not found, not set up
                     -> hardwon init --client qwen-code
    ");
    env.ok(&[
        "init",
        "--yes",
        "--no-learn",
        "--client",
        "claude-code",
        "--client",
        "gemini-cli",
    ]);
    env.ok(&[
        "init",
        "--yes",
        "--no-learn",
        "--client",
        "qwen-code",
        "--no-mcp",
    ]);
    assert_snapshot!(agents(&env), @"
    ok   Claude Code 2.1.0, 11 hooks, MCP, no event yet
    ok   Gemini CLI  version unknown, 6 hooks, MCP, no event yet
    note Qwen Code   program not found, 11 hooks, no event yet
                     -> nothing has run its hooks yet; if it is gone: hardwon uninstall --client qwen-code
    ");
    assert_snapshot!(json(&env), @r#"[{"client":"claude-code","hooks":11,"hooks_missing":[],"installed":true,"last_event":null,"last_event_at":null,"last_preamble_at":null,"mcp":true,"set_up":"user","version":"2.1.0"},{"client":"gemini-cli","hooks":6,"hooks_missing":[],"installed":true,"last_event":null,"last_event_at":null,"last_preamble_at":null,"mcp":true,"set_up":"user","version":null},{"client":"qwen-code","hooks":11,"hooks_missing":[],"installed":false,"last_event":null,"last_event_at":null,"last_preamble_at":null,"mcp":false,"set_up":"user","version":null}]"#);
}

#[cfg(unix)]
#[test]
fn what_is_wrong_is_named_with_what_mends_it() {
    let env = TestEnv::new();
    program(&env, "hardwon", "");
    for client in [".claude", ".gemini", ".pi/agent", ".cline", ".cursor"] {
        env.write(&format!("../{client}/here"), "");
    }
    env.ok(&["init", "--yes", "--no-learn"]);
    let change = |file: &str, from: &str, to: &str| {
        let path = env.work().join("..").join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).unwrap();
    };
    change(
        ".claude/settings.json",
        "\"PostToolUseFailure\"",
        "\"Other\"",
    );
    change(".gemini/settings.json", "}", "");
    change(".pi/agent/extensions/hardwon.ts", "pi.on", "pi.off");
    fs::remove_file(env.work().join("../.cline/hooks/PreToolUse")).unwrap();
    change(".cursor/mcp.json", "\"hardwon\"", "\"/gone/hardwon\"");
    assert_snapshot!(agents(&env), @"
    FAIL Claude Code program not found, 10 hooks, MCP, no event yet; no hook for PostToolUseFailure
                     -> hardwon init --client claude-code
    FAIL Gemini CLI  program not found, not set up; ~/.gemini/settings.json: it is not valid JSON: Unexpected token in object on line 12 column 9
                     -> fix it, then run `hardwon init` again
    FAIL pi          program not found, 7 hooks, no event yet; the plugin is from another version of hardwon
                     -> hardwon init --client pi
    FAIL Cline       program not found, 9 hooks, MCP, no event yet; no hook for PreToolUse
                     -> hardwon init --client cline
    FAIL Cursor      program not found, 8 hooks, MCP, no event yet; its hooks start /gone/hardwon, which does not exist
                     -> hardwon init --client cursor
    [exit 1]
    ");
    env.run(&["init", "--yes", "--no-learn"]);
    assert_snapshot!(agents(&env), @"
    note Claude Code program not found, 11 hooks, MCP, no event yet
                     -> nothing has run its hooks yet; if it is gone: hardwon uninstall --client claude-code
    FAIL Gemini CLI  program not found, not set up; ~/.gemini/settings.json: it is not valid JSON: Unexpected token in object on line 12 column 9
                     -> fix it, then run `hardwon init` again
    note pi          program not found, 7 hooks, no event yet
                     -> nothing has run its hooks yet; if it is gone: hardwon uninstall --client pi
    note Cline       program not found, 10 hooks, MCP, no event yet
                     -> nothing has run its hooks yet; if it is gone: hardwon uninstall --client cline
    note Cursor      program not found, 8 hooks, MCP, no event yet
                     -> nothing has run its hooks yet; if it is gone: hardwon uninstall --client cursor
    [exit 1]
    ");
}

#[cfg(unix)]
#[test]
fn codex_wants_its_hooks_trusted() {
    let env = TestEnv::new();
    program(&env, "hardwon", "");
    program(&env, "codex", "echo codex-cli 0.0.1");
    env.ok(&["init", "--yes", "--no-learn"]);
    assert_snapshot!(agents(&env), @"
    note Codex       0.0.1, 9 hooks, MCP, no event yet
                     -> start codex, type `/hooks` and trust hardwon's hooks; it does not run them before
    ");
    let event = r#"{"session_id":"s","turn_id":"t","hook_event_name":"UserPromptSubmit","prompt":"hello there"}"#;
    env.ok_with(&["hook", "--client", "codex"], event);
    assert!(agents(&env).starts_with("ok   Codex "));
}

#[test]
fn a_project_is_a_place_to_be_set_up() {
    let env = TestEnv::new();
    program(&env, "hardwon", "");
    env.write("../.cursor/here", "");
    env.write(".git/HEAD", "");
    env.ok(&[
        "init",
        "--yes",
        "--no-learn",
        "--project",
        "--client",
        "cursor",
    ]);
    assert_snapshot!(agents(&env), @"
    note Cursor      program not found, 8 hooks in this project, MCP, no event yet
                     -> nothing has run its hooks yet; if it is gone: hardwon uninstall --client cursor
    ");
}

#[test]
fn an_event_shows_that_the_hooks_work() {
    let env = TestEnv::new();
    program(&env, "hardwon", "");
    env.write("../.claude/here", "");
    env.ok(&["init", "--yes", "--no-learn"]);
    let event = r#"{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"hello there"}"#;
    env.ok_with(&["hook", "--client", "claude-code"], event);
    let told = agents(&env);
    assert!(
        told.contains("last event UserPromptSubmit ") && told.contains(" ago, no lesson shown yet"),
        "{told}"
    );
    assert_eq!(json(&env)[0]["last_event"], "UserPromptSubmit");
}

/// A client changes its files from one version to the next.
#[cfg(unix)]
#[test]
fn a_client_that_is_newer_than_what_was_tried_is_named() {
    let env = TestEnv::new();
    program(&env, "codex", "echo codex-cli 99.0.0");
    let told = agents(&env);
    assert!(
        told.contains("99.0.0, newer than ") && told.contains("was tried on"),
        "{told}"
    );
    program(&env, "codex", "echo codex-cli 0.144.0");
    assert!(!agents(&env).contains("newer than"));
}
