//! What outcomes make of the belief in a lesson, and of its counts.

use super::*;

#[test]
fn outcomes_move_beliefs() {
    let ignored = format!("npm test ! {MISSING}\nend completed");
    let fails = format!("npm run test:unit ! {MISSING}\nend completed");
    let start = "+0 -0 50 active";
    // It was followed, and its failure occurred or did not.
    check(
        1,
        &[(&[1], &[], &fails)],
        &["+0 -1 19 active", start, start],
    );
    check(
        1,
        &[(&[1], &[], "npm run test:unit\nend completed")],
        &["+1 -0 69 active", start, start],
    );
    // Its failure came first: the advice is right, but that failure was not spared.
    let late = format!("npm test ! {MISSING}\nnpm run test:unit\nend completed");
    check(1, &[(&[1], &[], &late)], &["+0 -0 69 active", start, start]);
    // It was not followed, whatever happened; or nothing relates to it.
    check(9, &[(&[1], &[], &ignored)], &[start, start, start]);
    check(
        9,
        &[(&[1], &[], "npm test\nend failed")],
        &[start, start, start],
    );
    check(9, &[(&[1], &[], "ls\nend failed")], &[start, start, start]);
    // Withheld, it is neither praised nor blamed.
    check(3, &[(&[], &[1], &fails)], &[start, start, start]);
    // A failure that occurs all the same makes it useless, which is less than harmful.
    check(
        9,
        &[(&[1], &[], &fails)],
        &["+0 -9 -33 active", start, start],
    );
    // If the failure is as frequent without it, it is blamed less.
    check(
        9,
        &[(&[1], &[], &fails), (&[], &[1], &ignored)],
        &["+0 -9 -20 active", start, start],
    );
    // A run that did not follow it counts for the baseline as much.
    check(
        9,
        &[(&[1], &[], &fails), (&[1], &[], &ignored)],
        &["+0 -9 -20 active", start, start],
    );
    // The end of a run informs about lessons without other evidence, and by itself counts for none.
    check(
        1,
        &[(&[2, 3], &[], "end failed")],
        &[start, "+0 -0 22 active", "+0 -0 22 active"],
    );
    check(1, &[(&[2], &[], "end aborted")], &[start, start, start]);
    check(1, &[(&[2], &[], "ls")], &[start, start, start]);
}

/// Runs that did not follow a lesson are counted since the last that did, and what a run added is subtracted when it
/// is judged again.
#[test]
fn runs_that_did_not_follow_are_counted() {
    let ignored = format!("npm test ! {MISSING}\nend completed");
    let check = |runs: &[&str], expected: i64, is_passed_by: bool| {
        let runs: Vec<(&[i64], &[i64], &str)> = runs
            .iter()
            .map(|lines| (&[1][..], &[][..], *lines))
            .collect();
        let lesson = &play(&[npm()], &runs)[0];
        assert_eq!(lesson.counts.not_followed, expected, "{runs:?}");
        assert_eq!(lesson.is_not_followed(), is_passed_by, "{runs:?}");
        assert!(!lesson.is_caution(), "{runs:?}");
    };
    let (followed, untold) = ("npm run test:unit", "end completed");
    check(&[&ignored, "ls", untold], 2, false);
    check(&[&ignored, "ls", followed], 0, false);
    check(&[&ignored, followed, "ls", &ignored], 2, false);
    // Whether prose was followed is unknown; that its failure occurred shows that it is of use.
    let mut prose = npm();
    prose.admitted.content.text = clean("Ask which script it is.");
    for (runs, expected) in [
        (&["npm test"; 3][..], 3),
        (&["npm test", &ignored, "npm test"], 1),
    ] {
        let runs: Vec<(&[i64], &[i64], &str)> = (runs.iter())
            .map(|lines| (&[1][..], &[][..], *lines))
            .collect();
        let lesson = &play(&[prose.clone()], &runs)[0];
        assert_eq!(lesson.counts.not_followed, expected, "{runs:?}");
    }
    check(&["ls"; 9], 9, false);
    check(&["ls"; 10], 10, true);
    check(&[&["ls"; 10][..], &[followed, "ls"]].concat(), 1, false);
    let held = play(&[npm()], &[(&[], &[1], "ls")]);
    assert_eq!(held[0].counts.not_followed, 0);
}

/// A run with calls of which none is an occasion of a lesson did not need it. Of one that no call could be about, a prompt
/// that brings it up is the occasion.
#[test]
fn runs_that_did_not_need_it_are_counted() {
    let check = |signature: &str, runs: &[(Moment, &str)], expected: i64| {
        let mut lessons = vec![lesson(1, signature, "Ask the owner of the account first.")];
        for (moment, lines) in runs {
            lessons = play_at(*moment, &lessons, &[(&[1], &[], lines)]);
        }
        assert_eq!(
            lessons[0].counts.not_followed, expected,
            "{signature} {runs:?}"
        );
    };
    let (start, prompt, call) = (Moment::SessionStart, Moment::Prompt, Moment::BeforeCall);
    let worked = "ls\nend completed";
    for signature in ["", "the staging account", "kubectl apply"] {
        check(signature, &[(start, worked); 3], 3);
        check(signature, &[(start, "end completed")], 0);
        let is_command = i64::from(signature == "kubectl apply");
        check(
            signature,
            &[(start, worked), (start, worked), (prompt, worked)],
            3 * is_command,
        );
        // Shown before a call, its moment had come.
        check(
            signature,
            &[(start, worked), (call, worked), (start, "ls")],
            1,
        );
    }
    check("kubectl apply", &[(start, "kubectl apply -f a.yaml")], 0);
    let prose = [lesson(1, "kubectl apply", "Ask the owner first.")];
    for (moment, lines, well) in [
        (start, worked, 0),
        (prompt, worked, 0),
        // Whether anybody was asked is not seen.
        (prompt, "kubectl apply -f a.yaml\nend completed", 0),
    ] {
        let counts = play_at(moment, &prose, &[(&[1], &[], lines)])[0].counts;
        assert_eq!(
            (counts.went_well, counts.helped),
            (well, 0),
            "{moment:?} {lines}"
        );
    }
}

#[test]
fn a_caution_says_why() {
    let check = |helped: i64, harmed: i64, in_vain: i64, shift: i64, expected: Option<&str>| {
        let leaning = GaussianMessage {
            precision: 1_000_000,
            shift,
        };
        let tally = RecordDelta {
            helped,
            harmed,
            contradicted: in_vain,
            gaussian_message: leaning,
            went_badly: 2,
            went_well: 1,
            ..RecordDelta::default()
        };
        let mut lesson = lesson(2, "", "Ask first.");
        lesson.counts = lesson.counts.with_delta(tally);
        assert_eq!(lesson.caution_reason().as_deref(), expected, "{tally:?}");
    };
    check(0, 0, 0, 0, None);
    check(2, 2, 2, 0, None);
    let in_vain = |times: &str| format!("followed {times}, but its failure happened anyway");
    check(0, 1, 1, 0, Some(&in_vain("once")));
    check(1, 2, 2, 0, Some(&in_vain("twice")));
    check(2, 3, 3, 0, Some(&in_vain("3 times")));
    check(1, 3, 2, 0, Some("3 against it, 1 for it"));
    check(0, 0, 0, -3_000_000, Some("2 of 3 runs with it went badly"));
}
