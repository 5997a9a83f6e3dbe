//! What an agent reads back after its writ.
//!
//! ```text
//! [/lesson create /fetch behind cloudflare: use Authorization-bearing fetch]
//! OK: recorded lesson #14 — #14 [/fetch behind cloudflare] use Authorization-bearing fetch
//! [END LESSON]
//! ```
//!
//! Replies go into a prompt, so every text in them is neutralised and they are bounded.

use super::{Writ, WritError};
use crate::{
    guard,
    id::LessonId,
    lesson::{Lesson, Status},
    limits,
    redact::redact,
    text::boundary,
};

/// How a writ went.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply<'a> {
    /// A lesson was recorded and may be recalled.
    Recorded(&'a Lesson),
    /// A lesson was recorded and waits for a person, for this reason.
    Waiting(&'a Lesson, &'a str),
    /// The same was known already; its evidence grew.
    Known(&'a Lesson),
    /// The lessons that were asked for.
    Found(&'a [Lesson]),
    /// One lesson, whole.
    Shown(&'a Lesson),
    /// A lesson was taken out.
    Deleted(LessonId),
    /// An outcome was counted.
    Counted(&'a Lesson),
    /// It could not be done, for this reason.
    Failed(&'a str),
}

/// Writes the reply to a writ.
#[must_use]
pub fn render(writ: &Result<Writ, WritError>, reply: &Reply<'_>) -> String {
    let mut text = format!("[{}]\n{}", echo(writ), body(reply));
    cut(&mut text, limits::REPLY_BYTES);
    text.push_str("\n[END LESSON]");
    text
}

fn echo(writ: &Result<Writ, WritError>) -> String {
    let safe = |text: &str| -> String {
        guard::neutralise(&redact(text))
            .chars()
            .take(limits::SIGNATURE_CHARS)
            .collect()
    };
    match writ {
        Err(_) => "/lesson".to_owned(),
        Ok(Writ::Create { signature, text }) => {
            format!(
                "/lesson create {}: {}",
                safe(signature.expose()),
                safe(text.expose())
            )
        }
        Ok(Writ::Reflect { text }) => format!("/reflect {}", safe(text.expose())),
        Ok(Writ::List) => "/lesson list".to_owned(),
        Ok(Writ::Search { query }) => format!("/lesson search {}", safe(query.expose())),
        Ok(writ @ (Writ::Show(id) | Writ::Delete(id) | Writ::Helped(id) | Writ::Wrong(id))) => {
            format!("/lesson {} {id}", writ.verb())
        }
    }
}

fn body(reply: &Reply<'_>) -> String {
    match reply {
        Reply::Recorded(lesson) => format!("OK: recorded lesson {} — {}", lesson.id, line(lesson)),
        Reply::Waiting(lesson, why) => {
            let why = guard::neutralise(why);
            format!(
                "OK: recorded lesson {}, waiting for review: {why} — {}",
                lesson.id,
                line(lesson)
            )
        }
        Reply::Known(lesson) => format!("OK: already known as {} — {}", lesson.id, line(lesson)),
        Reply::Found([]) => "OK: no lessons".to_owned(),
        Reply::Found(lessons) => lessons.iter().map(line).collect::<Vec<_>>().join("\n"),
        Reply::Shown(lesson) => whole(lesson),
        Reply::Deleted(id) => format!("OK: deleted lesson {id}"),
        Reply::Counted(lesson) => {
            let counts = lesson.counts;
            format!(
                "OK: {} helped {}, wrong {}",
                lesson.id, counts.helped, counts.harmed
            )
        }
        Reply::Failed(why) => format!("ERR: {why}"),
    }
}

/// One lesson on one line: `#14 [signature] text`.
fn line(lesson: &Lesson) -> String {
    let text = guard::neutralise(lesson.content.text.as_str());
    let line = match guard::neutralise(lesson.content.signature.as_str()) {
        signature if signature.is_empty() => format!("{} {text}", lesson.id),
        signature => format!("{} [{signature}] {text}", lesson.id),
    };
    // A signature inside our own brackets could spell a marker of ours.
    guard::neutralise(&line).into_owned()
}

/// One lesson whole; of one that is held back, only that it is.
fn whole(lesson: &Lesson) -> String {
    if matches!(
        lesson.status,
        Status::Pending { .. } | Status::Quarantined { .. }
    ) {
        let (id, status) = (lesson.id, lesson.status.name());
        return format!("{id} is held back\nstatus: {status}");
    }
    let mut lines = vec![line(lesson), format!("status: {}", lesson.status.name())];
    let parts = [
        ("situation", &lesson.content.situation),
        ("mistake", &lesson.content.mistake),
    ];
    for (name, part) in parts {
        if let Some(part) = part {
            lines.push(format!("{name}: {}", guard::neutralise(part.as_str())));
        }
    }
    lines.join("\n")
}

fn cut(text: &mut String, bytes: usize) {
    if text.len() > bytes {
        text.truncate(boundary(text, bytes));
        text.push('…');
    }
}
