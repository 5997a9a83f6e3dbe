//! Tests of each format's reader on a small file of its kind, and on damaged ones.

mod damage;
mod documented;
mod found;
mod odd;
mod recorded;
mod render;
mod resume;

use std::path::{Path, PathBuf};

use hardwon_clients::{
    archive::{self, ArchiveEntry},
    transcript,
};
use hardwon_engine::transcript::TranscriptEvents as _;
use render::{Reading, read_bytes};

/// Returns the files below a folder of this crate's tests, in order.
fn files_in(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    archive::list_entries([folder])
        .map(|source| match source {
            ArchiveEntry::File(path) => path,
            ArchiveEntry::Unreadable(path, error) => panic!("{}: {error}", path.display()),
        })
        .filter(|path| path.extension().is_none_or(|e| e != "md") || !path.ends_with("README.md"))
        .collect()
}

/// Returns small files of our own making, a folder for each format.
fn fixtures() -> Vec<PathBuf> {
    files_in("it/fixtures")
}

/// Returns the fixtures, and sessions of real clients recorded for the project.
fn all_transcripts() -> Vec<PathBuf> {
    [fixtures(), files_in("transcripts")].concat()
}

fn read_file(path: &Path) -> Option<Reading> {
    read_bytes(path, &std::fs::read(path).unwrap())
}

/// Returns the fixture's path below its folder, as a snapshot name.
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
fn a_transcript_is_recognised_as_what_its_folder_says() {
    for path in all_transcripts() {
        let reading = read_file(&path).unwrap();
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
fn a_reader_reads_no_further_than_it_is_asked() {
    for path in all_transcripts() {
        let bytes = std::fs::read(&path).unwrap();
        let format = archive::recognise_format(&path, &bytes).unwrap();
        let start = transcript::ResumePoint::start(hardwon_core::id::RunId::parse("f").unwrap());
        let mut events = transcript::read_transcript(&bytes[..], format, start);
        events.next().unwrap().unwrap();
        let first = events.summary();
        assert_eq!(first.events, 1, "{}", path.display());
        assert_eq!(events.by_ref().filter(Result::is_err).count(), 0);
        let whole = events.summary();
        assert!(1 < whole.events, "{whole:?}");
        // A document may be one record.
        let is_read_on = first.bytes < whole.bytes || !format.is_resumable();
        assert!(is_read_on, "{first:?} {whole:?}");
    }
}
