use super::*;
use crate::{
    lesson::{EVERY_CALL, TriggerEdit},
    text::RawText,
    trace::{call::parse_call, failure::CallFailure},
};

mod failures;
mod prose;
mod replaced;
mod spelling;
mod terse;
mod tools;

fn called(tool: &str, args: &str) -> ParsedCall {
    parse_call(&ToolCall {
        turn: 0,
        tool: CleanText::from_stored(tool.to_owned()),
        args: CleanText::from_stored(args.to_owned()),
        status: CallStatus::Ok,
        outside: None,
    })
}

fn content(signature: &str, tools: &[&str]) -> LessonContent {
    let mut content = LessonContent::new(
        CleanText::from_stored(signature.to_owned()),
        CleanText::default(),
    );
    content.tools = tools
        .iter()
        .map(|tool| CleanText::from_stored((*tool).to_owned()))
        .collect();
    content
}

/// Returns whether a lesson comes up at a call; a store finds it there by a key.
fn comes_up(content: &LessonContent, call: &ParsedCall) -> bool {
    let triggers = Triggers::from_content(content);
    let acts = CallActs::from_call(call);
    let is_due = triggers.occasion(&acts, call, false).is_due();
    let is_found = || CallKeys::from_call(&acts, call).has_any(&triggers.keys());
    assert!(!is_due || is_found(), "{:?} {call:?}", triggers.keys());
    is_due
}

fn check(signature: &str, tool: &str, args: &str, expected: bool) {
    let found = comes_up(&content(signature, &[]), &called(tool, args));
    assert_eq!(found, expected, "[{signature}] {tool} {args}");
}

/// What a lesson comes up at can be written down as it is told, and comes up there.
#[test]
fn an_act_is_known_by_its_name() {
    for (name, tool, args, expected) in [
        (
            "an edit of a test",
            "Edit",
            "{\"file_path\":\"tests/oak_test.py\"}",
            true,
        ),
        (
            "an edit of a test",
            "Edit",
            "{\"file_path\":\"src/oak.py\"}",
            false,
        ),
        ("a commit", "Bash", "git commit -m oak", true),
        ("git stash", "Bash", "git stash pop", true),
    ] {
        let mut raw = LessonContent::new(RawText::default(), RawText::default());
        raw.correct_triggers(&TriggerEdit {
            adds: vec![name.into()],
            removes: Vec::new(),
        });
        let content = raw.map(|text| CleanText::from_stored(text.expose().to_owned()));
        assert_eq!(
            comes_up(&content, &called(tool, args)),
            expected,
            "{name}: {args}"
        );
    }
}

/// What is told with a call's result anyway is told at its failure, unless the call alone shows that it will fail.
#[test]
fn a_failure_is_expected_only_of_a_call_that_shows_it() {
    for (signature, args, expected) in [
        ("npm run lint", "npm run lint", false),
        ("pytest (command not found)", "pytest -q", true),
        ("npm test (Missing script: \"test\")", "npm test", true),
        (
            "git push (! [rejected] main)",
            "git push -u origin x",
            false,
        ),
    ] {
        let call = called("Bash", args);
        let triggers = Triggers::from_content(&content(signature, &[]));
        let occasion = triggers.occasion(&CallActs::from_call(&call), &call, true);
        assert_eq!(occasion.is_due(), expected, "[{signature}] {args}");
    }
}

#[test]
fn a_command_is_named_wherever_it_runs() {
    for line in [
        "npm test",
        "cd x && npm test -- --watch",
        "CI=1 sudo npm test | tail -5",
        "bash -lc 'npm test'",
        "npm --prefix web test; echo done",
        "npm run test",
    ] {
        check("npm test", "Bash", line, true);
        check("`npm test`", "exec_command", line, true);
        check("npm test (Missing script: \"test\")", "Bash", line, true);
        check("npm", "run_shell_command", line, true);
    }
    for line in [
        "npm testing",
        "echo npm test",
        "echo 'npm test'",
        "git commit -m 'npm test'",
        "grep -r \"npm test\" .",
        "cat <<EOF\nnpm test\nEOF",
        "npm install test",
        "# npm test",
        "pnpm test",
        "",
    ] {
        check("npm test", "Bash", line, false);
    }
}

#[test]
fn every_word_of_a_signature_must_be_in_the_call() {
    check("pytest -n auto", "Bash", "pytest tests -n auto -q", true);
    check("pytest -n auto", "Bash", "pytest tests", false);
    check(
        "cargo test --features sqlite",
        "Bash",
        "cargo test --features=sqlite",
        true,
    );
    check(
        "git push --force",
        "Bash",
        "git -C x push origin main --force",
        true,
    );
    check("git push --force", "Bash", "git push origin main", false);
    check("git push --force", "Bash", "git pull --force", false);
    check(
        "docker compose up",
        "Bash",
        "docker compose -f a.yml up -d",
        true,
    );
    check("make gen routes.def", "Bash", "make gen", false);
    check("python3 -m pytest", "Bash", "python3 -m pytest -q", true);
    check("python3 -m pytest", "Bash", "python3 -m unittest", false);
    check(
        "deploy.sh (must run as root)",
        "Bash",
        "./scripts/deploy.sh x",
        false,
    );
}

#[test]
fn sentences_name_no_command() {
    for signature in [
        "find the right config first",
        "make sure the port is free",
        "go through the proxy",
        "test",
        "time",
        "tests fail on main",
        "don't push; ask",
        "make gen && make test",
    ] {
        for line in [
            "find . -name config",
            "make",
            "go build ./...",
            "test -f x && time make sure",
            "git push",
        ] {
            check(signature, "Bash", line, false);
        }
    }
}

#[test]
fn a_signature_may_name_a_product() {
    for (signature, line) in [
        ("ansible", "ansible-playbook site.yml"),
        ("ansible", "ansible all -m ping"),
        ("postgres", "psql -c 'select 1'"),
    ] {
        check(signature, "Bash", line, true);
    }
}

#[test]
fn an_error_names_the_calls_that_hold_what_it_is_about() {
    for (signature, args, expected) in [
        (
            "sh configure (configure: error: unrecognized option '--with-cache')",
            "sh configure --with-cache",
            true,
        ),
        (
            "sh configure (configure: error: unrecognized option '--with-cache')",
            "sh configure",
            false,
        ),
        (
            "cargo test (the package '…' does not contain this feature: sqlite)",
            "cargo test --features sqlite",
            true,
        ),
        (
            "cargo test (the package '…' does not contain this feature: sqlite)",
            "cargo test",
            false,
        ),
        (
            "cargo test (the package '…' does not contain this feature: sqlite)",
            "cargo test --features store-sqlite",
            false,
        ),
        (
            "python3 (ModuleNotFoundError: No module named 'ledger')",
            "python3 -m ledger",
            true,
        ),
        (
            "python3 (ModuleNotFoundError: No module named 'ledger')",
            "python3 -c 'print(1)'",
            false,
        ),
        (
            "git push (! [rejected] main -> main (fetch first))",
            "git push -u origin x",
            false,
        ),
        (
            "sh release.sh (release: '…' must be a bare version such as N, without the v)",
            "sh release.sh v2",
            false,
        ),
        ("pytest (command not found)", "pytest -q", true),
        ("pytest (command not found)", ".venv/bin/pytest -q", false),
        (
            "find (find: paths must precede expression: `…')",
            "find . -name x",
            false,
        ),
        (
            "tr (tr: range-endpoints of '…' are in reverse collating sequence order)",
            "tr -d x",
            false,
        ),
    ] {
        check(signature, "Bash", args, expected);
    }
}

#[test]
fn a_tool_is_named_with_the_words_it_is_given() {
    let page = r#"{"url":"https://docs.rs/regex"}"#;
    check("/fetch", "fetch", page, true);
    check("WebFetch docs.rs", "WebFetch", page, true);
    check("WebFetch docs.r", "WebFetch", page, false);
    check("/fetch behind cloudflare", "fetch", page, false);
    check("create_issue", "mcp__github__create_issue", "{}", true);
    check(
        "mcp__github__create_issue",
        "mcp_github_create_issue",
        "{}",
        true,
    );
    check("issue", "mcp_github_create_issue", "{}", true);
    check("issue", "create_issue", "{}", false);
    check("Bash", "Bash", "ls", true);
    check("Bash npm test", "Bash", "echo npm test", false);
    check("book (the amount does not add up)", "book", "{}", false);
    check("edit (unexpected indent)", "Edit", "{}", false);
    check("edit (unexpected indent)", "Write", "{}", false);
    check("python (command not found)", "python", "print(1)", false);
    let sql = "sql (no such table or column: cars or cars_data.car_name)";
    check(sql, "sql", "select * from cars", true);
    check(sql, "sql", "select car_name from cars_data", true);
    check(sql, "sql", "select * from people", false);
}

#[test]
fn tools_of_a_lesson_must_fit() {
    for (signature, tools, tool, args, expected) in [
        (
            "npm test",
            &["npm test", "bash"][..],
            "exec_command",
            "npm test",
            true,
        ),
        ("npm test", &["Bash"], "run_shell_command", "npm test", true),
        ("npm test", &["WebFetch"], "Bash", "npm test", false),
        ("", &["WebFetch"], "WebFetch", "{}", true),
        ("", &["WebFetch"], "Read", "{}", false),
        ("", &["Bash"], "Bash", "npm test", false),
        ("", &[], "WebFetch", "{}", false),
    ] {
        let found = comes_up(&content(signature, tools), &called(tool, args));
        assert_eq!(found, expected, "[{signature}] {tools:?} {tool} {args}");
    }
}

/// What a lesson in words alone comes up at, and what it does not.
#[test]
fn a_rule_comes_up_where_it_is_due() {
    let bash = |line: &str| called("Bash", &serde_json::json!({ "command": line }).to_string());
    let edit = |path: &str, new: &str| {
        let args = serde_json::json!({ "file_path": path, "old_string": "a", "new_string": new });
        called("Edit", &args.to_string())
    };
    let rows: &[(&str, &[ParsedCall], &[ParsedCall])] = &[
        (
            "Never run `npm install` here, use `pnpm install`.",
            &[bash("npm install"), bash("cd web && npm i -D vitest")],
            &[
                bash("pnpm install"),
                bash("npm test"),
                bash("echo npm install"),
            ],
        ),
        (
            "Don't edit files in src/gen by hand.",
            &[
                edit("src/gen/api.ts", "x"),
                bash("sed -i s/a/b/ src/gen/api.ts"),
            ],
            &[edit("src/api.ts", "x"), bash("cat src/gen/api.ts")],
        ),
        (
            "rg, not grep: the tree is huge.",
            &[bash("grep -rn x .")],
            &[bash("rg x"), bash("npm test | grep fail")],
        ),
        (
            "Gradle is called through the wrapper (`./gradlew`).",
            &[bash("gradle test"), bash("CI=1 gradle :a:test --offline")],
            &[bash("./gradlew test"), bash("ls gradle")],
        ),
        (
            "`kubectl delete` never without `-n`.",
            &[
                bash("kubectl delete pod x"),
                bash("kubectl get pods -o name | xargs kubectl delete"),
            ],
            &[
                bash("kubectl -n shop delete pod x"),
                bash("kubectl get pods"),
            ],
        ),
        (
            "Pull requests begin as drafts: `gh pr create --draft`.",
            &[bash("gh pr create --fill")],
            &[bash("gh pr create --draft --fill"), bash("gh pr list")],
        ),
        (
            "After every change of `Cargo.toml` run `just lock`.",
            &[edit("/w/core/Cargo.toml", "x"), bash("cargo add uuid")],
            &[
                bash("just lock"),
                edit("/w/core/src/lib.rs", "x"),
                bash("cat Cargo.toml"),
            ],
        ),
        (
            "Hands off `*.generated.ts`.",
            &[
                edit("/w/app.server.generated.ts", "x"),
                bash("sed -i s/a/b/ src/a.generated.ts"),
            ],
            &[edit("/w/app.server.ts", "x")],
        ),
        (
            "Use `git add <file>`, never `git add .`",
            &[bash("git add .")],
            &[bash("git add src/a.rs"), bash("git status")],
        ),
        (
            "Before each commit run `make fmt`.",
            &[bash("git commit -m x")],
            &[bash("make fmt && git commit -m x"), bash("git log")],
        ),
        (
            "Nicht mit `sleep` auf den Server warten, dafür gibt es `scripts/wait.sh`.",
            &[bash("npm start & sleep 10 && curl localhost")],
            &[bash("scripts/wait.sh 8080")],
        ),
        (
            "git push してはいけない",
            &[bash("git add . && git push")],
            &[bash("git commit -m x")],
        ),
        (
            "依赖只用 `yarn` 来管，npm 一律不许碰",
            &[bash("npm install axios")],
            &[bash("yarn add axios"), bash("node -v")],
        ),
        (
            "Без `ruff format src/` НЕ коммитим",
            &[bash("git commit -m fix")],
            &[bash("ruff format src/")],
        ),
        (
            "Do not edit docs/**/api.md by hand.",
            &[edit("/w/docs/api.md", "x"), edit("/w/docs/a/b/api.md", "x")],
            &[edit("/w/docs/a/guide.md", "x"), edit("/w/api.md", "x")],
        ),
        (
            "Never edit `src/gen/*`.",
            &[
                edit("/w/src/gen/a", "x"),
                edit("C:\\w\\src\\gen\\a.rs", "x"),
            ],
            &[edit("/w/src/a", "x")],
        ),
        (
            "Keep functions short; say why in comments.",
            &[],
            &[
                bash("git commit -m x"),
                bash("npm test"),
                edit("/w/a.rs", "x"),
            ],
        ),
    ];
    check_rules(rows);
}

/// Checks at which calls rules come up, and at which not.
fn check_rules(rows: &[(&str, &[ParsedCall], &[ParsedCall])]) {
    let mut wrong: Vec<String> = Vec::new();
    for (rule, due, quiet) in rows {
        let content = LessonContent::new(
            CleanText::default(),
            CleanText::from_stored((*rule).to_owned()),
        );
        for (calls, expected) in [(due, true), (quiet, false)] {
            let others = calls
                .iter()
                .filter(|call| comes_up(&content, call) != expected);
            wrong.extend(others.map(|call| format!("{rule}: not {expected} at {call:?}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks at which command lines rules come up, and at which not.
fn check_lines(rows: &[(&str, &[&str], &[&str])]) {
    let bash = |line: &&str| called("Bash", &serde_json::json!({ "command": line }).to_string());
    for (rule, due, quiet) in rows {
        let [due, quiet] = [due, quiet].map(|lines| lines.iter().map(bash).collect::<Vec<_>>());
        check_rules(&[(rule, &due, &quiet)]);
    }
}

/// What a rule excepts, permits or gives as the right value is no occasion.
#[test]
fn what_a_rule_lets_be_is_quiet() {
    let bash = |line: &str| called("Bash", &serde_json::json!({ "command": line }).to_string());
    let edit = |path: &str, new: &str| {
        let args = serde_json::json!({ "file_path": path, "old_string": "a", "new_string": new });
        called("Edit", &args.to_string())
    };
    check_rules(&[
        (
            "`make dist` fails with \"disk full (E12)\" or \"no space (E13)\": run `make clean` first.",
            &[bash("make dist")],
            &[bash("E12"), bash("E13")],
        ),
        (
            "No `terraform destroy` except in envs/sandbox.",
            &[
                bash("terraform destroy"),
                bash("terraform -chdir=envs/prod destroy"),
            ],
            &[bash("terraform -chdir=envs/sandbox destroy")],
        ),
        (
            "No `rm -r` except in tools/legacy.",
            &[bash("rm -r src/old")],
            &[bash("rm -r tools/legacy/x"), bash("legacy")],
        ),
        (
            "`console.log` isn't allowed outside of *.test.ts",
            &[edit("/w/src/a.ts", "console.log(1)")],
            &[edit("/w/src/a.test.ts", "console.log(1)")],
        ),
        (
            "Always pass `--locked` to `cargo build`.",
            &[bash("cargo build --release")],
            &[bash("cargo build --locked"), bash("cargo test")],
        ),
        (
            "Run playwright with `--retries 0` here, so that flaky specs show.",
            &[bash("yarn playwright test e2e")],
            &[bash("npx playwright test --retries 0")],
        ),
        (
            "`yarn build` dies without NODE_OPTIONS=--max-old-space-size=6144.",
            &[bash("yarn build")],
            &[bash("NODE_OPTIONS=--max-old-space-size=6144 yarn build")],
        ),
        (
            "The files in gen/proto are generated by `make proto`: do not edit them by hand.",
            &[edit("/w/gen/proto/a.rs", "x")],
            &[bash("make proto")],
        ),
        (
            "Les fichiers dans public/build sont générés par `npm run build` : ne pas les modifier à la main.",
            &[edit("/w/public/build/app.js", "x")],
            &[bash("npm run build")],
        ),
        (
            "`make deploy` really deploys, to the real thing. Use `make deploy-preview` while you try things out, ok?",
            &[bash("make deploy")],
            &[bash("make deploy-preview")],
        ),
        (
            "Forbidden commands:\n* `git clean -fdx`\n* `git reset --hard`",
            &[bash("git clean -fdx"), bash("git reset --hard HEAD~1")],
            &[bash("git clean -n"), bash("git reset --soft HEAD~1")],
        ),
        (
            "Flutter: run `flutter analyze` with `--no-fatal-infos`",
            &[bash("flutter analyze lib/")],
            &[bash("flutter analyze --no-fatal-infos")],
        ),
        (
            "`git push` の前に必ず `npm run typecheck` を実行すること。",
            &[bash("git push -u origin a")],
            &[bash("npm run typecheck && git push")],
        ),
        (
            "No npm install in web/, we are on yarn 4.",
            &[bash("cd web && npm install")],
            &[edit("/w/web/src/a.ts", "x")],
        ),
        (
            "Backfills are in lib/tasks/backfill and don't belong in db/migrate.",
            &[edit("/w/db/migrate/1_fill.rb", "fill")],
            &[bash("ls db")],
        ),
        (
            "Every migration needs a way back.",
            &[
                bash("alembic revision -m lid"),
                edit("/w/alembic/versions/9c_lid.py", "lid"),
            ],
            &[bash("alembic history")],
        ),
        (
            "Rebase on main, don't merge main into a branch.",
            &[bash("git merge main")],
            &[bash("git rebase main")],
        ),
        (
            "Components ask for flags with useFlag, never with process.env.",
            &[edit("/w/web/map.tsx", "if (process.env.NEW_MAP) {}")],
            &[edit("/w/web/map.tsx", "if (useFlag('map')) {}")],
        ),
        (
            "Use `yardtest -n 4`, never `yardtest -n 8`.",
            &[bash("yardtest -n 8 src")],
            &[bash("yardtest -n 4"), bash("yardtest")],
        ),
        (
            "Never `rake db:reset`; db:seed is fine.",
            &[bash("rake db:reset")],
            &[bash("rake db:seed")],
        ),
        (
            "`--force` only in sandbox/, nowhere else.",
            &[bash("git push --force")],
            &[bash("git -C sandbox/ push --force"), bash("git push")],
        ),
        (
            "The files in `gen/` are frozen. New ones go to own/parts.",
            &[edit("/w/gen/a.rs", "x")],
            &[edit("/w/own/parts/a.rs", "x")],
        ),
        (
            "Never `git stash` in this repository.",
            &[bash("git stash"), bash("git stash pop")],
            &[bash("git stash list")],
        ),
        (
            "`docker compose down -v` deletes the data; leave the -v off.",
            &[
                bash("docker compose down -v"),
                bash("docker compose down --volumes"),
            ],
            &[bash("docker compose down")],
        ),
        (
            "Never `composer update` without the name of a package.",
            &[bash("composer update"), bash("composer update --no-dev")],
            &[bash("composer update symfony/mailer")],
        ),
        (
            "`db:reset` is off limits against anything but testing.",
            &[bash("rake db:reset")],
            &[bash("RAILS_ENV=testing rake db:reset")],
        ),
        (
            "When you open a PR make it a draft (--draft).",
            &[bash("gh pr create --fill")],
            &[bash("gh pr create --draft --fill")],
        ),
    ]);
}

/// A person says where a lesson comes up; their word outlives the lesson's words.
#[test]
fn a_person_corrects_what_a_lesson_comes_up_at() {
    let mut raw = LessonContent::new(
        RawText::default(),
        RawText::from("Before each commit run `make fmt`."),
    );
    raw.correct_triggers(&TriggerEdit {
        adds: vec!["git push".into(), "src/gen/".into()],
        removes: vec!["git commit".into()],
    });
    let clean = |text: &RawText| CleanText::from_stored(text.expose().to_owned());
    let check = |raw: &LessonContent<RawText>, what: &str, expected: bool| {
        assert_eq!(
            comes_up(&raw.map(clean), &call_from_text(what)),
            expected,
            "{what}"
        );
    };
    check(&raw, "git push origin main", true);
    check(&raw, "git commit -m x", false);
    check(&raw, "src/gen/a.rs", true);
    raw.text = "Format before `git commit`.".into();
    check(&raw, "git commit -m x", false);
    raw.correct_triggers(&TriggerEdit {
        adds: vec!["git commit".into()],
        removes: vec!["git push".into()],
    });
    check(&raw, "git commit -m x", true);
    check(&raw, "git push", false);
    // What a person names comes up, also where the call seems to do what the words advise.
    raw.text = "Run rspec with `--bisect` only to find flaky specs.".into();
    check(&raw, "rspec --bisect", false);
    raw.correct_triggers(&TriggerEdit {
        adds: vec!["rspec --bisect".into()],
        removes: Vec::new(),
    });
    check(&raw, "rspec --bisect", true);
    // What is advised is taken back where it speaks: at the call that it replaces.
    raw.text = "PRs are made by `gh pr create --draft`.".into();
    check(&raw, "gh pr create", true);
    raw.correct_triggers(&TriggerEdit {
        adds: Vec::new(),
        removes: vec!["gh pr create".into()],
    });
    check(&raw, "gh pr create", false);
    // Kept from every call it keeps its other corrections, and has them again.
    let every_call = || vec![EVERY_CALL.into()];
    check(&raw, "src/gen/a.rs", true);
    raw.correct_triggers(&TriggerEdit {
        adds: Vec::new(),
        removes: every_call(),
    });
    check(&raw, "src/gen/a.rs", false);
    // What is named after that counts, and nothing else.
    raw.correct_triggers(&TriggerEdit {
        adds: vec!["make release".into()],
        removes: Vec::new(),
    });
    check(&raw, "make release", true);
    check(&raw, "src/gen/a.rs", false);
    raw.correct_triggers(&TriggerEdit {
        adds: every_call(),
        removes: Vec::new(),
    });
    check(&raw, "src/gen/a.rs", true);
    // Both in one edit are the same, and however much is named, it stays kept from all else.
    raw.correct_triggers(&TriggerEdit {
        adds: vec!["make deploy".into()],
        removes: every_call(),
    });
    check(&raw, "make deploy", true);
    check(&raw, "make release", false);
    let names = (0..limits::TRIGGERS).map(|number| RawText::from(format!("make part{number}")));
    raw.correct_triggers(&TriggerEdit {
        adds: names.collect(),
        removes: Vec::new(),
    });
    check(&raw, "make release", false);
    check(&raw, "make part7", true);
}

/// A pattern of many stars, as a stranger may write one, is tried once.
#[test]
fn a_pattern_of_many_stars_costs_little() {
    let rule = format!("Never edit `{}b.rs`.", "**/a/".repeat(40));
    let content = LessonContent::new(CleanText::default(), CleanText::from_stored(rule));
    let path = format!("{}c.rs", "a/".repeat(400));
    assert!(!comes_up(&content, &call_from_text(&path)));
}

#[test]
fn a_lesson_says_when_it_comes_up() {
    let check = |rule: &str, expected: &[&str]| {
        let (signature, rule) = rule.split_once(" :: ").unwrap_or(("", rule));
        let clean = |text: &str| CleanText::from_stored(text.to_owned());
        let content = LessonContent::new(clean(signature), clean(rule));
        assert_eq!(
            Triggers::from_content(&content).describe(),
            expected,
            "{rule}"
        );
    };
    check(
        "Never `npm install`, use `pnpm install`.",
        &["before `npm install`"],
    );
    check(
        "PRs are made by `gh pr create --draft`.",
        &[
            "before a pull request",
            "before `gh pr create` that is not `gh pr create --draft`",
        ],
    );
    check("Hands off `src/gen/`.", &["when `src/gen` is changed"]);
    check("Never `rm -rf dist`.", &["before `rm -rf dist`"]);
    check("No `tar --file=x -xz`.", &["before `tar --file=x -xz`"]);
    check("No `--no-verify`.", &["before a call with `--no-verify`"]);
    check(
        "Call mcp__db__query never without LIMIT.",
        &["before the tool `query`"],
    );
    check("Keep functions short.", &[]);
    // A word that is no program known may be one, or something written.
    check(
        "Do not use `print` for logging",
        &["before `print` or where it is written"],
    );
    check(
        "Use `docker compose`, not `docker-compose`.",
        &["before `docker-compose`"],
    );
    // What comes first is no other way of what it comes before.
    check(
        "terraform plan (permission denied) :: Run `aws sso login --profile shop` first, then `terraform plan`.",
        &["before `terraform plan`"],
    );
    // Other forms of what is named, and other programs in place of what is done first, go unsaid.
    check(
        "npm run shop :: Run `docker compose up -d cache` before `npm run shop`.",
        &["before `npm run shop`"],
    );
    // npm runs a script after `run` only, as nobody has to be told of it otherwise.
    check("Never run `npm run e2e` here.", &["before `npm run e2e`"]);
    check(
        "Use `bun run e2e` here.",
        &["before `npm run e2e`, `yarn e2e`, `pnpm e2e`"],
    );
    check("Never run `npm doctor` here.", &["before `npm doctor`"]);
    check(
        "git merge (Merge conflict in oak.lock) :: Run `oak lock`.",
        &["when `git merge` fails with `Merge conflict in oak.lock`"],
    );
    check(
        "`uv.lock` conflicts :: Run `uv lock`.",
        &["when `uv.lock` is used or changed"],
    );
    check(
        "Error E0502 :: Clone it.",
        &["when a call fails with `Error E0502`"],
    );
    check("Tests in CI :: They are in UTC.", &[]);
    check(
        "Use `docker build --platform linux/amd64`.",
        &[
            "before `podman build`, `docker build` that is not `docker build --platform linux/amd64`",
        ],
    );
    check(
        "Run the tests with ./runtests.py, not with pytest",
        &["before `pytest`"],
    );
    check(
        "Use `uv`.",
        &["before `pip`, `pip3`, `poetry`, `pipenv`, `conda`, `pdm`, `rye`"],
    );
}

proptest::proptest! {
    #[test]
    fn any_text_may_be_a_lesson(signature in "\\PC{0,60}", text in "\\PC{0,120}", args in "\\PC{0,60}") {
        let mut content = content(&signature, &["x"]);
        content.text = CleanText::from_stored(text);
        for tool in ["Bash", "x"] {
            let call = called(tool, &args);
            let _due: bool = comes_up(&content, &call);
        }
    }
}
