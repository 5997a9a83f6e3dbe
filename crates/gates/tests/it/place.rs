//! A plan about a project's files, and what became of it.

use hardwon_core::LessonId;
use hardwon_gates::json::place::{
    AppliedPlanDto, AuditPlanDto, AuditedDto, PlaceAuditEntryDto, PlacePlanDto, PlacedDto,
    PlacedFileDto, PlacedLessonDto, UnreadMemoryDto,
};
use hardwon_gates::place::{PlaceChoice, PlacementGround, PlacementRefusal};

use crate::samples::show;

#[test]
fn plans() {
    let choice = PlaceChoice {
        block: None,
        placed: vec![(LessonId(3), PlacementGround::Person)],
        left: vec![(LessonId(4), PlacementRefusal::NotProven)],
    };
    let (placed, left) = PlacedLessonDto::lists_from_choice(&choice);
    let plan = PlacePlanDto {
        kind: "place".to_owned(),
        id: "0123456789ab".to_owned(),
        basis: "0f".repeat(32),
        create: true,
        files: vec![PlacedFileDto {
            verb: "change and commit",
            path: "AGENTS.md".to_owned(),
            commit: true,
            removed: vec!["old".to_owned()],
            added: vec!["new".to_owned()],
        }],
        placed,
        left,
        notes: vec!["git ignores AGENTS.md: it is written, and not committed".to_owned()],
    };
    let done = PlacedDto {
        id: "0123456789ab".to_owned(),
        files: vec!["AGENTS.md".to_owned()],
        commit: Some("0f".repeat(20)),
        undone: false,
    };
    let listed = AppliedPlanDto {
        id: done.id.clone(),
        at: "2026-11-20T08:30:00Z".parse().unwrap(),
        root: Some("/src/bluebird".to_owned()),
        commit: done.commit.clone(),
        undone: false,
        files: plan.files.clone(),
        restored: vec!["CLAUDE.md".to_owned()],
        lessons: vec![3],
        changed_since: vec!["AGENTS.md".to_owned()],
    };
    let shown = [
        show("PlacePlanDto", &plan),
        show("PlacedFileDto", &plan.files[0]),
        show("PlacedLessonDto", &plan.left[0]),
        show("PlacedDto", &done),
        show("AppliedPlanDto", &listed),
    ];
    insta::assert_snapshot!("place", shown.join("\n"));
}

#[test]
fn audits() {
    let entry = PlaceAuditEntryDto {
        file: Some("/home/ada/.claude/CLAUDE.md".to_owned()),
        line: Some(7),
        lesson: None,
        head: "In bluebird, run `make db` first.".to_owned(),
        verdict: "relocate".to_owned(),
        projects: vec!["github.com/acme/bluebird".to_owned()],
        named: Some("bluebird".to_owned()),
        shorter: None,
        moves: false,
        why: Some("it names no command, tool or file".to_owned()),
    };
    let long = PlaceAuditEntryDto {
        file: None,
        line: None,
        lesson: Some(3),
        verdict: "condense".to_owned(),
        projects: Vec::new(),
        named: None,
        shorter: Some("Run `make db` first.".to_owned()),
        why: None,
        ..entry.clone()
    };
    let plan = AuditPlanDto {
        kind: "audit".to_owned(),
        id: "0123456789ab".to_owned(),
        basis: "0f".repeat(32),
        entries: vec![entry, long],
        unread: vec![UnreadMemoryDto {
            file: "/home/ada/.gemini/GEMINI.md".to_owned(),
            why: "it is not UTF-8 text".to_owned(),
        }],
    };
    let done = AuditedDto {
        id: "0123456789ab".to_owned(),
        lessons: vec![3],
        files: vec!["/home/ada/.claude/CLAUDE.md".to_owned()],
        commits: vec!["0f".repeat(20)],
        left: vec!["/src/bluebird: a merge is not finished".to_owned()],
        undone: false,
    };
    let shown = [
        show("AuditPlanDto", &plan),
        show("PlaceAuditEntryDto", &plan.entries[1]),
        show("UnreadMemoryDto", &plan.unread[0]),
        show("AuditedDto", &done),
    ];
    insta::assert_snapshot!("audit", shown.join("\n"));
}
