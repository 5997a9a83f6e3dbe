//! What lessons changed.

use hardwon_api::v1::effects::{
    EffectDto, EffectMeasuresDto, EffectsDto, LessonEffectDto, MomentEffectDto, OccasionsDto,
    OutcomesDto, PeriodDto,
};
use hardwon_core::{
    credit::{CreditSummary, EffectTrials, MomentStats, OccasionTally, OutcomeCounts, Period},
    lesson::{EffectEstimate, Trial},
};
use hardwon_engine::{EffectsReport, LessonStanding};
use hardwon_store::Moment;

use crate::samples::{bare_lesson, lesson, show, time};

const ESTIMATE: EffectEstimate = EffectEstimate {
    difference: 0.123_456,
    low: -0.000_4,
    high: 0.25,
};

fn outcomes() -> OutcomeCounts {
    OutcomeCounts {
        shown_good: 1,
        shown_bad: 2,
        control_good: 3,
        control_bad: 4,
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
        utility: 0.666_666,
        utility_interval: (0.333_333, 0.9),
        effect: Some(ESTIMATE),
        trials: EffectTrials::default(),
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
    let stats = MomentStats {
        shown: 1,
        occasions: OccasionTally {
            followed: 2,
            avoided: 8,
            repeated: 4,
            in_vain: 3,
            not_needed: 9,
        },
        good: 5,
        bad: 6,
        controls: 7,
        trial: trial(),
        ..MomentStats::default()
    };
    let bare = LessonStanding {
        lesson: bare_lesson(),
        effect: None,
        ..standing()
    };
    let period = Period {
        from: time("2026-11-01T00:00:00Z"),
        to: time("2026-11-02T00:00:00Z"),
        runs: 8,
        failed: 3,
    };
    let mut summary = CreditSummary::default();
    summary.moments.insert(Moment::Prompt, stats);
    summary.runs = 9;
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
        show(
            "EffectMeasuresDto",
            &EffectMeasuresDto::from(EffectTrials {
                unmet: trial(),
                ..EffectTrials::default()
            }),
        ),
        show("OccasionsDto", &OccasionsDto::from(stats.occasions)),
        show("OutcomesDto", &OutcomesDto::from(&outcomes())),
        show("LessonEffectDto", &LessonEffectDto::from(&bare)),
        show(
            "MomentEffectDto",
            &MomentEffectDto::from((&Moment::Failure, &stats)),
        ),
        show("PeriodDto", &PeriodDto::from(&period)),
        show("EffectsDto", &EffectsDto::from_report(&full, &[period])),
        show(
            "EffectsDto, nothing",
            &EffectsDto::from_report(&nothing, &[]),
        ),
    ];
    insta::assert_snapshot!("effects", golden.concat());
}
