//! `hardwon review-queue`: the lessons that wait for a person.
//!
//! `hardwon lesson approve` and `reject` come here too, so that both ways do and journal the same.

use hardwon_api::{
    v1::{lesson::LessonsDto, review::ReviewDto},
    word_diff::diff_words,
};
use hardwon_core::{Lesson, LessonId, RawText, Status};
use hardwon_engine::{Desk, Relation};
use hardwon_store::ScopeFilter;

use super::edit;
use crate::{
    CliError, GlobalArgs, Result, Settings,
    args::{ApproveArgs, RejectArgs, ReviewCommand, ReviewQueueArgs, ShowArgs},
    cmd::ask,
    open, output,
};

/// Lessons that one is compared with.
const MAX_COMPARED: usize = 5;

pub(in crate::cmd) fn run(global: &GlobalArgs, args: ReviewQueueArgs) -> Result<()> {
    let settings = Settings::load(global)?;
    match args.command {
        None => list_pending(global, &settings, args.json),
        Some(ReviewCommand::Show(mut show_args)) => {
            show_args.json |= args.json;
            show_pending(&settings, &show_args)
        }
        Some(ReviewCommand::Approve(args)) => approve_lessons(global, &settings, &args),
        Some(ReviewCommand::Reject(args)) => reject_lessons(&settings, &args),
        Some(ReviewCommand::Edit(args)) => edit::run(&settings, &args),
    }
}

fn list_pending(global: &GlobalArgs, settings: &Settings, as_json: bool) -> Result<()> {
    let engine = open::open_reader(settings)?;
    let desk = engine.acting_as(settings.caller());
    let waiting = find_pending(&desk, global, settings)?;
    if as_json {
        return output::print_json(&LessonsDto::from(&*waiting));
    }
    let pairs = desk.opposed_pairs(&find_place(global, settings))?;
    if waiting.is_empty() && pairs.is_empty() {
        output::print_note("no lesson waits for review");
        return Ok(());
    }
    if ask::can_ask() && !waiting.is_empty() {
        decide_each(settings, &waiting)?;
        return print_pairs(&pairs);
    }
    print_pairs(&pairs)?;
    if waiting.is_empty() {
        return Ok(());
    }
    let rows = waiting.iter();
    output::print_lines(rows.map(|lesson| Ok(render_entry(lesson, &super::render_text(lesson)))))?;
    output::print_note(
        "`hardwon review-queue show ID` shows one in full; decide with `approve ID` or `reject ID --why TEXT`",
    );
    Ok(())
}

/// Shows the lessons that cannot both hold, side by side.
fn print_pairs(pairs: &[[Lesson; 2]]) -> Result<()> {
    for pair in pairs {
        output::print_line("these say of each other that not both can hold:")?;
        output::print_lines(pair.iter().map(|lesson| Ok(render_in_use(lesson))))?;
    }
    if !pairs.is_empty() {
        output::print_note(
            "both are shown until you decide: `hardwon lesson delete ID` takes one out of use, `hardwon lesson edit ID` \
             words it anew, `hardwon lesson supersede OLD NEW` replaces one by the other",
        );
    }
    Ok(())
}

fn render_in_use(lesson: &Lesson) -> String {
    let number = lesson.id.to_string();
    let project = lesson.scope.display_project().unwrap_or("everywhere");
    let about = output::to_one_line(&format!("{project}, {}", lesson.trust.words()));
    format!("{number:<5} {}\n      {about}", super::render_text(lesson))
}

/// Shows what waits, one lesson after the other, and does with each what the key pressed stands for.
fn decide_each(settings: &Settings, waiting: &[Lesson]) -> Result<()> {
    let engine = open::open_writer(settings)?;
    let desk = engine.acting_as(settings.caller());
    for lesson in waiting {
        output::print_line(&render_whole_entry(lesson))?;
        let mut beside = desk.related_lessons(lesson)?;
        beside.truncate(MAX_COMPARED);
        for (relation, other) in &beside {
            output::print(&render_comparison(*relation, other, lesson))?;
        }
        match ask::ask_key("a accepts it, r rejects it, q ends, any other key leaves it")? {
            Some('a') => approve_lesson(&desk, lesson.id, None)?,
            Some('r') => {
                let reason = ask::ask_text("Why?")?;
                output::print_line(&reject_lesson(&desk, lesson.id, reason.trim())?)?;
            }
            Some('q') => break,
            _ => {}
        }
    }
    Ok(())
}

/// Gathers what waits, the newest first.
fn find_pending(desk: &Desk<'_>, global: &GlobalArgs, settings: &Settings) -> Result<Vec<Lesson>> {
    let within = find_place(global, settings);
    let mut waiting = desk.waiting_lessons(&within, LessonId(0), usize::MAX)?;
    waiting.reverse();
    Ok(waiting)
}

/// Returns the part of the tenant that is asked about.
fn find_place(global: &GlobalArgs, settings: &Settings) -> ScopeFilter {
    let is_one_project = global.project.is_some() || global.everywhere;
    match (is_one_project, global.agent.is_some()) {
        (true, _) => ScopeFilter::Scope(settings.scope.clone()),
        (false, true) => ScopeFilter::Agent(settings.scope.agent.clone()),
        (false, false) => ScopeFilter::Tenant,
    }
}

/// Writes all of a lesson that somebody decides about: what is cut off could be what matters.
fn render_whole_entry(lesson: &Lesson) -> String {
    let words = super::prefix_status(lesson, lesson.content.text.as_str());
    render_entry(lesson, &words)
}

fn render_entry(lesson: &Lesson, words: &str) -> String {
    let number = lesson.id.to_string();
    let reason = hardwon_engine::status_reason(&lesson.status).unwrap_or_default();
    let project = lesson.scope.display_project().unwrap_or("everywhere");
    let about = output::to_one_line(&format!("{project}, {}: {reason}", lesson.trust.words()));
    format!("{number:<5} {words}\n      {about}")
}

fn show_pending(settings: &Settings, args: &ShowArgs) -> Result<()> {
    let engine = open::open_reader(settings)?;
    let desk = engine.acting_as(settings.caller());
    let lesson = super::find_lesson(&desk, settings, &args.id)?;
    let mut beside = desk.related_lessons(&lesson)?;
    beside.truncate(MAX_COMPARED);
    if args.json {
        return output::print_json(&ReviewDto::from_related(&lesson, &beside));
    }
    let mut text = super::show::render_details(&desk, &lesson)?;
    for (relation, other) in &beside {
        text += &render_comparison(*relation, other, &lesson);
    }
    output::print(&text)
}

/// Writes how a lesson differs from another one.
fn render_comparison(relation: Relation, other: &Lesson, lesson: &Lesson) -> String {
    let relation_words = relation.words(lesson, other);
    let mut text = format!(
        "\n{relation_words} {} ({})\n",
        other.id,
        other.trust.words()
    );
    let (old, new) = (&other.content, &lesson.content);
    let fields = [
        ("signature", &old.signature, &new.signature),
        ("text", &old.text, &new.text),
    ];
    for (name, old, new) in fields {
        let words = output::replace_controls(&diff_words(old.as_str(), new.as_str()).to_string());
        if !words.is_empty() {
            text += &format!("  {name:<9} {words}\n");
        }
    }
    text
}

/// Puts lessons that wait to use.
pub(super) fn approve_lessons(
    global: &GlobalArgs,
    settings: &Settings,
    args: &ApproveArgs,
) -> Result<()> {
    let engine = open::open_writer(settings)?;
    let desk = engine.acting_as(settings.caller());
    let reason = args.why.as_deref().map(RawText::from);
    let lessons: Vec<Lesson> = if args.all {
        confirm_all_pending(&desk, global, settings, args.yes)?
    } else {
        super::find_all(&desk, settings, &args.ids, super::find_pending)?.collect()
    };
    for waiting in lessons {
        approve_lesson(&desk, waiting.id, reason.as_ref())?;
    }
    Ok(())
}

fn approve_lesson(desk: &Desk<'_>, id: LessonId, why: Option<&RawText>) -> Result<()> {
    let approved = desk.approve_lesson(id, why)?;
    print_line!("approved {}", approved.id)?;
    print_replaced(desk, &approved, &approved.supersedes)
}

/// Shows all that wait, and returns them if the person wants every one of them.
fn confirm_all_pending(
    desk: &Desk<'_>,
    global: &GlobalArgs,
    settings: &Settings,
    is_agreed: bool,
) -> Result<Vec<Lesson>> {
    let waiting = find_pending(desk, global, settings)?;
    if waiting.is_empty() {
        return Err(CliError::negative("no lesson waits for review"));
    }
    output::print_lines(waiting.iter().map(|lesson| Ok(render_whole_entry(lesson))))?;
    if is_agreed {
        return Ok(waiting);
    }
    if !ask::can_ask() {
        let message = "there is no terminal to ask on whether to approve them all";
        let hint = "add --yes once you have read them";
        return Err(CliError::bad_input(message).with_hint(hint));
    }
    let lessons = output::pluralize(waiting.len() as u64, "lesson");
    let question = format!("Approve {lessons}?");
    if ask::ask_yes_no(&question, false)? {
        Ok(waiting)
    } else {
        Err(CliError::negative("nothing was approved"))
    }
}

/// Says which lessons one replaced, and which it did not although it names them.
pub(super) fn print_replaced(desk: &Desk<'_>, lesson: &Lesson, named: &[LessonId]) -> Result<()> {
    let by = lesson.id;
    for id in named {
        match desk.lesson(*id)?.status {
            Status::Superseded { by: successor } if successor == by => {
                print_line!("{id} was replaced by it")?;
            }
            Status::Active if lesson.status == Status::Active => print_note!(
                "{id} was not replaced: its source is trusted more, or it applies more widely; \
                 `hardwon lesson supersede {} {}` replaces it",
                id.0,
                by.0
            ),
            _ => {}
        }
    }
    Ok(())
}

/// Puts lessons away.
pub(super) fn reject_lessons(settings: &Settings, args: &RejectArgs) -> Result<()> {
    let reject = |desk: &Desk<'_>, lesson: &Lesson| reject_lesson(desk, lesson.id, &args.why);
    super::change_each(settings, &args.ids, super::find_pending, reject)
}

fn reject_lesson(desk: &Desk<'_>, id: LessonId, why: &str) -> Result<String> {
    desk.archive_lesson(id, &RawText::from(why))?;
    Ok(format!("rejected {id}"))
}
