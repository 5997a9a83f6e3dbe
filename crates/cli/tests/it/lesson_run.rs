//! The run behind a lesson.

use insta::assert_snapshot;

use crate::env::TestEnv;

/// One line of a Claude Code transcript.
fn claude_line(run: &str, role: &str, content: serde_json::Value) -> String {
    let message = serde_json::json!({"role": role, "content": content});
    let line = serde_json::json!({"type": role, "sessionId": run, "cwd": "/nowhere", "timestamp": "2026-03-02T09:00:00Z", "message": message});
    format!("{line}\n")
}

/// A session of Claude Code in which `npm test` fails and another script works.
pub(crate) fn session(env: &TestEnv, run: &str) -> std::path::PathBuf {
    let call = |id: &str, line: &str| serde_json::json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": line}}]);
    let result = |id: &str, failed: bool, text: &str| serde_json::json!([{"type": "tool_result", "tool_use_id": id, "is_error": failed, "content": text}]);
    let text = [
        claude_line(run, "user", "run the tests".into()),
        claude_line(run, "assistant", call("a", "npm test")),
        claude_line(
            run,
            "user",
            result("a", true, "Exit code 1\nnpm ERR! Missing script: \"test\""),
        ),
        claude_line(run, "assistant", call("b", "npm run test:unit")),
        claude_line(run, "user", result("b", false, "3 passed")),
    ];
    env.write(
        &format!("../.claude/projects/shop/{run}.jsonl"),
        &text.concat(),
    )
}

#[test]
fn the_run_behind_a_lesson_is_shown_while_it_is_there() {
    let env = TestEnv::new();
    let first = session(&env, "6f0d2c1e-0000-4000-8000-000000000001");
    let second = session(&env, "7a9be310-0000-4000-8000-000000000002");
    env.ok(&["learn"]);
    let shown = env.told(&["lesson", "show", "1"]);
    let (_, behind) = shown.split_once("\n\nrun ").expect("its run is named");
    assert_snapshot!(behind, @r#"
    7a9be310-0000-4000-8000-000000000002 of claude-code, 2026-03-02, [HOME]/.claude/projects/shop/7a9be310-0000-4000-8000-000000000002.jsonl
      failed  npm test
              npm ERR! Missing script: "test"
      ok      npm run test:unit
    "#);
    let life = env.ok(&["effect", "1"]);
    assert!(
        life.contains("2026-03-02  learned        from a run of claude-code: "),
        "{life}"
    );
    assert!(life.contains("has the steps"), "{life}");
    std::fs::remove_file(second).unwrap();
    let shown = env.told(&["lesson", "show", "1"]);
    assert!(shown.contains("\n\nrun 6f0d2c1e"), "{shown}");
    std::fs::remove_file(first).unwrap();
    let shown = env.told(&["lesson", "show", "1"]);
    assert!(!shown.contains("\n\nrun "), "{shown}");
    let life = env.ok(&["effect", "1"]);
    assert!(!life.contains("has the steps"), "{life}");
    assert!(shown.contains("\nevidence    2 runs\n"), "{shown}");
}
