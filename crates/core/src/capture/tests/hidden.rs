//! Calls of which a pipe hides whether they worked: what settles a doubt, and what may have been the first success.

use super::*;

/// An output that reads like an error is one, once the same command works without such words.
#[test]
fn a_doubt_is_settled_by_what_worked_later() {
    let check = |run: &str, expected: &[&str]| {
        let mut got = all_drafts(run);
        got.retain(|draft| draft.starts_with("candidate"));
        assert_eq!(got, expected, "{run}");
    };
    let with_dock = "candidate: `yard` without `--dock oak` fails with *no dock was named*. Add `--dock oak`; with it the same command worked.";
    let failed = "$ yard ship a | tail -3 =? error: no dock was named";
    check(
        &format!("{failed}\n$ ls\n$ yard ship --dock oak a | tail -3"),
        &[with_dock],
    );
    // Behind another program it is the same command; another one tells nothing, nor does one that says the same.
    check(
        &format!("{failed}\n$ podman exec shop yard ship a"),
        &["candidate: `yard` fails with *no dock was named*. Run `podman exec shop yard` instead."],
    );
    check(&format!("{failed}\n$ yard list --dock oak a"), &[]);
    check(
        "$ python -m pytest a | tail =? error: no dock\n$ python -m pip install oak\n$ python -m pytest a --dock oak | tail =? error: no dock",
        &[],
    );
    check(
        "$ systemctl --user status shop | head =? Active: failed\n$ systemctl --user status shop --full",
        &[],
    );
    check(
        &format!("{failed}\n$ yard ship --dock oak a | tail -3 =? error: no dock was named"),
        &[],
    );
    check(
        "$ yard -q shipAll a | tail =? error: no dock was named\n$ yard list --dock oak a",
        &[],
    );
    // What came as far as the work got past it, also if that failed.
    check(
        &format!("{failed}\n$ yard ship --dock oak a => docks/a.rs:3:5: unused lid"),
        &[with_dock],
    );
    // What a command said when it failed it says again, and what was done before the same words is another try.
    check(
        "$ rspec a => error: no dock was built\n$ yard press\n$ rspec a | head =? error: no dock was built\n$ crane lift lids && rspec a",
        &[
            "candidate: `rspec` fails with *no dock was built*. Run `crane lift lids` first; after it the same command worked.",
            "candidate: `rspec` fails with *no dock was built*. Run `crane lift …` first; after it the same command worked.",
            "candidate: `rspec` fails with *no dock was built*. Run `yard press` first; after it the same command worked.",
        ],
    );
    check(
        "$ rspec a | head =? RuntimeError: no dock was built\n$ export DOCK=elm; rspec a",
        &[
            "candidate: `rspec` fails with *RuntimeError: no dock was built*. Set `DOCK=elm` for it; then it works.",
        ],
    );
}

/// A pipe hides whether a call worked, so the next one may be the first that did.
#[test]
fn a_success_that_a_pipe_hides_ends_no_search() {
    let failed = "$ yard ship a => yard: the lids of this crate are not there";
    let fixes = |between: &str| {
        let run = format!("{failed}\n{between}\n$ planer press lids\n$ yard ship a");
        let mut drafts = all_drafts(&run);
        drafts.retain(|draft| draft.starts_with("candidate"));
        let first = |draft: &String| draft.split('`').nth(3).map(str::to_owned);
        drafts.iter().filter_map(first).collect::<Vec<_>>()
    };
    assert_eq!(
        fixes("$ yard rinse && yard ship a | tail -3"),
        ["yard rinse", "planer press lids", "planer press …"]
    );
    assert_eq!(fixes("$ yard rinse && yard ship a"), ["yard rinse"]);
    // What only cuts an output short is no step.
    assert_eq!(
        fixes("$ yard rinse | tail -1 && yard ship a"),
        ["yard rinse", "planer press lids", "planer press …"]
    );
    // What only looks did nothing, and what is set counts beside other options.
    assert_eq!(
        fixes("$ ls docks && yard rinse && yard ship a"),
        ["yard rinse"]
    );
    assert_eq!(fixes("$ LIDS=--wide yard ship --slow a"), ["LIDS=--wide"]);
    assert_eq!(
        fixes("$ ulimit -s unlimited && yard ship a"),
        ["ulimit -s unlimited"]
    );
    // Nor has a question about the program.
    let flaky = "$ npx playwright test => Error: the page has been closed\n$ npx playwright --version\n$ npx playwright test";
    assert_eq!(all_drafts(flaky), [""; 0]);
    // The folder was left again.
    assert_eq!(
        fixes("$ cd docks && yard rinse && cd .. && yard ship a"),
        ["yard rinse"]
    );
}
