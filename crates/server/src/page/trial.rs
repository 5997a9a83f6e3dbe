//! A trial: what would come up at a prompt or a call, and why. Nothing of it is recorded.

use std::collections::BTreeSet;

use hardwon_engine::{LessonsAtCall, RecallRequest};

use super::{prelude::*, recalls::LessonLink};

/// Lessons that come near and are listed.
const MAX_NEAR: usize = 5;
/// Projects in which something is tried where none is named.
const MAX_PROJECTS: usize = 20;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TrialQuery {
    prompt: String,
    call: String,
    error: String,
}

#[derive(Template)]
#[template(path = "trial.html")]
struct TrialView {
    frame: Frame,
    places: PlaceChoices,
    query: TrialQuery,
    is_asked: bool,
    rows: Vec<TrialRow>,
}

/// A lesson that comes up, or nearly.
struct TrialRow {
    lesson: LessonLink,
    place: Scope,
    /// When it comes up; empty if it does not.
    when: &'static str,
    why: VisibleText,
}

impl TrialQuery {
    fn is_asked(&self) -> bool {
        let texts = [&self.prompt, &self.call, &self.error];
        texts.into_iter().any(|text| !text.trim().is_empty())
    }
}

pub(super) fn show_trial(visitor: &Visitor, Query(query): Query<TrialQuery>) -> Result<String> {
    let desk = visitor.place.open_desk(visitor)?;
    let rows = try_everywhere(visitor, &desk, &query)?;
    let frame = Frame::gather(visitor, &desk, View::Trial, &DoneQuery::default())?;
    render(&TrialView {
        places: visitor.place.choices(&frame.names),
        frame,
        is_asked: query.is_asked(),
        query,
        rows,
    })
}

/// Tries it where it was asked for, or if no project was named, in each.
fn try_everywhere(visitor: &Visitor, desk: &Desk<'_>, query: &TrialQuery) -> Result<Vec<TrialRow>> {
    let mut rows = try_at(desk, query)?;
    if visitor.place.project.is_empty() {
        for project in desk.projects()?.iter().take(MAX_PROJECTS) {
            let place = PlaceQuery {
                agent: desk.principal().scope.agent.to_string(),
                project: project.as_str().to_owned(),
            };
            rows.extend(try_at(&place.open_desk(visitor)?, query)?);
        }
    }
    rows.sort_by_key(|row| row.when.is_empty());
    // What comes up in one project or at one moment comes near in others.
    let (mut known_ids, mut known) = (BTreeSet::new(), BTreeSet::new());
    rows.retain(|row| {
        let is_new = known_ids.insert(row.lesson.id);
        known.insert((row.lesson.id, row.when)) && (is_new || !row.when.is_empty())
    });
    let most = rows.partition_point(|row| !row.when.is_empty()) + MAX_NEAR;
    if rows.len() < most && !query.call.trim().is_empty() {
        rows.extend(try_out_of_use(visitor, desk, query.call.trim())?);
    }
    rows.truncate(most);
    Ok(rows)
}

fn try_at(desk: &Desk<'_>, query: &TrialQuery) -> Result<Vec<TrialRow>> {
    let mut rows = Vec::new();
    if !query.prompt.trim().is_empty() {
        rows.extend(try_prompt(desk, &query.prompt)?);
    }
    if !query.call.trim().is_empty() || !query.error.trim().is_empty() {
        rows.extend(try_call(desk, query)?);
    }
    Ok(rows)
}

impl TrialRow {
    fn new(lesson: &Lesson, when: &'static str, why: &str) -> Self {
        Self {
            lesson: LessonLink::new(lesson.id.0, Some(lesson)),
            place: lesson.scope.clone(),
            when,
            why: VisibleText::line(why),
        }
    }
}

fn try_prompt(desk: &Desk<'_>, prompt: &str) -> Result<Vec<TrialRow>> {
    let scope = desk.principal().scope.clone();
    let recall = desk.explain_recall(&RecallRequest::new(scope, prompt))?;
    let candidates = recall.candidates().into_iter();
    let rows = candidates.map(|candidate| match &candidate.exclusion {
        None => {
            let reason = hardwon_engine::describe_fit(candidate.lesson, prompt);
            let wordless = if candidate.explanation.is_by_task {
                hardwon_engine::LIKE_TASK
            } else {
                "it means the same in other words"
            };
            let reason = reason.as_deref().unwrap_or(wordless);
            TrialRow::new(candidate.lesson, "at this prompt", reason)
        }
        Some(why) => TrialRow::new(candidate.lesson, "", why),
    });
    Ok(rows.collect())
}

fn try_call(desk: &Desk<'_>, query: &TrialQuery) -> Result<Vec<TrialRow>> {
    let scope = &desk.principal().scope;
    let [call, error] = [&query.call, &query.error].map(|text| {
        let text = Some(text.trim()).filter(|text| !text.is_empty());
        text.map(RawText::from)
    });
    let lessons = call
        .as_ref()
        .map(|call| desk.lessons_before_call(scope, call));
    let lessons = lessons.transpose()?.unwrap_or_default();
    let failing = error.map(|error| desk.lessons_at_error(scope, call.as_ref(), &error));
    let LessonsAtCall {
        at_failure: failing,
        nearly: hushed,
        ..
    } = failing.transpose()?.unwrap_or_default();
    let comes_before = |id| lessons.before.iter().any(|(lesson, _)| lesson.id == id);
    let before = lessons.before.iter();
    let before = before.map(|(lesson, moment)| TrialRow::new(lesson, "before this call", moment));
    let failing = failing
        .iter()
        .filter(|(lesson, _)| !comes_before(lesson.id));
    let failing = failing.map(|(lesson, why)| TrialRow::new(lesson, "at this error", why));
    let nearly = hushed.iter().chain(&lessons.nearly);
    let nearly = nearly.map(|(lesson, why)| TrialRow::new(lesson, "", why));
    Ok(before.chain(failing).chain(nearly).collect())
}

/// Tells of lessons out of use, in whichever projects it was tried.
fn try_out_of_use(visitor: &Visitor, desk: &Desk<'_>, call: &str) -> Result<Vec<TrialRow>> {
    let within = if visitor.place.project.is_empty() {
        visitor.place.within(desk)
    } else {
        ScopeFilter::Visible(desk.principal().scope.clone())
    };
    let lessons = desk.lessons_out_of_use(&within, &RawText::from(call))?;
    let rows = lessons.iter();
    Ok(rows
        .map(|(lesson, why)| TrialRow::new(lesson, "", why))
        .collect())
}
