//! `hardwon log`: what was shown to whom, when and why, and what followed.
//!
//! It reads recalls as they are kept, the newest first, and looks each lesson up as it is now. What
//! followed is what the judgement of the run says, once there is one. What agents were asked at the
//! end of a turn stands among them. What else a recall found, and why that was not shown, is the
//! business of `hardwon why`.

mod questions;

use std::{cmp::Reverse, process::ExitCode, thread, time::Duration};

use hardwon_core::{credit::LessonJudgement, id::ClientName, scope::Scope};
use hardwon_engine::{Desk, Engine};
use hardwon_store::{ConsideredLesson, Recall, RecallId, RecallListing, Treatment, Within};
use jiff::Timestamp;
use serde::Serialize;

use super::story::{self, Story};
use crate::{
    args::{Global, LogArgs},
    config::Settings,
    error::Failure,
    hook::questions::Asked,
    open, output, when,
};

/// Recalls read at once.
const PAGE: usize = 200;
/// How often somebody who follows looks for more.
const PAUSE: Duration = Duration::from_millis(500);

pub(super) fn run(global: &Global, args: &LogArgs) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    let wanted = Wanted {
        scope: &settings.scope,
        one_agent: global.agent.is_some(),
        one_project: global.project.is_some() || global.everywhere,
        client: args.client.clone(),
        silent: args.all,
    };
    let mut reached = Reached {
        recall: RecallId(0),
        questions: Vec::new(),
    };
    let news = reached.gather_news(&settings, &wanted, args.lines, args.json)?;
    if args.follow {
        return follow(&settings, &wanted, reached, news, args.json);
    }
    let is_empty = news.rows.is_empty();
    output::lines(news.rows.into_iter().map(Ok))?;
    if news.silent > 0 && !args.json {
        let silent = output::count(news.silent, "recall");
        output::note(&format!("{silent} showed nothing; --all lists them too"));
    } else if is_empty {
        output::note("nothing was shown yet");
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells of what is there, the oldest first, and then of each recall that is made and of each question
/// when it is asked and when it is answered, until nobody reads any more.
fn follow(
    settings: &Settings,
    wanted: &Wanted<'_>,
    mut reached: Reached,
    mut news: News,
    as_json: bool,
) -> Result<ExitCode, Failure> {
    loop {
        for text in news.rows.iter().rev() {
            if !output::offer(&format!("{text}\n"))? {
                return Ok(ExitCode::SUCCESS);
            }
        }
        thread::sleep(PAUSE);
        news = reached.gather_news(settings, wanted, usize::MAX, as_json)?;
    }
}

/// What was not told of before.
struct News {
    /// What is to be told, the newest first.
    rows: Vec<String>,
    /// How many recalls showed nothing and are left out.
    silent: u64,
}

/// How far whoever reads the log has come.
struct Reached {
    recall: RecallId,
    questions: Vec<Asked>,
}

impl Reached {
    /// Gathers what is new and goes on to there. The store is opened each time, because it may not be
    /// there yet.
    fn gather_news(
        &mut self,
        settings: &Settings,
        wanted: &Wanted<'_>,
        count: usize,
        as_json: bool,
    ) -> Result<News, Failure> {
        let engine = open::settled(settings)?;
        let desk = engine.acting_as(settings.person());
        let page = wanted.page(&desk, self.recall, count)?;
        let asked = questions::list(wanted)?;
        let mut rows = Vec::new();
        for (id, recall) in &page.rows {
            rows.push((recall.at, told(&engine, settings, *id, recall, as_json)?));
        }
        for asked in asked.iter().filter(|it| !self.questions.contains(it)) {
            rows.push((asked.at, questions::told(asked, as_json)?));
        }
        rows.sort_by_key(|row| Reverse(row.0));
        rows.truncate(count);
        self.recall = page.last;
        self.questions = asked;
        Ok(News {
            rows: rows.into_iter().map(|(_, text)| text).collect(),
            silent: page.silent,
        })
    }
}

/// Which recalls are asked for.
struct Wanted<'a> {
    scope: &'a Scope,
    one_agent: bool,
    one_project: bool,
    client: Option<ClientName>,
    silent: bool,
}

/// Recalls that were asked for, the newest first.
struct Page {
    rows: Vec<(RecallId, Recall)>,
    /// The newest recall that was asked for.
    last: RecallId,
    /// How many among them showed nothing and are left out.
    silent: u64,
}

impl Wanted<'_> {
    /// Gathers the newest recalls after one.
    fn page(&self, desk: &Desk<'_>, after: RecallId, count: usize) -> Result<Page, Failure> {
        let mut page = Page {
            rows: Vec::new(),
            last: after,
            silent: 0,
        };
        let mut listing = RecallListing {
            within: Within::same_as(self.scope, self.one_agent, self.one_project),
            client: self.client.clone(),
            limit: PAGE,
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
                if self.silent || recall.eligible_lessons().next().is_some() {
                    page.rows.push((id, recall));
                } else {
                    page.silent += 1;
                }
            }
        }
    }
}

fn told(
    engine: &Engine,
    settings: &Settings,
    id: RecallId,
    recall: &Recall,
    as_json: bool,
) -> Result<String, Failure> {
    let story = Story::gather(engine, settings, id, recall)?;
    let meant = recall.considered.iter();
    let meant = meant.filter(|found| !matches!(found.treatment, Treatment::Excluded { .. }));
    let desk = engine.acting_as(settings.person());
    let lessons = meant.map(|found| Meant::of(&desk, recall, found, &story));
    let lessons = lessons.collect::<Result<Vec<_>, _>>()?;
    if as_json {
        return output::to_json(&RecallDto::of(id, recall, &story, &lessons));
    }
    let mut text = head(id, recall);
    if let Some(asked) = &story.asked {
        text.push_str(&format!("\n  for: {asked}"));
    }
    for lessons in lessons.chunk_by(|one, two| one.outcome() == two.outcome()) {
        for lesson in lessons {
            text.push_str(&format!("\n  {} ({})", lesson.said, lesson.why));
        }
        let each = if lessons.len() > 1 { "each: " } else { "" };
        for line in lessons[0].outcome() {
            text.push_str(&format!("\n    {each}{line}"));
        }
    }
    if let Some(why) = &recall.silence {
        text.push_str(&format!("\n  nothing: {}", output::one_line(why.as_str())));
    }
    Ok(text)
}

/// Says when something was, as whoever reads it wants it.
fn time(at: Timestamp) -> String {
    let ago = || when::ago(at, Timestamp::now());
    Some(())
        .filter(|()| output::is_terminal())
        .and_then(|()| ago())
        .unwrap_or_else(|| when::local(at))
}

fn head(id: RecallId, recall: &Recall) -> String {
    let time = time(recall.at);
    let client = recall.client.as_ref().map_or("by hand", |it| it.as_str());
    let project = recall.scope.project.as_ref();
    let project = project.map_or("no project", |it| it.display_name());
    let moment = story::describe_moment(recall.moment);
    let run = recall
        .run
        .as_ref()
        .map_or_else(String::new, |run| format!(", session {run}"));
    output::one_line(&format!(
        "recall {}, {time}, {client}, {moment}, {project}{run}",
        id.0
    ))
}

/// A lesson that was shown or held back, why, and what followed.
struct Meant {
    id: i64,
    score: f32,
    title: Option<String>,
    said: String,
    why: String,
    is_held: bool,
    followed: Option<LessonJudgement>,
    /// What a model read about it.
    read: Option<LessonJudgement>,
}

impl Meant {
    fn of(
        desk: &Desk<'_>,
        recall: &Recall,
        found: &ConsideredLesson,
        story: &Story,
    ) -> Result<Self, Failure> {
        let lesson = story::seen(desk.lesson(found.lesson))?;
        let said = lesson.as_ref().map_or_else(
            || format!("{} (it is no longer there)", found.lesson),
            super::lesson::titled,
        );
        Ok(Self {
            id: found.lesson.0,
            score: found.score,
            why: story.reason(recall, found, lesson.as_ref()),
            title: lesson.map(|it| it.content.title.to_string()),
            said,
            is_held: matches!(found.treatment, Treatment::HeldOut | Treatment::Deferred),
            followed: story.outcome(found).cloned(),
            read: story.opinion(found).cloned(),
        })
    }

    /// Says what followed, a line for each who says so.
    fn outcome(&self) -> Vec<String> {
        let followed = self.followed.as_ref().map(story::describe_outcome);
        let read = self.read.as_ref().map(story::describe_opinion);
        let read = read.map(|read| format!("a model judged that {read}"));
        followed.into_iter().chain(read).collect()
    }
}

/// A recall as JSON shows it.
#[derive(Debug, Serialize)]
struct RecallDto<'a> {
    recall: i64,
    at: String,
    client: Option<&'a str>,
    moment: &'static str,
    agent: &'a str,
    project: Option<&'a str>,
    run: Option<&'a str>,
    /// The prompt or the call, as far as it is kept and may be read.
    asked: Option<&'a str>,
    shown: Vec<MeantDto<'a>>,
    held_back: Vec<MeantDto<'a>>,
    silent: Option<&'a str>,
}

/// A lesson that was shown or held back, as JSON shows it.
#[derive(Debug, Serialize)]
struct MeantDto<'a> {
    id: i64,
    title: Option<&'a str>,
    score: f32,
    /// Why it was shown or held back.
    why: &'a str,
    /// What became of it; null until the run is judged.
    fate: Option<&'static str>,
    /// Whether it went well; null while nobody knows.
    good: Option<bool>,
}

impl<'a> MeantDto<'a> {
    fn of(lesson: &'a Meant) -> Self {
        Self {
            id: lesson.id,
            title: lesson.title.as_deref(),
            score: lesson.score,
            why: &lesson.why,
            fate: lesson.followed.as_ref().map(|it| it.outcome.name()),
            good: lesson.followed.as_ref().and_then(|it| it.went_well),
        }
    }
}

impl<'a> RecallDto<'a> {
    fn of(id: RecallId, recall: &'a Recall, story: &'a Story, lessons: &'a [Meant]) -> Self {
        let (held_back, shown): (Vec<&Meant>, Vec<&Meant>) =
            lessons.iter().partition(|it| it.is_held);
        Self {
            recall: id.0,
            at: recall.at.to_string(),
            client: recall.client.as_ref().map(|it| it.as_str()),
            moment: recall.moment.name(),
            agent: recall.scope.agent.as_str(),
            project: recall.scope.project.as_ref().map(|it| it.display_name()),
            run: recall.run.as_ref().map(|it| it.as_str()),
            asked: story.asked.as_deref(),
            shown: shown.into_iter().map(MeantDto::of).collect(),
            held_back: held_back.into_iter().map(MeantDto::of).collect(),
            silent: recall.silence.as_ref().map(|it| it.as_str()),
        }
    }
}
