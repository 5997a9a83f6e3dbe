//! `/v1/recalls`: recalls of the past, what was shown and held back, to whom and why, and what followed.

use axum::{extract::Path, response::Response};
use hardwon_api::v1::recall::log::{RecallDto, RecallPageReply, WhyDto};
use hardwon_core::{
    id::{LessonId, RecallId, RunId},
    text::CleanText,
};
use hardwon_engine::{RecallSelection, RecallStory};
use hardwon_store::{RecallListing, ScopeFilter};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    door::{Door, json},
    query::{QueryOf, filter_by_names, parse_limit, parse_number},
    recall::parse_name,
};
use crate::{
    auth::parse_asked_scope,
    error::{ApiError, ProblemDto, Result},
    housekeeping,
    workers::WorkKind,
};

/// Recalls of a page, unless the request says how many; and most of them.
const LISTED: (usize, usize) = (50, 200);
/// Recalls that are read for a page at most, most of which may have shown nothing.
const MAX_READ: usize = 2000;

serve_handlers!(
    Own list_recalls,
    Own show_recall
);

/// Which recalls to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct RecallsQuery {
    /// Only recalls for this agent.
    agent_id: Option<String>,
    /// Only recalls in this project.
    project: Option<String>,
    /// Only recalls in this run.
    run: Option<String>,
    /// Only recalls that found this lesson.
    lesson: Option<String>,
    /// Also recalls that showed nothing.
    #[serde(default)]
    all: bool,
    /// How many: 50 unless said, at most 200.
    limit: Option<String>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
}

/// List the recalls of the past, the newest first.
#[utoipa::path(
    get,
    path = "/v1/recalls",
    tag = "recall",
    params(RecallsQuery),
    responses(
        (status = 200, description = "A page of recalls", body = RecallPageReply),
    )
)]
async fn list_recalls(door: Door, QueryOf(query): QueryOf<RecallsQuery>) -> Result<Response> {
    let scope = parse_asked_scope(query.agent_id.as_deref(), query.project.as_deref())?;
    let mut selection = query.parse_selection()?;
    housekeeping::count_recalls(&door.state, door.caller.tenant()).await;
    door.run(WorkKind::Read, move |door| {
        let desk = door.read_desk(&scope)?;
        selection.listing.within = filter_by_names(&desk, &scope);
        let page = desk.select_recalls(&selection)?;
        let stories = page.rows.into_iter().map(|(id, recall)| {
            let query_text = desk.query_text(id)?;
            Ok(desk.tell_recall((id, recall), query_text)?)
        });
        let stories = stories.collect::<Result<Vec<RecallStory>>>()?;
        let reply = RecallPageReply {
            recalls: stories
                .iter()
                .map(|story| RecallDto::from_story(story, query_text(story)))
                .collect(),
            silent: page.silent_count,
            next_cursor: page.next.map(|page| page.0.to_string()),
        };
        json(&reply)
    })
    .await
}

impl RecallsQuery {
    fn parse_selection(&self) -> Result<RecallSelection> {
        let listing = RecallListing {
            run: parse_name(self.run.as_deref(), "run", RunId::parse)?,
            before: parse_number(self.cursor.as_deref(), "cursor")?.map(RecallId),
            ..RecallListing::default()
        };
        let count = parse_limit(self.limit.as_deref(), LISTED.0, LISTED.1)?;
        Ok(RecallSelection {
            lesson: parse_number(self.lesson.as_deref(), "lesson")?.map(LessonId),
            includes_silent: self.all,
            max_read: MAX_READ,
            ..RecallSelection::newest(listing, count)
        })
    }
}

fn query_text(story: &RecallStory) -> Option<&str> {
    story.query_text.as_ref().map(CleanText::as_str)
}

/// Explain a recall: every lesson that it found, and why each was shown or not.
#[utoipa::path(
    get,
    path = "/v1/recalls/{id}",
    tag = "recall",
    params(("id" = i64, Path, description = "The recall's number")),
    responses(
        (status = 200, description = "The recall, with all that it found", body = WhyDto),
        (status = 400, description = "This is no number of a recall", body = ProblemDto),
        (status = 404, description = "No such recall, or not one that the key may see", body = ProblemDto),
    )
)]
async fn show_recall(door: Door, Path(id): Path<String>) -> Result<Response> {
    let id = parse_number(Some(&id), "id")?.map(RecallId);
    housekeeping::count_recalls(&door.state, door.caller.tenant()).await;
    door.run(WorkKind::Read, move |door| {
        door.find(|desk| {
            let recall = desk.find_recall(ScopeFilter::Tenant, id)?;
            let recall = recall.ok_or_else(|| ApiError::not_found("recall not found"))?;
            let prompt_text = desk.query_text(recall.0)?;
            let story = desk.tell_recall_in_full(recall, prompt_text)?;
            json(&WhyDto::from_story(&story, query_text(&story)))
        })
    })
    .await
}
