//! `hardwon lesson …`: writing, reading and curating lessons by hand.

mod add;
mod behind;
mod check;
mod consent;
pub(super) mod edit;
mod editor;
mod history;

use std::{collections::BTreeMap, process::ExitCode};

use hardwon_core::{
    id::LessonId,
    lesson::{Lesson, Status},
    text::{CleanText, RawText},
};
use hardwon_engine::{Actor, Engine};
use hardwon_store::{Listing, StatusName, Within};

use crate::{
    args::{
        self, DeleteArgs, Global, LessonCommand, ListArgs, SearchArgs, ShowArgs, SupersedeArgs,
    },
    config::Settings,
    dto::{LessonDto, LessonsDto},
    error::Failure,
    open, output,
};

pub(super) fn run(global: &Global, command: LessonCommand) -> Result<ExitCode, Failure> {
    if let LessonCommand::Check(args) = &command {
        return check::run(args);
    }
    let settings = Settings::load(global)?;
    let done = match command {
        LessonCommand::Add(args) => add::run(&settings, &args),
        LessonCommand::List(args) => list(&settings, &args),
        LessonCommand::Search(args) => search(&settings, &args),
        LessonCommand::Show(args) => show(&settings, &args),
        LessonCommand::Edit(args) => edit::run(&settings, &args),
        LessonCommand::Delete(args) => delete(&settings, &args),
        LessonCommand::Approve(args) => super::review::approve(&settings, &args),
        LessonCommand::Reject(args) => super::review::reject(&settings, &args),
        LessonCommand::Supersede(args) => supersede(&settings, &args),
        LessonCommand::History(args) => history::run(&settings, &args),
        LessonCommand::Check(_) => Ok(()),
    };
    done.map(|()| ExitCode::SUCCESS)
}

fn list(settings: &Settings, args: &ListArgs) -> Result<(), Failure> {
    let engine = open::reader(settings)?;
    let within = if args.all_projects {
        Within::Agent(settings.scope.agent.clone())
    } else {
        Within::Visible(settings.scope.clone())
    };
    let status = args.status.map(status_name);
    let lessons = page(&engine, settings, within, status, "", args.limit)?;
    if args.json {
        return output::json(&LessonsDto::from(&*lessons));
    }
    if lessons.is_empty() {
        output::note(match args.status {
            None => {
                "no lessons yet\nhint: `hardwon learn` reads what agents did, `hardwon lesson add` takes your word"
            }
            Some(_) => "no lessons in this state",
        });
    }
    print_rows(&engine, &lessons)
}

fn search(settings: &Settings, args: &SearchArgs) -> Result<(), Failure> {
    let engine = open::reader(settings)?;
    let words = args.query.join(" ");
    let within = Within::Visible(settings.scope.clone());
    let lessons = page(&engine, settings, within, None, &words, args.limit)?;
    if args.json {
        return output::json(&LessonsDto::from(&*lessons));
    }
    if lessons.is_empty() {
        return Err(Failure::nothing(format!("no lesson holds {words:?}"))
            .hint("search looks for the very words; `hardwon recall` looks for what fits"));
    }
    print_rows(&engine, &lessons)
}

/// Gathers as many pages as are asked for; without a state, those that still matter.
fn page(
    engine: &Engine,
    settings: &Settings,
    within: Within,
    status: Option<StatusName>,
    text: &str,
    limit: usize,
) -> Result<Vec<Lesson>, Failure> {
    let mut lessons = Vec::new();
    let mut listing = Listing {
        within,
        status,
        text: text.to_owned(),
        ..Listing::default()
    };
    while lessons.len() < limit {
        let page = engine.lessons(&settings.scope.tenant, &listing)?;
        let Some(last) = page.last() else { break };
        listing.before = Some(last.id);
        let gone = |lesson: &Lesson| {
            matches!(
                lesson.status,
                Status::Archived { .. } | Status::Superseded { .. }
            )
        };
        lessons.extend(
            page.into_iter()
                .filter(|lesson| status.is_some() || !gone(lesson)),
        );
    }
    lessons.truncate(limit);
    Ok(lessons)
}

fn print_rows(engine: &Engine, lessons: &[Lesson]) -> Result<(), Failure> {
    let rows = lessons.iter().map(|lesson| {
        let number = lesson.id.to_string();
        let opposed = opposed(engine, lesson)?;
        Ok(format!("{number:<5} {}{opposed}", said(lesson)))
    });
    output::lines(rows)
}

/// Says which lessons say the opposite, if any do.
fn opposed(engine: &Engine, lesson: &Lesson) -> Result<String, Failure> {
    let others = engine.contradictions(lesson)?;
    let others: Vec<String> = others.iter().map(|other| other.id.to_string()).collect();
    Ok(match &others[..] {
        [] => String::new(),
        others => format!(" (contradicts {})", others.join(", ")),
    })
}

/// One lesson on one line, as in running text.
pub(super) fn row(lesson: &Lesson) -> String {
    format!("{} {}", lesson.id, said(lesson))
}

/// What a lesson says, on one line, whatever is in it.
pub(super) fn said(lesson: &Lesson) -> String {
    marked(lesson, &lesson.content.text)
}

/// One lesson on one line by its title.
pub(super) fn titled(lesson: &Lesson) -> String {
    format!("{} {}", lesson.id, marked(lesson, &lesson.content.title))
}

/// Puts a lesson's state, unless it is active, and its signature before some words of it.
fn marked(lesson: &Lesson, words: &CleanText) -> String {
    let mut row = String::new();
    if lesson.status != Status::Active {
        row.push_str(&format!("({}) ", lesson.status.name()));
    }
    if !lesson.content.signature.is_blank() {
        let signature = output::one_line(lesson.content.signature.as_str());
        row.push_str(&format!("[{signature}] "));
    }
    row.push_str(&output::one_line(words.as_str()));
    row
}

fn show(settings: &Settings, args: &ShowArgs) -> Result<(), Failure> {
    let engine = open::settled(settings)?;
    let lesson = find(&engine, settings, &args.id)?;
    if args.json {
        return output::json(&LessonDto::from(&lesson));
    }
    let whole = whole(&engine, &lesson)?;
    output::print(&format!("{whole}{}", behind::describe_run(&lesson)))
}

/// Everything that is known of a lesson.
pub(super) fn whole(engine: &Engine, lesson: &Lesson) -> Result<String, Failure> {
    let content = &lesson.content;
    let mut text = lesson.id.to_string();
    // A title that was made from the text says nothing new.
    if content.text.as_str().trim() != content.title.as_str() {
        text.push_str(&format!(" {}", output::one_line(content.title.as_str())));
    }
    let words = output::visible(content.text.as_str());
    text.push_str(&format!("\n\n{}\n\n", words.trim()));
    let mut field = |name: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(&format!("{name:<11} {}\n", output::one_line(value)));
        }
    };
    let join = |items: &[hardwon_core::text::CleanText]| {
        items
            .iter()
            .map(|item| item.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    field("signature", content.signature.as_str());
    field(
        "situation",
        content.situation.as_ref().map_or("", |it| it.as_str()),
    );
    field(
        "mistake",
        content.mistake.as_ref().map_or("", |it| it.as_str()),
    );
    field("tags", &join(&content.tags));
    field("tools", &join(&content.tools));
    field(
        "project",
        lesson
            .scope
            .project
            .as_ref()
            .map_or("everywhere", |it| it.as_str()),
    );
    let why = hardwon_engine::why(&lesson.status)
        .map(|why| format!(": {why}"))
        .unwrap_or_default();
    field("status", &format!("{}{why}", lesson.status.name()));
    let tainted = if lesson.trust.tainted {
        ", tainted"
    } else {
        ""
    };
    field("trust", &format!("{}{tainted}", lesson.trust.class.name()));
    field("cause", lesson.cause.name());
    let counts = lesson.counts;
    field(
        "counts",
        &format!(
            "shown {}, helped {}, wrong {}",
            counts.shown, counts.helped, counts.harmed
        ),
    );
    for other in engine.contradictions(lesson)? {
        field("contradicts", &row(&other));
    }
    for evidence in &lesson.evidence {
        let note = evidence
            .note
            .as_ref()
            .map(|note| format!(" ({note})"))
            .unwrap_or_default();
        field(
            "evidence",
            &format!("{} {}{note}", evidence.kind.name(), evidence.reference),
        );
    }
    field("created", &lesson.created.to_string());
    field("updated", &lesson.updated.to_string());
    Ok(text)
}

fn delete(settings: &Settings, args: &DeleteArgs) -> Result<(), Failure> {
    let engine = open::writer(settings)?;
    for lesson in all(&engine, settings, &args.ids, find)? {
        engine.delete(&lesson, &Actor::person())?;
        output::line(&format!("deleted {}", lesson.id))?;
    }
    Ok(())
}

fn supersede(settings: &Settings, args: &SupersedeArgs) -> Result<(), Failure> {
    let engine = open::writer(settings)?;
    let old = find(&engine, settings, &args.old)?;
    let new = find(&engine, settings, &args.new)?;
    let why = args.why.as_deref().map(RawText::from);
    engine
        .supersede(&old, &new, why.as_ref(), &Actor::person())?
        .map_err(Failure::input)?;
    output::line(&format!("{} takes the place of {}", row(&new), old.id))
}

/// Finds all the lessons, each once, before anything is done to one of them.
pub(super) fn all(
    engine: &Engine,
    settings: &Settings,
    ids: &[String],
    find: fn(&Engine, &Settings, &str) -> Result<Lesson, Failure>,
) -> Result<impl Iterator<Item = Lesson>, Failure> {
    let mut lessons = BTreeMap::new();
    for id in ids {
        let lesson = find(engine, settings, id)?;
        lessons.insert(lesson.id, lesson);
    }
    Ok(lessons.into_values())
}

/// Finds a lesson of the tenant, of whichever agent and project.
pub(super) fn find(engine: &Engine, settings: &Settings, id: &str) -> Result<Lesson, Failure> {
    let id = number(id)?;
    engine
        .lesson(&settings.scope.tenant, id)?
        .ok_or_else(|| missing(id))
}

fn number(id: &str) -> Result<LessonId, Failure> {
    id.parse().map_err(|_| {
        Failure::input(format!("{id:?} is not a lesson number")).hint("write it as 14 or '#14'")
    })
}

fn missing(id: LessonId) -> Failure {
    Failure::nothing(format!("there is no lesson {id}"))
        .hint("`hardwon lesson list` shows those there are")
}

/// Finds a lesson that waits for review.
pub(super) fn waiting(engine: &Engine, settings: &Settings, id: &str) -> Result<Lesson, Failure> {
    let lesson = find(engine, settings, id)?;
    match lesson.status {
        Status::Pending { .. } | Status::Quarantined { .. } => Ok(lesson),
        _ => Err(Failure::input(format!(
            "{} does not wait for review: it is {}",
            lesson.id,
            lesson.status.name()
        ))),
    }
}

fn status_name(status: args::StatusName) -> StatusName {
    match status {
        args::StatusName::Active => StatusName::Active,
        args::StatusName::Pending => StatusName::Pending,
        args::StatusName::Quarantined => StatusName::Quarantined,
        args::StatusName::Superseded => StatusName::Superseded,
        args::StatusName::Archived => StatusName::Archived,
    }
}
