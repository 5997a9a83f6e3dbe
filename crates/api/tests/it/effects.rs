//! What lessons changed.

use hardwon_api::v1::effects::{
    ComparisonDto, EffectDto, EffectsDto, LessonEffectDto, MomentEffectDto, OccasionsDto, WeekDto,
    WorthDto,
};
use hardwon_core::{EffectEstimate, LessonId, Status, Trial};
use hardwon_engine::{
    CreditSummary, EffectsReport, LessonStanding, OccasionComparison, OccasionCount, OccasionTally,
    OutcomeCounts, WeekCount, Worth,
};
use hardwon_store::Moment;

use crate::samples::{bare_lesson, lesson, show, time};

const ESTIMATE: EffectEstimate = EffectEstimate {
    difference: 0.123_456,
    low: -0.000_4,
    high: 0.25,
};

fn outcomes() -> OutcomeCounts {
    OutcomeCounts {
        compared: OccasionComparison {
            shown: OccasionCount { met: 1, avoided: 2 },
            left_out: OccasionCount { met: 3, avoided: 4 },
        },
        drawn: OccasionComparison {
            shown: OccasionCount { met: 0, avoided: 1 },
            left_out: OccasionCount { met: 3, avoided: 0 },
        },
        trial: trial(),
        shown: 6,
        controls: 5,
        occasions: OccasionTally {
            followed: 6,
            ..OccasionTally::default()
        },
    }
}

fn standing() -> LessonStanding {
    LessonStanding {
        lesson: lesson(),
        outcomes: outcomes(),
        tokens: 120,
    }
}

/// A trial of as many runs with and without, all of them well with and badly without.
fn trial() -> Trial {
    let run = |was_held| Trial::from_outcome(0.5, was_held, !was_held);
    (0..20).fold(Trial::default(), |trial, at| trial + run(at % 2 == 0))
}

#[test]
fn effects() {
    let stats = OutcomeCounts {
        shown: 1,
        occasions: OccasionTally {
            followed: 2,
            avoided: 8,
            repeated: 4,
            in_vain: 3,
            not_needed: 9,
        },
        controls: 7,
        trial: trial(),
        ..OutcomeCounts::default()
    };
    let bare = LessonStanding {
        lesson: bare_lesson(),
        ..standing()
    };
    let week = WeekCount {
        from: time("2026-11-02T00:00:00Z"),
        compared: outcomes().compared,
    };
    let mut summary = CreditSummary::default();
    summary.moments.insert(Moment::Prompt, stats);
    summary.runs = 9;
    summary.all = outcomes();
    let full = EffectsReport {
        lessons: vec![standing()],
        summary,
    };
    let nothing = EffectsReport {
        lessons: Vec::new(),
        summary: CreditSummary::default(),
    };
    let golden = [
        show("EffectDto", &EffectDto::from(ESTIMATE)),
        show("OccasionsDto", &OccasionsDto::from(stats.occasions)),
        show("ComparisonDto", &ComparisonDto::from(outcomes().compared)),
        show("LessonEffectDto", &LessonEffectDto::from(&bare)),
        show(
            "MomentEffectDto",
            &MomentEffectDto::from((&Moment::Failure, &stats)),
        ),
        show("WeekDto", &WeekDto::from(&week)),
        show("WorthDto", &WorthDto::from(&Worth::from_report(&full))),
        show("EffectsDto", &EffectsDto::from(&full)),
        show("EffectsDto, nothing", &EffectsDto::from(&nothing)),
    ];
    insta::assert_snapshot!("effects", golden.concat());
}

/// A lesson that was shown in runs and left out of others: of how many, and in how many of them its failure came.
fn measured(id: i64, shown: (u64, u64), left_out: (u64, u64), not_needed: u64) -> LessonStanding {
    let count = |(runs, met): (u64, u64), passed: u64| OccasionCount {
        met,
        avoided: runs - met - passed,
    };
    let mut standing = LessonStanding {
        outcomes: OutcomeCounts {
            compared: OccasionComparison {
                shown: count(shown, not_needed),
                left_out: count(left_out, 0),
            },
            shown: shown.0,
            controls: left_out.0,
            occasions: OccasionTally {
                not_needed,
                ..OccasionTally::default()
            },
            ..OutcomeCounts::default()
        },
        ..standing()
    };
    standing.lesson.id = LessonId(id);
    standing.lesson.admitted.status = Status::Active;
    standing
}

/// What others make likely is not said against a lesson's own row, and what was shown in vain for long did nothing.
#[test]
fn a_lesson_did_nothing_if_its_own_row_says_so() {
    let untold = |mut standing: LessonStanding, controls: u64| {
        standing.outcomes.controls = controls;
        standing
    };
    for (standing, is_named) in [
        (untold(measured(1, (4, 3), (1, 1), 0), 4), false),
        (untold(measured(1, (4, 4), (1, 1), 0), 4), true),
        (measured(1, (33, 0), (0, 0), 33), true),
        (measured(1, (19, 0), (0, 0), 19), false),
    ] {
        let record = standing.describe_record();
        let (lessons, summary) = (vec![standing], CreditSummary::default());
        let report = EffectsReport { lessons, summary };
        let worth = Worth::from_report(&report);
        assert_eq!(worth.nothing.len(), usize::from(is_named), "{record}");
    }
}

#[test]
fn lessons_that_spared_nothing_did_not_do_most() {
    let lessons = vec![
        measured(1, (40, 3), (12, 9), 0),
        // Nothing failed without it either; it was hardly left out yet; it was never left out.
        measured(2, (65, 0), (25, 0), 0),
        measured(3, (40, 0), (1, 0), 0),
        measured(4, (9, 0), (0, 0), 0),
        // Of the runs that came to it, each failed with it too.
        measured(5, (40, 2), (12, 9), 38),
        // Its moment never came, so it had nothing to do.
        measured(6, (6, 0), (0, 0), 6),
        measured(7, (50, 35), (16, 3), 0),
        // It is met as often with it, but for chance.
        LessonStanding {
            tokens: 900,
            ..measured(8, (25, 24), (15, 15), 0)
        },
    ];
    let summary = CreditSummary::default();
    let report = EffectsReport { lessons, summary };
    let worth = Worth::from_report(&report);
    let told = |lessons: &[&LessonStanding]| {
        let rows = lessons.iter();
        let row = |it: &&LessonStanding| format!("{} {}\n", it.lesson.id, it.describe_record());
        rows.map(row).collect::<String>()
    };
    insta::assert_snapshot!(told(&worth.most), @"
    #1 left out 12 times: met 9 of 12 then, 3 of 40 when shown; about 120 tokens
    #4 shown in 9 runs: met 0 of 9, never left out; about 120 tokens
    ");
    insta::assert_snapshot!(told(&worth.nothing), @"
    #8 left out 15 times: met 15 of 15 then, 24 of 25 when shown; about 900 tokens
    #2 left out 25 times: met 0 of 25 then, 0 of 65 when shown; about 120 tokens
    #5 left out 12 times: met 9 of 12 then, 2 of 2 when shown; about 120 tokens
    ");
}
