//! Tests that a transcript that grew is read on from where it was.

use hardwon_clients::transcript::{Format, ResumePoint};
use hardwon_core::{CleanText, RawText};
use hardwon_engine::transcript::TranscriptCursor as _;

use super::{
    all_transcripts, read_file,
    render::{Reading, read_from},
};

/// Encodes a cursor and decodes it.
fn through_disk(cursor: &ResumePoint) -> ResumePoint {
    let json =
        cursor.encode(&mut |text: &RawText| CleanText::from_stored(text.expose().to_owned()));
    ResumePoint::decode(&json).unwrap()
}

/// Returns the events of a run, without its start and end.
fn happenings(lines: &[String]) -> Vec<String> {
    lines
        .iter()
        .filter(|line| !line.contains(" run agent=") && !line.contains(" end "))
        .cloned()
        .collect()
}

fn resumable() -> impl Iterator<Item = (Vec<u8>, Format, Reading)> {
    all_transcripts().into_iter().filter_map(|path| {
        let reading = read_file(&path)?;
        let format = reading.format;
        format
            .is_resumable()
            .then(|| (std::fs::read(path).unwrap(), format, reading))
    })
}

#[test]
fn reading_in_two_goes_gives_what_reading_at_once_gives() {
    for (bytes, format, whole) in resumable() {
        let expected = happenings(&whole.lines);
        let breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        for end in breaks.map(|(at, _)| at + 1) {
            // A line may be half written when the file is read for the first time.
            for half_line in [0, 7] {
                let first_end = bytes.len().min(end + half_line);
                let start = ResumePoint::start(hardwon_core::id::RunId::parse("file").unwrap());
                let first = read_from(format, start, &bytes[..first_end]);
                let cursor = through_disk(&first.summary.cursor.unwrap());
                let second = read_from(format, cursor, &bytes);
                let mut both = happenings(&first.lines);
                both.extend(happenings(&second.lines));
                assert_eq!(both, expected, "{} cut at {first_end}", format.name());
            }
        }
    }
}

#[test]
fn a_file_that_did_not_grow_gives_nothing_new() {
    for (bytes, format, whole) in resumable() {
        let cursor = through_disk(&whole.summary.cursor.unwrap());
        let again = read_from(format, cursor, &bytes);
        assert_eq!(happenings(&again.lines), Vec::<String>::new());
        assert!(again.lines.is_empty(), "{:?}", again.lines);
    }
}

#[test]
fn every_text_of_a_cursor_on_disk_was_cleaned() {
    for (bytes, format, _) in resumable() {
        let start = ResumePoint::start(hardwon_core::id::RunId::parse("file").unwrap());
        let half = read_from(format, start, &bytes[..bytes.len() / 2]);
        let cursor = half.summary.cursor.unwrap();
        let json = cursor.encode(&mut |_: &RawText| CleanText::from_stored("CLEAN".to_owned()));
        for raw in ["orchard service", "npm", "price", "/home", "/srv"] {
            assert!(!json.contains(raw), "{raw} in {json}");
        }
        for field in ["call", "tail"] {
            let texts = json.matches(&format!("\"{field}\":\"")).count();
            let cleaned = json.matches(&format!("\"{field}\":\"CLEAN\"")).count();
            assert_eq!(cleaned, texts, "{field} in {json}");
        }
    }
}

#[test]
fn a_damaged_cursor_is_none() {
    for json in [
        "",
        "{}",
        "null",
        r#"{"version":0,"name":"x","offset":0,"unnamed":0,"now":0,"runs":[]}"#,
    ] {
        assert_eq!(ResumePoint::decode(json), None);
    }
}
