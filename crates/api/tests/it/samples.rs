//! Values of the domain with everything in them that there can be, and with as little as there must be;
//! and how the types made of them are compared.

use std::{collections::BTreeMap, fs, path::Path};

use hardwon_core::{
    AdmittedLesson, AgentId, Cause, CleanText, Evidence, EvidenceKind, Lesson, LessonContent,
    LessonCounts, LessonId, ProjectId, RunOutcome, Scope, Slug, Status, TenantId, Trust,
    TrustClass,
};
use jiff::Timestamp;
use serde::Serialize;

/// Writes a type's name and its JSON, for a snapshot.
pub(crate) fn show(name: &str, value: &impl Serialize) -> String {
    format!(
        "# {name}\n{}\n\n",
        serde_json::to_string_pretty(value).unwrap()
    )
}

pub(crate) fn clean(text: &str) -> CleanText {
    hardwon_redact::clean_to_chars(&text.into(), 4096)
}

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn scope() -> Scope {
    Scope {
        tenant: TenantId::parse("acme").unwrap(),
        agent: AgentId::parse("builder").unwrap(),
        project: Some(ProjectId::parse("/home/ada/shop/.git").unwrap()),
    }
}

/// A lesson with everything in it.
pub(crate) fn lesson() -> Lesson {
    let content = LessonContent {
        title: clean("Run `npm run test:unit`."),
        signature: clean("npm test"),
        text: clean("Run `npm run test:unit`.\nThere is no script `test`."),
        situation: Some(clean("in the shop")),
        mistake: Some(clean("`npm test` was run")),
        tags: vec![clean("npm"), clean("test")],
        targets: Vec::new(),
        tools: vec![clean("Bash")],
        reference: Some(clean("T-1")),
        metadata: BTreeMap::from([("acme".to_owned(), clean(r#"{"team":"shop"}"#))]),
    };
    let evidence = Evidence {
        kind: EvidenceKind::Run,
        reference: clean("run-1"),
        note: Some(clean("Missing script: test")),
    };
    let bare = Evidence {
        kind: EvidenceKind::WorkItem,
        reference: clean("https://example.com/14"),
        note: None,
    };
    Lesson {
        id: LessonId(14),
        admitted: AdmittedLesson {
            scope: scope(),
            slug: Slug::parse("run-test-unit").unwrap(),
            content,
            cause: Cause::Error,
            outcome: RunOutcome::Success,
            evidence: vec![evidence, bare],
            trust: Trust::new(TrustClass::Derived, true),
            confidence: 0.8,
            failure: None,
            status: Status::Superseded { by: LessonId(15) },
            expires_at: Some(time("2027-01-01T00:00:00Z")),
            supersedes: vec![LessonId(3)],
            task: Some(clean("make the tests of the shop pass")),
        },
        counts: LessonCounts {
            shown: 7,
            helped: 2,
            harmed: 3,
            went_well: 4,
            went_badly: 1,
            last_shown: Some(time("2026-11-20T08:30:00Z")),
            ..LessonCounts::default()
        },
        contradicts: vec![LessonId(4)],
        created: time("2026-11-01T09:00:00.123Z"),
        updated: time("2026-11-02T10:00:00Z"),
    }
}

/// A lesson with as little in it as there can be.
pub(crate) fn bare_lesson() -> Lesson {
    let full = lesson();
    Lesson {
        id: LessonId(15),
        admitted: AdmittedLesson {
            scope: Scope {
                project: None,
                ..scope()
            },
            content: LessonContent {
                title: clean("Use tabs."),
                ..LessonContent::new(clean(""), clean("Use tabs."))
            },
            cause: Cause::Manual,
            evidence: Vec::new(),
            trust: Trust::untainted(TrustClass::Person),
            confidence: 1.0,
            status: Status::Active,
            expires_at: None,
            supersedes: Vec::new(),
            task: None,
            ..full.admitted
        },
        counts: LessonCounts::default(),
        contradicts: Vec::new(),
        ..full
    }
}

/// A lesson that waits for a person.
pub(crate) fn pending_lesson() -> Lesson {
    let mut lesson = bare_lesson();
    lesson.admitted.status = Status::Pending {
        why: clean("it gives an order"),
    };
    lesson
}

/// Every type that goes out has its JSON in a snapshot, and every type that comes in is tried.
#[test]
fn no_type_is_forgotten() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |of: [&str; 3]| of.map(|folder| read_all(&crates.join(folder))).concat();
    let shown = read([
        "api/tests/it/snapshots",
        "gates/tests/it/snapshots",
        "server/tests/it/snapshots",
    ]);
    let tried = read(["api/tests/it", "gates/tests/it", "server/tests/it"]);
    let sources = read(["api/src/v1", "gates/src/json", "server/src/key_json"]);
    let mut forgotten = Vec::new();
    let mut count = 0;
    for item in sources.split("#[derive(").skip(1) {
        let (derives, rest) = item.split_once(")]").unwrap();
        let is_head = |line: &&str| {
            ["pub ", "struct ", "enum "]
                .iter()
                .any(|it| line.starts_with(it))
        };
        let head = rest.lines().find(is_head).unwrap();
        // What is private is a part of how another type is read; an error is no JSON.
        if !head.starts_with("pub ") || !derives.contains("erialize") {
            continue;
        }
        let name = head.split([' ', '<']).nth(2).unwrap();
        let is_there = if derives.contains("Deserialize") {
            tried.contains(&format!("::<{name}>("))
        } else {
            shown.contains(&format!("# {name}\n"))
        };
        count += 1;
        forgotten.extend((!is_there).then_some(name));
    }
    assert!(forgotten.is_empty() && count > 60, "{count}: {forgotten:?}");
}

fn read_all(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text.push_str(&read_all(&path));
        } else {
            text.push_str(&fs::read_to_string(path).unwrap());
        }
    }
    text
}
