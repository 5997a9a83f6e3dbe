//! One lesson: what it says, its life on a line of time, and what replaced what; and the forms that change it.

use std::collections::BTreeSet;

use hardwon_clients::archive::SourceRun;
use hardwon_core::{AgentId, CleanText, TriggerEdit};
use hardwon_engine::{LessonEdit, LifeEvent};

use super::{consent::ask_consent, place_names::PlaceNames, prelude::*};

/// The words of a lesson and what is said of it, as a card shows them.
pub(super) struct LessonCard {
    pub(super) id: i64,
    pub(super) name: VisibleText,
    pub(super) text: VisibleText,
    pub(super) situation: VisibleText,
    pub(super) mistake: VisibleText,
    pub(super) tags: VisibleText,
    pub(super) comes_up: VisibleText,
    pub(super) place: Scope,
    pub(super) source: String,
    pub(super) status: &'static str,
    pub(super) why: VisibleText,
    pub(super) created: TimeTag,
    /// What happened in the runs that taught it.
    pub(super) evidence: Vec<VisibleText>,
    /// What the form to edit it holds at first: what calls for it, its words and its topics.
    pub(super) edit: [VisibleText; 3],
    /// Whether it waits for a person.
    pub(super) is_waiting: bool,
    /// Whether it left for good.
    pub(super) is_retired: bool,
}

impl LessonCard {
    pub(super) fn gather(desk: &Desk<'_>, lesson: &Lesson) -> Result<Self> {
        let content = &lesson.content;
        let tags: Vec<&str> = content.tags.iter().map(CleanText::as_str).collect();
        let tags = tags.join(", ");
        let show = |text: Option<&CleanText>| {
            text.map(|text| VisibleText::new(text.as_str()))
                .unwrap_or_default()
        };
        let mut reason = hardwon_engine::status_reason(&lesson.status).unwrap_or_default();
        if let Status::Superseded { by } = lesson.status
            && let Some(other) = desk.lesson_if_visible(by)?
        {
            reason = format!("by {by}: {}", show_lesson_line(&other));
        }
        let notes = lesson.evidence.iter().flat_map(|evidence| &evidence.note);
        let notes: BTreeSet<&str> = notes.map(|note| note.as_str()).collect();
        Ok(Self {
            id: lesson.id.0,
            name: show_lesson_line(lesson),
            text: VisibleText::new(content.text.as_str()),
            situation: show(content.situation.as_ref()),
            mistake: show(content.mistake.as_ref()),
            tags: VisibleText::line(&tags),
            comes_up: VisibleText::line(&desk.describe_moments(lesson)?.join("; ")),
            place: lesson.scope.clone(),
            source: lesson.trust.words(),
            status: describe_status(lesson.status.name()),
            why: VisibleText::new(&reason),
            created: TimeTag(lesson.created),
            evidence: notes.into_iter().map(VisibleText::line).collect(),
            edit: [content.signature.as_str(), content.text.as_str(), &tags]
                .map(VisibleText::to_edit),
            is_waiting: matches!(
                lesson.status,
                Status::Pending { .. } | Status::Quarantined { .. }
            ),
            is_retired: lesson.status.is_retired(),
        })
    }
}

#[derive(Template)]
#[template(path = "lesson.html")]
struct LessonView {
    frame: Frame,
    lesson: LessonCard,
    record: String,
    expires: Option<TimeTag>,
    lineage: Vec<LineageRow>,
    events: Vec<EventRow>,
    /// What happened in the run that taught it, where its transcript is on this machine.
    steps: Vec<StepRow>,
    may_curate: bool,
    may_erase: bool,
}

/// Something that happened to a lesson.
struct EventRow {
    at: TimeTag,
    deed: &'static str,
    words: VisibleText,
    /// The number of the recall that tells more; 0 if there is none.
    recall: i64,
}

/// A step of the run that taught a lesson.
struct StepRow {
    mark: &'static str,
    words: VisibleText,
    error: VisibleText,
}

/// One lesson of those that replaced one another.
struct LineageRow {
    id: i64,
    line: VisibleText,
    status: &'static str,
    is_this: bool,
}

pub(super) fn show_lesson(
    visitor: &Visitor,
    (Path(id), Query(done)): (Path<String>, Query<DoneQuery>),
) -> Result<String> {
    let id = parse_lesson_id(&id)?;
    let (desk, mut life) = visitor.find_for_some(|desk| desk.tell_life(id))?;
    let source = find_source(visitor, &life.standing.lesson);
    if let Some(source) = &source {
        life = life.with_source(source.began, source.client.as_ref().map(AgentId::as_str));
    }
    let standing = &life.standing;
    let lesson = LessonCard::gather(&desk, &standing.lesson)?;
    let frame = Frame::gather(visitor, &desk, View::Lessons, &done)?;
    let events = life.events.iter().rev();
    let events = events.map(|event| EventRow::gather(visitor, &desk, (id, &frame.names), event));
    let events = events.collect::<Result<_>>()?;
    render(&LessonView {
        frame: frame.with_title(lesson.name.clone()),
        record: standing.describe_record(),
        expires: standing.lesson.expires_at.map(TimeTag),
        lineage: list_lineage(&desk, &standing.lesson)?,
        events,
        steps: source.map_or_else(Vec::new, list_steps),
        lesson,
        may_curate: visitor.may(Capability::Curate),
        may_erase: visitor.may(Capability::Erase),
    })
}

impl EventRow {
    /// Leads to the event's recall if that found the lesson: one of the run that taught it need not.
    fn gather(
        visitor: &Visitor,
        desk: &Desk<'_>,
        (lesson, names): (LessonId, &PlaceNames),
        event: &LifeEvent,
    ) -> Result<Self> {
        let recall = match event.recall {
            Some(id) => desk.find_recall(ScopeFilter::Tenant, id)?,
            None => None,
        };
        let recall = recall.filter(|(_, recall)| {
            let mut found = recall.considered.iter();
            found.any(|found| found.lesson == lesson)
        });
        let words = visitor.name_key(&event.words_with_span(format_day))?;
        Ok(Self {
            at: TimeTag(event.at),
            deed: event.deed,
            words: VisibleText::line(&names.shorten(&words)),
            recall: recall.map_or(0, |(id, _)| id.0),
        })
    }
}

/// Finds the run that taught a lesson, for whoever may decide about it.
fn find_source(visitor: &Visitor, lesson: &Lesson) -> Option<SourceRun> {
    let may_see = visitor.may(Capability::Curate);
    let places = &visitor.state.config.transcripts;
    may_see.then(|| SourceRun::find(lesson, places)).flatten()
}

fn list_steps(run: SourceRun) -> Vec<StepRow> {
    let rows = run.steps.into_iter().map(|step| StepRow {
        mark: step.mark,
        words: VisibleText::line(&step.words),
        error: VisibleText::line(&step.error),
    });
    rows.collect()
}

fn list_lineage(desk: &Desk<'_>, lesson: &Lesson) -> Result<Vec<LineageRow>> {
    let line = desk.lineage(lesson)?;
    let rows = line
        .into_iter()
        .map(|line| desk.principal().hide_inactive_words(line.lesson));
    let rows = rows.map(|row| LineageRow {
        id: row.id.0,
        line: show_lesson_line(&row),
        status: describe_status(row.status.name()),
        is_this: row.id == lesson.id,
    });
    Ok(rows.collect::<Vec<_>>()).map(|rows| if rows.len() > 1 { rows } else { Vec::new() })
}

/// Carries out what a form says about a lesson, and leads back to where it was sent from.
fn change_lesson(
    form: &PostedForm,
    id: &str,
    change: impl FnOnce(&Desk<'_>, &Lesson, &FormFields) -> Result<Notice>,
) -> Result<Response> {
    let id = parse_lesson_id(id)?;
    let (desk, lesson) = form.visitor.find_for_some(|desk| desk.lesson(id))?;
    let deed = change(&desk, &lesson, &form.fields)?.name();
    let (id, path) = (id.0, form.fields.path_back(&id.0.to_string()));
    Ok(send_on(&format!("{path}?done={deed}&ids={id}")))
}

pub(super) fn approve_lesson(form: &PostedForm, Path(id): Path<String>) -> Result<Response> {
    change_lesson(form, &id, |desk, lesson, _| {
        desk.approve_lesson(lesson.id, None)?;
        Ok(Notice::Approved)
    })
}

/// Saves new words, and approves them as well if the button said so.
pub(super) fn revise_lesson(form: &PostedForm, Path(id): Path<String>) -> Result<Response> {
    let edit = read_edit(&form.fields)?;
    let number = parse_lesson_id(&id)?;
    let (desk, lesson) = form.visitor.find_for_some(|desk| desk.lesson(number))?;
    if let Some(question) = ask_consent(form, &desk, list_new_words(&edit, &lesson))? {
        return Ok(question);
    }
    change_lesson(form, &id, |desk, lesson, fields| {
        if fields.text("then") == "approve" {
            desk.revise_and_approve_lesson(lesson.id, &edit)?;
            return Ok(Notice::Approved);
        }
        desk.revise_lesson(lesson.id, &edit)?;
        form.visitor.state.former_words.keep(lesson, &edit.triggers);
        Ok(Notice::Revised)
    })
}

fn read_edit(fields: &FormFields) -> Result<LessonEdit> {
    // A command may have commas.
    let one = |name: &str| {
        let value = Some(fields.text(name)).filter(|text| !text.is_empty());
        value.map(RawText::from).into_iter().collect()
    };
    let text = fields.required("text", "a lesson needs words: say what to do or avoid")?;
    Ok(LessonEdit {
        signature: Some(RawText::from(fields.text("signature"))),
        text: Some(RawText::from(&*text.replace("\r\n", "\n"))),
        tags: Some(fields.list("tags").map(RawText::from).collect()),
        hold: None,
        triggers: TriggerEdit {
            adds: one("trigger"),
            removes: one("no_trigger"),
        },
    })
}

/// Returns what an edit says that the lesson did not say before.
fn list_new_words<'e>(edit: &'e LessonEdit, lesson: &Lesson) -> Vec<&'e str> {
    let content = &lesson.content;
    let old_words = [&content.signature, &content.text].into_iter();
    let old_words: Vec<&str> = old_words
        .chain(&content.tags)
        .map(CleanText::as_str)
        .collect();
    let words = edit.signature.iter().chain(&edit.text);
    let words = words.chain(edit.tags.iter().flatten());
    let words = words.chain(&edit.triggers.adds).map(RawText::expose);
    words.filter(|word| !old_words.contains(word)).collect()
}

/// Deletes a lesson, whether it waited or not.
pub(super) fn reject_lesson(form: &PostedForm, Path(id): Path<String>) -> Result<Response> {
    change_lesson(form, &id, |desk, lesson, fields| {
        desk.archive_lesson(lesson.id, &read_reason(fields))?;
        Ok(match lesson.status {
            Status::Active => Notice::Archived,
            _ => Notice::Rejected,
        })
    })
}

/// Returns why a lesson is taken out; whoever gives no reason gives this one.
pub(super) fn read_reason(fields: &FormFields) -> RawText {
    match fields.text("why") {
        "" => RawText::from("a person deleted it"),
        reason => RawText::from(reason),
    }
}

pub(super) fn erase_lesson(form: &PostedForm, Path(id): Path<String>) -> Result<Response> {
    let id = parse_lesson_id(&id)?;
    if !form.fields.is_checked("sure") {
        let message = "tick the box first: nothing brings an erased lesson back";
        return Err(ApiError::bad_request(message));
    }
    let (desk, lesson) = form.visitor.find_for_some(|desk| desk.lesson(id))?;
    desk.erase_lesson(id)?;
    while form.visitor.state.former_words.take(&lesson).is_some() {}
    Ok(send_on(&format!("/lessons?done={}", Notice::Erased.name())))
}
