//! The first view: whether showing lessons pays, in a sentence and a picture of weeks; then the lessons that did most, and
//! those that did nothing.
//!
//! What is said is worked out by the engine ([`Worth`]).

use hardwon_engine::{LessonStanding, WeekCount, Worth};

use super::{prelude::*, recalls::LessonLink};

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
    /// What they did, how that is known, and the lessons.
    named: [(&'static str, &'static str, Vec<NamedLesson>); 2],
}

/// A week: what was met with lessons, and left out by chance, in words and as bars, whose lengths are in percent.
struct WeekBar {
    from: String,
    shown: String,
    left_out: String,
    widths: [String; 2],
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
    let frame = Frame::gather(visitor, &desk, View::Effects, &DoneQuery::default())?;
    let sessions = match &scope.project {
        Some(project) => format!("the project {}", frame.names.name_project(project)),
        None => "all projects".to_owned(),
    };
    render(&EffectsView {
        sessions,
        places: place.choices(&frame.names),
        frame,
        weeks: worth.weeks.iter().map(draw_week).collect(),
        named: [
            (
                "Did most",
                "Failures spared, by the runs that left it out; of one never left out, by those of others.",
                worth.most.iter().map(name).collect(),
            ),
            (
                "Did nothing, or worse",
                "",
                worth.nothing.iter().map(name).collect(),
            ),
        ],
        answer: worth.answer,
        price: worth.price,
    })
}

fn draw_week(week: &WeekCount) -> WeekBar {
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    let arms = [week.compared.shown, week.compared.left_out];
    let words = arms.map(|arm| format!("{} met, {} avoided", arm.met, arm.avoided));
    let [shown, left_out] = words;
    WeekBar {
        from: format_day(week.from),
        shown,
        left_out,
        widths: arms.map(|arm| percent(arm.met_share().unwrap_or(0.0))),
    }
}
