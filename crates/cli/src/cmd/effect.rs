//! `hardwon effect`: whether showing lessons pays, in a sentence and a picture; or the life of one lesson.
//!
//! What is said is worked out by the engine ([`Worth`], [`LessonLife`]); here it is laid out for a terminal of 80 columns.

use std::process::ExitCode;

use hardwon_api::v1::effects::EffectsDto;
use hardwon_clients::archive::SourceRun;
use hardwon_core::{AgentId, LessonId, Scope};
use hardwon_engine::{
    Desk, EffectsReport, LessonLife, LessonStanding, LifeEvent, OccasionComparison, OccasionCount,
    Principal, WeekCount, Worth,
};
use hardwon_store::ScopeFilter;

use crate::{GlobalArgs, Result, Settings, args::EffectArgs, input, open, output, time};

/// Columns of the whole, and those of a bar that is full.
const COLUMNS: usize = 80;
const BAR_COLUMNS: u8 = 10;

pub(super) fn run(global: &GlobalArgs, args: &EffectArgs) -> Result<ExitCode> {
    let settings = Settings::load(global)?;
    if let Some(server) = &settings.server {
        let address = server.address.as_str();
        return Err(bad_input!("what became of lessons is known to the server {address}").with_hint(
            "its page tells it, and so does `hardwon effect` there; `hardwon log` tells what was shown here",
        ));
    }
    let engine = open::open_flushed(&settings)?;
    let desk = engine.acting_as(settings.person());
    if !args.json {
        super::pause::note_pause(&settings);
    }
    let find = |id: &String| super::lesson::find_lesson(&desk, &settings, id);
    let only = args.id.as_ref().map(find).transpose()?;
    // One that is named may live elsewhere.
    let scope = only
        .as_ref()
        .map_or(&settings.scope, |lesson| &lesson.scope);
    let there = engine.acting_as(Principal::person(scope.clone()));
    match only.as_ref().map(|lesson| lesson.id) {
        Some(id) if !args.json => output::print(&tell_life(&settings, &there, id)?)?,
        only => {
            let everywhere = ScopeFilter::Agent(scope.agent.clone());
            let effects = if args.all_projects {
                there.measure_effects_within(&everywhere)?
            } else {
                there.measure_effects(only)?
            };
            if args.json {
                output::print_json(&EffectsDto::from(&effects))?;
            } else if args.all_projects {
                output::print(&render_worth(&effects, "sessions in all projects"))?;
            } else {
                output::print(&render_worth(&effects, &name_place(scope)))?;
                super::named::note_empty_project(&desk, &settings)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Lays out what lessons were worth, by the sessions that are named.
fn render_worth(effects: &EffectsReport, counted: &str) -> String {
    let worth = Worth::from_report(effects);
    let mut lead = vec![output::bold(&worth.answer), worth.price.clone()];
    lead.retain(|sentence| !sentence.is_empty());
    lead.push(format!("Counted: {counted}."));
    let mut parts = vec![lead.join(" ")];
    if !worth.weeks.is_empty() {
        parts.push(render_weeks(&worth.weeks));
    }
    let lists = [
        (
            "did most (an estimate where it was never left out)",
            &worth.most,
        ),
        ("did nothing, or worse", &worth.nothing),
    ];
    for (title, lessons) in lists {
        if !lessons.is_empty() {
            let rows: Vec<String> = lessons.iter().map(|lesson| render_lesson(lesson)).collect();
            parts.push(format!("{}\n{}", output::bold(title), rows.join("\n")));
        }
    }
    if !worth.weeks.is_empty() {
        parts.push(output::dim(LEGEND));
    }
    output::wrap_lines(&(parts.join("\n\n") + "\n"), Some(COLUMNS)).into_owned()
}

/// Says of which sessions the figures are.
fn name_place(scope: &Scope) -> String {
    match &scope.project {
        Some(project) => format!("sessions in the project {}", project.display_name()),
        None => "lessons of no project, wherever they were shown".to_owned(),
    }
}

const LEGEND: &str = "\
met: an agent ran into a lesson's failure, or made the call it warns of.
`hardwon effect N` tells the life of a lesson, `--json` all the numbers.";

/// Writes how often each week met what a lesson warns of, and how often that was avoided, and draws the share of the first:
/// with it, and left out by chance.
fn render_weeks(weeks: &[WeekCount]) -> String {
    let has_left_out = (weeks.iter()).any(|week| week.compared.left_out.total() > 0);
    let arm = |count: OccasionCount, bar: &dyn Fn(&str) -> String| {
        let figures = format!("{:>3} met {:>4} avoided", count.met, count.avoided);
        let end = count.met_share().unwrap_or(0.0) * f64::from(BAR_COLUMNS);
        let columns = (0..BAR_COLUMNS)
            .filter(|column| f64::from(*column) < end)
            .count();
        let rest = output::dim(&"░".repeat(usize::from(BAR_COLUMNS) - columns));
        format!("{figures}  {}{rest}", bar(&"█".repeat(columns)))
    };
    let title = if has_left_out {
        "when left out by chance"
    } else {
        ""
    };
    let title = format!("week of     {:32}  {title}", "when shown");
    let line = |week: &WeekCount| {
        let OccasionComparison { shown, left_out } = week.compared;
        let mut line = format!("{}  {}", week.from.strftime("%F"), arm(shown, &output::red));
        if has_left_out {
            line.push_str("  ");
            line.push_str(&arm(left_out, &output::yellow));
        }
        line.trim_end().to_owned()
    };
    let lines = weeks.iter().map(line);
    let title = output::bold(title.trim_end());
    [title]
        .into_iter()
        .chain(lines)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Writes a lesson's number and words, on two lines at most, and how its occasions went.
fn render_lesson(standing: &LessonStanding) -> String {
    let record = output::dim(&standing.describe_record());
    let lesson = &standing.lesson;
    let name = shorten_words(super::lesson::short_words(lesson), 2 * COLUMNS - 20);
    format!("  {} {name}\n    {record}", lesson.id)
}

/// Cuts a lesson's words to so many characters: most of the first sentence goes before the others, which have the remedy.
fn shorten_words(words: &str, chars: usize) -> String {
    let words = output::to_one_line(words);
    match words.split_once(". ") {
        Some((failure, remedy)) if words.chars().count() > chars => {
            let room = chars.saturating_sub(remedy.chars().count()).max(chars / 2);
            let failure = output::cut_line(&format!("{failure}."), room);
            let rest = chars.saturating_sub(failure.chars().count() + 1);
            format!("{failure} {}", output::cut_line(remedy, rest))
        }
        _ => output::cut_line(&words, chars),
    }
}

fn tell_life(settings: &Settings, desk: &Desk<'_>, id: LessonId) -> Result<String> {
    let life = desk.tell_life(id)?;
    let source = SourceRun::find(&life.standing.lesson, &input::locate_sessions());
    Ok(match source {
        Some(source) => {
            let client = source.client.as_ref().map(AgentId::as_str);
            render_life(settings, &life.with_source(source.began, client), true)
        }
        None => render_life(settings, &life, false),
    })
}

fn render_life(settings: &Settings, life: &LessonLife, has_steps: bool) -> String {
    let standing = &life.standing;
    let name = output::bold(&super::lesson::render_row(&standing.lesson));
    let record = standing.describe_record();
    let events = life.events.iter();
    let events = events.map(|event| super::name_key(settings, &render_event(event)));
    let events: Vec<String> = events.collect();
    let id = standing.lesson.id.0;
    let taught = if has_steps {
        format!("`hardwon lesson show {id}` has the steps that taught it, ")
    } else {
        String::new()
    };
    let steps = output::dim(&format!(
        "{taught}`hardwon log --lesson {id}` has each showing."
    ));
    let lines = format!("{name}\n{record}\n\n{}\n\n{steps}\n", events.join("\n"));
    output::wrap_lines(&lines, Some(COLUMNS)).into_owned()
}

fn render_event(event: &LifeEvent) -> String {
    let day = time::format_date(event.at);
    let words = output::to_one_line(&event.words_with_span(time::format_date));
    format!("{day}  {:<13}  {words}", event.deed)
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_failure_is_cut_and_the_remedy_stays() {
        for (words, expected) in [
            ("Fails with x. Run y.", "Fails with x. Run y."),
            (
                "`plan` fails with *permission denied*. Run `aws login`.",
                "`plan` fails with … Run `aws login`.",
            ),
            (
                "It fails. Run `aws login` first, in the folder of the project.",
                "It fails. Run `aws login` first, in the …",
            ),
            (
                "One sentence alone is cut where there is no more room",
                "One sentence alone is cut where there …",
            ),
        ] {
            assert_eq!(shorten_words(words, 40), expected);
        }
    }
}
