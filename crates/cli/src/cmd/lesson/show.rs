//! `hardwon lesson show`: everything that is known of a lesson.

use hardwon_api::v1::lesson::LessonDto;
use hardwon_core::{CleanText, EvidenceKind, Lesson, TrustClass};
use hardwon_engine::{Desk, EvidenceRuns, LessonStanding};

use super::{find_lesson, prefix_status, render_row, rows, short_words, source_run};
use crate::{Result, Settings, args::ShowArgs, cmd::pause::note_pause, open, output, time};

pub(super) fn run(settings: &Settings, args: &ShowArgs) -> Result<()> {
    let engine = open::open_flushed(settings)?;
    let desk = engine.acting_as(settings.caller());
    let lesson = find_lesson(&desk, settings, &args.id)?;
    if args.json {
        return output::print_json(&LessonDto::from(&lesson));
    }
    note_pause(settings);
    let whole = render_details(&desk, &lesson)?;
    output::print(&format!("{whole}{}", source_run::describe_run(&lesson)))
}

/// Everything that is known of a lesson.
pub(super) fn render_details(desk: &Desk<'_>, lesson: &Lesson) -> Result<String> {
    let content = &lesson.content;
    // A title that was made from the text says nothing new.
    let title = Some(short_words(lesson)).filter(|words| *words != content.text.as_str());
    let head = format!(
        "{} {}",
        lesson.id,
        prefix_status(lesson, title.unwrap_or_default())
    );
    let mut text = head.trim_end().to_owned();
    let words = output::replace_controls(content.text.as_str());
    text += &format!("\n\n{}\n\n", words.trim());
    let join = |items: &[CleanText]| {
        let items: Vec<&str> = items.iter().map(CleanText::as_str).collect();
        items.join(", ")
    };
    let words = |text: &Option<CleanText>| text.as_ref().map(ToString::to_string);
    let project = rows::describe_project(lesson.scope.project.as_ref());
    let reason = hardwon_engine::status_reason(&lesson.status);
    let reason = reason.map_or_else(String::new, |why| format!(": {why}"));
    let is_anothers = lesson.trust.class != TrustClass::Person;
    let approval = if is_anothers && desk.is_approved_by_person(lesson.id)? {
        "; a person stands behind it"
    } else {
        ""
    };
    let counts = lesson.counts;
    let shown_times = output::pluralize(counts.shown, "time");
    let (helped, wrong) = (counts.helped, counts.harmed);
    let mut record = String::new();
    if counts.trial.failure_shares().is_some() {
        let effects = desk.measure_effects(Some(lesson.id))?;
        record.extend(effects.lessons.iter().map(LessonStanding::describe_record));
    }
    let mut fields = vec![
        ("signature", content.signature.to_string()),
        ("situation", words(&content.situation).unwrap_or_default()),
        ("mistake", words(&content.mistake).unwrap_or_default()),
        ("comes up", desk.describe_moments(lesson)?.join("; ")),
        ("tags", join(&content.tags)),
        ("tools", join(&content.tools)),
        ("project", project.to_owned()),
        ("status", format!("{}{reason}", lesson.status.word())),
        ("source", format!("{}{approval}", lesson.trust.words())),
        ("cause", lesson.cause.name().to_owned()),
        (
            "use",
            format!("shown {shown_times}, helped {helped}, wrong {wrong}"),
        ),
        ("effect", record),
    ];
    let opposites = desk.opposite_lessons(lesson)?;
    fields.extend(
        opposites
            .iter()
            .map(|other| ("contradicts", render_row(other))),
    );
    let runs = describe_runs(&desk.sum_up_runs(lesson)?);
    let others = lesson.evidence.iter();
    let others = others.filter(|other| other.kind != EvidenceKind::Run);
    let others = others.map(|other| {
        let note = other.note.as_ref().map(|note| format!(" ({note})"));
        let (kind, reference) = (other.kind.name(), &other.reference);
        format!("{kind} {reference}{}", note.unwrap_or_default())
    });
    fields.extend(
        [runs]
            .into_iter()
            .chain(others)
            .map(|row| ("evidence", row)),
    );
    fields.push(("created", time::format_local(lesson.created)));
    fields.push(("updated", time::format_local(lesson.updated)));
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        text += &format!("{name:<11} {}\n", output::to_one_line(value));
    }
    Ok(text)
}

/// Says how many runs taught a lesson, when and where; their names, which nobody knows, are in the JSON.
fn describe_runs(runs: &EvidenceRuns) -> String {
    if runs.count == 0 {
        return String::new();
    }
    let mut parts = vec![output::pluralize(runs.count, "run")];
    if let Some((from, until)) = runs.span {
        let (from, until) = (time::format_date(from), time::format_date(until));
        let more = if from == until {
            String::new()
        } else {
            format!(" to {until}")
        };
        parts.push(from + &more);
    }
    parts.extend(runs.clients.iter().map(ToString::to_string));
    parts.extend(runs.note.as_ref().map(ToString::to_string));
    parts.join(", ")
}
