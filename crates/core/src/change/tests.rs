//! Decisions as tables: what exists, what comes in, what changes.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;
use crate::{
    LessonTarget, Retirement, Scope, TrustClass,
    evidence::EvidenceKind,
    lesson::{Cause, TargetKind},
};

mod lineage;
mod relations;
mod restated;

fn clean(text: &str) -> CleanText {
    CleanText::from_stored(text.to_owned())
}

fn content(text: &str) -> LessonContent {
    let mut content = LessonContent::new(clean(""), clean(text));
    content.title = clean(text);
    content
}

fn source(reference: &str) -> Evidence {
    Evidence {
        kind: EvidenceKind::Run,
        reference: clean(reference),
        note: None,
    }
}

fn admitted(content: LessonContent, class: TrustClass, run: &str) -> AdmittedLesson {
    AdmittedLesson {
        scope: Scope::default(),
        slug: Slug::from_text(content.text.as_str()),
        content,
        cause: Cause::Error,
        outcome: RunOutcome::Failure,
        evidence: vec![source(run)],
        trust: Trust::untainted(class),
        confidence: 0.5,
        failure: None,
        status: Status::Active,
        expires_at: None,
        supersedes: Vec::new(),
        task: None,
    }
}

fn derived(text: &str, run: &str) -> AdmittedLesson {
    admitted(content(text), TrustClass::Derived, run)
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn lesson(id: i64, admitted: AdmittedLesson) -> Lesson {
    let id = LessonId(id);
    let admitted = Box::new(admitted);
    apply_change(None, &Change::Add { id, admitted }, at(1))
        .unwrap()
        .unwrap()
}

fn known(near: Vec<Lesson>) -> DecisionContext {
    DecisionContext {
        next_id: LessonId(9),
        similar: near,
        replaced: Vec::new(),
        learned_count: 0,
        eviction_candidates: Vec::new(),
    }
}

/// Returns active lessons without any outcome.
fn standings(ids: [i64; 3]) -> Vec<EvictionCandidate> {
    let lessons = ids.map(|id| lesson(id, derived("use spaces", "r1")));
    lessons.iter().map(EvictionCandidate::from).collect()
}

/// Renders a decision, one change a line.
fn shown(decision: &LessonDecision) -> String {
    let mut lines = vec![format!("{:?} {}", decision.outcome, decision.lesson)];
    for change in &decision.changes {
        let id = change.lesson_id();
        lines.push(match change {
            Change::Add { admitted, .. } => format!("add {id} {}", admitted.content.text),
            Change::Reinforce { evidence, .. } => {
                let runs: Vec<&str> = evidence.iter().map(|it| it.reference.as_str()).collect();
                format!("reinforce {id} {}", runs.join(" "))
            }
            Change::Retract { .. } => format!("retract {id}"),
            Change::Vouch { trust, .. } => format!("vouch {id} {}", trust.class.name()),
            Change::Revise { .. } => format!("revise {id}"),
            Change::Amend { .. } => format!("amend {id}"),
            Change::SetStatus { status, .. } => match status {
                Status::Superseded { by } => format!("{id} superseded by {by}"),
                status => format!("{id} {}", status.name()),
            },
            Change::Approve { .. } => format!("{id} approved"),
            Change::Supersede { by, .. } => format!("{id} superseded by {by}"),
            Change::Contradict { other, .. } => format!("{id} contradicts {other}"),
            Change::Move { project, .. } => {
                let name = project
                    .as_ref()
                    .map_or("everywhere", ProjectId::display_name);
                format!("{id} moved to {name}")
            }
            Change::Credit { .. } => format!("credit {id}"),
            Change::Erase { .. } => format!("delete {id}"),
        });
    }
    lines.join("\n")
}

fn decided(new: AdmittedLesson, known: &DecisionContext) -> String {
    shown(&decide_admission(new, known, 1000, at(10)))
}

#[test]
fn exact_duplicates_need_the_same_name_too() {
    let named = |text: &str, name: &str| {
        let mut content = content(text);
        content.reference = Some(clean(name));
        content
    };
    let (a, b) = (named("use  tabs.", "d1"), named("use tabs", "d1"));
    assert!(meaning::is_exact(&a, &b));
    assert_eq!(twin_key(&a), twin_key(&b));
    assert!(!meaning::is_exact(&a, &named("use tabs", "d2")));
    assert_ne!(twin_key(&a), twin_key(&named("use tabs", "d2")));
}

#[test]
fn a_new_lesson_is_added() {
    assert_snapshot!(decided(derived("use tabs", "r1"), &known(vec![])), @r"
    Added #9
    add #9 use tabs
    ");
}

#[test]
fn what_is_learned_again_is_reinforced_once_per_source() {
    let there = known(vec![lesson(1, derived("use tabs", "r1"))]);
    assert_snapshot!(decided(derived("always use tabs", "r2"), &there), @r"
    Reinforced #1
    reinforce #1 r2
    ");
    assert_snapshot!(decided(derived("use tabs", "r1"), &there), @"Known #1");
}

#[test]
fn an_active_twin_is_preferred() {
    let mut old = derived("use tabs", "r1");
    old.status = Status::Superseded { by: LessonId(2) };
    let there = known(vec![
        lesson(1, old),
        lesson(2, derived("always use tabs", "r1")),
    ]);
    assert_snapshot!(decided(derived("use tabs", "r2"), &there), @r"
    Reinforced #2
    reinforce #2 r2
    ");
}

#[test]
fn only_a_person_or_want_of_room_brings_back_what_left() {
    let with_status = |status: Status| {
        let mut old = derived("use tabs", "r1");
        old.status = status;
        known(vec![lesson(1, old)])
    };
    let why = clean("rejected");
    let pending = with_status(Status::Pending { why: why.clone() });
    let rejected = with_status(Status::Archived {
        by: Retirement::Dismissed,
        why,
    });
    let person = || admitted(content("use tabs"), TrustClass::Person, "chat");
    assert_snapshot!(decided(derived("use tabs", "r2"), &pending), @r"
    Reinforced #1
    reinforce #1 r2
    ");
    assert_snapshot!(decided(derived("use tabs", "r2"), &rejected), @r"
    Reinforced #1
    reinforce #1 r2
    ");
    assert_snapshot!(decided(person(), &rejected), @"
    Revived #1
    vouch #1 person
    reinforce #1 chat
    #1 active
    ");
    let retracted = with_status(withdrawn_status());
    assert_snapshot!(decided(derived("use tabs", "r2"), &retracted), @"
    Revived #1
    reinforce #1 r2
    #1 active
    ");
    let left = with_status(evicted_status());
    assert_snapshot!(decided(derived("use tabs", "r1"), &left), @"Known #1");
    assert_snapshot!(decided(derived("use tabs", "r2"), &left), @"
    Revived #1
    reinforce #1 r2
    #1 active
    ");
}

#[test]
fn what_expired_is_learned_anew() {
    let mut old = derived("use tabs", "r1");
    old.expires_at = Some(at(5));
    let there = known(vec![lesson(1, old)]);
    assert_snapshot!(decided(derived("use tabs", "r2"), &there), @r"
    Added #9
    add #9 use tabs
    #1 superseded by #9
    ");
}

#[test]
fn what_a_sweep_archived_comes_back_when_it_is_learned_again() {
    let archived = |by: Retirement, words: &str| {
        let mut old = derived("use tabs", "r1");
        old.status = Status::Archived {
            by,
            why: clean(words),
        };
        known(vec![lesson(1, old)])
    };
    let expired = archived(Retirement::Expired, "expired on 2026-11-01");
    assert_snapshot!(decided(derived("use tabs", "r2"), &expired), @"
    Added #9
    add #9 use tabs
    #1 superseded by #9
    ");
    let unused = archived(Retirement::NeverNeeded, "in any words");
    assert_snapshot!(decided(derived("use tabs", "r1"), &unused), @"
    Revived #1
    #1 active
    ");
    // Words decide nothing.
    let dismissed = archived(Retirement::Dismissed, "never shown in 180 days");
    assert_snapshot!(decided(derived("use tabs", "r2"), &dismissed), @"
    Reinforced #1
    reinforce #1 r2
    ");
    // A person who says it once more, later, means it; the session that they took it out of goes on.
    let corrected = |run| AdmittedLesson {
        cause: Cause::Correction,
        ..derived("use tabs", run)
    };
    assert_snapshot!(decided(corrected("r1"), &dismissed), @"Known #1");
    assert_snapshot!(decided(corrected("r2"), &dismissed), @"
    Revived #1
    reinforce #1 r2
    #1 active
    ");
}

#[test]
fn opposites_are_kept_and_marked() {
    let there = known(vec![lesson(1, derived("use tabs", "r1"))]);
    assert_snapshot!(decided(derived("avoid tabs", "r2"), &there), @r"
    Added #9
    add #9 avoid tabs
    #9 contradicts #1
    #1 contradicts #9
    ");
    // The same words, and the same advice.
    let there = known(vec![lesson(
        1,
        derived("Never use `npm install`, use `pnpm add`.", "r1"),
    )]);
    let again = admitted(
        LessonContent::new(clean("npm install"), clean("Never use it, use `pnpm add`.")),
        TrustClass::Derived,
        "r2",
    );
    assert_snapshot!(decided(again, &there), @"
    Added #9
    add #9 Never use it, use `pnpm add`.
    ");
}

#[test]
fn what_a_person_says_later_takes_back_the_opposite() {
    let said = |text: &str, run: &str| AdmittedLesson {
        cause: Cause::Correction,
        ..derived(text, run)
    };
    let there = known(vec![
        lesson(1, said("use tabs", "r1")),
        lesson(2, derived("use tabs", "r1")),
    ]);
    assert_snapshot!(decided(said("avoid tabs", "r2"), &there), @r"
    Added #9
    add #9 avoid tabs
    #1 superseded by #9
    #9 contradicts #2
    #2 contradicts #9
    ");
}

#[test]
fn a_better_one_supersedes_unless_its_word_is_worse_or_it_waits() {
    let old = |class| lesson(1, admitted(content("use tabs"), class, "r1"));
    let replace = |class, new: &dyn Fn(&mut AdmittedLesson)| {
        let mut there = known(vec![old(class)]);
        there.replaced = there.similar.clone();
        let mut admitted = derived("avoid tabs", "r2");
        admitted.supersedes = vec![LessonId(1)];
        new(&mut admitted);
        decided(admitted, &there)
    };
    assert_snapshot!(replace(TrustClass::Derived, &|_| {}), @r"
    Added #9
    add #9 avoid tabs
    #1 superseded by #9
    ");
    assert_snapshot!(replace(TrustClass::Person, &|_| {}), @"
    Added #9
    add #9 avoid tabs
    #9 contradicts #1
    #1 contradicts #9
    ");
    assert_snapshot!(replace(TrustClass::Derived, &|it| it.trust.tainted = true), @"
    Added #9
    add #9 avoid tabs
    #9 contradicts #1
    #1 contradicts #9
    ");
    let waits = |it: &mut AdmittedLesson| {
        it.status = Status::Pending {
            why: clean("policy"),
        }
    };
    assert_snapshot!(replace(TrustClass::Derived, &waits), @"
    Added #9
    add #9 avoid tabs
    #9 contradicts #1
    #1 contradicts #9
    ");
}

#[test]
fn a_full_scope_makes_room() {
    let mut there = known(vec![]);
    there.learned_count = 3;
    there.eviction_candidates = standings([4, 2, 7]);
    let room = |class, capacity| {
        let new = admitted(content("use tabs"), class, "r1");
        shown(&decide_admission(new, &there, capacity, at(10)))
    };
    assert_snapshot!(room(TrustClass::Derived, 4), @r"
    Added #9
    add #9 use tabs
    ");
    assert_snapshot!(room(TrustClass::Derived, 3), @r"
    Added #9
    #2 archived
    add #9 use tabs
    ");
    assert_snapshot!(room(TrustClass::Derived, 1), @r"
    Added #9
    #2 archived
    #4 archived
    #7 archived
    add #9 use tabs
    ");
    assert_snapshot!(room(TrustClass::Person, 1), @r"
    Added #9
    add #9 use tabs
    ");
}

#[test]
fn a_lesson_moves_where_it_is_news() {
    let moved = lesson(2, derived("use tabs", "r1"));
    let project = ProjectId::parse("orchard").unwrap();
    let decided = |there: &DecisionContext, capacity, project| {
        relocate_lesson(&moved, project, there, capacity, at(10)).map(|changes| {
            shown(&LessonDecision {
                lesson: moved.id,
                outcome: DecisionOutcome::Known,
                changes,
            })
        })
    };
    let mut there = known(vec![lesson(1, derived("avoid tabs", "r2"))]);
    (there.learned_count, there.eviction_candidates) = (3, standings([4, 5, 7]));
    assert_snapshot!(decided(&there, 3, Some(&project)).unwrap(), @"
    Known #2
    #4 archived
    #2 moved to orchard
    #2 contradicts #1
    #1 contradicts #2
    ");
    assert_snapshot!(decided(&there, 9, None).unwrap(), @"Known #2");
    there.similar.push(lesson(3, derived("use tabs", "r3")));
    assert_eq!(
        decided(&there, 9, Some(&project)),
        Err(CurationError::Duplicate(LessonId(3)))
    );
}

#[test]
fn approval_makes_active_and_supersedes() {
    let there = DecisionContext {
        replaced: vec![lesson(1, derived("use tabs", "r1"))],
        learned_count: 3,
        eviction_candidates: standings([4, 5, 7]),
        ..known(Vec::new())
    };
    let mut waiting = lesson(2, derived("avoid tabs", "r2"));
    waiting.admitted.status = Status::Pending { why: clean("why") };
    let approved = |lesson: &Lesson, capacity| {
        shown(&LessonDecision {
            lesson: lesson.id,
            outcome: DecisionOutcome::Reinforced,
            changes: approve_lesson(lesson, &there, capacity, None, at(10)),
        })
    };
    assert_snapshot!(approved(&waiting, 9), @"
    Reinforced #2
    #2 approved
    #1 superseded by #2
    ");
    assert_snapshot!(approved(&waiting, 3), @"
    Reinforced #2
    #4 archived
    #2 approved
    #1 superseded by #2
    ");
    waiting.admitted.trust = Trust::untainted(TrustClass::Person);
    assert_snapshot!(approved(&waiting, 3), @"
    Reinforced #2
    #2 approved
    #1 superseded by #2
    ");
    // A lesson that was taken out for harm starts anew.
    waiting.admitted.status = Status::Quarantined { why: clean("why") };
    assert_snapshot!(approved(&waiting, 3), @r"
    Reinforced #2
    credit #2
    #2 approved
    #1 superseded by #2
    ");
}

#[test]
fn a_step_that_changes_nothing_changes_nothing() {
    let there = lesson(1, derived("use tabs", "r1"));
    let id = there.id;
    for change in [
        Change::Reinforce {
            id,
            evidence: vec![source("r1")],
        },
        Change::Vouch {
            id,
            trust: there.trust,
        },
        Change::Revise {
            id,
            content: Box::new(there.content.clone()),
        },
        Change::Amend {
            id,
            outcome: there.outcome,
            confidence: there.confidence,
            expires_at: there.expires_at,
            trust: Trust::untainted(TrustClass::Person),
        },
        Change::SetStatus {
            id,
            status: Status::Active,
        },
        Change::Approve { id, why: None },
        Change::Credit {
            id,
            delta: RecordDelta::default(),
        },
    ] {
        let after = apply_change(Some(there.clone()), &change, at(99))
            .unwrap()
            .unwrap();
        assert_eq!(after, there, "{change:?}");
    }
}

#[test]
fn a_review_replaces_the_name_that_the_words_gave() {
    let mut there = lesson(1, derived("use tabs", "r1"));
    let revise = |before: &Lesson| {
        let change = Change::Revise {
            id: before.id,
            content: Box::new(content("use spaces")),
        };
        let after = apply_change(Some(before.clone()), &change, at(99));
        after.unwrap().unwrap().slug.to_string()
    };
    assert_eq!(revise(&there), "use-tabs", "it may have a file");
    there.admitted.status = Status::Pending { why: clean("odd") };
    assert_eq!(revise(&there), "use-spaces");
    there.admitted.slug = Slug::from_text("how we indent");
    assert_eq!(revise(&there), "how-we-indent", "a file has this name");
}

#[test]
fn a_change_says_what_it_did_without_the_lessons_words() {
    let id = LessonId(1);
    let set = |status| Change::SetStatus { id, status };
    let why = || clean("too old");
    let mut waiting = Box::new(derived("SECRET WORDS", "r1"));
    let add = |admitted: &AdmittedLesson| Change::Add {
        id,
        admitted: Box::new(admitted.clone()),
    };
    let active = add(&waiting);
    waiting.status = Status::Pending { why: why() };
    let changes = [
        active,
        add(&waiting),
        Change::Reinforce {
            id,
            evidence: vec![source("r2"), source("r3")],
        },
        Change::Vouch {
            id,
            trust: Trust::untainted(TrustClass::Person),
        },
        Change::Revise {
            id,
            content: Box::new(content("SECRET WORDS")),
        },
        Change::Amend {
            id,
            outcome: RunOutcome::Mixed,
            confidence: 0.5,
            expires_at: None,
            trust: Trust::untainted(TrustClass::Imported),
        },
        set(Status::Quarantined { why: why() }),
        set(Status::Superseded { by: LessonId(7) }),
        Change::Approve { id, why: None },
        Change::Approve {
            id,
            why: Some(clean("looked at it")),
        },
        Change::Contradict {
            id,
            other: LessonId(4),
        },
        Change::Credit {
            id,
            delta: RecordDelta {
                helped: 1,
                went_badly: -1,
                ..RecordDelta::default()
            },
        },
        Change::Credit {
            id,
            delta: RecordDelta::default(),
        },
        Change::Erase { id },
    ];
    let told = changes.map(|change| {
        let remark = change.comment().unwrap_or_default();
        let name = format!("{change:?}");
        format!("{}: {remark}", name.split(' ').next().unwrap())
    });
    assert_snapshot!(told.join("\n"), @"
    Add: 
    Add: pending: too old
    Reinforce: run r2, run r3
    Vouch: person
    Revise: 
    Amend: imported
    SetStatus: quarantined: too old
    SetStatus: superseded by #7
    Approve: active
    Approve: active: looked at it
    Contradict: #4
    Credit: helped 1, went badly -1
    Credit: belief
    Erase:
    ");
    let long = Change::Approve {
        id,
        why: Some(clean(&"é".repeat(5_000))),
    };
    let length = long.comment().unwrap().as_str().chars().count();
    assert_eq!(length, limits::COMMENT_CHARS);
}

#[test]
fn an_edit_never_raises_trust() {
    let there = lesson(1, derived("use tabs", "r1"));
    let trust = |class| {
        let amend = Change::Amend {
            id: there.id,
            outcome: RunOutcome::Mixed,
            confidence: f64::NAN,
            expires_at: Some(at(7)),
            trust: Trust::untainted(class),
        };
        let after = apply_change(Some(there.clone()), &amend, at(2))
            .unwrap()
            .unwrap();
        assert_eq!(after.confidence, limits::CONFIDENCE_DEFAULT);
        assert_eq!(
            (after.outcome, after.expires_at),
            (RunOutcome::Mixed, Some(at(7)))
        );
        after.trust.class
    };
    assert_eq!(trust(TrustClass::Person), TrustClass::Derived);
    assert_eq!(trust(TrustClass::Imported), TrustClass::Imported);
}

#[test]
fn steps_fit_or_say_why_not() {
    let there = || lesson(1, derived("use tabs", "r1"));
    let id = LessonId(1);
    let admitted = Box::new(derived("x", "r"));
    let add = Change::Add { id, admitted };
    assert_eq!(
        apply_change(Some(there()), &add, at(2)),
        Err(ChangeError::AlreadyExists(id))
    );
    let delete = Change::Erase { id };
    assert_eq!(
        apply_change(None, &delete, at(2)),
        Err(ChangeError::Missing(id))
    );
    assert_eq!(apply_change(Some(there()), &delete, at(2)), Ok(None));
}

#[test]
fn of_too_much_evidence_the_first_and_the_newest_stay() {
    let mut there = lesson(1, derived("use tabs", "r0"));
    for run in 1..100 {
        let change = Change::Reinforce {
            id: there.id,
            evidence: vec![source(&format!("r{run}"))],
        };
        there = apply_change(Some(there), &change, at(2)).unwrap().unwrap();
    }
    let kept: Vec<&str> = there
        .evidence
        .iter()
        .map(|it| it.reference.as_str())
        .collect();
    assert_eq!(kept.len(), limits::EVIDENCE_ENTRIES);
    assert_eq!((kept[0], kept[1], kept[31]), ("r0", "r69", "r99"));
}

proptest! {
    /// What a decision returns can be applied, and deciding again changes nothing.
    #[test]
    fn decisions_hold(texts in prop::collection::vec("(use|avoid|never use) [a-c]( in [xy])?", 1..12)) {
        let mut there: BTreeMap<LessonId, Lesson> = BTreeMap::new();
        for (place, text) in texts.iter().enumerate() {
            let new = derived(text, &format!("r{place}"));
            let mut now = known(there.values().cloned().collect());
            now.next_id = LessonId(i64::try_from(there.len()).unwrap() + 1);
            for change in decide_admission(new.clone(), &now, 1000, at(10)).changes {
                let id = change.lesson_id();
                let after = apply_change(there.remove(&id), &change, at(10)).unwrap();
                there.extend(after.map(|it| (id, it)));
            }
            now.similar = there.values().cloned().collect();
            let again = decide_admission(new, &now, 1000, at(10));
            prop_assert_eq!(again.outcome, DecisionOutcome::Known);
            prop_assert!(again.changes.is_empty());
        }
    }
}

#[test]
fn evidence_is_taken_back_and_the_first_stays() {
    let apply = |lesson: Lesson, change: &Change| {
        apply_change(Some(lesson), change, at(2)).unwrap().unwrap()
    };
    let references = |lesson: &Lesson| -> Vec<String> {
        lesson
            .evidence
            .iter()
            .map(|it| it.reference.to_string())
            .collect()
    };
    let before = lesson(1, derived("use spaces", "r1"));
    let id = before.id;
    let evidence = vec![source("r2"), source("r3")];
    let more = apply(
        before.clone(),
        &Change::Reinforce {
            id,
            evidence: evidence.clone(),
        },
    );
    assert_eq!(references(&more), ["r1", "r2", "r3"]);
    assert_eq!(apply(more, &Change::Retract { id, evidence }), before);
    let only = Change::Retract {
        id,
        evidence: vec![source("r1")],
    };
    assert_eq!(references(&apply(before, &only)), ["r1"]);
}

#[test]
fn one_lesson_absorbs_others_with_their_evidence() {
    let (survivor, other) = (
        lesson(1, derived("use spaces", "r1")),
        lesson(2, derived("no tabs", "r2")),
    );
    let changes = absorb_lessons(&survivor, &[&other], &clean("told as one"));
    let comments: Vec<String> = changes
        .iter()
        .filter_map(Change::comment)
        .map(|it| it.to_string())
        .collect();
    assert_eq!(comments, ["run r2", "superseded by #1: told as one"]);
}
