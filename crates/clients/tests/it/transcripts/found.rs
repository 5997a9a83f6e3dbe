//! Tests of finding transcripts: the clients' folders, and the files below a path.

use std::{ffi::OsString, fs, path::PathBuf};

use hardwon_clients::archive::{ArchiveEntry, list_entries, locate_sessions};

fn with_folders(folders: &[&str]) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for folder in folders {
        fs::create_dir_all(home.path().join(folder)).unwrap();
    }
    home
}

#[test]
fn each_client_is_looked_for_where_it_keeps_its_sessions() {
    let home = with_folders(&[
        ".claude/projects/-srv-app",
        ".codex/sessions/2026",
        ".gemini/tmp",
        ".qwen/projects",
        ".copilot/session-state",
        ".pi/agent/sessions",
        ".local/share/opencode",
        "elsewhere/sessions",
    ]);
    let database = ".local/share/opencode/opencode.db";
    fs::write(home.path().join(database), "").unwrap();
    let names = |setting: &dyn Fn(&str) -> Option<OsString>| -> Vec<String> {
        locate_sessions(home.path(), setting)
            .iter()
            .map(|found| {
                let path = found.path.strip_prefix(home.path()).unwrap();
                format!("{} {}", found.client, path.display())
            })
            .collect()
    };
    assert_eq!(
        names(&|_| None),
        [
            "claude-code .claude/projects",
            "codex .codex/sessions",
            "gemini-cli .gemini/tmp",
            "qwen-code .qwen/projects",
            "copilot-cli .copilot/session-state",
            "pi .pi/agent/sessions",
            "opencode .local/share/opencode/opencode.db",
        ]
    );
    let other = home.path().join("elsewhere/other.db");
    fs::write(&other, "").unwrap();
    for (named, expected) in [
        (other.as_os_str(), "opencode elsewhere/other.db"),
        (
            ":memory:".as_ref(),
            "opencode .local/share/opencode/opencode.db",
        ),
    ] {
        let found = names(&|name| (name == "OPENCODE_DB").then(|| named.to_owned()));
        assert!(found.contains(&expected.to_owned()), "{found:?}");
    }
    let elsewhere = home.path().join("elsewhere").into_os_string();
    let moved = names(&|name| (name == "CODEX_HOME").then(|| elsewhere.clone()));
    assert!(
        moved.contains(&"codex elsewhere/sessions".to_owned()),
        "{moved:?}"
    );
    assert!(
        !moved.contains(&"codex .codex/sessions".to_owned()),
        "{moved:?}"
    );
    let home_of_gemini = home.path().join("elsewhere").into_os_string();
    fs::create_dir_all(home.path().join("elsewhere/.gemini/tmp")).unwrap();
    let moved = names(&|name| (name == "GEMINI_CLI_HOME").then(|| home_of_gemini.clone()));
    let expected = "gemini-cli elsewhere/.gemini/tmp".to_owned();
    assert!(moved.contains(&expected), "{moved:?}");
    assert_eq!(locate_sessions(&home.path().join("nobody"), &|_| None), []);
}

#[test]
fn files_come_in_order_and_what_cannot_be_read_is_named() {
    let home = with_folders(&["b/inner", "a", ".git", "node_modules/x"]);
    for file in [
        "b/2.jsonl",
        "b/inner/1.jsonl",
        "a/z",
        ".git/HEAD",
        "node_modules/x/y",
        "c.md",
    ] {
        fs::write(home.path().join(file), "x").unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(home.path(), home.path().join("b/loop")).unwrap();
    let missing = home.path().join("missing");
    let found: Vec<String> = list_entries([home.path().to_owned(), missing, home.path().join("a")])
        .map(|source| match source {
            ArchiveEntry::File(path) => shown(&path, &home),
            ArchiveEntry::Unreadable(path, _) => format!("! {}", shown(&path, &home)),
        })
        .collect();
    assert_eq!(
        found,
        [
            "a/z",
            "b/2.jsonl",
            "b/inner/1.jsonl",
            "c.md",
            "! missing",
            "a/z"
        ]
    );
}

fn shown(path: &std::path::Path, home: &tempfile::TempDir) -> String {
    let path: PathBuf = path.strip_prefix(home.path()).unwrap().to_owned();
    path.display().to_string()
}
