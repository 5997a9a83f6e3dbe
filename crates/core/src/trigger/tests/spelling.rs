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

#[test]
fn what_is_gone_is_warned_of_however_many_they_are() {
    check_lines(&[
        (
            "Format with `ruff format`; black and isort are gone from this repo.",
            &["black .", "isort ."],
            &["ruff format app"],
        ),
        (
            "Test with `vitest run`; mocha was removed.",
            &["mocha oak"],
            &["vitest run"],
        ),
        (
            "Lint with `biome check`; eslint and prettier are no longer used here.",
            &["eslint .", "prettier --write ."],
            &["biome check ."],
        ),
        (
            "flake8 and pylint were removed in favour of `ruff check`.",
            &["pylint oak", "flake8"],
            &["ruff check oak"],
        ),
        (
            "Unused imports are removed by `ruff check --fix`",
            &[],
            &["ruff check --fix"],
        ),
        (
            "yarn is not used here, pnpm only",
            &["yarn add oak"],
            &["pnpm add oak"],
        ),
    ]);
}

#[test]
fn two_names_of_one_program_are_told_apart_where_a_rule_does() {
    check_lines(&[
        (
            "Use `docker compose`, not `docker-compose`",
            &["docker-compose up"],
            &["docker compose up"],
        ),
        (
            "never use docker-compose",
            &["docker-compose up"],
            &["docker compose up"],
        ),
        (
            "docker-compose is gone, use docker compose",
            &["docker-compose up -d"],
            &["docker compose up -d"],
        ),
        (
            "use `podman compose up -d`, never `podman-compose up`",
            &["podman-compose up -d"],
            &["podman compose up -d"],
        ),
        (
            "never call python2, we have `python3`",
            &["python2 oak.py"],
            &["python3 oak.py"],
        ),
        (
            "Use `python3`, not `python`",
            &["python oak.py"],
            &["python3 oak.py"],
        ),
        // Without another name of it either is meant.
        (
            "Never run `docker-compose down -v` here",
            &["docker compose down -v", "docker-compose down -v"],
            &["docker compose down"],
        ),
    ]);
}

#[test]
fn what_is_not_done_with_an_option_is_fine_without_it() {
    check_lines(&[
        (
            "Don't commit with `--no-verify`",
            &["git commit --no-verify -m oak", "git commit -n -m oak"],
            &["git commit -m oak", "git push -n"],
        ),
        (
            "Never run `npm install` with `--force`.",
            &["npm i --force oak"],
            &["npm install oak", "git push --force"],
        ),
        (
            "never use terraform with -auto-approve",
            &["terraform apply -auto-approve"],
            &["terraform apply"],
        ),
        ("Never push with -f", &["git push -f"], &["git push"]),
        (
            "Don't deploy with -y.",
            &["make deploy", "fly deploy -y"],
            &["make build"],
        ),
        (
            "Do not push with --follow-tags.",
            &["git push --follow-tags"],
            &["git push"],
        ),
        (
            "No force pushes to shared branches; use `git push --force-with-lease` on your own.",
            &["git push --force origin main"],
            &["git push -u origin oak", "git push --force-with-lease"],
        ),
        (
            "Don't push to main and never with --force",
            &["git push -f origin oak"],
            &["git commit -m oak"],
        ),
        (
            "Never skip the hooks with `--no-verify`.",
            &["HUSKY=0 git push", "git commit --no-verify"],
            &["git commit -m oak"],
        ),
    ]);
}

#[test]
fn what_is_run_by_another_is_due_without_it() {
    check_lines(&[
        (
            "Run pytest with `docker compose exec api pytest`",
            &["pytest -q"],
            &["docker compose exec api pytest -q"],
        ),
        (
            "Run alembic inside the web container: `docker compose exec web alembic`",
            &["alembic upgrade head"],
            &["docker compose exec web alembic upgrade head"],
        ),
        (
            "Run the rails console in the pod: `kubectl exec -it deploy/web -- rails console`",
            &["rails console"],
            &["kubectl exec -it deploy/web -- rails console"],
        ),
        (
            "Lint by `bundle exec rubocop`.",
            &["rubocop -a"],
            &["bundle exec rubocop -a"],
        ),
        (
            "Run `mypy` with `uv run mypy`",
            &["mypy oak"],
            &["uv run mypy oak"],
        ),
        // What begins a clause that speaks of it is what the rule is about.
        (
            "`uv run pytest` takes ten minutes",
            &["uv run pytest"],
            &["uv run mypy"],
        ),
    ]);
}

#[test]
fn what_a_program_goes_through_is_no_occasion() {
    check_lines(&[
        (
            "psql must go through scripts/db.sh",
            &["psql -c oak"],
            &["scripts/db.sh -c oak"],
        ),
        (
            "kubectl has to go through `bin/kube`",
            &["kubectl delete pod oak"],
            &["bin/kube delete pod oak"],
        ),
        (
            "ansible-playbook runs via ops/play.sh",
            &["ansible-playbook site.yml"],
            &["ops/play.sh site.yml"],
        ),
    ]);
}

/// What comes before what a rule is about is no occasion, with a signature or without.
#[test]
fn a_condition_is_done_first() {
    for (rule, due, quiet) in [
        (
            "git push :: Push only after pnpm typecheck passed",
            &["git push"][..],
            &["pnpm typecheck", "pnpm typecheck && git push"][..],
        ),
        (
            "npm publish :: Publish only after `npm run build` went through.",
            &["npm publish"],
            &["npm run build"],
        ),
        (
            "Deploy only after `make smoke` is green",
            &["make deploy"],
            &["make smoke"],
        ),
        (
            "`terraform apply` only if `terraform plan` was read.",
            &["terraform apply"],
            &["terraform plan"],
        ),
    ] {
        let (signature, text) = rule.split_once(" :: ").unwrap_or(("", rule));
        let clean = |text: &str| CleanText::from_stored(text.to_owned());
        let lesson = LessonContent::new(clean(signature), clean(text));
        for (lines, expected) in [(due, true), (quiet, false)] {
            for line in lines {
                let found = comes_up(&lesson, &called("Bash", line));
                assert_eq!(found, expected, "{rule}: {line}");
            }
        }
    }
}

/// A program that is not there is meant as it was typed: what a runner brings, or another name of it, is the remedy.
#[test]
fn a_missing_program_is_not_missing_where_a_runner_brings_it() {
    for (signature, text, due, quiet) in [
        (
            "pytest (command not found)",
            "`pytest` fails with *command not found*. Run `uv run pytest` instead.",
            &["pytest -q", "timeout 60 pytest", "bash -c 'pytest -q'"][..],
            &["uv run pytest tests -q"][..],
        ),
        (
            "vitest (command not found)",
            "`vitest` is not installed here. Use `pnpm vitest` instead; `pnpm vitest run` worked in its place.",
            &["vitest run", "cd web && vitest"],
            &["pnpm vitest run", "pnpm exec vitest run", "npx vitest"],
        ),
        (
            "python (command not found)",
            "`python` fails with *command not found*. Use `python3` instead.",
            &["python oak.py"],
            &["python3 oak.py", "uv run python oak.py"],
        ),
        (
            "rubocop (command not found)",
            "`rubocop` is not installed here. Use another program, or install it first.",
            &["rubocop -a"],
            &["bundle exec rubocop -a", "docker compose exec web rubocop"],
        ),
    ] {
        let lesson = LessonContent::new(
            CleanText::from_stored(signature.to_owned()),
            CleanText::from_stored(text.to_owned()),
        );
        let triggers = Triggers::from_content(&lesson);
        for (lines, expected) in [(due, true), (quiet, false)] {
            for line in lines {
                let call = called("Bash", line);
                assert_eq!(comes_up(&lesson, &call), expected, "{text} {line}");
                let failed = triggers.occasion(&CallActs::from_call(&call), &call, true);
                assert_eq!(failed.is_due(), expected, "{text} {line}");
            }
        }
    }
}

/// The value of an option is part of what is advised, unless each call has one of its own.
#[test]
fn another_value_is_another_way() {
    check_lines(&[
        (
            "Use `docker build --platform linux/amd64`.",
            &["docker build --platform linux/arm64 .", "docker build ."],
            &["docker build --platform=linux/amd64 -t oak ."],
        ),
        (
            "Run kubectl --context staging",
            &["kubectl --context prod delete pod oak"],
            &["kubectl --context staging delete pod oak"],
        ),
        (
            "Run tests with `tox -e py312`.",
            &["tox -e py311", "tox"],
            &["tox -e py312"],
        ),
        (
            "Use `--project=chromium` with `playwright test`.",
            &[
                "npx playwright test",
                "npx playwright test --project=firefox",
            ],
            &["npx playwright test --project=chromium"],
        ),
        (
            "Use `cargo test -p core`, all of it takes an hour.",
            &["cargo test"],
            &["cargo test -p store"],
        ),
    ]);
}

/// What follows an option that nobody knows is its value where a subcommand follows, or where it is no usual one.
#[test]
fn a_value_is_no_subcommand() {
    check_lines(&[
        (
            "Use `gradle --console plain`.",
            &["gradle build"],
            &["gradle --console plain build"],
        ),
        (
            "Use `mvn -pl core test`.",
            &["mvn test"],
            &["mvn -pl core test", "gradle core"],
        ),
        (
            "Use `helm --kube-context staging`.",
            &["helm upgrade oak", "helm --kube-context prod upgrade oak"],
            &["helm --kube-context staging upgrade oak"],
        ),
        (
            "Use `git --no-pager log`.",
            &["git log"],
            &["git --no-pager log", "git push"],
        ),
    ]);
}

/// Options of one letter, joined with others or with their value, and their long names are the same.
#[test]
fn an_option_is_known_in_each_of_its_forms() {
    check_lines(&[
        (
            "Never `make -j8`, the box dies.",
            &[
                "make -j8",
                "make -j 8 all",
                "make --jobs=8",
                "make --jobs 8",
            ],
            &["make -j4", "make"],
        ),
        (
            "Never `rm -rf node_modules`.",
            &[
                "rm -rf node_modules",
                "rm -fr node_modules",
                "rm -r -f node_modules",
                "rm --recursive --force node_modules",
                "cd x && rm -rf ./node_modules",
            ],
            &["rm -rf dist"],
        ),
        (
            "`pytest -n auto` hangs here.",
            &[
                "pytest -n auto",
                "pytest -nauto",
                "pytest --numprocesses=auto",
            ],
            &["pytest -n 4", "pytest"],
        ),
        (
            "Never `curl --insecure`.",
            &["curl -k https://x", "curl -sk https://x"],
            &["curl -s https://x"],
        ),
        (
            "Don't use `tar --extract --file`.",
            &["tar -xf a.tar", "tar -x -f a.tar"],
            &["tar -cf a.tar b"],
        ),
        (
            "Use `make -j4`.",
            &["make", "make -j8"],
            &["make -j 4", "make --jobs=4 all"],
        ),
        (
            "Never `git push -f`.",
            &["git push --force", "git push -fu origin x"],
            &["git push"],
        ),
    ]);
}

/// Of many lessons about one subcommand the one that a call is about has most keys in common with it, so that no number of
/// candidates cuts it off.
#[test]
fn the_lesson_that_a_call_is_about_shares_most_keys() {
    let call = called("Bash", "git push --force-if-oak origin main");
    let keys = CallKeys::from_call(&CallActs::from_call(&call), &call);
    let shared = |rule: &str| {
        let text = CleanText::from_stored(rule.to_owned());
        let content = LessonContent::new(CleanText::default(), text);
        let own = Triggers::from_content(&content).keys();
        own.iter()
            .filter(|key| keys.has_any(&[(*key).clone()]))
            .count()
    };
    assert_eq!(shared("Never `git push --force-if-oak`."), 2);
    assert_eq!(shared("Never `git push --force-if-elm`."), 1);
}
