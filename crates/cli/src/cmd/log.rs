//! `hardwon log`: what was shown to whom, when and why, and what followed.
//!
//! The engine selects the recalls and gathers what is known of each. What agents were asked at the end of a turn, and
//! which writs hooks did not carry out, stands among them. What else a recall found, and why that was not shown, is the business of `hardwon why`.

mod questions;
mod undone;

use std::{cmp::Reverse, process::ExitCode, thread, time::Duration};

use hardwon_api::v1::recall::log::RecallDto;
use hardwon_core::{credit::LessonJudgement, id::ClientName, scope::Scope};
use hardwon_engine::{RecallSelection, RecallStory, StoryLesson};
use hardwon_store::{Recall, RecallId, RecallListing, ScopeFilter};
use jiff::Timestamp;

use super::{pause, recall_story};
use crate::{
    args::{GlobalArgs, LogArgs},
    config::Settings,
    error::CliError,
    hook::{
        questions::AskedQuestion,
        undone::{HookPlace, LoggedWrit},
    },
    open, output, time,
};

/// Recalls read at once.
const PAGE_ROWS: usize = 200;
/// How often somebody who follows looks for more.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

pub(super) fn run(global: &GlobalArgs, args: &LogArgs) -> Result<ExitCode, CliError> {
    let settings = Settings::load(global)?;
    let filter = LogFilter {
        scope: &settings.scope,
        one_agent: global.agent.is_some(),
        one_project: global.project.is_some() || global.everywhere,
        client: args.client.clone(),
        includes_silent: args.all,
    };
    let mut cursor = LogCursor {
        recall: RecallId(0),
        questions: Vec::new(),
        undone: Vec::new(),
    };
    let news = cursor.read_update(&settings, &filter, args.lines, args.json)?;
    if args.follow {
        return follow_log(&settings, &filter, cursor, news, args.json);
    }
    if !args.json {
        pause::note_pause(&settings);
    }
    let is_empty = news.rows.is_empty();
    output::print_lines(news.rows.into_iter().map(Ok))?;
    if news.silent_count > 0 && !args.json {
        let silent = output::pluralize(news.silent_count, "recall");
        output::print_note(&format!("{silent} showed nothing; --all lists them too"));
    } else if is_empty {
        output::print_note("nothing was shown yet");
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells of what is there, the oldest first, and then of each recall that is made and of each question
/// when it is asked and when it is answered, until nobody reads any more.
fn follow_log(
    settings: &Settings,
    wanted: &LogFilter<'_>,
    mut reached: LogCursor,
    mut news: LogUpdate,
    as_json: bool,
) -> Result<ExitCode, CliError> {
    loop {
        for text in news.rows.iter().rev() {
            if !output::try_print(&format!("{text}\n"))? {
                return Ok(ExitCode::SUCCESS);
            }
        }
        thread::sleep(POLL_INTERVAL);
        news = reached.read_update(settings, wanted, usize::MAX, as_json)?;
    }
}

/// What was not told of before.
struct LogUpdate {
    /// What is to be told, the newest first.
    rows: Vec<String>,
    /// How many recalls showed nothing and are left out.
    silent_count: u64,
}

/// How far whoever reads the log has come.
struct LogCursor {
    recall: RecallId,
    questions: Vec<AskedQuestion>,
    undone: Vec<LoggedWrit>,
}

impl LogCursor {
    /// Gathers what is new and goes on to there. The store is opened each time, because it may not be
    /// there yet.
    fn read_update(
        &mut self,
        settings: &Settings,
        wanted: &LogFilter<'_>,
        count: usize,
        as_json: bool,
    ) -> Result<LogUpdate, CliError> {
        let engine = open::open_flushed(settings)?;
        let desk = engine.acting_as(settings.person());
        let page = desk.select_recalls(&wanted.select_after(self.recall, count))?;
        let new_questions = questions::list_questions(wanted)?;
        let mut rows = Vec::new();
        for (id, recall) in page.rows {
            let query_text = recall_story::find_query_text(&engine, settings, id)?;
            let story = desk.tell_recall((id, recall), query_text)?;
            rows.push((story.recall.at, render_recall(&story, as_json)?));
        }
        for new_questions in new_questions
            .iter()
            .filter(|new_question| !self.questions.contains(new_question))
        {
            rows.push((
                new_questions.at,
                questions::render_question(new_questions, as_json)?,
            ));
        }
        let undone = undone::list_undone(wanted)?;
        for undone in undone.iter().filter(|undone| !self.undone.contains(undone)) {
            rows.push((undone.at, undone::render_undone(undone, as_json)?));
        }
        rows.sort_by_key(|row| Reverse(row.0));
        rows.truncate(count);
        self.recall = page.newest.unwrap_or(self.recall);
        self.questions = new_questions;
        self.undone = undone;
        Ok(LogUpdate {
            rows: rows.into_iter().map(|(_, text)| text).collect(),
            silent_count: page.silent_count,
        })
    }
}

/// Which recalls are asked for.
struct LogFilter<'a> {
    scope: &'a Scope,
    one_agent: bool,
    one_project: bool,
    client: Option<ClientName>,
    includes_silent: bool,
}

impl LogFilter<'_> {
    /// Returns whether something of a hook is asked for.
    fn includes(&self, place: &HookPlace) -> bool {
        let own = self.scope;
        let scope = &place.scope;
        scope.tenant == own.tenant
            && (!self.one_agent || scope.agent == own.agent)
            && (!self.one_project || scope.project == own.project)
            && (self.client.as_ref()).is_none_or(|name| place.client == name.as_str())
    }

    /// Selects the newest recalls after one.
    fn select_after(&self, after: RecallId, count: usize) -> RecallSelection {
        let listing = RecallListing {
            within: ScopeFilter::same_as(self.scope, self.one_agent, self.one_project),
            client: self.client.clone(),
            limit: PAGE_ROWS,
            ..RecallListing::default()
        };
        RecallSelection {
            after,
            includes_silent: self.includes_silent,
            ..RecallSelection::newest(listing, count)
        }
    }
}

fn render_recall(story: &RecallStory, as_json: bool) -> Result<String, CliError> {
    let query_text = recall_story::render_query_text(story);
    if as_json {
        return output::to_json(&RecallDto::from_story(story, query_text.as_deref()));
    }
    let mut text = render_header(story.id, &story.recall);
    if let Some(query_text) = query_text {
        text.push_str(&format!("\n  for: {query_text}"));
    }
    let have_same_end =
        |one: &StoryLesson, two: &StoryLesson| describe_outcomes(one) == describe_outcomes(two);
    for lessons in story.lessons.chunk_by(have_same_end) {
        for lesson in lessons {
            text.push_str(&format!("\n  {} ({})", render_title(lesson), lesson.why));
        }
        let each = if lessons.len() > 1 { "each: " } else { "" };
        for line in describe_outcomes(&lessons[0]) {
            text.push_str(&format!("\n    {each}{line}"));
        }
    }
    if let Some(why) = &story.recall.silence {
        text.push_str(&format!(
            "\n  nothing: {}",
            output::to_one_line(why.as_str())
        ));
    }
    Ok(text)
}

fn render_title(found: &StoryLesson) -> String {
    found.lesson.as_ref().map_or_else(
        || format!("{} (it is no longer there)", found.considered.lesson),
        super::lesson::render_title,
    )
}

/// Says what followed, a line for each who says so.
fn describe_outcomes(found: &StoryLesson) -> Vec<String> {
    let outcomes = found.outcome.as_ref().map(LessonJudgement::words);
    let read = found.opinion.as_ref().map(recall_story::describe_opinion);
    let read = read.map(|read| format!("a model judged that {read}"));
    outcomes.into_iter().chain(read).collect()
}

/// Says what something of a hook is, when it was and whose.
fn render_place(name: &str, at: Timestamp, place: &HookPlace) -> String {
    let project = place.scope.display_project().unwrap_or("no project");
    let (time, client, run) = (render_time(at), &place.client, &place.run);
    output::to_one_line(&format!(
        "{name}, {time}, {client}, {project}, session {run}"
    ))
}

/// Says when something was, as whoever reads it wants it.
fn render_time(at: Timestamp) -> String {
    let ago = || time::format_ago(at, Timestamp::now());
    Some(())
        .filter(|()| output::is_stdout_terminal())
        .and_then(|()| ago())
        .unwrap_or_else(|| time::format_local(at))
}

fn render_header(id: RecallId, recall: &Recall) -> String {
    let time = render_time(recall.at);
    let client = recall
        .client
        .as_ref()
        .map_or("by hand", |client| client.as_str());
    let project = recall.scope.project.as_ref();
    let project = project.map_or("no project", |project| project.display_name());
    let moment = recall.moment.words();
    let run = recall
        .run
        .as_ref()
        .map_or_else(String::new, |run| format!(", session {run}"));
    output::to_one_line(&format!(
        "recall {}, {time}, {client}, {moment}, {project}{run}",
        id.0
    ))
}
