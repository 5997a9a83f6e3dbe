//! `hardwon log`: what was shown to whom, when and why, and what followed.
//!
//! It reads recalls as they are kept, the newest first, and looks each lesson up as it is now. What
//! followed is what the judgement of the run says, once there is one. What agents were asked at the
//! end of a turn stands among them. What else a recall found, and why that was not shown, is the
//! business of `hardwon why`.

mod questions;

use std::{cmp::Reverse, process::ExitCode, thread, time::Duration};

use hardwon_api::v1::recall::log::{AftermathDto, LogLessonDto, RecallDto};
use hardwon_core::{credit::LessonJudgement, id::ClientName, scope::Scope};
use hardwon_engine::{Desk, Engine};
use hardwon_store::{ConsideredLesson, Recall, RecallId, RecallListing, ScopeFilter, Treatment};
use jiff::Timestamp;

use super::recall_story::{self, RecallStory};
use crate::{
    args::{GlobalArgs, LogArgs},
    config::Settings,
    error::CliError,
    hook::questions::AskedQuestion,
    open, output, time,
};

/// Recalls read at once.
const PAGE_ROWS: usize = 200;
/// How often somebody who follows looks for more.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

pub(super) fn run(global: &GlobalArgs, args: &LogArgs) -> Result<ExitCode, CliError> {
    let settings = Settings::load(global)?;
    let wanted = LogFilter {
        scope: &settings.scope,
        one_agent: global.agent.is_some(),
        one_project: global.project.is_some() || global.everywhere,
        client: args.client.clone(),
        includes_silent: args.all,
    };
    let mut reached = LogCursor {
        recall: RecallId(0),
        questions: Vec::new(),
    };
    let news = reached.read_update(&settings, &wanted, args.lines, args.json)?;
    if args.follow {
        return follow_log(&settings, &wanted, reached, news, args.json);
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
        let page = wanted.read_page(&desk, self.recall, count)?;
        let asked = questions::list_questions(wanted)?;
        let mut rows = Vec::new();
        for (id, recall) in &page.rows {
            rows.push((
                recall.at,
                render_recall(&engine, settings, *id, recall, as_json)?,
            ));
        }
        for asked in asked.iter().filter(|it| !self.questions.contains(it)) {
            rows.push((asked.at, questions::render_question(asked, as_json)?));
        }
        rows.sort_by_key(|row| Reverse(row.0));
        rows.truncate(count);
        self.recall = page.last;
        self.questions = asked;
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

/// Recalls that were asked for, the newest first.
struct RecallPage {
    rows: Vec<(RecallId, Recall)>,
    /// The newest recall that was asked for.
    last: RecallId,
    /// How many among them showed nothing and are left out.
    silent_count: u64,
}

impl LogFilter<'_> {
    /// Gathers the newest recalls after one.
    fn read_page(
        &self,
        desk: &Desk<'_>,
        after: RecallId,
        count: usize,
    ) -> Result<RecallPage, CliError> {
        let mut page = RecallPage {
            rows: Vec::new(),
            last: after,
            silent_count: 0,
        };
        let mut listing = RecallListing {
            within: ScopeFilter::same_as(self.scope, self.one_agent, self.one_project),
            client: self.client.clone(),
            limit: PAGE_ROWS,
            ..RecallListing::default()
        };
        loop {
            let found = desk.recalls(&listing)?;
            let Some((oldest, _)) = found.last() else {
                return Ok(page);
            };
            listing.before = Some(*oldest);
            for (id, recall) in found {
                if id <= after || page.rows.len() == count {
                    return Ok(page);
                }
                page.last = page.last.max(id);
                if self.includes_silent || recall.eligible_lessons().next().is_some() {
                    page.rows.push((id, recall));
                } else {
                    page.silent_count += 1;
                }
            }
        }
    }
}

fn render_recall(
    engine: &Engine,
    settings: &Settings,
    id: RecallId,
    recall: &Recall,
    as_json: bool,
) -> Result<String, CliError> {
    let story = RecallStory::gather(engine, settings, id, recall)?;
    let meant = recall.considered.iter();
    let meant = meant.filter(|found| !matches!(found.treatment, Treatment::Excluded { .. }));
    let desk = engine.acting_as(settings.person());
    let lessons = meant.map(|found| LogLesson::gather(&desk, recall, found, &story));
    let lessons = lessons.collect::<Result<Vec<_>, _>>()?;
    if as_json {
        return output::to_json(&build_dto(id, recall, &story, &lessons));
    }
    let mut text = render_header(id, recall);
    if let Some(asked) = &story.query_text {
        text.push_str(&format!("\n  for: {asked}"));
    }
    for lessons in lessons.chunk_by(|one, two| one.describe_outcomes() == two.describe_outcomes()) {
        for lesson in lessons {
            text.push_str(&format!("\n  {} ({})", lesson.text, lesson.why));
        }
        let each = if lessons.len() > 1 { "each: " } else { "" };
        for line in lessons[0].describe_outcomes() {
            text.push_str(&format!("\n    {each}{line}"));
        }
    }
    if let Some(why) = &recall.silence {
        text.push_str(&format!(
            "\n  nothing: {}",
            output::to_one_line(why.as_str())
        ));
    }
    Ok(text)
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
    let client = recall.client.as_ref().map_or("by hand", |it| it.as_str());
    let project = recall.scope.project.as_ref();
    let project = project.map_or("no project", |it| it.display_name());
    let moment = recall_story::describe_moment(recall.moment);
    let run = recall
        .run
        .as_ref()
        .map_or_else(String::new, |run| format!(", session {run}"));
    output::to_one_line(&format!(
        "recall {}, {time}, {client}, {moment}, {project}{run}",
        id.0
    ))
}

/// A lesson that was shown or held back, why, and what followed.
struct LogLesson {
    id: i64,
    score: f32,
    title: Option<String>,
    text: String,
    why: String,
    is_withheld: bool,
    outcome: Option<LessonJudgement>,
    /// What a model read about it.
    opinion: Option<LessonJudgement>,
}

impl LogLesson {
    fn gather(
        desk: &Desk<'_>,
        recall: &Recall,
        found: &ConsideredLesson,
        story: &RecallStory,
    ) -> Result<Self, CliError> {
        let lesson = desk.lesson_if_visible(found.lesson)?;
        let said = lesson.as_ref().map_or_else(
            || format!("{} (it is no longer there)", found.lesson),
            super::lesson::render_title,
        );
        Ok(Self {
            id: found.lesson.0,
            score: found.score,
            why: story.describe_reason(recall, found, lesson.as_ref()),
            title: lesson.map(|it| it.content.title.to_string()),
            text: said,
            is_withheld: matches!(found.treatment, Treatment::HeldOut | Treatment::Deferred),
            outcome: story.outcome(found).cloned(),
            opinion: story.opinion(found).cloned(),
        })
    }

    fn to_dto(&self) -> LogLessonDto<'_> {
        LogLessonDto {
            id: self.id,
            title: self.title.as_deref(),
            score: self.score,
            aftermath: AftermathDto::from_judgement(&self.why, self.outcome.as_ref()),
        }
    }

    /// Says what followed, a line for each who says so.
    fn describe_outcomes(&self) -> Vec<String> {
        let followed = self.outcome.as_ref().map(recall_story::describe_outcome);
        let read = self.opinion.as_ref().map(recall_story::describe_opinion);
        let read = read.map(|read| format!("a model judged that {read}"));
        followed.into_iter().chain(read).collect()
    }
}

fn build_dto<'a>(
    id: RecallId,
    recall: &'a Recall,
    story: &'a RecallStory,
    lessons: &'a [LogLesson],
) -> RecallDto<'a> {
    let lessons_that = |are_withheld| {
        let lessons = lessons
            .iter()
            .filter(move |it| it.is_withheld == are_withheld);
        lessons.map(LogLesson::to_dto).collect()
    };
    let (shown, withheld) = (lessons_that(false), lessons_that(true));
    RecallDto::from_recall(id, recall, story.query_text.as_deref(), shown, withheld)
}
