//! Files from outside: a payload in each part of a LESSON.md.

use hardwon_core::Scope;
use hardwon_engine::NoteOutcome;

use super::{Door, DoorResult, new_door, trusting_policy};
use crate::desk::person_desk;
use crate::poison::{reach::FAILING_COMMAND, room::PoisonRoom};

pub(super) fn doors() -> Vec<Door> {
    vec![
        new_door("file: what to do", |room, scope, it| {
            import_file(room, scope, &lesson_file(&it.text, ""))
        }),
        Door {
            policy: trusting_policy,
            ..new_door("file: the same, files trusted", |room, scope, it| {
                import_file(room, scope, &lesson_file(&it.text, ""))
            })
        },
        Door {
            policy: trusting_policy,
            ..new_door("file: front matter, trusted", |room, scope, it| {
                let text = serde_json::to_string(&it.one_line(300))?;
                let more = format!(
                    "metadata:\n  acme:\n    note: {text}\n# {}\n",
                    it.one_line(300)
                );
                import_file(room, scope, &lesson_file("Run the unit tests.", &more))
            })
        },
        Door {
            policy: trusting_policy,
            ..new_door("file: evidence, trusted", |room, scope, it| {
                let text = serde_json::to_string(&it.one_line(190))?;
                let whole = lesson_file("Run the unit tests.", "");
                let whole = whole.replace("ref: r_17", &format!("ref: {text}\n    note: {text}"));
                import_file(room, scope, &whole)
            })
        },
    ]
}

fn lesson_file(what: &str, front: &str) -> String {
    format!(
        "---\nschema: learning/v1\nslug: run-the-unit-tests\ntitle: Run the unit tests\n\
         trigger:\n  description: {FAILING_COMMAND} fails\n  tags: [npm]\noutcome: mixed\nevidence:\n  \
         - kind: run\n    ref: r_17\nconfidence: 0.7\n{front}---\n\n# Run the unit tests\n\n\
         ## When this applies\n\n{FAILING_COMMAND} fails.\n\n## What to do (or avoid)\n\n{what}\n"
    )
}

pub(super) fn import_file(
    room: &PoisonRoom,
    scope: &Scope,
    text: &str,
) -> anyhow::Result<DoorResult> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("run-the-unit-tests.md"), text)?;
    let done = person_desk(&room.engine, scope).import_lessons(folder.path(), false)?;
    let refused = |noted: &NoteOutcome| matches!(noted, NoteOutcome::Refused(_));
    Ok(DoorResult {
        refused: done.files.is_empty() || done.files.iter().any(|file| refused(&file.outcome)),
        ..DoorResult::default()
    })
}
