//! Setting agents up: what is shown, what is written into whose files, and that it all comes out again.

use std::{fs, path::Path};

use insta::assert_snapshot;

use crate::env::TestEnv;

/// Settings as a person keeps them.
const SETTINGS: &str = "{\n  // the good one\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]\n  }\n}\n";

/// A home in which these clients left something.
fn home_of(clients: &[&str]) -> TestEnv {
    let env = TestEnv::new();
    for client in clients {
        env.write(&format!("../{client}/here"), "");
    }
    env
}

const ALL: [&str; 10] = [
    ".claude",
    ".codex",
    ".gemini",
    ".qwen",
    ".copilot",
    "config/opencode",
    ".pi/agent",
    ".cline",
    ".cursor",
    "config/goose",
];

/// Every file below a folder, with what it says.
fn tree(folder: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(&below).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            if path.is_dir() {
                files.push((name, String::new()));
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                files.push((name, String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
    files.sort();
    files
}

fn home(env: &TestEnv) -> std::path::PathBuf {
    env.work().join("..").canonicalize().unwrap()
}

fn steady(text: &str) -> String {
    text.replace(env!("CARGO_BIN_EXE_hardwon"), "[HARDWON]")
}

#[test]
fn the_plan_is_shown_before_anybody_is_asked() {
    let env = home_of(&ALL);
    env.write("../.claude/settings.json", SETTINGS);
    env.write("../.gemini/settings.json", "{ \"a\": ");
    let before = tree(&home(&env));
    assert_snapshot!(env.told(&["init"]), @"
    Claude Code
      ~/.claude/settings.json                         + 11 hooks
      ~/.claude.json                                  + the MCP server `lessons` (a new file)
    Codex
      ~/.codex/config.toml                            + the MCP server `lessons` (a new file)
      ~/.codex/hooks.json                             + 9 hooks (a new file)
      by hand: start codex, type `/hooks` and trust hardwon's hooks; it does not run them before
    Gemini CLI
      ~/.gemini/settings.json                         left alone: it is not valid JSON: Expected value after colon in object property on line 1 column 8
                                                      -> fix it, then run `hardwon init` again
    Qwen Code
      ~/.qwen/settings.json                           + 11 hooks, the MCP server `lessons` (a new file)
    Copilot CLI
      ~/.copilot/hooks/hardwon.json                   + 8 hooks (a new file)
      ~/.copilot/mcp-config.json                      + the MCP server `lessons` (a new file)
    opencode
      ~/config/opencode/plugins/hardwon.js            + a plugin (a new file)
      ~/config/opencode/opencode.json                 + the MCP server `lessons` (a new file)
    pi
      ~/.pi/agent/extensions/hardwon.ts               + a plugin (a new file)
    Cline
      ~/.cline/data/settings/cline_mcp_settings.json  + the MCP server `lessons` (a new file)
      ~/.cline/hooks                                  + 10 hooks
    Cursor
      ~/.cursor/hooks.json                            + 8 hooks (a new file)
      ~/.cursor/mcp.json                              + the MCP server `lessons` (a new file)
    goose
      ~/.agents/plugins/hardwon/plugin.json           + a plugin (a new file)
      ~/.agents/plugins/hardwon/hooks/hooks.json      + 7 hooks (a new file)
      by hand: add the MCP server with `goose configure`: a command-line extension, named lessons, that runs `hardwon mcp`
    ! hardwon: nothing was changed: there is no terminal to ask on
    ! hint: run it again with --yes
    [exit 2]
    ");
    assert_snapshot!(env.told(&["init", "--dry-run", "--client", "codex", "--client", "claude-code"]), @"
    Claude Code
      ~/.claude/settings.json  + 11 hooks
      ~/.claude.json           + the MCP server `lessons` (a new file)
    Codex
      ~/.codex/config.toml     + the MCP server `lessons` (a new file)
      ~/.codex/hooks.json      + 9 hooks (a new file)
      by hand: start codex, type `/hooks` and trust hardwon's hooks; it does not run them before
    ");
    assert_eq!(tree(&home(&env)), before);
}

#[test]
fn the_lines_that_change_are_shown() {
    let env = home_of(&[".claude"]);
    env.write("../.claude/settings.json", SETTINGS);
    let before = tree(&home(&env));
    let told = env.told(&["init", "--dry-run", "--diff"]);
    let head: Vec<&str> = told.lines().take(12).collect();
    assert_snapshot!(steady(&head.join("\n")), @r#"
    Claude Code
      ~/.claude/settings.json  + 11 hooks
      ~/.claude.json           + the MCP server `lessons` (a new file)
    ~/.claude/settings.json
        5 -     "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]
        5 +     "Stop": [{"hooks": [{"type": "command", "command": "say done"}]},
        6 +       {
        7 +         "hooks": [
        8 +           {
        9 +             "type": "command",
       10 +             "command": "[HARDWON] hook --client claude-code",
       11 +             "timeout": 10
    "#);
    assert_snapshot!(steady(&told[told.find("~/.claude.json\n").unwrap()..]), @r#"
    ~/.claude.json
        1 + {
        2 +   "mcpServers": {
        3 +     "lessons": {
        4 +       "type": "stdio",
        5 +       "command": "[HARDWON]",
        6 +       "args": ["mcp"]
        7 +     }
        8 +   }
        9 + }
    "#);
    assert_eq!(tree(&home(&env)), before);
}

#[test]
fn what_init_puts_in_uninstall_takes_out() {
    let env = home_of(&ALL);
    env.write("../.claude/settings.json", SETTINGS);
    env.write("../.codex/config.toml", "model = \"x\"\r\n");
    env.write("../.qwen/settings.json", "{}");
    let before = tree(&home(&env));
    env.ok(&["init", "--yes", "--no-learn"]);
    let with_us = tree(&home(&env));
    assert!(with_us.len() > before.len() + 20);
    assert_snapshot!(env.told(&["init", "--yes", "--no-learn", "--client", "claude-code"]), @"
    Claude Code
      nothing to change
    ");
    env.ok(&["init", "--yes", "--no-learn"]);
    assert_eq!(tree(&home(&env)), with_us);
    assert_snapshot!(env.told(&["uninstall", "--client", "claude-code", "--client", "cline"]), @"
    Claude Code
      ~/.claude/settings.json                         - 11 hooks
      ~/.claude.json                                  - the MCP server `lessons`, and deletes the file
    Cline
      ~/.cline/data/settings/cline_mcp_settings.json  - the MCP server `lessons`, and deletes the file
      ~/.cline/hooks                                  - 10 hooks
    ! hardwon: nothing was changed: there is no terminal to ask on
    ! hint: run it again with --yes
    [exit 2]
    ");
    assert_snapshot!(env.told(&["uninstall", "--yes", "--client", "claude-code"]), @"
    Claude Code
      ~/.claude/settings.json  - 11 hooks
      ~/.claude.json           - the MCP server `lessons`, and deletes the file
    done; `hardwon init` sets it up again
    ");
    let told = env.ok(&["uninstall", "--yes"]);
    assert_snapshot!(told.split_once("done;").unwrap().1, @"
     `hardwon init` sets it up again
    lessons and hardwon's own settings are kept; `hardwon uninstall --purge` deletes them
    the program is removed in the way in which it was installed (`npm uninstall --global hardwon`, `uv tool uninstall hardwon` …)
    ");
    assert_eq!(tree(&home(&env)), before);
    assert_snapshot!(env.told(&["uninstall"]), @"hardwon is in no agent's settings: nothing to remove");
}

#[test]
fn a_project_has_settings_of_its_own() {
    let env = home_of(&ALL);
    env.write(".git/HEAD", "ref: refs/heads/main\n");
    env.write("deep/er/x", "");
    let before = tree(&home(&env));
    let mut command = env.command();
    command
        .args(["init", "--project", "--yes", "--no-learn"])
        .current_dir(env.work().join("deep/er"));
    let ran = env.ran(command.output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let changed = tree(&home(&env));
    let elsewhere = changed
        .iter()
        .filter(|file| !before.contains(file))
        .find(|(name, _)| !name.starts_with("repo/"));
    assert_eq!(elsewhere, None);
    assert_snapshot!(env.told(&["init", "--project", "--dry-run", "--client", "codex"]), @"
    Codex
      nothing to change
    ");
    env.ok(&["uninstall", "--project", "--yes"]);
    assert_eq!(tree(&home(&env)), before);
    assert_snapshot!(env.told(&["init", "--project", "shop"]), @r#"
    ! hardwon: --project takes no name here, so "shop" cannot be used
    ! hint: go to the project's folder, and give --project without a name
    [exit 2]
    "#);
}

#[test]
fn entries_are_what_each_client_takes() {
    let env = home_of(&ALL);
    env.ok(&["init", "--yes", "--no-learn"]);
    let read = |path: &str| steady(&fs::read_to_string(home(&env).join(path)).unwrap());
    let json = |path: &str| -> serde_json::Value { serde_json::from_str(&read(path)).unwrap() };
    let first = |path: &str, event: &str| json(path)["hooks"][event][0].to_string();
    assert_snapshot!(first(".claude/settings.json", "PostToolUseFailure"), @r#"{"hooks":[{"command":"[HARDWON] hook --client claude-code","timeout":10,"type":"command"}]}"#);
    assert_snapshot!(json(".claude.json"), @r#"{"mcpServers":{"lessons":{"args":["mcp"],"command":"[HARDWON]","type":"stdio"}}}"#);
    assert_snapshot!(first(".codex/hooks.json", "PostToolUse"), @r#"{"hooks":[{"command":"[HARDWON] hook --client codex","timeout":10,"type":"command"}]}"#);
    assert_snapshot!(first(".codex/hooks.json", "SessionEnd"), @r#"{"hooks":[{"command":"[HARDWON] hook --client codex","timeout":3,"type":"command"}]}"#);
    assert_snapshot!(read(".codex/config.toml"), @r#"
    [mcp_servers.lessons]
    command = "[HARDWON]"
    args = ["mcp"]
    "#);
    assert_snapshot!(first(".gemini/settings.json", "AfterTool"), @r#"{"hooks":[{"command":"[HARDWON] hook --client gemini-cli","name":"hardwon","timeout":10000,"type":"command"}]}"#);
    assert_snapshot!(json(".gemini/settings.json")["mcpServers"], @r#"{"lessons":{"args":["mcp"],"command":"[HARDWON]"}}"#);
    assert_snapshot!(first(".qwen/settings.json", "StopFailure"), @r#"{"hooks":[{"command":"[HARDWON] hook --client qwen-code","name":"hardwon","timeout":10000,"type":"command"}]}"#);
    assert_snapshot!(first(".copilot/hooks/hardwon.json", "postToolUse"), @r#"{"bash":"[HARDWON] hook --client copilot-cli --event postToolUse","powershell":"[HARDWON] hook --client copilot-cli --event postToolUse","timeoutSec":10,"type":"command"}"#);
    assert_snapshot!(json(".copilot/mcp-config.json"), @r#"{"mcpServers":{"lessons":{"args":["mcp"],"command":"[HARDWON]","tools":["*"],"type":"local"}}}"#);
    assert_snapshot!(json("config/opencode/opencode.json"), @r#"{"mcp":{"lessons":{"command":["[HARDWON]","mcp"],"type":"local"}}}"#);
    assert_snapshot!(first(".cursor/hooks.json", "stop"), @r#"{"command":"[HARDWON] hook --client cursor","timeout":10}"#);
    assert_snapshot!(json(".cursor/mcp.json"), @r#"{"mcpServers":{"lessons":{"args":["mcp"],"command":"[HARDWON]"}}}"#);
    assert_snapshot!(read(".cline/hooks/PostToolUse"), @"
    #!/bin/sh
    # Written by `hardwon init`.
    exec [HARDWON] hook --client cline --event PostToolUse
    ");
    assert_snapshot!(first(".agents/plugins/hardwon/hooks/hooks.json", "Stop"), @r#"{"hooks":[{"command":"[HARDWON] hook --client goose","timeout":10,"type":"command"}]}"#);
    let goose = read(".agents/plugins/hardwon/hooks/hooks.json");
    assert!(
        !goose.contains("matcher"),
        "a matcher of \"*\" would switch the rule off: {goose}"
    );
}

/// A folder that was there stays, also an empty one; those that `init` made go.
#[test]
fn folders_are_left_as_they_were() {
    let env = TestEnv::new();
    let folder = |name: &str| home(&env).join(name);
    for name in [".cursor", ".qwen", ".clinerules", ".cline/hooks"] {
        fs::create_dir_all(folder(name)).unwrap();
    }
    let clients = ["cursor", "qwen-code", "cline", "codex", "opencode"];
    let named: Vec<&str> = clients.iter().flat_map(|it| ["--client", it]).collect();
    let run = |command: &'static str| [&[command, "--yes"], &named[..]].concat();
    let init: Vec<&str> = [&run("init")[..], &["--no-learn"]].concat();
    env.ok(&init);
    assert!(folder(".codex").is_dir() && folder("config/opencode/plugins").is_dir());
    env.ok(&run("uninstall"));
    for name in [".cursor", ".qwen", ".clinerules", ".cline/hooks"] {
        assert!(folder(name).is_dir(), "{name}");
    }
    for name in [".codex", "config/opencode", "data"] {
        assert!(!folder(name).exists(), "{name}");
    }
}

#[test]
fn folders_that_were_moved_are_found() {
    let env = TestEnv::new();
    let run = |args: &[&str]| {
        let mut command = env.command();
        let moved = |name: &str| home(&env).join("moved").join(name);
        command
            .args(args)
            .env("CLAUDE_CONFIG_DIR", moved("claude"))
            .env("CODEX_HOME", moved("codex"))
            .env("GEMINI_CLI_HOME", moved("gemini"))
            .env("QWEN_HOME", moved("qwen"))
            .env("COPILOT_HOME", moved("copilot"))
            .env("OPENCODE_CONFIG_DIR", moved("opencode"))
            .env("PI_CODING_AGENT_DIR", moved("pi"));
        env.ran(command.output().unwrap()).told()
    };
    assert_snapshot!(run(&["init"]), @"
    ! hardwon: found none of the coding agents that hardwon supports
    ! hint: it supports Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI, opencode, pi, Cline, Cursor, goose; if one of them is installed, name it, as in --client claude-code; `hardwon demo` shows how it works without one
    [exit 1]
    ");
    for client in [
        "claude",
        "codex",
        "gemini/.gemini",
        "qwen",
        "copilot",
        "opencode",
        "pi",
    ] {
        env.write(&format!("../moved/{client}/here"), "");
    }
    let before = tree(&home(&env));
    assert_snapshot!(run(&["init", "--yes", "--no-learn"]), @"
    Claude Code
      ~/moved/claude/settings.json          + 11 hooks (a new file)
      ~/moved/claude/.claude.json           + the MCP server `lessons` (a new file)
    Codex
      ~/moved/codex/config.toml             + the MCP server `lessons` (a new file)
      ~/moved/codex/hooks.json              + 9 hooks (a new file)
      by hand: start codex, type `/hooks` and trust hardwon's hooks; it does not run them before
    Gemini CLI
      ~/moved/gemini/.gemini/settings.json  + 6 hooks, the MCP server `lessons` (a new file)
    Qwen Code
      ~/moved/qwen/settings.json            + 11 hooks, the MCP server `lessons` (a new file)
    Copilot CLI
      ~/moved/copilot/hooks/hardwon.json    + 8 hooks (a new file)
      ~/moved/copilot/mcp-config.json       + the MCP server `lessons` (a new file)
    opencode
      ~/moved/opencode/plugins/hardwon.js   + a plugin (a new file)
      ~/moved/opencode/opencode.json        + the MCP server `lessons` (a new file)
    pi
      ~/moved/pi/extensions/hardwon.ts      + a plugin (a new file)

    From now on your agents are shown lessons when they matter, and every session that ends is learned from.
    Agents that are running begin with that when they are started again.
      hardwon log        shows what they were told and asked, and why
      hardwon doctor     checks whether all is well
      hardwon uninstall  takes it out of their settings again
    After a turn with failures an agent may be asked once what to remember, which costs one more turn of its model; `hardwon config set ask off` turns that off.
    Lessons are found by their words; `hardwon meaning add FILE` puts a sentence model of 12 MB beside them, which finds them in other words and other languages too (docs/meaning.md).
    ");
    run(&["uninstall", "--yes"]);
    assert_eq!(tree(&home(&env)), before);
}

/// Puts a shell script into the folder of programs.
fn program(env: &TestEnv, name: &str, text: &str) {
    let path = env.write(&format!("../bin/{name}"), &format!("#!/bin/sh\n{text}"));
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn a_program_on_the_search_path_is_called_by_its_name() {
    let env = home_of(&[".codex"]);
    program(&env, "hardwon", "");
    program(&env, "claude", "");
    let mut command = env.command();
    command
        .args(["init", "--yes", "--no-learn"])
        .env("PATH", home(&env).join("bin"));
    let ran = env.ran(command.output().unwrap());
    assert_snapshot!(ran.told(), @"
    Claude Code
      ~/.claude/settings.json  + 11 hooks (a new file)
      ~/.claude.json           + the MCP server `lessons` (a new file)
    Codex
      ~/.codex/config.toml     + the MCP server `lessons` (a new file)
      ~/.codex/hooks.json      + 9 hooks (a new file)
      by hand: start codex, type `/hooks` and trust hardwon's hooks; it does not run them before

    From now on your agents are shown lessons when they matter, and every session that ends is learned from.
    Agents that are running begin with that when they are started again.
      hardwon log        shows what they were told and asked, and why
      hardwon doctor     checks whether all is well
      hardwon uninstall  takes it out of their settings again
    After a turn with failures an agent may be asked once what to remember, which costs one more turn of its model; `hardwon config set ask off` turns that off.
    Lessons are found by their words; `hardwon meaning add FILE` puts a sentence model of 12 MB beside them, which finds them in other words and other languages too (docs/meaning.md).
    ");
    let hooks = fs::read_to_string(home(&env).join(".codex/hooks.json")).unwrap();
    assert!(hooks.contains("\"hardwon hook --client codex\""), "{hooks}");
}

#[test]
fn a_purge_leaves_a_home_as_it_was() {
    let env = TestEnv::new();
    sessions(&env);
    let before = tree(&home(&env));
    env.ok(&["init", "--yes", "--learn"]);
    env.ok(&["config", "set", "shown", "2"]);
    env.ok(&["night", "--schedule", "systemd", "--install"]);
    let with_us = tree(&home(&env));
    assert_snapshot!(env.told(&["uninstall", "--purge", "--dry-run"]), @"
    Claude Code
      ~/.claude/settings.json  - 11 hooks, and deletes the file
      ~/.claude.json           - the MCP server `lessons`, and deletes the file
    Lessons, settings and logs
      ~/data/hardwon    - the whole folder
      ~/config/hardwon  - the whole folder
      ~/.config/systemd/user/hardwon-night.service  - the nightly timer
      ~/.config/systemd/user/hardwon-night.timer  - the nightly timer
    ");
    assert_snapshot!(env.told(&["uninstall", "--purge", "--project"]), @"
    ! error: the argument '--purge' cannot be used with '--project [<NAME>]'
    ! 
    ! Usage: hardwon uninstall --purge
    ! 
    ! For more information, try '--help'.
    [exit 2]
    ");
    assert_eq!(tree(&home(&env)), with_us);
    assert_snapshot!(env.told(&["uninstall", "--purge", "--yes"]), @"
    Claude Code
      ~/.claude/settings.json  - 11 hooks, and deletes the file
      ~/.claude.json           - the MCP server `lessons`, and deletes the file
    Lessons, settings and logs
      ~/data/hardwon    - the whole folder
      ~/config/hardwon  - the whole folder
      ~/.config/systemd/user/hardwon-night.service  - the nightly timer
      ~/.config/systemd/user/hardwon-night.timer  - the nightly timer
    done; hardwon keeps nothing in its own folders any more
    the program is removed in the way in which it was installed (`npm uninstall --global hardwon`, `uv tool uninstall hardwon` …)
    ");
    assert_eq!(tree(&home(&env)), before);
    assert_snapshot!(env.told(&["uninstall", "--purge", "--yes"]), @"
    done; hardwon keeps nothing in its own folders any more
    the program is removed in the way in which it was installed (`npm uninstall --global hardwon`, `uv tool uninstall hardwon` …)
    ");
}

#[test]
fn a_purge_deletes_nothing_unasked_and_nothing_elsewhere() {
    let env = TestEnv::new();
    env.lessons(&[("make", "Run make all.")]);
    assert_snapshot!(env.told(&["uninstall", "--purge"]), @"
    Lessons, settings and logs
      ~/data/hardwon  - the whole folder
    ! hardwon: nothing was deleted: there is no terminal to ask on
    ! hint: run it again with --yes
    [exit 2]
    ");
    assert!(env.db().exists());
    let elsewhere = env.write("../mine/lessons.db", "");
    let db = elsewhere.to_string_lossy().into_owned();
    assert_snapshot!(env.told(&["uninstall", "--purge", "--yes", "--db", &db]), @"
    Lessons, settings and logs
      ~/data/hardwon  - the whole folder
      ~/repo/../mine/lessons.db is elsewhere and stays: delete it yourself
    done; hardwon keeps nothing in its own folders any more
    the program is removed in the way in which it was installed (`npm uninstall --global hardwon`, `uv tool uninstall hardwon` …)
    ");
    assert!(elsewhere.exists() && !env.db().exists());
}

/// A folder of somebody's, to which only a link is in the place of ours.
#[cfg(unix)]
#[test]
fn a_purge_follows_no_link() {
    let env = TestEnv::new();
    let kept = env.write("../mine/notes", "");
    fs::create_dir_all(env.work().join("../data")).unwrap();
    let link = env.work().join("../data/hardwon");
    std::os::unix::fs::symlink(kept.parent().unwrap(), link).unwrap();
    assert_snapshot!(env.told(&["uninstall", "--purge", "--yes"]), @"
    Lessons, settings and logs
      ~/data/hardwon  - the whole folder
    ! hardwon: deleting [HOME]/data/hardwon: it is a link
    ! hint: delete it yourself
    [exit 4]
    ");
    assert!(kept.exists());
}

/// Sessions that Claude Code left in a home.
fn sessions(env: &TestEnv) {
    let kept = crate::env::repository().join("crates/clients/tests/transcripts/claude-code");
    for name in ["missing-script", "missing-script-again"] {
        let text = fs::read_to_string(kept.join(format!("{name}.jsonl"))).unwrap();
        env.write(&format!("../.claude/projects/p/{name}.jsonl"), &text);
    }
}

#[test]
fn past_sessions_are_learned_from_only_on_request() {
    let env = TestEnv::new();
    sessions(&env);
    assert_snapshot!(env.told(&["init", "--yes"]), @"
    Claude Code
      ~/.claude/settings.json  + 11 hooks (a new file)
      ~/.claude.json           + the MCP server `lessons` (a new file)

    From now on your agents are shown lessons when they matter, and every session that ends is learned from.
    Agents that are running begin with that when they are started again.
      hardwon learn      learns from the sessions that they have left on disk
      hardwon log        shows what they were told and asked, and why
      hardwon doctor     checks whether all is well
      hardwon uninstall  takes it out of their settings again
    After a turn with failures an agent may be asked once what to remember, which costs one more turn of its model; `hardwon config set ask off` turns that off.
    Lessons are found by their words; `hardwon meaning add FILE` puts a sentence model of 12 MB beside them, which finds them in other words and other languages too (docs/meaning.md).
    ");
    assert!(!env.db().exists());
    let told = env.told(&["init", "--yes", "--learn"]);
    let (before, after) = told.split_once("2 files, ").unwrap();
    assert_snapshot!(before, @"
    Claude Code
      nothing to change

    Sessions of Claude Code are on disk:
    ");
    let (_size_and_time, after) = after.split_once('\n').unwrap();
    assert_snapshot!(after, @r#"
    2 runs in 2 transcripts: 1 lesson learned, 0 seen again, 0 to review
      3 failures seen once; each becomes a lesson when another run meets it too
    what came up most often:
      [npm test (Missing script: "test")] `npm test` fails with *Missing script: "test"*. Run `npm run test:unit` instead.
    next: `hardwon lesson list --all-projects`; each lesson is shown in its own project
    "#);
    let json = env.ok(&["init", "--yes", "--learn", "--json"]);
    assert!(json.lines().all(|line| line.starts_with('{')), "{json}");
}

#[test]
fn what_lessons_would_have_been_worth_is_said_in_a_line() {
    let env = TestEnv::new();
    crate::replay::history(&env, "../.claude/projects/p");
    let told = env.told(&["init", "--yes", "--learn"]);
    let (_, after) = told.split_once("what came up most often:").unwrap();
    assert_snapshot!(after, @r#"

      [npm test (Missing script: "test")] `npm test` fails with *Missing script: "test"*. Run `npm run test:unit` instead.
      [edit (File has not been read yet)] `edit` refuses a file that was not read in this session. Read the file first, then edit or write it.
    next: `hardwon lesson list --all-projects`; each lesson is shown in its own project
    In your last 5 sessions 5 failures had happened before; 5 would have been covered by a lesson (`hardwon replay` says which).

    From now on your agents are shown lessons when they matter, and every session that ends is learned from.
    Agents that are running begin with that when they are started again.
      hardwon log        shows what they were told and asked, and why
      hardwon doctor     checks whether all is well
      hardwon uninstall  takes it out of their settings again
    After a turn with failures an agent may be asked once what to remember, which costs one more turn of its model; `hardwon config set ask off` turns that off.
    Lessons are found by their words; `hardwon meaning add FILE` puts a sentence model of 12 MB beside them, which finds them in other words and other languages too (docs/meaning.md).
    "#);
    let json = env.ok(&["init", "--yes", "--learn", "--json"]);
    assert!(json.lines().all(|line| line.starts_with('{')), "{json}");
}

#[test]
fn json_says_what_would_be_done_and_what_was() {
    let env = home_of(&[".codex", ".gemini"]);
    env.write("../.gemini/settings.json", "[]");
    assert_snapshot!(env.told(&["init", "--json"]), @r#"
    {"done":false,"clients":[{"client":"codex","files":[{"path":"[HOME]/.codex/config.toml","change":"write","what":"the MCP server `lessons`"},{"path":"[HOME]/.codex/hooks.json","change":"write","what":"9 hooks","events":["SessionStart","UserPromptSubmit","PreToolUse","PostToolUse","Stop","SubagentStart","SubagentStop","PreCompact","SessionEnd"]}]},{"client":"gemini-cli","files":[{"path":"[HOME]/.gemini/settings.json","change":"left-alone","what":"6 hooks, the MCP server `lessons`","events":["SessionStart","BeforeAgent","BeforeTool","AfterTool","AfterAgent","SessionEnd"],"trouble":"it does not hold a JSON object","remedy":"fix or remove it, then run `hardwon init` again"}]}]}
    ! hardwon: 1 file left alone, named above
    [exit 2]
    "#);
    let ran = env.run(&["init", "--json", "--yes"]);
    let value: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (ran.code, &value["done"]),
        (2, &serde_json::Value::Bool(true))
    );
    assert_snapshot!(env.told(&["uninstall", "--json"]), @r#"{"done":false,"clients":[{"client":"codex","files":[{"path":"[HOME]/.codex/config.toml","change":"remove","what":"the MCP server `lessons`"},{"path":"[HOME]/.codex/hooks.json","change":"remove","what":"9 hooks"}]}]}"#);
}

/// Its entries could not be told from other programs'.
#[cfg(unix)]
#[test]
fn a_program_of_another_name_sets_nothing_up() {
    let env = home_of(&[".claude", ".codex"]);
    // A link, on the same file system: a copy that is still being written cannot be run, and whatever
    // another test starts meanwhile holds it open.
    let elsewhere = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let other = elsewhere.path().join("hw-release");
    fs::hard_link(env!("CARGO_BIN_EXE_hardwon"), &other).unwrap();
    let before = tree(&home(&env));
    let run = |program: &Path| {
        let mut command = std::process::Command::new(program);
        let same = env.command();
        command
            .args(["init", "--yes", "--no-learn"])
            .current_dir(env.work())
            .env_clear()
            .envs(
                same.get_envs()
                    .filter_map(|(name, value)| Some((name, value?))),
            );
        env.ran(command.output().unwrap())
    };
    let told = run(&other).told();
    let told = told.replace(elsewhere.path().to_str().unwrap(), "[ELSEWHERE]");
    assert_snapshot!(told, @"
    ! hardwon: [ELSEWHERE]/hw-release is not called hardwon, and by that name its entries in agents' settings are known
    ! hint: rename it to hardwon, or put a link of that name on the path
    [exit 2]
    ");
    assert_eq!(tree(&home(&env)), before);
    let renamed = elsewhere.path().join("hardwon");
    fs::rename(&other, &renamed).unwrap();
    let ran = run(&renamed);
    assert_eq!(ran.code, 0, "{}", ran.told());
}
