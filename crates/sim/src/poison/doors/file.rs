//! Files that somebody else wrote: a payload in each part of a LESSON.md.

use hardwon_core::scope::Scope;
use hardwon_engine::Noted;

use super::{Door, Entered, door, trusting};
use crate::desk::person;
use crate::poison::{reach::TROUBLE, room::Room};

pub(super) fn doors() -> Vec<Door> {
    vec![
        door("file: what to do", |room, scope, it| {
            file(room, scope, &body(&it.text, ""))
        }),
        Door {
            policy: trusting,
            ..door("file: the same, files trusted", |room, scope, it| {
                file(room, scope, &body(&it.text, ""))
            })
        },
        Door {
            policy: trusting,
            ..door("file: front matter, trusted", |room, scope, it| {
                let text = serde_json::to_string(&it.line(300))?;
                let more = format!("metadata:\n  acme:\n    note: {text}\n# {}\n", it.line(300));
                file(room, scope, &body("Run the unit tests.", &more))
            })
        },
        Door {
            policy: trusting,
            ..door("file: evidence, trusted", |room, scope, it| {
                let text = serde_json::to_string(&it.line(190))?;
                let whole = body("Run the unit tests.", "");
                let whole = whole.replace("ref: r_17", &format!("ref: {text}\n    note: {text}"));
                file(room, scope, &whole)
            })
        },
    ]
}

fn body(what: &str, front: &str) -> String {
    format!(
        "---\nschema: learning/v1\nslug: run-the-unit-tests\ntitle: Run the unit tests\n\
         trigger:\n  description: {TROUBLE} fails\n  tags: [npm]\noutcome: mixed\nevidence:\n  \
         - kind: run\n    ref: r_17\nconfidence: 0.7\n{front}---\n\n# Run the unit tests\n\n\
         ## When this applies\n\n{TROUBLE} fails.\n\n## What to do (or avoid)\n\n{what}\n"
    )
}

pub(super) fn file(room: &Room, scope: &Scope, text: &str) -> anyhow::Result<Entered> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("run-the-unit-tests.md"), text)?;
    let done = person(&room.engine, scope).import(folder.path(), false)?;
    let refused = |noted: &Noted| matches!(noted, Noted::Refused(_));
    Ok(Entered {
        refused: done.taken.is_empty() || done.taken.iter().any(|it| refused(&it.noted)),
        ..Entered::default()
    })
}
