//! The first view: whether showing lessons pays, in a sentence and a picture of weeks; then the lessons that did most, and
//! those that did nothing.
//!
//! What is said is worked out by the engine ([`Worth`]).

use askama::Template;
use hardwon_engine::{LessonStanding, WeekCount, Worth};

use super::{
    error::render,
    frame::{DoneQuery, Frame, PlaceChoices, View},
    recalls::LessonLink,
    visitor::Visitor,
};
use crate::Result;

#[derive(Template)]
#[template(path = "effects.html")]
struct EffectsView {
    frame: Frame,
    places: PlaceChoices,
    answer: String,
    price: String,
    /// Of which sessions all of it is.
    sessions: String,
    weeks: Vec<WeekBar>,
    named: [(&'static str, Vec<NamedLesson>); 2],
}

/// A week as a bar; lengths are in percent of the longest.
struct WeekBar {
    from: String,
    avoided: u64,
    met: u64,
    avoided_width: u64,
    met_width: u64,
}

/// A lesson and how its occasions went.
struct NamedLesson {
    lesson: LessonLink,
    record: String,
}

pub(super) fn show_effects(visitor: &Visitor, _: ()) -> Result<String> {
    let place = &visitor.place;
    let scope = place.parse()?;
    let desk = visitor.desk(&scope)?;
    let report = desk.measure_effects_within(&place.within(&desk))?;
    let worth = Worth::from_report(&report);
    let name = |standing: &&LessonStanding| NamedLesson {
        lesson: LessonLink::new(standing.lesson.id.0, Some(&standing.lesson)),
        record: standing.describe_record(),
    };
    let projects = match &scope.project {
        Some(project) => format!("the project {}", project.display_name()),
        None => "all projects".to_owned(),
    };
    render(&EffectsView {
        sessions: projects,
        frame: Frame::gather(visitor, &desk, View::Effects, &DoneQuery::default())?,
        places: place.choices(&desk)?,
        weeks: draw_weeks(&worth.weeks),
        named: [
            ("Did most", worth.most.iter().map(name).collect()),
            (
                "Did nothing, or worse",
                worth.nothing.iter().map(name).collect(),
            ),
        ],
        answer: worth.answer,
        price: worth.price,
    })
}

fn draw_weeks(weeks: &[WeekCount]) -> Vec<WeekBar> {
    let most = weeks.iter().map(|week| week.occasions.total()).max();
    let width = |count: u64| (count * 100).div_ceil(most.unwrap_or(0).max(1));
    let bar = |week: &WeekCount| WeekBar {
        from: week.from.strftime("%-d %b %Y").to_string(),
        avoided: week.occasions.avoided,
        met: week.occasions.met,
        avoided_width: width(week.occasions.avoided),
        met_width: width(week.occasions.met),
    };
    weeks.iter().map(bar).collect()
}
