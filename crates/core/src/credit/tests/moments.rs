//! What runs show about the moment at which a lesson was shown, where it was randomised.

use std::collections::BTreeMap;

use super::*;

/// A deferred lesson is judged by the recall that showed it, and the earlier moment by what happened from there on.
#[test]
fn what_was_left_to_a_later_moment_tells_of_the_moment() {
    let fails = format!("npm test ! {MISSING}");
    let asked = |treatment: Treatment| {
        let mut recall = recall(Moment::Prompt, "run the tests", &[(1, 2.0, treatment, 0.1)]);
        recall.considered[0].deferral_chance = 0.1;
        (RecallId(6), recall)
    };
    let at_failure = shown_at(Moment::Failure, "npm test").remove(0);
    let check =
        |recalls: &[(RecallId, Recall)], lines: &str, expected: (Moment, bool, bool, bool)| {
            let found = &observe_outcomes(&trace(lines), recalls, &[npm()])[0];
            let timing = found.timing.unwrap();
            let came = timing.met_again == Some(true);
            let got = (found.moment, found.is_control, timing.was_deferred, came);
            assert_eq!(got, expected, "{lines}");
            assert_eq!(timing.moment, Moment::Prompt);
            assert!((timing.deferral_chance - 0.1 / 0.9).abs() < 1e-6);
        };
    let (turn, failure) = (Moment::Prompt, Moment::Failure);
    let left = asked(Treatment::Deferred);
    let both = [left.clone(), at_failure];
    check(&both, &format!("{fails}\nls"), (failure, false, true, true));
    check(std::slice::from_ref(&left), "ls", (turn, true, true, false));
    check(
        &[asked(Treatment::Shown)],
        &fails,
        (turn, false, false, true),
    );
    // Only runs without the failure stay without the lesson, so they say nothing about showing it at all.
    let found = observe_outcomes(&trace("ls"), &[left], &[npm()]);
    let judgement = judge_run(&found, None, &CreditPriors::default());
    assert_eq!(judgement.lessons[0].delta.trial, Trial::default());
}

/// Runs with a random moment: showing the lesson at a prompt prevents its failure in three runs of ten, showing it at
/// the start in none.
#[test]
fn a_moment_that_does_more_is_told_from_one_that_does_not() {
    let mut state = 7_u64;
    let mut even = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut timings: BTreeMap<Moment, Trial> = BTreeMap::new();
    for run in 0..2_000 {
        let moment = [Moment::SessionStart, Moment::Prompt][run % 2];
        let candidate = TrialCandidate {
            shown_count: 30,
            trial: Trial::default(),
            holdout_draw: even(),
            deferral_draw: even(),
        };
        let drawn = sample_holdout(&candidate, true);
        let treatment = match (drawn.is_withheld, drawn.is_deferred) {
            (false, _) => Treatment::Shown,
            (true, true) => Treatment::Deferred,
            (true, false) => Treatment::HeldOut,
        };
        let is_left = treatment == Treatment::Deferred;
        let helps = moment == Moment::Prompt && treatment == Treatment::Shown;
        let comes = even() < if helps { 0.2 } else { 0.5 };
        let lines = if comes {
            format!("> go on\nnpm test ! {MISSING}\nend completed")
        } else {
            "> go on\nnpm run test:unit\nend completed".to_owned()
        };
        let chances = drawn.chances;
        let mut first = recall(moment, "go on", &[(1, 1.0, treatment, chances.holdout)]);
        first.considered[0].deferral_chance = chances.deferral;
        let mut recalls = vec![(RecallId(1), first)];
        if comes && is_left {
            recalls.extend(shown_at(Moment::Failure, "npm test"));
        }
        let found = observe_outcomes(&trace(&lines), &recalls, &[npm()]);
        let judgement = judge_run(&found, Some(true), &CreditPriors::default());
        for (moment, timing) in judgement.lessons.iter().filter_map(|part| part.timing) {
            let sum = timings.entry(moment).or_default();
            *sum = *sum + timing;
        }
    }
    let effect = |moment: Moment| timings[&moment].estimate_effect().unwrap();
    let (start, turn) = (effect(Moment::SessionStart), effect(Moment::Prompt));
    assert!(!start.excludes_zero(), "{start:?}");
    assert!(turn.low > 0.0 && turn.high > 0.3, "{turn:?}");
    // At a failure nothing is randomised.
    assert!(!timings.contains_key(&Moment::Failure));
}
