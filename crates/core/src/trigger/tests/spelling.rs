//! Rules whose names stand close together: a program and its option, a program and another spelling of it.

use super::*;

#[test]
fn what_a_command_with_its_option_does_is_said_of_both() {
    check_lines(&[
        (
            "vitest -u overwrites all snapshots",
            &["vitest -u", "pnpm vitest run -u"],
            &["vitest run"],
        ),
        (
            "vitest -u / --update overwrites all snapshots. Look at the diff first, and update one file at a time",
            &["vitest -u", "pnpm vitest run --update"],
            &["vitest run"],
        ),
        (
            "eslint --fix rewrites the snapshots in packages/ui; run it with --ignore-pattern '**/__snapshots__/**'",
            &["pnpm exec eslint --fix packages/ui"],
            &["eslint src"],
        ),
        (
            "rsync --delete empties the target when the source is not mounted",
            &["rsync -a --delete oak/ elm/"],
            &["rsync -a oak/ elm/"],
        ),
        (
            "jest --ci writes no new snapshots",
            &["npx jest --ci"],
            &["npx jest"],
        ),
        (
            "prettier --write touches the vendored files too",
            &["prettier --write ."],
            &["prettier --check ."],
        ),
    ]);
}
