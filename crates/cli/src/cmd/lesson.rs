//! `hardwon lesson …`: writing, reading and curating lessons by hand.

mod add;
mod source_run;
mod check;
mod consent;
mod edit;
mod editor;
mod erase;
mod history;
pub(super) mod review;
mod rows;
mod show;
mod verb;
mod when;

use std::{collections::BTreeMap, process::ExitCode};

use hardwon_api::v1::lesson::LessonsDto;
use hardwon_core::{Lesson, LessonId, RawText, Status, guard::normalise_tag, preamble};
use hardwon_engine::{Desk, NoteOutcome};
use hardwon_store::{LessonListing, LessonOrder, ScopeFilter};
use jiff::Timestamp;

use crate::{
    CliError, GlobalArgs, Result, Settings,
    args::{LessonCommand, ListArgs},
    cmd::pause,
    open, output, time,
};

/// Longest text of a lesson on a line of a list, in characters.
const ROW_CHARS: usize = 240;

pub(super) fn run(global: &GlobalArgs, command: LessonCommand) -> Result<ExitCode> {
    if let LessonCommand::Check { text, jsonl } = &command {
        return check::run(text.as_deref(), *jsonl);
    }
    let settings = Settings::load(global)?;
    let result = match command {
        LessonCommand::Add(args) => add::run(&settings, &args),
        LessonCommand::List(args) => list_lessons(&settings, &args),
        LessonCommand::Search { query, json, limit } => {
            search_lessons(&settings, &query.join(" "), json, limit)
        }
        LessonCommand::Show(args) => show::run(&settings, &args),
        LessonCommand::Edit(args) => edit::run(&settings, &args),
        LessonCommand::Delete { ids } => erase::delete_lessons(&settings, &ids),
        LessonCommand::Restore { ids } => erase::restore_lessons(&settings, &ids),
        LessonCommand::Erase { ids, yes } => erase::erase_lessons(&settings, &ids, yes),
        LessonCommand::Approve(args) => review::approve_lessons(global, &settings, &args),
        LessonCommand::Reject(args) => review::reject_lessons(&settings, &args),
        LessonCommand::Supersede { old, new, why } => {
            supersede_lesson(&settings, &old, &new, why.as_deref())
        }
        LessonCommand::Move { ids } => move_lessons(&settings, &ids),
        LessonCommand::History(args) => history::run(&settings, &args),
        LessonCommand::When { what, error, json } => {
            return when::run(&settings, &what, error.as_deref(), json);
        }
        LessonCommand::Verb(command) => verb::run(&settings, command),
        LessonCommand::Check { .. } => Ok(()),
    };
    result.map(|()| ExitCode::SUCCESS)
}

fn list_lessons(settings: &Settings, args: &ListArgs) -> Result<()> {
    let engine = open::open_flushed(settings)?;
    let desk = engine.acting_as(settings.caller());
    let within = if args.all_projects {
        ScopeFilter::Agent(settings.scope.agent.clone())
    } else {
        ScopeFilter::Visible(settings.scope.clone())
    };
    let listing = LessonListing {
        within,
        status: args.status,
        tag: args.tag.as_deref().map(normalise_tag),
        cause: args.cause,
        since: args.since,
        order: LessonOrder::for_person(args.since),
        ..LessonListing::default()
    };
    let lessons = collect_lessons(&desk, listing.clone(), args.limit)?;
    if args.json {
        return output::print_json(&LessonsDto::from(&*lessons));
    }
    pause::note_pause(settings);
    if lessons.is_empty() {
        output::print_note(&explain_empty_list(&desk, settings, listing)?);
    }
    rows::print_rows(&desk, settings, &lessons)
}

fn search_lessons(settings: &Settings, words: &str, json: bool, limit: usize) -> Result<()> {
    let engine = open::open_flushed(settings)?;
    let desk = engine.acting_as(settings.caller());
    let listing = LessonListing {
        within: ScopeFilter::Visible(settings.scope.clone()),
        search_text: words.to_owned(),
        limit,
        ..LessonListing::default()
    };
    let lessons = desk.search_words(&listing)?;
    if json {
        return output::print_json(&LessonsDto::from(&*lessons));
    }
    pause::note_pause(settings);
    if lessons.is_empty() {
        return Err(negative!("no lesson contains all of {words:?}").with_hint(
            "search needs every word, in any order; `hardwon recall` finds what fits best",
        ));
    }
    rows::print_rows(&desk, settings, &lessons)
}

/// Says why a list is empty.
fn explain_empty_list(
    desk: &Desk<'_>,
    settings: &Settings,
    listing: LessonListing,
) -> Result<String> {
    let of_agent = LessonListing {
        within: ScopeFilter::Agent(settings.scope.agent.clone()),
        ..LessonListing::default()
    };
    let words = if listing.tag.is_some() || listing.cause.is_some() {
        "no lesson here has this tag or cause"
    } else if listing.status.is_some() {
        "no lessons in this state"
    } else if settings.server.is_some() {
        "no lessons here of those that the server keeps"
    } else if collect_lessons(desk, of_agent, 1)?.is_empty() {
        "no lessons yet\nhint: `hardwon learn` learns from agents' sessions, `hardwon lesson add` records your own"
    } else if let Some(since) = listing.since {
        let all = LessonListing {
            since: None,
            ..listing
        };
        let older = collect_lessons(desk, all, usize::MAX)?.len();
        let older = output::pluralize(u64::try_from(older).unwrap_or(u64::MAX), "older lesson");
        let span = time::format_since(since, Timestamp::now());
        return Ok(format!("nothing learned {span} ({older})"));
    } else {
        "no lessons here\nhint: `hardwon lesson list --all-projects` shows those of other projects"
    };
    Ok(words.to_owned())
}

/// Gathers as many pages as are asked for; without a state, those that still matter.
fn collect_lessons(
    desk: &Desk<'_>,
    mut listing: LessonListing,
    limit: usize,
) -> Result<Vec<Lesson>> {
    let mut lessons = Vec::new();
    while lessons.len() < limit {
        let page = desk.lessons(&listing)?;
        let Some(last) = page.last() else { break };
        listing.before = Some(last.id);
        lessons.extend(
            page.into_iter()
                .filter(|page| listing.status.is_some() || !page.status.is_retired()),
        );
    }
    lessons.truncate(limit);
    Ok(lessons)
}

/// One lesson on one line, as in running text.
pub(super) fn render_row(lesson: &Lesson) -> String {
    format!("{} {}", lesson.id, render_text(lesson))
}

/// One lesson on one line as somebody learns it; without its number where it will not have that one.
pub(super) fn render_learned(lesson: &Lesson, is_dry_run: bool) -> String {
    if is_dry_run {
        render_text(lesson)
    } else {
        render_row(lesson)
    }
}

/// Returns the lesson that a note became or met, with what became of it in two words.
pub(super) fn find_noted(noted: &NoteOutcome) -> Option<(&'static str, &Lesson)> {
    match noted {
        NoteOutcome::Recorded(lesson) => Some(("learned", lesson)),
        NoteOutcome::AlreadyKnown(lesson) => Some(("seen again", lesson)),
        NoteOutcome::Pending(lesson) => Some(("for review", lesson)),
        NoteOutcome::Refused(_) | NoteOutcome::Logged => None,
    }
}

/// What a lesson says, on one line that others of a list are beside; `lesson show` has the rest of a long one.
pub(super) fn render_text(lesson: &Lesson) -> String {
    let words = output::cut_line(lesson.content.text.as_str(), ROW_CHARS);
    prefix_status(lesson, &words)
}

/// One lesson on one line by its title.
pub(super) fn render_title(lesson: &Lesson) -> String {
    let words = output::cut_line(short_words(lesson), ROW_CHARS);
    format!("{} {}", lesson.id, prefix_status(lesson, &words))
}

/// Returns the title of a lesson, or its text if that begins so: the remedy is to stand beside the failure.
pub(super) fn short_words(lesson: &Lesson) -> &str {
    let (title, text) = (&lesson.content.title, &lesson.content.text);
    let is_beginning = (text.as_str()).starts_with(title.as_str().trim_end_matches('…').trim_end());
    if is_beginning { text } else { title }.as_str()
}

/// Puts a lesson's state, unless it is active, and its signature before some words of it.
fn prefix_status(lesson: &Lesson, words: &str) -> String {
    let mut row = String::new();
    if lesson.status != Status::Active {
        let state = format!("({})", lesson.status.word());
        row += &format!("{} ", output::yellow(&state));
    }
    if !lesson.content.signature.is_blank() {
        let signature = output::to_one_line(lesson.content.signature.as_str());
        row += &format!("[{signature}] ");
    }
    row += &output::to_one_line(words);
    row.trim_end().to_owned()
}

fn supersede_lesson(settings: &Settings, old: &str, new: &str, why: Option<&str>) -> Result<()> {
    let engine = open::open_writer(settings)?;
    let desk = engine.acting_as(settings.caller());
    let old = find_lesson(&desk, settings, old)?;
    let new = find_lesson(&desk, settings, new)?;
    let reason = why.map(RawText::from);
    desk.supersede_lesson(old.id, new.id, reason.as_ref())?;
    print_line!("{} takes the place of {}", render_row(&new), old.id)
}

/// How a lesson that is typed is found, if something can be done to it.
type FindLesson = fn(&Desk<'_>, &Settings, &str) -> Result<Lesson>;

/// Does something to each of the lessons, once all of them are found, and prints what it says.
fn change_each(
    settings: &Settings,
    ids: &[String],
    find: FindLesson,
    change: impl Fn(&Desk<'_>, &Lesson) -> Result<String>,
) -> Result<()> {
    let engine = open::open_writer(settings)?;
    let desk = engine.acting_as(settings.caller());
    for lesson in find_all(&desk, settings, ids, find)? {
        output::print_line(&change(&desk, &lesson)?)?;
    }
    Ok(())
}

/// Finds all the lessons, each once, before anything is done to one of them.
pub(super) fn find_all(
    desk: &Desk<'_>,
    settings: &Settings,
    ids: &[String],
    find: FindLesson,
) -> Result<impl Iterator<Item = Lesson>> {
    let mut lessons = BTreeMap::new();
    for id in ids {
        let lesson = find(desk, settings, id)?;
        lessons.insert(lesson.id, lesson);
    }
    Ok(lessons.into_values())
}

fn move_lessons(settings: &Settings, ids: &[String]) -> Result<()> {
    if !settings.is_project_named {
        return Err(CliError::bad_input("no destination was given").with_hint(
            "give --project NAME, --project alone for the project here, or --everywhere",
        ));
    }
    let project = settings.scope.project.as_ref();
    let to = rows::describe_project(project);
    change_each(settings, ids, find_of_agent, |desk, lesson| {
        let from = rows::describe_project(lesson.scope.project.as_ref());
        if from == to {
            return Ok(format!("{} belongs to {to} already", lesson.id));
        }
        desk.relocate_lesson(lesson.id, project)?;
        Ok(format!("moved {} from {from} to {to}", lesson.id))
    })
}

/// Says to whoever wrote a lesson that agents are not shown its first sentence whole, if so.
fn note_unshown(lesson: &Lesson) {
    let overlong = preamble::describe_overlong_sentence(lesson.content.text.as_str());
    overlong.iter().for_each(|note| output::print_note(note));
}

/// Finds a lesson by its number, of whichever agent and project unless one is named.
pub(super) fn find_lesson(desk: &Desk<'_>, settings: &Settings, id: &str) -> Result<Lesson> {
    let lesson = find_of_agent(desk, settings, id)?;
    if settings.is_project_named && !lesson.scope.is_visible_from(&settings.scope) {
        let (id, place) = (
            lesson.id,
            rows::describe_project(lesson.scope.project.as_ref()),
        );
        let there = rows::describe_project(settings.scope.project.as_ref());
        return Err(negative!("there is no lesson {id} in {there}")
            .with_hint(format!("it belongs to {place}")));
    }
    Ok(lesson)
}

/// Finds a lesson by its number, of whichever agent unless one is named.
fn find_of_agent(desk: &Desk<'_>, settings: &Settings, id: &str) -> Result<Lesson> {
    let id = parse_id(id)?;
    let scope = &settings.scope;
    let lesson = desk.lesson(id)?;
    if !settings.is_agent_named || lesson.scope.agent == scope.agent {
        return Ok(lesson);
    }
    let (whose, other) = (&scope.agent, &lesson.scope.agent);
    Err(negative!("there is no lesson {id} of the agent {whose}")
        .with_hint(format!("it is another agent's: --agent {other}")))
}

fn parse_id(id: &str) -> Result<LessonId> {
    id.parse().map_err(|_| {
        bad_input!("{id:?} is not a lesson number").with_hint("write it as 14 or '#14'")
    })
}

/// Finds a lesson that waits for review.
pub(super) fn find_pending(desk: &Desk<'_>, settings: &Settings, id: &str) -> Result<Lesson> {
    let lesson = find_lesson(desk, settings, id)?;
    match lesson.status {
        Status::Pending { .. } | Status::Quarantined { .. } => Ok(lesson),
        _ => Err(bad_input!(
            "{} does not wait for review: it is {}",
            lesson.id,
            lesson.status.word()
        )),
    }
}
