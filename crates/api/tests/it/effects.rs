//! What lessons changed.

use hardwon_api::v1::effects::{
    ComparisonDto, EffectDto, EffectsDto, LessonEffectDto, MomentEffectDto, OccasionsDto, WeekDto,
    WorthDto,
};
use hardwon_core::lesson::{EffectEstimate, Trial};
use hardwon_engine::{
    CreditSummary, EffectsReport, LessonStanding, MomentStats, OccasionComparison, OccasionCount,
    OccasionTally, OutcomeCounts, WeekCount, Worth,
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
    let stats = MomentStats {
        counts: OutcomeCounts {
            shown: 1,
            occasions: OccasionTally {
                followed: 2,
                avoided: 8,
                repeated: 4,
                in_vain: 3,
                not_needed: 9,
            },
            controls: 7,
            ..OutcomeCounts::default()
        },
        trial: trial(),
    };
    let bare = LessonStanding {
        lesson: bare_lesson(),
        ..standing()
    };
    let week = WeekCount {
        from: time("2026-11-02T00:00:00Z"),
        occasions: outcomes().compared.shown,
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
        show("OccasionsDto", &OccasionsDto::from(stats.counts.occasions)),
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
