//! Renders the reply that an agent reads after its writ.
//!
//! ```text
//! [/lesson create /fetch behind cloudflare: use Authorization-bearing fetch]
//! OK: recorded lesson #14 — #14 [/fetch behind cloudflare] use Authorization-bearing fetch
//! [END LESSON]
//! ```
//!
//! Replies go into a prompt, so every text in them is neutralised and they are bounded.

use hardwon_core::{
    Lesson, LessonId, Status, Writ, guard, limits, preamble, text::floor_char_boundary,
};
use hardwon_redact::redact;

use super::ParsedWrit;

/// The result of a writ.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WritReply<'a> {
    /// A lesson was recorded and may be recalled.
    Recorded(&'a Lesson),
    /// A lesson was recorded and waits for review by a person, for this reason.
    Pending(&'a Lesson, &'a str),
    /// The same lesson was known already; evidence was added to it.
    AlreadyKnown(&'a Lesson),
    /// The lessons that were listed or searched for.
    Found(&'a [Lesson]),
    /// One lesson as a whole.
    Shown(&'a Lesson),
    /// A lesson was taken out of use.
    Deleted(LessonId),
    /// Feedback was added to a lesson's record.
    Counted(&'a Lesson),
    /// The questions that wait for a model, a line each.
    Jobs(&'a [String]),
    /// It was done, as this says.
    Done(&'a str),
    /// The writ could not be carried out, for this reason.
    Failed(&'a str),
}

/// Renders the reply to a writ.
pub(crate) fn render_reply(writ: &ParsedWrit, reply: &WritReply<'_>) -> String {
    let mut text = format!("[{}]\n{}", render_head(writ, reply), render_body(reply));
    truncate_lines(&mut text, limits::WRIT_REPLY_BYTES);
    text.push_str("\n[END LESSON]");
    text
}

/// Repeats the writ; one that recorded no lesson in use is only named.
fn render_head(writ: &ParsedWrit, reply: &WritReply<'_>) -> String {
    let is_kept_out = matches!(reply, WritReply::Pending(..) | WritReply::Failed(_));
    match writ {
        Ok(Writ::Create { .. }) if is_kept_out => "/lesson create".to_owned(),
        Ok(Writ::Reflect { .. }) if is_kept_out => "/reflect".to_owned(),
        _ => echo_writ(writ),
    }
}

fn echo_writ(writ: &ParsedWrit) -> String {
    let safe = |text: &str| guard::neutralise_within(&redact(text), limits::SIGNATURE_CHARS);
    let line = match writ {
        Err(error) => error.command.to_owned(),
        Ok(Writ::Create { signature, text }) => {
            format!(
                "/lesson create {}: {}",
                safe(signature.expose()),
                safe(text.expose())
            )
        }
        Ok(Writ::Reflect { text }) => format!("/reflect {}", safe(text.expose())),
        Ok(Writ::Queue(order)) => format!("/reflect {}", order.words()),
        Ok(Writ::List) => "/lesson list".to_owned(),
        Ok(Writ::Search { query }) => format!("/lesson search {}", safe(query.expose())),
        Ok(writ @ (Writ::Show(id) | Writ::Delete(id) | Writ::Helped(id) | Writ::Wrong(id))) => {
            format!("/lesson {} {id}", writ.verb())
        }
    };
    // Parts that are safe by themselves could spell a marker together.
    guard::neutralise(&line).into_owned()
}

/// Renders a note if a lesson is too long to be shown whole; empty otherwise.
fn render_unshown_note(lesson: &Lesson) -> String {
    let overlong = preamble::describe_overlong_sentence(lesson.content.text.as_str());
    overlong.map_or_else(String::new, |overlong| format!("\nNote: {overlong}."))
}

/// Renders a note if following a lesson has grave effects; empty otherwise.
fn render_deed_note(lesson: &Lesson) -> String {
    let deed = guard::describe_deed(&lesson.content);
    deed.map_or_else(String::new, |deed| format!("\nNote: {deed}."))
}

fn render_body(reply: &WritReply<'_>) -> String {
    match reply {
        WritReply::Recorded(lesson) => {
            let (unshown, deed) = (render_unshown_note(lesson), render_deed_note(lesson));
            format!(
                "OK: recorded lesson {} — {}{unshown}{deed}",
                lesson.id,
                render_line(lesson)
            )
        }
        WritReply::Pending(lesson, why) => {
            let reason = guard::neutralise(why);
            let unshown = render_unshown_note(lesson);
            format!(
                "OK: recorded lesson {}, waiting for review: {reason}{unshown}",
                lesson.id
            )
        }
        WritReply::AlreadyKnown(lesson) if lesson.status == Status::Active => {
            format!(
                "OK: already known as {} — {}",
                lesson.id,
                render_line(lesson)
            )
        }
        WritReply::AlreadyKnown(lesson) => {
            let (id, status) = (lesson.id, lesson.status.word());
            format!("OK: already known as {id}, which is {status}")
        }
        WritReply::Found([]) => "OK: no lessons".to_owned(),
        WritReply::Found(lessons) => lessons
            .iter()
            .map(render_line)
            .collect::<Vec<_>>()
            .join("\n"),
        WritReply::Shown(lesson) => render_whole(lesson),
        WritReply::Deleted(id) => format!("OK: deleted lesson {id}"),
        WritReply::Counted(lesson) => {
            let counts = lesson.counts;
            format!(
                "OK: {} helped {}, wrong {}",
                lesson.id, counts.helped, counts.harmed
            )
        }
        WritReply::Jobs([]) => "OK: no questions wait for a model".to_owned(),
        WritReply::Jobs(jobs) => guard::neutralise(&jobs.join("\n")).into_owned(),
        WritReply::Done(what) => format!("OK: {what}"),
        WritReply::Failed(why) => format!("ERR: {why}"),
    }
}

/// Renders one lesson on one line: `#14 [signature] text`.
fn render_line(lesson: &Lesson) -> String {
    let text = guard::neutralise(lesson.content.text.as_str());
    let line = match guard::neutralise(lesson.content.signature.as_str()) {
        signature if signature.is_empty() => format!("{} {text}", lesson.id),
        signature => format!("{} [{signature}] {text}", lesson.id),
    };
    // A signature inside our own brackets could spell one of our markers.
    guard::neutralise(&line).into_owned()
}

/// Renders one lesson as a whole; for one that is not active, only its state: its words may never have been reviewed,
/// or have been rejected.
fn render_whole(lesson: &Lesson) -> String {
    let (id, status) = (lesson.id, lesson.status.word());
    match lesson.status {
        Status::Active => {}
        Status::Pending { .. } | Status::Quarantined { .. } => {
            return format!("{id} is held back\nstatus: {status}");
        }
        Status::Superseded { .. } | Status::Archived { .. } => {
            return format!("{id} is not in use\nstatus: {status}");
        }
    }
    let mut lines = vec![
        render_line(lesson),
        format!("status: {}", lesson.status.word()),
    ];
    let parts = [
        ("situation", &lesson.content.situation),
        ("mistake", &lesson.content.mistake),
    ];
    for (name, part) in parts {
        if let Some(part) = part {
            let line = format!("{name}: {part}");
            lines.push(guard::neutralise(&line).into_owned());
        }
    }
    lines.join("\n")
}

/// Cuts after a whole line: half of one could open what it no longer closes.
fn truncate_lines(text: &mut String, bytes: usize) {
    if text.len() > bytes {
        text.truncate(floor_char_boundary(text, bytes));
        text.truncate(text.rfind('\n').unwrap_or(0));
        text.push_str("\n…");
    }
}

#[cfg(test)]
mod tests;
