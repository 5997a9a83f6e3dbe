//! Each format's reader on a small file of its kind, and on damaged ones.

mod damage;
mod render;
mod resume;

use std::path::{Path, PathBuf};

use hardwon_engine::transcript::{self, Cursor, Source};
use render::{Reading, read_bytes};

/// The fixtures, in order: ours, and sessions of real clients recorded for the project.
fn fixtures() -> Vec<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folders = [tests.join("it/fixtures"), tests.join("transcripts")];
    transcript::sources(folders.into_iter().filter(|folder| folder.exists()))
        .map(|source| match source {
            Source::File(path) => path,
            Source::Unreadable(path, error) => panic!("{}: {error}", path.display()),
        })
        .collect()
}

fn read_file(path: &Path) -> Option<Reading> {
    read_bytes(path, &std::fs::read(path).unwrap())
}

/// The fixture's path below its folder, as a snapshot name.
fn short_name(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    let at = parts
        .iter()
        .rposition(|part| part == "fixtures" || part == "transcripts")
        .unwrap();
    parts[at + 1..].join("__")
}

#[test]
fn each_format_gives_its_events() {
    for path in fixtures() {
        let shown = read_file(&path).map_or_else(|| "not a transcript".to_owned(), |r| r.shown());
        insta::assert_snapshot!(short_name(&path), shown);
    }
}

#[test]
fn a_fixture_is_recognised_as_what_its_folder_says() {
    for path in fixtures() {
        let Some(reading) = read_file(&path) else {
            continue;
        };
        let folder = path
            .parent()
            .unwrap()
            .file_name()
            .unwrap()
            .to_string_lossy();
        assert_eq!(reading.format.name(), folder, "{}", path.display());
    }
}

#[test]
fn other_files_are_not_transcripts() {
    for other in [
        "",
        "plain words\n",
        "{\"name\":\"x\",\"version\":\"1.0.0\",\"messages\":{}}\n",
        "[1,2,3]",
        "[]",
        "{",
        "{\"type\":\"module\",\"main\":\"index.js\"}",
        "{\"ts\":\"2026\",\"event\":\"request\",\"method\":\"tools/list\"}\n",
        "# A heading\n\n> a quote\n",
    ] {
        assert!(
            read_bytes(Path::new("session.jsonl"), other.as_bytes()).is_none(),
            "{other:?}"
        );
    }
}

#[test]
fn a_cursor_starts_at_nothing() {
    let name = hardwon_core::id::RunId::parse("f").unwrap();
    assert_eq!(Cursor::start(name).offset(), 0);
}
