//! A plan for people, in Markdown: what would change, with the words of the lessons, and what stays and why.

use std::collections::BTreeMap;

use hardwon_core::{Lesson, LessonId, guard::neutralise};

use super::{ModelPart, SweepItem, SweepPlan};
use crate::pluralize;

/// Longest text of a lesson in a digest, in characters.
const TEXT_CHARS: usize = 160;

/// The sections of a digest, in order.
const SECTIONS: [&str; 6] = [
    "Merge",
    "Propose",
    "Not both can hold",
    "Replace",
    "Hold for review",
    "Delete",
];

/// Renders a plan. `lessons` are those that it was made from.
pub(crate) fn render_digest(plan: &SweepPlan, lessons: &BTreeMap<LessonId, Lesson>) -> String {
    let mut text = format!("# Sweep {}\n\n{}\n", plan.id(), summarise(plan));
    for title in SECTIONS {
        let mut items = plan
            .items
            .iter()
            .filter(|item| name_section(item) == title)
            .peekable();
        if items.peek().is_some() {
            text.push_str(&format!("\n## {title}\n\n"));
        }
        for item in items {
            text.push_str(&render_item(item, lessons));
        }
    }
    if !plan.refused.is_empty() {
        text.push_str("\n## Left as they are\n\n");
        for refused in &plan.refused {
            let ids: Vec<String> = refused.members.iter().map(ToString::to_string).collect();
            let owner = if ids.is_empty() {
                String::new()
            } else {
                format!("{}: ", ids.join(", "))
            };
            let reason = to_line(&refused.why.to_string());
            text.push_str(&format!("- {owner}{reason}\n"));
        }
    }
    text
}

fn name_section(item: &SweepItem) -> &'static str {
    let place = match item {
        SweepItem::Merge { .. } | SweepItem::Absorb { .. } => 0,
        SweepItem::Propose { .. } => 1,
        SweepItem::Contradict { .. } => 2,
        SweepItem::Supersede { .. } => 3,
        SweepItem::Hold { .. } => 4,
        SweepItem::Archive { .. } => 5,
    };
    SECTIONS[place]
}

fn summarise(plan: &SweepPlan) -> String {
    let (mut merged, mut into, mut replaced, mut held, mut deleted) = (0, 0, 0, 0, 0);
    for item in &plan.items {
        match item {
            SweepItem::Merge { members, .. } => {
                merged += members.len();
                into += 1;
            }
            SweepItem::Absorb { members, .. } => {
                merged += members.len() + 1;
                into += 1;
            }
            SweepItem::Supersede { .. } => replaced += 1,
            SweepItem::Hold { .. } | SweepItem::Propose { .. } | SweepItem::Contradict { .. } => {
                held += 1;
            }
            SweepItem::Archive { .. } => deleted += 1,
        }
    }
    let count_line = format!("{} looked at.", pluralize(plan.looked_at as u64, "lesson"));
    let rest_line = match plan.postponed {
        0 => String::new(),
        questions => format!(
            " Left for another sweep, because enough was asked: {}.",
            pluralize(questions as u64, "question")
        ),
    };
    let model = match &plan.model {
        ModelPart::NotAsked => String::new(),
        ModelPart::Asked(times) => {
            format!(
                " The model was asked {}.",
                pluralize((*times).into(), "time")
            )
        }
        ModelPart::Away(why) => format!(
            " The model was away ({}), so nothing was merged by meaning.",
            to_line(why)
        ),
    };
    if plan.items.is_empty() {
        format!("{count_line} Nothing to do.{model}{rest_line}")
    } else {
        format!(
            "{count_line} {merged} merged into {into}, {replaced} replaced, {held} held for review, {deleted} deleted.{model}{rest_line}"
        )
    }
}

fn render_item(item: &SweepItem, lessons: &BTreeMap<LessonId, Lesson>) -> String {
    let line = |id: &LessonId| match lessons.get(id) {
        Some(lesson) => format!(
            "{id} {}",
            lesson_line(
                lesson.content.signature.as_str(),
                lesson.content.text.as_str()
            )
        ),
        None => id.to_string(),
    };
    let under = |head: String, ids: &[LessonId]| {
        let rows: String = ids.iter().map(|id| format!("  - {}\n", line(id))).collect();
        format!("- {head}\n{rows}")
    };
    match item {
        SweepItem::Merge { members, content } | SweepItem::Propose { members, content } => {
            let words = lesson_line(content.signature.as_str(), content.text.as_str());
            under(format!("new: {words}"), members)
        }
        SweepItem::Absorb { survivor, members } => {
            under(format!("stays: {}", line(survivor)), members)
        }
        SweepItem::Contradict { one, other } => format!("- {}\n- {}\n", line(one), line(other)),
        SweepItem::Supersede { old, by, why } => {
            let reason = to_line(why.as_str());
            format!("- {}\n  - by {}\n  - {reason}\n", line(old), line(by))
        }
        SweepItem::Hold { lesson, why } | SweepItem::Archive { lesson, why } => {
            format!("- {}\n  - {}\n", line(lesson), to_line(why.as_str()))
        }
    }
}

fn lesson_line(signature: &str, said: &str) -> String {
    let line = to_line(said);
    let cut: String = line.chars().take(TEXT_CHARS).collect();
    let end = if cut.len() < line.len() { "…" } else { "" };
    if signature.trim().is_empty() {
        format!("{cut}{end}")
    } else {
        format!("[{}] {cut}{end}", to_line(signature))
    }
}

/// Writes a text on one line, without what could break out of it.
fn to_line(text: &str) -> String {
    neutralise(text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
