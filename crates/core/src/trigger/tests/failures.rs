//! At which failures a lesson comes up, and what of its signature is an error.

use super::*;

#[test]
fn a_failure_is_found_by_what_a_lesson_says_of_it() {
    let check = |rule: &str, line: &str, error: &str, expected: bool| {
        let content = LessonContent::new(
            CleanText::default(),
            CleanText::from_stored(rule.to_owned()),
        );
        let call = called("Bash", line);
        let status = CallStatus::Error(CleanText::from_stored(error.to_owned()));
        let failures = CallFailure::all_from_call(&call, &status);
        let is_about = |it: &CallFailure| {
            Triggers::from_content(&content).is_about_failure(&content, &call, it, error)
        };
        assert_eq!(failures.iter().any(is_about), expected, "{rule} / {error}");
    };
    let locked = "database is locked = two test runners at once. Find the watcher.";
    check(
        locked,
        "python manage.py test",
        "sqlite3.OperationalError: database is locked",
        true,
    );
    check(
        locked,
        "python manage.py test",
        "no such table: users",
        false,
    );
    let daemon = "'Cannot connect to the Docker daemon'? Run `colima start`.";
    check(
        daemon,
        "make it",
        "ERROR: Cannot connect to the Docker daemon at unix:///x",
        true,
    );
    let space = "ENOSPC from a watcher has nothing to do with disk space.";
    check(
        space,
        "pnpm dev",
        "Error: ENOSPC: System limit reached",
        true,
    );
    check(space, "pnpm dev", "Error: EACCES: permission denied", false);
}

/// What takes its place may be another form of it.
#[test]
fn a_missing_program_is_told_where_it_is_called() {
    let mut content = content("python (command not found)", &[]);
    content.text = CleanText::from_stored(
        "`python` is not installed here. Use `python3` instead: `python3 -m pytest …` worked in its place.".to_owned(),
    );
    for (line, expected) in [
        ("python -m pytest -q", true),
        ("python3 -m pytest -q", false),
    ] {
        assert_eq!(
            comes_up(&content, &called("Bash", line)),
            expected,
            "{line}"
        );
    }
}

/// Also where the signature is the error, and no command.
#[test]
fn a_signature_may_be_an_error() {
    let check = |signature: &str, error: &str, expected: bool| {
        let content = content(signature, &[]);
        let call = called("Bash", "make it");
        let status = CallStatus::Error(CleanText::from_stored(error.to_owned()));
        let failure = &CallFailure::all_from_call(&call, &status)[0];
        let is_about =
            Triggers::from_content(&content).is_about_failure(&content, &call, failure, error);
        assert_eq!(is_about, expected, "[{signature}] {error}");
    };
    let moved = "error[E0502]: cannot borrow `x` as mutable";
    let refused = "Error: connect ECONNREFUSED 127.0.0.1:5432";
    let undefined = "TypeError: Cannot read properties of undefined (reading 'id')";
    check("E0502", moved, true);
    check("E0503", moved, false);
    check(
        "EADDRINUSE",
        "Error: listen EADDRINUSE: address already in use :::3000",
        true,
    );
    check("ECONNREFUSED 5432", refused, true);
    check("ECONNREFUSED 6379", refused, false);
    check(
        "TypeError: Cannot read properties of undefined",
        undefined,
        true,
    );
    check("linker cc not found", "error: linker `cc` not found", true);
    check("the staging account", "the account is locked", false);
    check("npm install", "npm install failed", false);
}

#[test]
fn the_command_of_a_sentence_ends_where_its_words_end() {
    for (signature, expected) in [
        (
            "terraform apply goes through Atlantis only",
            "before `terraform apply`",
        ),
        ("npm test fails when the watcher runs", "before `npm test`"),
        ("E0502", "when a call fails with `E0502`"),
        (
            "loader `ar` not found",
            "when a call fails with `loader ar not found`",
        ),
    ] {
        let triggers = Triggers::from_content(&content(signature, &[]));
        assert_eq!(triggers.describe(), [expected], "{signature}");
    }
}

/// An error in parentheses is told when it comes, unless the call alone shows it or the text says what comes before.
#[test]
fn a_signature_with_an_error_is_told_at_the_failure() {
    for (rule, line, expected) in [
        (
            "git merge (Merge conflict in oak.lock) :: Run `oak lock` again.",
            "git merge main",
            false,
        ),
        (
            "terraform plan (Error acquiring the state lock) :: Wait, and never use force-unlock.",
            "terraform plan",
            false,
        ),
        (
            "terraform plan (permission denied) :: Run `aws sso login` first.",
            "terraform plan",
            true,
        ),
        (
            "git push (rejected) :: Before `git push` run `git pull --rebase`.",
            "git push",
            true,
        ),
        (
            "cargo test (no such feature: sqlite) :: Use `oak`.",
            "cargo test --features sqlite",
            true,
        ),
    ] {
        let (signature, text) = rule.split_once(" :: ").unwrap_or(("", rule));
        let mut lesson = content(signature, &[]);
        lesson.text = CleanText::from_stored(text.to_owned());
        assert_eq!(comes_up(&lesson, &called("Bash", line)), expected, "{rule}");
    }
}
