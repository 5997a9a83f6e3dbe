//! Rules for every recorded session in `transcripts/`: it parses, it is small, and it holds neither the machine it was
//! made on nor the prose that ships with an agent.
//!
//! The readers' own tests cover what is read from the recordings.

use std::{
    fs,
    path::{Path, PathBuf},
};

use hardwon_clients::Client;

const README: &str = include_str!("../transcripts/README.md");

/// Returns every recording with its text, in a fixed order.
fn recordings() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let mut files: Vec<PathBuf> = entries(&root)
        .into_iter()
        .filter(|path| path.is_dir())
        .flat_map(|folder| entries(&folder))
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a recording is UTF-8");
            (path, text)
        })
        .collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .expect("the folder is in the repository")
        .map(|entry| entry.expect("it can be listed").path())
        .collect()
}

fn name(path: &Path) -> &str {
    path.file_stem()
        .and_then(|stem| stem.to_str())
        .expect("recordings have plain names")
}

#[test]
fn every_line_is_json() {
    for (path, text) in recordings() {
        let documents: Vec<&str> = match path.extension().and_then(|e| e.to_str()) {
            Some("jsonl") => text.lines().collect(),
            _ => vec![&text],
        };
        assert!(!documents.is_empty(), "{path:?} is empty");
        for document in documents {
            let value: Result<serde_json::Value, _> = serde_json::from_str(document);
            assert!(value.is_ok(), "{path:?}: {value:?}");
        }
    }
}

#[test]
fn they_are_small() {
    let all = recordings();
    for (path, text) in &all {
        assert!(text.len() < 48 * 1024, "{path:?} has {} bytes", text.len());
    }
    let total: usize = all.iter().map(|(_, text)| text.len()).sum();
    assert!(total < 1536 * 1024, "all recordings have {total} bytes");
}

#[test]
fn they_hold_nothing_of_the_machine_and_no_prompts() {
    let here = env!("CARGO_MANIFEST_DIR");
    let banned = [here, "/root/", "/Users/", "system prompt", "You are a"];
    for (path, text) in recordings() {
        for word in banned {
            assert!(!text.contains(word), "{path:?} holds {word:?}");
        }
    }
}

/// The version that the program was last tried on is that of the recordings, where the client writes it.
#[test]
fn the_newest_version_that_was_seen_is_recorded() {
    const HOOKS: &str = include_str!("../hooks/README.md");
    let recorded: Vec<&str> = Client::ALL.iter().map(|client| client.name()).collect();
    for client in Client::ALL {
        let Some(seen) = client.setup_row().seen_version else {
            continue;
        };
        let of_client = |line: &&str| line.starts_with(&format!("| `{}` |", client.name()));
        for readme in [README, HOOKS] {
            let row = readme.lines().find(of_client).unwrap_or_default();
            assert!(row.contains(seen), "{client} {seen}: {row}");
        }
    }
    for (path, text) in recordings() {
        let folder = path
            .parent()
            .map(name)
            .expect("a recording lies in a folder");
        assert!(recorded.contains(&folder), "{folder}");
        let key = match folder {
            "claude-code" => "\"version\":\"",
            "codex" => "\"cli_version\":\"",
            _ => continue,
        };
        let client = Client::from_name(folder).expect("its folder is named for it");
        let seen = client.setup_row().seen_version.expect("it was recorded");
        let (_, written) = text.split_once(key).expect("it writes its version");
        assert!(written.starts_with(seen), "{path:?}");
    }
}

#[test]
fn the_readme_names_every_agent_and_scenario() {
    let all = recordings();
    assert!(all.len() > 40, "only {} recordings found", all.len());
    for (path, _) in &all {
        let agent = path
            .parent()
            .map(name)
            .expect("a recording lies in a folder");
        for word in [agent, name(path)] {
            assert!(
                README.contains(&format!("`{word}`")),
                "the README is silent on {word}"
            );
        }
    }
}
