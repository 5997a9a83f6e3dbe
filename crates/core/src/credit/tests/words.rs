//! What a word about a lesson counts, and what becomes of one that harms.

use super::*;

#[test]
fn what_harms_is_taken_out_and_says_why() {
    let bad: (&[i64], &[i64], &str) = (&[2], &[], "end failed");
    let good: (&[i64], &[i64], &str) = (&[], &[], "end completed");
    let played = |times| play(&[lesson(2, "", "Ask first.")], &[good, bad].repeat(times));
    assert_eq!(played(5)[0].status, Status::Active);
    let lessons = played(6);

    let Status::Quarantined { why } = &lessons[0].status else {
        panic!("it is {:?}", lessons[0].status);
    };
    insta::assert_snapshot!(why, @"it probably harms (90 %): of the runs with it 0 went well and 6 badly; helped 0, wrong 0; the last: a run");
    let changes = crate::change::approve_lesson(
        &lessons[0],
        &crate::change::DecisionContext {
            next_id: LessonId(9),
            similar: Vec::new(),
            replaced: Vec::new(),
            learned_count: 0,
            eviction_candidates: Vec::new(),
        },
        9,
        None,
        Timestamp::UNIX_EPOCH,
    );
    let mut back = lessons;
    changes.iter().for_each(|change| apply(&mut back, change));
    assert_eq!(back[0].posterior(), Posterior::prior(back[0].trust));
    assert!(!back[0].is_caution() && back[0].status == Status::Active);
}

#[test]
fn a_word_counts_by_who_says_it() {
    let check_of = |of: Trust, words: &[(bool, Trust)], expected: &str| {
        let mut lessons = [lesson(2, "", "Ask first.")];
        lessons[0].admitted.trust = of;
        for (is_good, word) in words {
            let tally = delta_from_feedback(*is_good, *word, of);
            for change in changes_from_delta(&lessons[0], tally, "somebody said so") {
                apply(&mut lessons, &change);
            }
        }
        let it = &lessons[0];
        let effect = crate::lesson::round_to_i64(it.posterior().mean * 100.0);
        let (counts, status) = (it.counts, it.status.name());
        let told = format!("+{} -{} {effect} {status}", counts.helped, counts.harmed);
        assert_eq!(told, expected, "{words:?}");
    };
    let word = Trust::untainted;
    let (person, agent) = (word(TrustClass::Person), word(TrustClass::Agent));
    let model = word(TrustClass::Distilled);
    let check = |words: &[(bool, Trust)], expected: &str| check_of(agent, words, expected);
    check(&[(true, person)], "+1 -0 83 active");
    check(&[(false, person)], "+0 -1 -50 active");
    check(&[(false, person); 2], "+0 -2 -70 quarantined");
    check(&[(false, agent); 2], "+0 -2 -25 active");
    check(&[(false, agent); 5], "+0 -5 -57 active");
    check(&[(false, agent); 6], "+0 -6 -63 quarantined");
    check(&[(false, model); 11], "+0 -11 50 active");
    check_of(model, &[(false, model); 10], "+0 -10 -57 active");
    check_of(model, &[(false, model); 11], "+0 -11 -60 quarantined");
    check(&[(true, agent); 3], "+3 -0 80 active");
    check(&[(false, person), (true, person)], "+1 -1 10 active");
    // No agent talks a person's lesson out of use; its feedback is counted.
    check_of(person, &[(false, agent); 9], "+0 -9 50 active");
    check_of(person, &[(true, agent); 3], "+3 -0 80 active");
    check_of(person, &[(false, person); 2], "+0 -2 -70 quarantined");
    // Tainted feedback counts neither for a lesson nor against a more trusted one.
    let tainted = |class| Trust::new(class, true);
    let (outside, page) = (tainted(TrustClass::Agent), tainted(TrustClass::Derived));
    check(&[(true, outside); 3], "+0 -0 50 active");
    check(&[(false, outside); 9], "+0 -0 50 active");
    check_of(page, &[(true, outside); 3], "+0 -0 -50 active");
    check_of(page, &[(true, agent); 1], "+1 -0 0 active");
    check_of(page, &[(false, outside); 4], "+0 -4 -83 quarantined");
}

#[test]
fn names_of_baselines_come_back() {
    for about in [
        BaselineKey::AllCalls,
        BaselineKey::AllRuns,
        BaselineKey::CallsForFailure(FailureKey::new("ab12".to_owned())),
        BaselineKey::RunsForLesson(LessonId(14)),
    ] {
        assert_eq!(BaselineKey::from_name(&about.name()), Some(about));
    }
    for name in ["", "call", "runs x", "runs ", "x y"] {
        assert_eq!(BaselineKey::from_name(name), None, "{name}");
    }
}

proptest! {
    /// Judging a run again replaces the earlier judgement, whatever was judged in between.
    #[test]
    fn a_run_judged_again_counts_once(
        ends in prop::collection::vec((any::<bool>(), any::<bool>()), 1..8),
        again in any::<prop::sample::Index>(),
    ) {
        let lines = |good: bool| if good {
"npm run test:unit\nend completed"
} else {
"ls\nend failed"
};
        let shown = vec![(1, 1.0, Treatment::Shown, 0.2), (2, 0.5, Treatment::Shown, 0.1)];
        let recalls = [(RecallId(1), recall(Moment::Prompt, "", &shown))];
        let mut lessons = vec![npm(), lesson(2, "", "Ask first.")];
        let mut judgements = Vec::new();
        let none = std::collections::BTreeMap::new();
        for (good, _) in &ends {
            let trace = trace(lines(*good));
            let found = observe_outcomes(&trace, &recalls, &lessons);
            let judgement = judged(&trace, &found, &lessons, &none);
            for change in changes_from_judgement(&lessons, None, &judgement, "") {
                apply(&mut lessons, &change);
            }
            judgements.push(judgement);
        }
        let which = again.index(ends.len());
        let trace = trace(lines(ends[which].1));
        let found = observe_outcomes(&trace, &recalls, &lessons);
        let anew = judged(&trace, &found, &lessons, &none);
        for change in changes_from_judgement(&lessons, Some(&judgements[which]), &anew, "") {
            apply(&mut lessons, &change);
        }
        judgements[which] = anew;
        for lesson in &lessons {
            let sum = judgements.iter().fold(RecordDelta::default(), |sum, it| sum + it.delta_for_lesson(lesson.id));
            prop_assert_eq!(lesson.counts, LessonCounts::default().with_delta(sum));
        }
    }
}
