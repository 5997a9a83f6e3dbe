//! Golden bytes: an expectation here changes only together with a new version of the form.

use insta::assert_snapshot;
use proptest::prelude::*;

use hardwon_core::{
    AdmittedLesson, Arm, Cause, Evidence, EvidenceKind, FailureKey, GaussianMessage, LessonContent,
    LessonCounts, LessonTarget, ProjectId, Retirement, RunOutcome, Scope, Slug, Status, TargetKind,
    Trial, Trust, TrustClass, lesson::TRIGGERS_ENTRY,
};

use super::*;

fn clean(text: &str) -> CleanText {
    CleanText::from_stored(text.to_owned())
}

fn at(millisecond: i64) -> Timestamp {
    Timestamp::from_millisecond(millisecond).unwrap()
}

fn tenant() -> TenantId {
    TenantId::default()
}

fn full() -> Lesson {
    Lesson {
        id: LessonId(14),
        admitted: AdmittedLesson {
            scope: Scope {
                project: Some(ProjectId::parse("example.org/shop").unwrap()),
                ..Scope::default()
            },
            slug: Slug::from_text("Use a bearer fetch"),
            content: LessonContent {
                title: clean("Use a bearer fetch"),
                signature: clean("/fetch behind cloudflare"),
                text: clean("Use an Authorization-bearing fetch, not plain GET."),
                situation: Some(clean("fetching a guarded page")),
                mistake: Some(clean("used a plain GET")),
                tags: vec![clean("http"), clean("auth")],
                targets: vec![LessonTarget {
                    kind: TargetKind::Role,
                    glob: clean("crawler*"),
                }],
                tools: vec![clean("fetch")],
                reference: Some(clean("d7")),
                metadata: [("vendor".to_owned(), clean("{}"))].into(),
            },
            cause: Cause::Error,
            outcome: RunOutcome::Failure,
            evidence: vec![Evidence {
                kind: EvidenceKind::Run,
                reference: clean("r1"),
                note: Some(clean("403 three times")),
            }],
            trust: Trust::new(TrustClass::Derived, true),
            confidence: 0.5,
            failure: Some(FailureKey::new("ab12".to_owned())),
            status: Status::Pending {
                why: clean("mentions a token"),
            },
            expires_at: Some(at(2_000)),
            supersedes: vec![LessonId(3)],
            task: None,
        },
        counts: LessonCounts {
            shown: 5,
            helped: 2,
            harmed: 1,
            last_shown: Some(at(1_500)),
            contradicted: 1,
            went_well: 3,
            went_badly: 2,
            not_followed: -1,
            gaussian_message: GaussianMessage {
                precision: 5,
                shift: -7,
            },
            trial: Trial {
                shown: Arm {
                    weight: 1,
                    square: 2,
                    good: 3,
                },
                control: Arm {
                    weight: 4,
                    square: 5,
                    good: 6,
                },
            },
        },
        contradicts: vec![LessonId(4)],
        created: at(1_000),
        updated: at(1_200),
    }
}

/// Who last gave a lesson its words, and whether a person did, is read off this.
#[test]
fn an_edit_of_triggers_is_none_of_words() {
    let before = full();
    let kind_of = |edit: &dyn Fn(&mut LessonContent)| {
        let mut content = before.content.clone();
        edit(&mut content);
        let id = before.id;
        let change = Change::Revise {
            id,
            content: Box::new(content),
        };
        JournalEntryKind::from_change(&change, Some(&before)).name()
    };
    let correct = |content: &mut LessonContent| {
        let entry = clean(r#"["+npm test"]"#);
        content.metadata.insert(TRIGGERS_ENTRY.to_owned(), entry);
    };
    assert_eq!(kind_of(&correct), "triggers");
    assert_eq!(kind_of(&|content| content.tags.clear()), "revise");
    let both = |content: &mut LessonContent| {
        correct(content);
        content.text = clean("Use GET.");
    };
    assert_eq!(kind_of(&both), "revise");
    assert_eq!(kind_of(&|_| {}), "revise");
}

fn deed(lesson: i64, kind: JournalEntryKind) -> EntryBody {
    EntryBody {
        at: at(1_000),
        kind,
        lesson: LessonId(lesson),
        actor: Actor(clean("agent default")),
        content: content_hash(&full()),
        comment: None,
    }
}

/// Returns a journal entry's body with a comment.
fn remarked(lesson: i64, words: &str) -> EntryBody {
    EntryBody {
        comment: Some(JournalComment::new(clean(words))),
        ..deed(lesson, JournalEntryKind::Status)
    }
}

/// Returns a chain in which lesson 1 is added and credited, and lesson 2 added and deleted.
fn chain() -> Vec<JournalEntry> {
    let kinds = [
        (1, JournalEntryKind::Add),
        (2, JournalEntryKind::Add),
        (1, JournalEntryKind::Credit),
        (2, JournalEntryKind::Erase),
    ];
    let mut head = ChainHead::genesis(&tenant());
    kinds
        .map(|(id, kind)| {
            let entry = head.next_entry(deed(id, kind));
            head = entry.head();
            entry
        })
        .to_vec()
}

#[test]
fn bytes_never_change_meaning() {
    let entry = ChainHead::genesis(&tenant()).next_entry(deed(14, JournalEntryKind::Add));
    assert_snapshot!(entry.previous, @"d45958eaa0ddc03e942688e718a6455660ad914b0a349f1abba42b39ed462d7b");
    assert_snapshot!(entry.body.content, @"657a651e4f97db5110ee5b61770a365e12d2be78d2b8cd8e04ec8c43272c2cbe");
    assert_snapshot!(entry.hash, @"b7f1a8ef325b27bda68ca514756d730bf0410f9b572f02ad546d1a47aa11f2a6");
}

#[test]
fn the_bytes_of_a_remark_never_change_meaning() {
    let entry = ChainHead::genesis(&tenant()).next_entry(remarked(14, "archived: out of date"));
    assert_snapshot!(entry.body.comment.clone().unwrap().digest(), @"54ec4a20989937f2ec6c4fec38706c4cb797d0bdea3e0e4e710b4daadc8d8272");
    assert_snapshot!(entry.hash, @"8fc3ba4e934d8cf5f06d368ad71f0c29366f8ffe989f4d6266259c05c64676d6");
}

fn verify_chain<'a>(
    tenant: &TenantId,
    entries: impl IntoIterator<Item = &'a JournalEntry>,
) -> Result<ChainHead, ChainBreak> {
    let mut entries = entries.into_iter();
    entries.try_fold(ChainHead::genesis(tenant), ChainHead::verify_next)
}

#[test]
fn words_can_be_erased_but_not_exchanged() {
    let chain = |touch: fn(&JournalComment) -> JournalComment| {
        let mut entry =
            ChainHead::genesis(&tenant()).next_entry(remarked(14, "active: looked at it"));
        entry.body.comment = entry.body.comment.as_ref().map(touch);
        verify_chain(&tenant(), [&entry]).map(|head| head.sequence)
    };
    let altered = Err(ChainBreak::Altered(1));
    assert_eq!(chain(JournalComment::clone), Ok(1));
    assert_eq!(
        chain(|it| JournalComment::from_stored(*it.digest(), None)),
        Ok(1)
    );
    assert_eq!(
        chain(|it| JournalComment::from_stored(*it.digest(), Some(clean("active: never seen")))),
        altered
    );
    assert_eq!(
        chain(|_| JournalComment::new(clean("active: never seen"))),
        altered
    );
    let mut entry = ChainHead::genesis(&tenant()).next_entry(remarked(14, "active"));
    entry.body.comment = None;
    assert_eq!(
        verify_chain(&tenant(), [&entry]),
        Err(ChainBreak::Altered(1))
    );
}

fn archived(by: Retirement) -> Status {
    let why = clean("of no use");
    Status::Archived { by, why }
}

/// What an earlier version wrote goes on to verify, though it says less.
#[test]
fn a_lesson_in_the_former_form_is_known() {
    let former = bytes::hash_lesson_formerly(&full());
    assert_snapshot!(former, @"543b2cc89bdc9dc9d9f709c4db58d0f8f4f397119b2beb77af8aa7e8e8f0c38b");
    assert!(is_content_of(&former, &full()));
    let mut other = full();
    other.counts.went_well = 4;
    assert!(is_content_of(&former, &other) && !is_content_of(&content_hash(&full()), &other));
}

#[test]
fn everything_but_what_recalls_count_is_in_the_content_hash() {
    let changes: &[fn(&mut Lesson)] = &[
        |it| it.id = LessonId(15),
        |it| it.admitted.scope.project = None,
        |it| it.admitted.slug = Slug::from_text("other"),
        |it| it.admitted.content.title = clean("other"),
        |it| it.admitted.content.situation = None,
        |it| it.admitted.content.tags = vec![clean("httpa"), clean("uth")],
        |it| it.admitted.content.targets.clear(),
        |it| it.admitted.content.reference = None,
        |it| it.admitted.content.metadata.clear(),
        |it| it.admitted.cause = Cause::Manual,
        |it| it.admitted.outcome = RunOutcome::Mixed,
        |it| it.admitted.evidence[0].note = None,
        |it| it.admitted.trust.tainted = false,
        |it| it.admitted.confidence = 0.51,
        |it| it.admitted.failure = None,
        |it| it.admitted.status = Status::Active,
        |it| it.admitted.expires_at = None,
        |it| it.admitted.supersedes.clear(),
        |it| it.counts.helped = 3,
        |it| it.counts.contradicted = 0,
        |it| it.counts.went_well = 4,
        |it| it.counts.went_badly = 3,
        |it| it.counts.not_followed = 1,
        |it| it.counts.gaussian_message.shift = 7,
        |it| it.counts.trial.control.good = 7,
        |it| it.admitted.status = archived(Retirement::Dismissed),
        |it| it.admitted.status = archived(Retirement::NeverNeeded),
        |it| it.contradicts.clear(),
        |it| it.created = at(999),
        |it| it.updated = at(999),
    ];
    let mut seen = vec![content_hash(&full())];
    for change in changes {
        let mut lesson = full();
        change(&mut lesson);
        seen.push(content_hash(&lesson));
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), changes.len() + 1);

    let mut shown = full();
    shown.counts.shown += 1;
    shown.counts.last_shown = None;
    assert_eq!(content_hash(&shown), content_hash(&full()));
}

#[test]
fn a_chain_holds_and_breaks_where_it_was_touched() {
    let whole = chain();
    assert_eq!(verify_chain(&tenant(), &whole), Ok(whole[3].head()));
    assert_eq!(
        verify_chain(&tenant(), &[]),
        Ok(ChainHead::genesis(&tenant()))
    );
    let broken = |touch: fn(&mut Vec<JournalEntry>)| {
        let mut entries = chain();
        touch(&mut entries);
        verify_chain(&tenant(), &entries).unwrap_err().to_string()
    };
    assert_snapshot!(
        broken(|it| it[1].body.content = Sha256Hash::ZERO),
        @"entry 2 was altered after it was written"
    );
    assert_snapshot!(
        broken(|it| it[1].body.actor = Actor(clean("nobody"))),
        @"entry 2 was altered after it was written"
    );
    assert_snapshot!(
        broken(|it| drop(it.remove(1))),
        @"entry 3 stands where entry 2 should be"
    );
    assert_snapshot!(
        broken(|it| it.swap(1, 2)),
        @"entry 3 stands where entry 2 should be"
    );
    // An entry rewritten with a valid hash of its own is exposed by the one after it.
    assert_snapshot!(
        broken(|it| it[1] = it[0].head().next_entry(deed(7, JournalEntryKind::Add))),
        @"entry 3 does not continue the entry before it"
    );
}

#[test]
fn a_chain_belongs_to_its_tenant() {
    let other = TenantId::parse("other").unwrap();
    assert_eq!(
        verify_chain(&other, &chain()),
        Err(ChainBreak::BrokenLink(1))
    );
}

#[test]
fn rows_are_held_against_the_chain() {
    let ledger = || {
        chain()
            .iter()
            .fold(LessonLedger::default(), LessonLedger::apply_entry)
    };
    let row = |id: i64| Lesson {
        id: LessonId(id),
        ..full()
    };
    let told = |rows: &[Lesson]| {
        let mut ledger = ledger();
        let mut told: Vec<String> = Vec::new();
        told.extend(
            rows.iter()
                .filter_map(|row| ledger.check_row(row).err())
                .map(|it| it.to_string()),
        );
        told.extend(ledger.missing_lessons().map(|it| it.to_string()));
        told.join("\n")
    };
    assert_snapshot!(told(&[]), @"lesson #1 is gone, but the journal has no entry that deletes it");
    assert_snapshot!(told(&[row(1), row(2), row(3)]), @r"
    lesson #1 is not what its latest journal entry says it is
    lesson #2 is there, but the journal says that it was deleted
    lesson #3 is there, but the journal has no entry that adds it
    ");
}

#[test]
fn a_row_that_is_what_the_chain_says_passes() {
    let lesson = full();
    let entry = ChainHead::genesis(&tenant()).next_entry(deed(14, JournalEntryKind::Add));
    let mut ledger = LessonLedger::default().apply_entry(&entry);
    assert_eq!(ledger.check_row(&lesson), Ok(()));
    assert_eq!(ledger.missing_lessons().count(), 0);
}

proptest! {
    #[test]
    fn a_hash_reads_back(bytes: [u8; 32]) {
        let hash = Sha256Hash::from_bytes(bytes);
        prop_assert_eq!(Sha256Hash::parse(&hash.to_string()), Some(hash));
    }

    #[test]
    fn nothing_else_reads_as_a_hash(text in "[0-9a-f]{0,63}|[0-9a-f]{65,70}|.{0,70}") {
        prop_assume!(!(text.len() == 64 && text.chars().all(|c| c.is_ascii_hexdigit())));
        prop_assert_eq!(Sha256Hash::parse(&text), None);
    }
}
