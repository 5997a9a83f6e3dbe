//! `hardwon lesson …`: writing, reading and curating lessons by hand.

mod add;
mod behind;
mod check;
mod consent;
pub(super) mod edit;
mod editor;
mod erase;
mod history;
mod rows;

use std::{collections::BTreeMap, process::ExitCode};

use hardwon_core::{
    id::LessonId,
    lesson::{Cause, Lesson, Status, TrustClass},
    preamble,
    text::{CleanText, RawText},
};
use hardwon_engine::Desk;
use hardwon_store::{Listing, Order, StatusName, Within};

use crate::{
    args::{self, Global, LessonCommand, ListArgs, MoveArgs, SearchArgs, ShowArgs, SupersedeArgs},
    config::Settings,
    dto::{LessonDto, LessonsDto},
    error::Failure,
    open, output, when,
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
        LessonCommand::Delete(args) => erase::delete(&settings, &args),
        LessonCommand::Restore(args) => erase::restore(&settings, &args),
        LessonCommand::Erase(args) => erase::erase(&settings, &args),
        LessonCommand::Approve(args) => super::review::approve(global, &settings, &args),
        LessonCommand::Reject(args) => super::review::reject(&settings, &args),
        LessonCommand::Supersede(args) => supersede(&settings, &args),
        LessonCommand::Move(args) => relocate(&settings, &args),
        LessonCommand::History(args) => history::run(&settings, &args),
        LessonCommand::Check(_) => Ok(()),
    };
    done.map(|()| ExitCode::SUCCESS)
}

fn list(settings: &Settings, args: &ListArgs) -> Result<(), Failure> {
    let engine = open::settled(settings)?;
    let desk = engine.acting_as(settings.person());
    let within = if args.all_projects {
        Within::Agent(settings.scope.agent.clone())
    } else {
        Within::Visible(settings.scope.clone())
    };
    let status = args.status.map(status_name);
    let lessons = page(&desk, within, status, args.limit)?;
    if args.json {
        return output::json(&LessonsDto::from(&*lessons));
    }
    if lessons.is_empty() {
        output::note(none_listed(&desk, settings, args)?);
    }
    rows::print(&desk, settings, &lessons)
}

fn search(settings: &Settings, args: &SearchArgs) -> Result<(), Failure> {
    let engine = open::settled(settings)?;
    let desk = engine.acting_as(settings.person());
    let words = args.query.join(" ");
    let listing = Listing {
        within: Within::Visible(settings.scope.clone()),
        text: words.clone(),
        limit: args.limit,
        ..Listing::default()
    };
    let lessons = desk.search_words(&listing)?;
    if args.json {
        return output::json(&LessonsDto::from(&*lessons));
    }
    if lessons.is_empty() {
        return Err(
            Failure::nothing(format!("no lesson contains all of {words:?}")).hint(
                "search needs every word, in any order; `hardwon recall` finds what fits best",
            ),
        );
    }
    rows::print(&desk, settings, &lessons)
}

/// Says why a list is empty.
fn none_listed(
    desk: &Desk<'_>,
    settings: &Settings,
    args: &ListArgs,
) -> Result<&'static str, Failure> {
    let agent = Within::Agent(settings.scope.agent.clone());
    let others = page(desk, agent, None, 1)?;
    Ok(match args.status {
        Some(_) => "no lessons in this state",
        None if others.is_empty() => {
            "no lessons yet\nhint: `hardwon learn` learns from agents' sessions, `hardwon lesson add` records your own"
        }
        None => {
            "no lessons here\nhint: `hardwon lesson list --all-projects` shows those of other projects"
        }
    })
}

/// Gathers as many pages as are asked for; without a state, those that still matter.
fn page(
    desk: &Desk<'_>,
    within: Within,
    status: Option<StatusName>,
    limit: usize,
) -> Result<Vec<Lesson>, Failure> {
    let mut lessons = Vec::new();
    let mut listing = Listing {
        within,
        status,
        order: Order::Shown,
        ..Listing::default()
    };
    while lessons.len() < limit {
        let page = desk.lessons(&listing)?;
        let Some(last) = page.last() else { break };
        listing.before = Some(last.id);
        lessons.extend(
            page.into_iter()
                .filter(|it| status.is_some() || !it.status.is_retired()),
        );
    }
    lessons.truncate(limit);
    Ok(lessons)
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
    let desk = engine.acting_as(settings.person());
    let lesson = find(&desk, settings, &args.id)?;
    if args.json {
        return output::json(&LessonDto::from(&lesson));
    }
    let whole = whole(&desk, &lesson)?;
    output::print(&format!("{whole}{}", behind::describe_run(&lesson)))
}

/// Everything that is known of a lesson.
pub(super) fn whole(desk: &Desk<'_>, lesson: &Lesson) -> Result<String, Failure> {
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
    field("project", rows::place(lesson.scope.project.as_ref()));
    let why = hardwon_engine::why(&lesson.status)
        .map(|why| format!(": {why}"))
        .unwrap_or_default();
    field("status", &format!("{}{why}", lesson.status.name()));
    field("source", &source(lesson));
    field("reason", describe_cause(lesson.cause));
    let counts = lesson.counts;
    let shown = output::count(counts.shown, "time");
    field(
        "use",
        &format!(
            "shown {shown}, helped {}, wrong {}",
            counts.helped, counts.harmed
        ),
    );
    for other in desk.contradictions(lesson)? {
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
    field("created", &when::local(lesson.created));
    field("updated", &when::local(lesson.updated));
    Ok(text)
}

/// Says whose word a lesson is.
pub(super) fn source(lesson: &Lesson) -> String {
    let whose = match lesson.trust.class {
        TrustClass::Person => "a person",
        TrustClass::Agent => "an agent",
        TrustClass::Derived => "learned by rules",
        TrustClass::Distilled => "learned by a model",
        TrustClass::Imported => "imported from a file",
    };
    let outside = match lesson.trust.tainted {
        true => ", from outside content",
        false => "",
    };
    format!("{whose}{outside}")
}

/// Says what a lesson was written for.
fn describe_cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Error => "something failed",
        Cause::Hallucination => "a claim was found wrong",
        Cause::LowQuality => "a result scored low",
        Cause::Correction => "a person corrected the agent",
        Cause::Manual => "somebody wrote it down",
        Cause::Retried => "a repair took several attempts",
        Cause::Escalated => "a repair was given up",
        Cause::Debugged => "debugging found a root cause",
        Cause::Reviewed => "a review fixed or flagged something",
        Cause::Merged => "several lessons became one",
        Cause::Imported => "a file was imported",
    }
}

fn supersede(settings: &Settings, args: &SupersedeArgs) -> Result<(), Failure> {
    let engine = open::writer(settings)?;
    let desk = engine.acting_as(settings.person());
    let old = find(&desk, settings, &args.old)?;
    let new = find(&desk, settings, &args.new)?;
    let why = args.why.as_deref().map(RawText::from);
    desk.supersede(old.id, new.id, why.as_ref())?;
    output::line(&format!("{} takes the place of {}", row(&new), old.id))
}

/// Finds all the lessons, each once, before anything is done to one of them.
pub(super) fn all(
    desk: &Desk<'_>,
    settings: &Settings,
    ids: &[String],
    find: fn(&Desk<'_>, &Settings, &str) -> Result<Lesson, Failure>,
) -> Result<impl Iterator<Item = Lesson>, Failure> {
    let mut lessons = BTreeMap::new();
    for id in ids {
        let lesson = find(desk, settings, id)?;
        lessons.insert(lesson.id, lesson);
    }
    Ok(lessons.into_values())
}

fn relocate(settings: &Settings, args: &MoveArgs) -> Result<(), Failure> {
    if !settings.names_project {
        return Err(Failure::input("no destination was given")
            .hint("give --project NAME, --project alone for the project here, or --everywhere"));
    }
    let engine = open::writer(settings)?;
    let desk = engine.acting_as(settings.person());
    let project = settings.scope.project.as_ref();
    for lesson in all(&desk, settings, &args.ids, find_of_agent)? {
        let (from, to) = (
            rows::place(lesson.scope.project.as_ref()),
            rows::place(project),
        );
        if from == to {
            output::line(&format!("{} belongs to {to} already", lesson.id))?;
            continue;
        }
        desk.relocate(lesson.id, project)?;
        output::line(&format!("moved {} from {from} to {to}", lesson.id))?;
    }
    Ok(())
}

/// Says to whoever wrote a lesson that agents are not shown its first sentence whole, if so.
fn tell_unshown(lesson: &Lesson) {
    let said = preamble::describe_overlong_sentence(lesson.content.text.as_str());
    said.iter().for_each(|said| output::note(said));
}

/// Finds a lesson by its number, of whichever agent and project unless one is named.
pub(super) fn find(desk: &Desk<'_>, settings: &Settings, id: &str) -> Result<Lesson, Failure> {
    let lesson = find_of_agent(desk, settings, id)?;
    if settings.names_project && !lesson.scope.is_visible_from(&settings.scope) {
        let (id, place) = (lesson.id, rows::place(lesson.scope.project.as_ref()));
        let there = rows::place(settings.scope.project.as_ref());
        return Err(
            Failure::nothing(format!("there is no lesson {id} in {there}"))
                .hint(format!("it belongs to {place}")),
        );
    }
    Ok(lesson)
}

/// Finds a lesson by its number, of whichever agent unless one is named.
fn find_of_agent(desk: &Desk<'_>, settings: &Settings, id: &str) -> Result<Lesson, Failure> {
    let id = number(id)?;
    let scope = &settings.scope;
    let lesson = desk.lesson(id)?;
    if !settings.is_agent || lesson.scope.agent == scope.agent {
        return Ok(lesson);
    }
    let (whose, other) = (&scope.agent, &lesson.scope.agent);
    Err(
        Failure::nothing(format!("there is no lesson {id} of the agent {whose}"))
            .hint(format!("it is another agent's: --agent {other}")),
    )
}

fn number(id: &str) -> Result<LessonId, Failure> {
    id.parse().map_err(|_| {
        Failure::input(format!("{id:?} is not a lesson number")).hint("write it as 14 or '#14'")
    })
}

/// Finds a lesson that waits for review.
pub(super) fn waiting(desk: &Desk<'_>, settings: &Settings, id: &str) -> Result<Lesson, Failure> {
    let lesson = find(desk, settings, id)?;
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
