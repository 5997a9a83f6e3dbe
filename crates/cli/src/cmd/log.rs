//! `hardwon log`: what was shown to whom, when and why, and what followed.
//!
//! The engine selects the recalls and gathers what is known of each. What agents were asked at the end of a turn, and
//! which writs hooks did not carry out, stands among them. What else a recall found, and why that was not shown, is the business of `hardwon why`.

mod questions;
mod undone;

use std::cmp::Reverse;

use hardwon_api::v1::recall::log::RecallDto;
use hardwon_core::{ClientName, ExclusionReason, LessonId, LessonJudgement, RunId, Scope};
use hardwon_engine::{RecallSelection, RecallStory, StoryLesson};
use hardwon_store::{RecallListing, ScopeFilter};
use jiff::Timestamp;

use super::{lesson::render_title, pause, recall_story};
use crate::{
    GlobalArgs, HookPlace, Result, Settings,
    args::LogArgs,
    config,
    hook::{questions::read_questions, undone::read_undone},
    open, output, time,
};

/// Recalls read at once.
const PAGE_ROWS: usize = 200;

pub(super) fn run(global: &GlobalArgs, args: &LogArgs) -> Result<()> {
    let settings = Settings::load(global)?;
    let filter = LogFilter {
        scope: &settings.scope,
        one_agent: global.agent.is_some(),
        one_project: global.project.is_some() || global.everywhere,
        client: args.client.clone(),
        lesson: args.lesson,
        includes_silent: args.all,
    };
    let engine = open::open_flushed(&settings)?;
    let desk = engine.acting_as(settings.person());
    let page = desk.select_recalls(&filter.select_newest(args.lines))?;
    let mut rows = Vec::new();
    let mut has_withheld = false;
    for (id, recall) in page.rows {
        let query_text = recall_story::find_query_text(&engine, &settings, id)?;
        let story = desk.tell_recall((id, recall), query_text, false)?;
        has_withheld |= story.lessons.iter().any(StoryLesson::is_withheld);
        rows.push((story.recall.at, render_recall(&story, args.json)?));
    }
    let state = config::state_folder()?;
    for asked in read_questions(&state) {
        if filter.includes(&asked.place) {
            rows.push((asked.at, questions::render_question(&asked, args.json)?));
        }
    }
    for undone in read_undone(&state) {
        if filter.includes(&undone.place) {
            rows.push((undone.at, undone::render_undone(&undone, args.json)?));
        }
    }
    rows.sort_by_key(|row| Reverse(row.0));
    rows.truncate(args.lines);
    if !args.json {
        pause::note_pause(&settings);
    }
    let is_empty = rows.is_empty();
    output::print_lines(rows.into_iter().map(|(_, text)| Ok(text)))?;
    if has_withheld && !args.json {
        output::print_note(
            "left out at random: a control group (setting `holdout`), every second time until a lesson's effect is known",
        );
    }
    if page.silent_count > 0 && !args.json {
        let silent = output::pluralize(page.silent_count, "recall");
        print_note!("{silent} showed nothing; --all lists them too");
    } else if is_empty {
        let other = args.lesson.map(|id| desk.lesson(id)).transpose()?;
        let is_narrowed =
            other.is_some() || args.client.is_some() || filter.one_agent || filter.one_project;
        output::print_note(if is_narrowed {
            "nothing that was shown fits these options"
        } else {
            "nothing was shown yet"
        });
    }
    Ok(())
}

/// Which recalls are asked for.
struct LogFilter<'a> {
    scope: &'a Scope,
    one_agent: bool,
    one_project: bool,
    client: Option<ClientName>,
    lesson: Option<LessonId>,
    includes_silent: bool,
}

impl LogFilter<'_> {
    /// Returns whether something of a hook is asked for.
    fn includes(&self, place: &HookPlace) -> bool {
        let own = self.scope;
        let scope = &place.scope;
        scope.tenant == own.tenant
            && self.lesson.is_none()
            && (!self.one_agent || scope.agent == own.agent)
            && (!self.one_project || scope.project == own.project)
            && (self.client.as_ref()).is_none_or(|name| place.client == name.as_str())
    }

    /// Selects the newest recalls.
    fn select_newest(&self, count: usize) -> RecallSelection {
        let listing = RecallListing {
            within: ScopeFilter::same_as(self.scope, self.one_agent, self.one_project),
            client: self.client.clone(),
            limit: PAGE_ROWS,
            ..RecallListing::default()
        };
        RecallSelection {
            lesson: self.lesson,
            includes_silent: self.includes_silent,
            ..RecallSelection::newest(listing, count)
        }
    }
}

fn render_recall(story: &RecallStory, as_json: bool) -> Result<String> {
    let query_text = recall_story::render_query_text(story);
    if as_json {
        return output::to_json(&RecallDto::from_story(story, query_text.as_deref()));
    }
    let recall = &story.recall;
    let client = recall.client.as_ref();
    let client = client.map_or("by hand", ClientName::as_str);
    let mut text = render_header(
        &format!("recall {}", story.id.0),
        recall.at,
        &format!("{client}, {}", recall.moment.words()),
        &recall.scope,
        recall.run.as_ref().map(RunId::as_str),
    );
    if let Some(query_text) = query_text {
        text += &format!("\n  for: {query_text}");
    }
    let have_same_end =
        |one: &StoryLesson, two: &StoryLesson| describe_outcomes(one) == describe_outcomes(two);
    for lessons in story.lessons.chunk_by(have_same_end) {
        for lesson in lessons {
            let name = recall_story::name_lesson(lesson, render_title);
            text += &format!("\n  {name} ({})", name_reason(lesson));
        }
        let each = if lessons.len() > 1 { "each: " } else { "" };
        for line in describe_outcomes(&lessons[0]) {
            text += &format!("\n    {each}{line}");
        }
    }
    if let Some(why) = &story.recall.silence {
        text += &format!("\n  nothing: {}", output::to_one_line(why.as_str()));
    }
    Ok(text)
}

/// Says why a lesson was shown or withheld; what chance does is explained once, below.
fn name_reason(found: &StoryLesson) -> String {
    (found.why).replace(&ExclusionReason::HeldOut.to_string(), "left out at random")
}

/// Says what followed, a line for each who says so.
fn describe_outcomes(found: &StoryLesson) -> Vec<String> {
    let outcomes = found.outcome.as_ref().map(LessonJudgement::words);
    let read = found.opinion.as_ref().map(recall_story::describe_opinion);
    outcomes.into_iter().chain(read).collect()
}

/// Says what something is, when it was and whose.
fn render_header(
    name: &str,
    at: Timestamp,
    client: &str,
    scope: &Scope,
    run: Option<&str>,
) -> String {
    let project = scope.display_project().unwrap_or("no project");
    let run = run.map_or_else(String::new, |run| format!(", session {run}"));
    let time = render_time(at);
    output::to_one_line(&format!("{name}, {time}, {client}, {project}{run}"))
}

/// Says what something of a hook is, when it was and whose.
fn render_place(name: &str, at: Timestamp, place: &HookPlace) -> String {
    render_header(name, at, &place.client, &place.scope, Some(&place.run))
}

/// Says when something was, as whoever reads it wants it.
fn render_time(at: Timestamp) -> String {
    let ago = || time::format_ago(at, Timestamp::now());
    let ago = output::is_stdout_terminal().then(ago).flatten();
    ago.unwrap_or_else(|| time::format_local(at))
}
