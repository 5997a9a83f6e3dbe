//! The journal and what it says of one lesson.

use hardwon_api::v1::journal::{ChainedEntryDto, HistoryDto, JournalPageReply, VerificationDto};
use hardwon_core::{Actor, LessonId};
use hardwon_engine::{AuditReport, LineageLink};
use hardwon_store::{
    ChainHead, Discrepancy, EntryBody, JournalComment, JournalEntry, Sha256Hash,
    journal::JournalEntryKind,
};

use crate::samples::{bare_lesson, clean, lesson, show, time};

fn entry(comment: Option<JournalComment>) -> JournalEntry {
    JournalEntry {
        sequence: 2,
        body: EntryBody {
            at: time("2026-11-20T08:30:00.123Z"),
            kind: JournalEntryKind::Status,
            lesson: LessonId(14),
            actor: Actor::person(),
            content: Sha256Hash::from_bytes([1; 32]),
            comment,
        },
        previous: Sha256Hash::from_bytes([2; 32]),
        hash: Sha256Hash::from_bytes([3; 32]),
    }
}

fn audit(discrepancies: Vec<Discrepancy>) -> AuditReport {
    AuditReport {
        head: ChainHead {
            sequence: 2,
            hash: Sha256Hash::from_bytes([3; 32]),
        },
        chain_break: None,
        discrepancies,
        faults: Vec::new(),
        lessons: 1,
    }
}

#[test]
fn entries() {
    let comment = JournalComment::new(clean("superseded by #15"));
    let erased = JournalComment::from_stored(*comment.digest(), None);
    let [full, erased, bare] = [Some(comment), Some(erased), None].map(entry);
    let view = ChainedEntryDto::from(&full);
    let altered = Discrepancy::Altered(LessonId(14));
    let golden = [
        show("ChainLinkDto", &view.link),
        show("JournalEntryDto", &view.entry),
        show("ChainedEntryDto", &view),
        show("ChainedEntryDto, erased", &ChainedEntryDto::from(&erased)),
        show("ChainedEntryDto, bare", &ChainedEntryDto::from(&bare)),
        show(
            "VerificationDto",
            &VerificationDto::from(&audit(Vec::new())),
        ),
        show(
            "VerificationDto, unsound",
            &VerificationDto::from(&audit(vec![altered])),
        ),
    ];
    insta::assert_snapshot!("journal", golden.concat());
    let page = JournalPageReply {
        entries: vec![view],
        next_after: Some(2),
    };
    insta::assert_snapshot!("journal_page", show("JournalPageReply", &page));
}

#[test]
fn histories() {
    let entries = [
        entry(None),
        entry(Some(JournalComment::new(clean("superseded by #15")))),
    ];
    let line = [
        LineageLink {
            lesson: lesson(),
            retired_by: Some(entries[1].clone()),
        },
        LineageLink {
            lesson: bare_lesson(),
            retired_by: None,
        },
    ];
    let history = HistoryDto::from_lineage(LessonId(14), &line, &entries);
    let golden = [
        show("LineageLinkDto", &history.lineage[1]),
        show("HistoryDto", &history),
    ];
    insta::assert_snapshot!("journal_history", golden.concat());
}
