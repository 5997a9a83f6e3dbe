//! The plugin folders: the same bytes each time, and every client's form.

use std::{fs, path::Path};

use insta::assert_snapshot;
use serde_json::Value;

use crate::env::{TestEnv, repository};

fn files(folder: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(&below).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn the_plugins_are_the_same_each_time() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["plugin", "out"]), @"
    wrote [HOME]/repo/out; to install it:
      Claude Code  claude plugin marketplace add [HOME]/repo/out/claude && claude plugin install hardwon@hardwon
      Codex        codex plugin marketplace add [HOME]/repo/out/claude && codex plugin add hardwon@hardwon
      Copilot CLI  copilot plugin marketplace add [HOME]/repo/out/claude && copilot plugin install hardwon@hardwon
      Qwen Code    qwen extensions install [HOME]/repo/out/claude:hardwon
      Gemini CLI   gemini extensions install [HOME]/repo/out/gemini
      opencode     copy opencode/hardwon.js to ~/.config/opencode/plugins/
      pi           copy pi/hardwon.ts to ~/.pi/agent/extensions/
    ");
    let first = files(&env.work().join("out"));
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    assert_snapshot!(names.join("\n"), @"
    agent-plugins/mcp.json
    agent-plugins/plugin.json
    agent-plugins/skills/hardwon/SKILL.md
    claude/.claude-plugin/marketplace.json
    claude/.claude-plugin/plugin.json
    claude/.mcp.json
    claude/commands/lesson.md
    claude/commands/lessons.md
    claude/commands/reflect.md
    claude/hooks/hooks.json
    claude/skills/hardwon/SKILL.md
    gemini/commands/lesson.toml
    gemini/commands/lessons.toml
    gemini/commands/reflect.toml
    gemini/gemini-extension.json
    gemini/hooks/hooks.json
    gemini/skills/hardwon/SKILL.md
    opencode/hardwon.js
    pi/hardwon.ts
    server.json
    ");
    env.ok(&["plugin", "out"]);
    assert_eq!(files(&env.work().join("out")), first);
    env.write("theirs/file", "");
    assert_snapshot!(env.told(&["plugin", "theirs"]), @"
    ! hardwon: theirs is not empty
    ! hint: name a folder that is not there yet
    [exit 2]
    ");
}

#[test]
fn each_file_is_what_its_client_reads() {
    let env = TestEnv::new();
    env.ok(&["plugin"]);
    let folder = env.work().join("hardwon-plugin");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let json = |name: &str| -> Value { serde_json::from_str(&read(name)).unwrap() };
    let version = env!("CARGO_PKG_VERSION");
    let steady = |value: &Value| value.to_string().replace(version, "[VERSION]");

    assert_snapshot!(steady(&json("claude/.claude-plugin/plugin.json")), @r#"{"author":{"name":"The hardwon authors"},"description":"Lessons your agents learn once: what failed before, at the moment it matters.","license":"MIT OR Apache-2.0","name":"hardwon","version":"[VERSION]"}"#);
    assert_snapshot!(steady(&json("claude/.claude-plugin/marketplace.json")), @r#"{"description":"Lessons your agents learn once: what failed before, at the moment it matters.","name":"hardwon","owner":{"name":"hardwon"},"plugins":[{"description":"Lessons your agents learn once: what failed before, at the moment it matters.","name":"hardwon","source":"./","version":"[VERSION]"}]}"#);
    assert_snapshot!(json("claude/.mcp.json"), @r#"{"mcpServers":{"lessons":{"args":["mcp"],"command":"hardwon"}}}"#);
    assert_snapshot!(json("claude/hooks/hooks.json")["hooks"]["PostToolUse"], @r#"[{"hooks":[{"command":"sh -c 'command -v hardwon >/dev/null 2>&1 || PATH=\"$PATH:$HOME/.local/bin:$HOME/.cargo/bin:/usr/local/bin:/opt/homebrew/bin:/home/linuxbrew/.linuxbrew/bin:$HOME/.npm-global/bin:$HOME/.local/share/pnpm:$HOME/.bun/bin\"; command -v hardwon >/dev/null 2>&1 && exec hardwon hook; case \"$(cat)\" in *\\\"SessionStart\\\"*) echo \"{\\\"systemMessage\\\":\\\"the hardwon plugin does nothing yet, because the program is not installed: run \\`npm install --global hardwon\\` or \\`uv tool install hardwon\\`, then start a new session\\\"}\";; esac'","commandWindows":"hardwon hook","timeout":10,"type":"command"}]}]"#);
    assert_snapshot!(steady(&json("gemini/gemini-extension.json")), @r#"{"description":"Lessons your agents learn once: what failed before, at the moment it matters.","mcpServers":{"lessons":{"args":["mcp"],"command":"hardwon"}},"name":"hardwon","version":"[VERSION]"}"#);
    assert_snapshot!(json("gemini/hooks/hooks.json")["hooks"]["AfterTool"], @r#"[{"hooks":[{"command":"sh -c 'command -v hardwon >/dev/null 2>&1 || PATH=\"$PATH:$HOME/.local/bin:$HOME/.cargo/bin:/usr/local/bin:/opt/homebrew/bin:/home/linuxbrew/.linuxbrew/bin:$HOME/.npm-global/bin:$HOME/.local/share/pnpm:$HOME/.bun/bin\"; command -v hardwon >/dev/null 2>&1 && exec hardwon hook --client gemini-cli; case \"$(cat)\" in *\\\"SessionStart\\\"*) echo \"{\\\"systemMessage\\\":\\\"the hardwon plugin does nothing yet, because the program is not installed: run \\`npm install --global hardwon\\` or \\`uv tool install hardwon\\`, then start a new session\\\"}\";; esac'","name":"hardwon","timeout":10000,"type":"command"}]}]"#);
    assert_snapshot!(json("agent-plugins/mcp.json"), @r#"{"$schema":"https://agent-plugins.org/schemas/1.0.0/mcp.schema.json","mcpServers":{"lessons":{"args":["mcp"],"command":"hardwon","type":"stdio"}}}"#);
    assert_snapshot!(read("claude/commands/lesson.md"), @r#"
    ---
    description: "Record a lesson"
    argument-hint: "<what calls for it>: <what to do or avoid>"
    ---

    Record this lesson word for word, with the tool `record` of the MCP server `lessons`. Without that tool, run `hardwon writ` and give it the line on stdin. Do nothing else, and answer with the number that the lesson got.

    /lesson $ARGUMENTS
    "#);
    assert_snapshot!(read("gemini/commands/lesson.toml"), @r#"
    description = "Record a lesson"
    prompt = """
    Record this lesson word for word, with the tool `record` of the MCP server `lessons`. Without that tool, run `hardwon writ` and give it the line on stdin. Do nothing else, and answer with the number that the lesson got.

    /lesson {{args}}"""
    "#);

    // The repository has what is published.
    let published = fs::read_to_string(repository().join("server.json")).unwrap();
    assert_eq!(read("server.json"), published);
    // With the common manifest beside them, two clients would run no hooks.
    assert!(!folder.join("claude/plugin.json").exists());
    for (name, text) in files(&folder) {
        if name.ends_with(".toml") {
            text.parse::<toml_edit::DocumentMut>().unwrap();
        }
        assert!(text.ends_with('\n') && !text.contains('\r'), "{name}");
    }
}

#[test]
fn a_program_elsewhere_is_named_in_every_plugin() {
    let env = TestEnv::new();
    env.ok(&["plugin", "out", "--program", "/opt/a b/hardwon"]);
    let starts = files(&env.work().join("out"));
    let starts = starts
        .iter()
        .filter(|(_, text)| text.contains("/opt/a b/hardwon"));
    let names: Vec<&str> = starts.map(|(name, _)| name.as_str()).collect();
    assert_snapshot!(names.join(" "), @"agent-plugins/mcp.json claude/.mcp.json claude/hooks/hooks.json gemini/gemini-extension.json gemini/hooks/hooks.json opencode/hardwon.js pi/hardwon.ts");
}
