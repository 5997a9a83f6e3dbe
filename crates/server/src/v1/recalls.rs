//! `/v1/recalls`: recalls of the past, what was shown and held back, to whom and why, and what followed.

use hardwon_api::v1::recall::log::{RecallDto, RecallPageReply, WhyDto};
use hardwon_core::{CleanText, RecallId, RunId};
use hardwon_engine::{RecallSelection, RecallStory};
use hardwon_store::{RecallListing, ScopeFilter};

use super::prelude::*;

/// Recalls of a page, unless the request says how many; and most of them.
const LISTED: (usize, usize) = (50, 200);
/// Recalls that are read for a page at most, most of which may have shown nothing.
const MAX_READ: usize = 2000;

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("GET /v1/recalls", Read, list_recalls)
            .counts_recalls()
            .tells::<RecallPageReply>(200, "A page of recalls"),
        verb("GET /v1/recalls/{id}", Read, show_recall)
            .counts_recalls()
            .named("The recall's number")
            .tells::<WhyDto>(200, "The recall, with all that it found")
            .or(400, "This is no number of a recall")
            .or(404, "No such recall, or not one that the key may see"),
    ]
}

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
    /// Only recalls that showed this lesson, or left it out by chance.
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
fn list_recalls(door: &Door, QueryOf(query): QueryOf<RecallsQuery>) -> Result<Response> {
    let scope = parse_asked_scope(query.agent_id.as_ref(), query.project.as_ref())?;
    let mut selection = query.parse_selection()?;
    let desk = door.read_desk(&scope)?;
    selection.listing.within = filter_by_names(&desk, &scope);
    let page = desk.select_recalls(&selection)?;
    let stories = page.rows.into_iter().map(|(id, recall)| {
        let query_text = desk.query_text(id)?;
        Ok(desk.tell_recall((id, recall), query_text, false)?)
    });
    let stories = stories.collect::<Result<Vec<RecallStory>>>()?;
    let recalls = stories.iter();
    json(&RecallPageReply {
        recalls: recalls
            .map(|story| RecallDto::from_story(story, query_text(story)))
            .collect(),
        silent: page.silent_count,
        next_cursor: page.next.map(|page| page.0.to_string()),
    })
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
fn show_recall(door: &Door, Path(id): Path<String>) -> Result<Response> {
    let id = parse_number(Some(&id), "id")?.map(RecallId);
    door.find(|desk| {
        let recall = id.map(|id| desk.find_recall(ScopeFilter::Tenant, id));
        let recall = recall.transpose()?.flatten();
        let recall = recall.ok_or_else(|| ApiError::not_found("recall not found"))?;
        let prompt_text = desk.query_text(recall.0)?;
        let story = desk.tell_recall(recall, prompt_text, true)?;
        json(&WhyDto::from_story(&story, query_text(&story)))
    })
}
