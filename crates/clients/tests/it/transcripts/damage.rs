//! Tests that no bytes make a reader panic, and that its events stay bounded.

use std::path::Path;

use hardwon_core::limits;
use proptest::prelude::*;

use super::{all_transcripts, render::read_bytes};

/// One way of damaging a file.
#[derive(Debug, Clone)]
enum Damage {
    Truncate(prop::sample::Index),
    Replace(prop::sample::Index, u8),
    Remove(prop::sample::Index, usize),
    Repeat(prop::sample::Index, usize),
    Insert(prop::sample::Index, &'static str),
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        match self {
            Self::Truncate(at) => bytes.truncate(at.index(bytes.len())),
            Self::Replace(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Self::Remove(at, length) => {
                let at = at.index(bytes.len());
                let end = bytes.len().min(at + length);
                bytes.drain(at..end);
            }
            Self::Repeat(at, length) => {
                let at = at.index(bytes.len());
                let end = bytes.len().min(at + length);
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            Self::Insert(at, text) => {
                let at = at.index(bytes.len());
                bytes.splice(at..at, text.bytes());
            }
        }
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    let pieces = [
        "\"", "\\", "{", "}", "[", "]", ",", ":", "\n", "null", "\u{0}", "é", "<", "1e999",
        "\\ud800",
    ];
    prop_oneof![
        any::<prop::sample::Index>().prop_map(Damage::Truncate),
        (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, b)| Damage::Replace(at, b)),
        (any::<prop::sample::Index>(), 1..200_usize).prop_map(|(at, n)| Damage::Remove(at, n)),
        (any::<prop::sample::Index>(), 1..500_usize).prop_map(|(at, n)| Damage::Repeat(at, n)),
        (
            any::<prop::sample::Index>(),
            prop::sample::select(pieces.to_vec())
        )
            .prop_map(|(at, text)| Damage::Insert(at, text)),
    ]
}

proptest! {
    #[test]
    fn a_damaged_transcript_is_read_as_far_as_it_goes(
        file in any::<prop::sample::Index>(),
        damages in prop::collection::vec(damage(), 1..8),
    ) {
        let files = all_transcripts();
        let path = &files[file.index(files.len())];
        let mut bytes = std::fs::read(path).unwrap();
        for damage in &damages {
            damage.apply(&mut bytes);
        }
        if let Some(reading) = read_bytes(path, &bytes) {
            prop_assert!(reading.summary.bytes <= bytes.len() as u64);
            for line in reading.lines {
                prop_assert!(line.len() < 4 * limits::INTAKE_BYTES);
            }
        }
    }

    #[test]
    fn any_bytes_can_be_looked_at(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let reading = read_bytes(Path::new("x"), &bytes);
        prop_assert!(reading.is_none_or(|reading| reading.summary.bytes <= bytes.len() as u64));
    }
}

#[test]
fn each_fixture_can_break_off_anywhere() {
    for path in all_transcripts() {
        let bytes = std::fs::read(&path).unwrap();
        let step = 1 + bytes.len() / 300;
        for end in (0..bytes.len()).step_by(step) {
            if let Some(reading) = read_bytes(&path, &bytes[..end]) {
                assert!(reading.summary.bytes <= end as u64, "{}", path.display());
            }
        }
    }
}
