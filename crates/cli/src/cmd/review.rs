//! `hardwon review-queue`: the lessons that wait for a person.
//!
//! `hardwon lesson approve` and `reject` come here too, so that both ways do and journal the same.

use std::process::ExitCode;

use hardwon_core::{
    id::LessonId,
    lesson::{Lesson, Status},
    text::RawText,
};
use hardwon_engine::{Desk, Relation};
use hardwon_store::{Listing, StatusName, Within};
use serde::Serialize;

use super::{
    ask,
    lesson::{self, edit},
};
use crate::{
    args::{ApproveArgs, Global, RejectArgs, ReviewCommand, ReviewQueueArgs, ShowArgs},
    config::Settings,
    diff,
    dto::{LessonDto, LessonsDto},
    error::Failure,
    open, output,
};

/// Lessons that one is compared with.
const BESIDE: usize = 5;

pub(super) fn run(global: &Global, args: ReviewQueueArgs) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    match args.command {
        None => list(global, &settings, args.json),
        Some(ReviewCommand::Show(mut show_args)) => {
            show_args.json |= args.json;
            show(&settings, &show_args)
        }
        Some(ReviewCommand::Approve(args)) => approve(global, &settings, &args),
        Some(ReviewCommand::Reject(args)) => reject(&settings, &args),
        Some(ReviewCommand::Edit(args)) => edit::run(&settings, &args),
    }
    .map(|()| ExitCode::SUCCESS)
}

fn list(global: &Global, settings: &Settings, as_json: bool) -> Result<(), Failure> {
    let engine = open::reader(settings)?;
    let desk = engine.acting_as(settings.person());
    let waiting = queue(&desk, global, settings)?;
    if as_json {
        return output::json(&LessonsDto::from(&*waiting));
    }
    if waiting.is_empty() {
        output::note("no lesson waits for review");
        return Ok(());
    }
    output::lines(waiting.iter().map(|lesson| Ok(entry(lesson))))?;
    output::note(
        "`hardwon review-queue show ID` shows one in full; decide with `approve ID` or `reject ID --why TEXT`",
    );
    Ok(())
}

/// Gathers what waits, the newest first.
fn queue(desk: &Desk<'_>, global: &Global, settings: &Settings) -> Result<Vec<Lesson>, Failure> {
    let is_one_project = global.project.is_some() || global.everywhere;
    let within = match (is_one_project, global.agent.is_some()) {
        (true, _) => Within::Scope(settings.scope.clone()),
        (false, true) => Within::Agent(settings.scope.agent.clone()),
        (false, false) => Within::Tenant,
    };
    let mut waiting = Vec::new();
    for status in [StatusName::Pending, StatusName::Quarantined] {
        let mut listing = Listing {
            within: within.clone(),
            status: Some(status),
            ..Listing::default()
        };
        loop {
            let page = desk.lessons(&listing)?;
            let Some(last) = page.last() else { break };
            listing.before = Some(last.id);
            waiting.extend(page);
        }
    }
    waiting.sort_by_key(|lesson| std::cmp::Reverse(lesson.id));
    Ok(waiting)
}

fn entry(lesson: &Lesson) -> String {
    let number = lesson.id.to_string();
    let why = hardwon_engine::why(&lesson.status).unwrap_or_default();
    let project = lesson.scope.project.as_ref();
    let project = project.map_or("everywhere", |it| it.display_name());
    let words = lesson::said(lesson);
    let about = output::one_line(&format!("{project}, {}: {why}", lesson::source(lesson)));
    format!("{number:<5} {words}\n      {about}")
}

fn show(settings: &Settings, args: &ShowArgs) -> Result<(), Failure> {
    let engine = open::reader(settings)?;
    let desk = engine.acting_as(settings.person());
    let lesson = lesson::find(&desk, settings, &args.id)?;
    let mut beside = desk.beside(&lesson)?;
    beside.truncate(BESIDE);
    if args.json {
        let beside = beside.iter().map(|(relation, other)| BesideDto {
            relation: name(*relation),
            lesson: LessonDto::from(other),
        });
        return output::json(&ShownDto {
            lesson: LessonDto::from(&lesson),
            beside: beside.collect(),
        });
    }
    let mut text = lesson::whole(&desk, &lesson)?;
    for (relation, other) in &beside {
        text.push_str(&compared(*relation, other, &lesson));
    }
    output::print(&text)
}

/// Writes how a lesson differs from another one.
fn compared(relation: Relation, other: &Lesson, lesson: &Lesson) -> String {
    let what = match relation {
        Relation::Replaced if !lesson.trust.is_at_least(other.trust) => {
            "claims to replace, but is trusted less than,"
        }
        Relation::Replaced => "would replace",
        Relation::Opposite => "contradicts",
        Relation::Alike => "is like",
    };
    let mut text = format!("\n{what} {} ({})\n", other.id, lesson::source(other));
    let (old, new) = (&other.content, &lesson.content);
    let fields = [
        ("signature", &old.signature, &new.signature),
        ("text", &old.text, &new.text),
    ];
    for (name, old, new) in fields {
        let words = output::visible(&diff::words(old.as_str(), new.as_str()));
        if !words.is_empty() {
            text.push_str(&format!("  {name:<9} {words}\n"));
        }
    }
    text
}

fn name(relation: Relation) -> &'static str {
    match relation {
        Relation::Replaced => "replaced",
        Relation::Opposite => "opposite",
        Relation::Alike => "alike",
    }
}

/// Puts lessons that wait to use.
pub(super) fn approve(
    global: &Global,
    settings: &Settings,
    args: &ApproveArgs,
) -> Result<(), Failure> {
    let engine = open::writer(settings)?;
    let desk = engine.acting_as(settings.person());
    let why = args.why.as_deref().map(RawText::from);
    let chosen: Vec<Lesson> = if args.all {
        shown_and_agreed(&desk, global, settings, args.yes)?
    } else {
        lesson::all(&desk, settings, &args.ids, lesson::waiting)?.collect()
    };
    for waiting in chosen {
        let approved = desk.approve(waiting.id, why.as_ref())?;
        output::line(&format!("approved {}", approved.id))?;
        tell_replaced(&desk, &approved, &approved.supersedes)?;
    }
    Ok(())
}

/// Shows all that wait, and returns them if the person wants every one of them.
fn shown_and_agreed(
    desk: &Desk<'_>,
    global: &Global,
    settings: &Settings,
    is_agreed: bool,
) -> Result<Vec<Lesson>, Failure> {
    let waiting = queue(desk, global, settings)?;
    if waiting.is_empty() {
        return Err(Failure::nothing("no lesson waits for review"));
    }
    output::lines(waiting.iter().map(|lesson| Ok(entry(lesson))))?;
    if is_agreed {
        return Ok(waiting);
    }
    if !ask::can_ask() {
        return Err(
            Failure::input("there is no terminal to ask on whether to approve them all")
                .hint("add --yes once you have read them"),
        );
    }
    let question = format!("Approve {}?", output::count(waiting.len() as u64, "lesson"));
    match ask::ask(&question, false)? {
        true => Ok(waiting),
        false => Err(Failure::nothing("nothing was approved")),
    }
}

/// Says which lessons one replaced, and which it did not although it names them.
pub(super) fn tell_replaced(
    desk: &Desk<'_>,
    lesson: &Lesson,
    named: &[LessonId],
) -> Result<(), Failure> {
    let by = lesson.id;
    for id in named {
        match desk.lesson(*id)?.status {
            Status::Superseded { by: successor } if successor == by => {
                output::line(&format!("{id} was replaced by it"))?;
            }
            Status::Active if lesson.status == Status::Active => output::note(&format!(
                "{id} was not replaced: its source is trusted more, or it applies more widely; \
                 `hardwon lesson supersede {} {}` replaces it",
                id.0, by.0
            )),
            _ => {}
        }
    }
    Ok(())
}

/// Puts lessons away.
pub(super) fn reject(settings: &Settings, args: &RejectArgs) -> Result<(), Failure> {
    let engine = open::writer(settings)?;
    let desk = engine.acting_as(settings.person());
    let why = RawText::from(args.why.as_str());
    for waiting in lesson::all(&desk, settings, &args.ids, lesson::waiting)? {
        desk.archive(waiting.id, &why)?;
        output::line(&format!("rejected {}", waiting.id))?;
    }
    Ok(())
}

/// A lesson and those to compare it with, as JSON shows them.
#[derive(Debug, Serialize)]
struct ShownDto<'a> {
    lesson: LessonDto<'a>,
    beside: Vec<BesideDto<'a>>,
}

/// A lesson to compare one with, as JSON shows it.
#[derive(Debug, Serialize)]
struct BesideDto<'a> {
    relation: &'static str,
    lesson: LessonDto<'a>,
}
