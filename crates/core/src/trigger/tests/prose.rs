//! Commands as people type them in passing, without marks, and as agents call them.

use super::*;

#[test]
fn a_command_needs_no_marks() {
    check_lines(&[
        (
            "Don't use rm -rf on build dirs, use make clean",
            &["rm -rf dist"],
            &["make clean"],
        ),
        (
            "pnpm build in the root takes 10 minutes; build only the package: pnpm --filter @shop/ui build",
            &["pnpm build"],
            &["pnpm install", "pnpm --filter @shop/ui build"],
        ),
        (
            "Use uv run pytest -n 4",
            &["uv run pytest", "pytest"],
            &["uv run pytest -n 4", "uv sync"],
        ),
        (
            "Use kubectl -n shop get pods",
            &["kubectl get pods"],
            &["kubectl apply -f x"],
        ),
        (
            "jest needs `--runInBand` on this box.",
            &["npx jest src"],
            &["jest --runInBand"],
        ),
        ("Don't use sudo", &["sudo apt install x"], &["apt list"]),
        (
            "Formatting is ruff's job (`ruff format`), not black's.",
            &["black ."],
            &["ruff format"],
        ),
        (
            "cd into backend before you run pytest",
            &["pytest"],
            &["ls"],
        ),
    ]);
}

#[test]
fn a_program_is_named_in_passing() {
    check_lines(&[
        (
            "Never install packages globally with npm or pip",
            &["npm install -g typescript", "pip install black"],
            &["npm test", "pip list"],
        ),
        (
            "Use the Makefile targets rather than calling docker directly",
            &["docker build ."],
            &["make build"],
        ),
        (
            "always activate the venv before running python",
            &["python manage.py check"],
            &["ruff check"],
        ),
        (
            "We moved from jest to vitest",
            &["npx jest src"],
            &["npx vitest run"],
        ),
        (
            "Docker builds need BuildKit turned on",
            &["docker build ."],
            &["docker ps"],
        ),
        (
            "Terraform applies are Atlantis's job.",
            &["terraform apply"],
            &["terraform plan"],
        ),
        (
            "Never let terraform touch the prod workspace",
            &["terraform apply"],
            &["ls"],
        ),
        (
            "No npm here, and no brew either.",
            &["brew install jq", "npm i"],
            &["apt list"],
        ),
        (
            "Never call docker compose directly, use make up",
            &["docker compose -f a.yml up -d --build"],
            &["make up"],
        ),
        (
            "whenever you use the aws cli add --profile sandbox",
            &["aws s3 rm s3://tmp --recursive"],
            &["aws s3 rm s3://tmp --profile sandbox"],
        ),
        (
            "jamais phpunit en direct",
            &["php -d xdebug.mode=off vendor/bin/phpunit --filter x"],
            &["php -r 'phpinfo();'"],
        ),
        (
            "ne modifie rien dans le dossier vendor, c'est écrasé",
            &["patch -p1 -d vendor/orm < fix.patch", "rm vendor/a.php"],
            &["ls"],
        ),
        (
            "OpenOCD bricks the board",
            &["openocd -f board.cfg"],
            &["west flash"],
        ),
    ]);
}

#[test]
fn an_act_stands_within_a_word_without_spaces() {
    check_lines(&[
        (
            "不要直接推送到 main 分支",
            &["git push origin main"],
            &["git push origin fix"],
        ),
        (
            "mainに直接プッシュしないこと",
            &["git push origin main"],
            &["git push origin fix"],
        ),
    ]);
}

#[test]
fn a_command_that_a_sentence_speaks_of_is_its_occasion() {
    check_lines(&[
        (
            "Packages come in through poetry. A `pip install` into the venv makes poetry.lock a liar.",
            &["pip install respx"],
            &["pip list"],
        ),
        (
            "`alembic upgrade head` needs DATABASE_URL to be set.",
            &["uv run alembic upgrade head"],
            &["DATABASE_URL=x alembic upgrade head"],
        ),
        (
            "aws s3 sync with `--delete`? Then first the same line plus --dryrun.",
            &["aws s3 sync a s3://b --delete"],
            &["aws s3 ls"],
        ),
        (
            "In-source builds are forbidden: use a preset (`cmake --preset debug`).",
            &["cmake ."],
            &["cmake --preset debug"],
        ),
    ]);
}

#[test]
fn an_option_that_is_advised_is_no_occasion() {
    check_lines(&[
        (
            "Half of the laptops are arm, so `docker build` with `--platform linux/amd64`.",
            &["docker build ."],
            &["docker build --platform linux/amd64 ."],
        ),
        (
            "No more `npm audit fix --force`, it took Angular two versions up. Without --force I don't mind.",
            &["npm audit fix --force"],
            &["npm audit fix"],
        ),
    ]);
}

#[test]
fn a_command_is_found_in_each_form_it_has() {
    check_lines(&[
        (
            "`docker compose down -v` takes the seeded database with it.",
            &[
                "docker-compose -f a.yml down --volumes",
                "docker compose -p shop down -v",
            ],
            &["docker compose down"],
        ),
        (
            "Never run `composer update` without a package.",
            &["docker compose exec -T php composer update --no-interaction"],
            &["docker compose exec -T php composer update foo/bar"],
        ),
        (
            "Never run `prisma migrate reset` without asking.",
            &["pnpm --filter @shop/api prisma migrate reset -f"],
            &["pnpm prisma migrate dev"],
        ),
        (
            "No `adb uninstall` on the test phones.",
            &["adb -s R3CN90 uninstall kr.co.app"],
            &["adb -s R3CN90 install app.apk"],
        ),
        (
            "Before each `mvn deploy` run `mvn verify -Pintegration`.",
            &["./mvnw -B -q clean deploy -pl api"],
            &["./mvnw verify -Pintegration", "./mvnw test"],
        ),
        (
            "| `brew install X` | add X to `flake.nix` |",
            &["brew install jq"],
            &["brew list"],
        ),
        (
            "Never force-push to main",
            &["git push --force origin main", "git push -f"],
            &["git push"],
        ),
        (
            "We don't tag by hand. A `git tag` that CI did not make confuses the bump.",
            &["git tag v1"],
            &["git tag --list 'v2.*'"],
        ),
    ]);
}

#[test]
fn verbs_may_come_last() {
    check_lines(&[
        (
            "`npm` ではなく `pnpm` を使う",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "`npm` 대신 `pnpm` 을 사용하세요",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "커밋하기 전에 `./gradlew ktlintFormat` 먼저 돌려 주세요.",
            &["git commit -m x"],
            &["./gradlew ktlintFormat && git commit -m x"],
        ),
        (
            "手元から `gcloud run deploy` を実行しないこと",
            &["gcloud run deploy api"],
            &["gcloud run services list"],
        ),
        (
            "提交之前先跑 `make lint`",
            &["git commit -m x"],
            &["make lint && git commit -m x"],
        ),
        (
            "`git pull`은 항상 `--rebase`로 합니다.",
            &["git pull"],
            &["git pull --rebase"],
        ),
    ]);
}

#[test]
fn reading_may_be_let_be_and_an_ending_is_a_pattern() {
    let edit = |path: &str| {
        let args = serde_json::json!({ "file_path": path, "old_string": "a", "new_string": "b" });
        called("Edit", &args.to_string())
    };
    let read = |path: &str| {
        called(
            "Read",
            &serde_json::json!({ "file_path": path }).to_string(),
        )
    };
    check_rules(&[
        (
            "Hands off `.tscn` files. Reading is OK.",
            &[edit("levels/cave.tscn")],
            &[read("levels/cave.tscn"), edit("levels/cave.gd")],
        ),
        (
            "Everything under `legacy/` is frozen. Reading is OK.",
            &[edit("legacy/pricing.php")],
            &[read("legacy/pricing.php")],
        ),
    ]);
}

#[test]
fn a_rule_is_read_as_it_is_jotted_down() {
    check_lines(&[
        // Letters of options stand in any order.
        (
            "Never `rm -rf` the cache folder",
            &["rm -fr cache"],
            &["rm cache/a"],
        ),
        // What stands before a colon is the command of the option.
        (
            "west: give the board, `--board nrf52`",
            &["west build app"],
            &["west build --board nrf52 app"],
        ),
        // A place for an operand is to be filled.
        (
            "Run one file with `vitest <file>`, the whole suite takes ages",
            &["npx vitest", "vitest --run"],
            &["npx vitest src/a.test.ts"],
        ),
        (
            "Don't push to main, open a merge request",
            &[
                "git push",
                "git push origin main",
                "git push -u origin HEAD:main",
            ],
            &[
                "git push -u origin feat/login",
                "git push origin HEAD:feat/login",
            ],
        ),
        (
            "pas de npm dans ce dépôt, tout passe par `pnpm`",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "`fly deploy` は手元で実行せず、CI に任せてください。",
            &["fly deploy"],
            &["fly status"],
        ),
        (
            "用 cargo 要加 `--locked`，不然 CI 会失败。",
            &["cargo build"],
            &["cargo build --locked"],
        ),
        (
            "Rebase auf develop nur nach `git fetch origin`",
            &["git rebase origin/develop"],
            &["git rebase --continue"],
        ),
        (
            "sqitch without a target lands on production, so name one with --target dev",
            &["sqitch deploy"],
            &["sqitch deploy --target dev"],
        ),
        (
            "`npm run pack:mac` は署名がないと最後で必ず落ちる。`-- --no-sign` を付けること",
            &["npm run pack:mac"],
            &["npm run pack:mac -- --no-sign"],
        ),
        (
            "Everything in docs/charts/ is made by scripts/draw.py",
            &["inkscape a.svg --export-filename=docs/charts/a.pdf"],
            &["scripts/draw.py docs/charts"],
        ),
        (
            "build-host is for builds alone, don't copy data there",
            &["scp data.tar build-host", "ssh build-host"],
            &["ssh test-host", "cat notes/build-host.md"],
        ),
    ]);
}

#[test]
fn what_is_written_tells_where_a_rule_holds() {
    let write = |path: &str, new: &str| {
        let args = serde_json::json!({ "file_path": path, "old_string": "a", "new_string": new });
        called("Edit", &args.to_string())
    };
    check_rules(&[
        (
            "no unwrap() in crates/core",
            &[write("crates/core/src/a.rs", "let a = b.unwrap();")],
            &[write("crates/core/src/a.rs", "let a = b?;")],
        ),
        (
            "ts: no `var`, use `const`",
            &[write("src/a.ts", "var a = 1;")],
            &[write("src/a.ts", "let a = variance(b);")],
        ),
        (
            "kconfig is generated. what is to stay goes to kconfig.defaults",
            &[write("firmware/kconfig", "A=1")],
            &[write("firmware/kconfig.defaults", "A=1")],
        ),
        (
            "A `.env` traz a chave. Não leia; os nomes das variáveis estão no `.env.sample`.",
            &[],
            &[write(".env.sample", "A=")],
        ),
        (
            "vendor/ is as it came. What we change lives in patches/, nothing is edited in place.",
            &[write("vendor/zlib/a.c", "int a;")],
            &[],
        ),
        (
            "the postgres MCP server is a replica, some minutes behind",
            &[called("mcp__postgres__query", r#"{"sql":"select 1"}"#)],
            &[called("mcp__sqlite__query", r#"{"sql":"select 1"}"#)],
        ),
        (
            "Never edit `conf/` by hand",
            &[called("Bash", &serde_json::json!({ "command": "uv run python - <<'P'\nfrom pathlib import Path\ndef put(f, t):\n    Path(f).write_text(t)\nput('conf/a.toml', 'x')\nP" }).to_string()),
              called("Bash", &serde_json::json!({ "command": "./run py - <<'P'\nfrom pathlib import Path\nPath('conf/a.toml').write_text('x')\nP" }).to_string())],
            &[called("Bash", &serde_json::json!({ "command": "python3 -c \"print(open('conf/a.toml').read())\"" }).to_string())],
        ),
        // How tests are written has no name, and comes up where one is.
        (
            "A test is named after its ticket, in small letters.",
            &[
                write("tests/test_orders.py", "def test_a"),
                write("src/cart.spec.ts", "it("),
            ],
            &[write("src/cart.ts", "export")],
        ),
        (
            "Tests need the stack, so run `docker compose up -d` first.",
            &[],
            &[write("tests/test_orders.py", "def test_a")],
        ),
    ]);
}

/// Names that stand in no sentence by chance: a variable of the shell; what `and` joins is meant alike.
#[test]
fn what_can_hardly_be_anything_else_is_a_name() {
    check_lines(&[
        (
            "For reports use $READ_URL. $MAIN_URL in this shell is the real one.",
            &["psql \"$MAIN_URL\" -c 'select 1'"],
            &["psql \"$READ_URL\" -c 'select 1'", "psql \"$OTHER_URL\""],
        ),
        (
            "`git stash` and `git reset --hard` take the work of others along.",
            &["git stash", "git reset --hard HEAD~1"],
            &["git reset HEAD a.rs"],
        ),
        (
            "A push is fine, but spell it --force-with-lease. Plain --force ate two commits.",
            &["git push --force", "git push -f origin x"],
            &["git push", "git push --force-with-lease"],
        ),
        // What only tells what is there does nothing that a rule about the program could mean.
        (
            "Every gcloud command names its project: `--project shop-dev`.",
            &["gcloud run deploy api"],
            &["gcloud auth list", "gcloud config get-value"],
        ),
        (
            "vercel is for the preview only, `vercel list` is slow.",
            &["vercel deploy", "vercel list"],
            &["vercel projects ls"],
        ),
        (
            "Never run `npm` here.",
            &["npm install get-port", "npm version patch"],
            &["npm ls"],
        ),
        (
            "Never run `docker` here.",
            &["docker rm list", "docker kill status"],
            &["docker image ls"],
        ),
        // A sum of money, and a file that may be changed like others.
        (
            "Each request costs $20, think first.",
            &[],
            &["curl -d '$20' x"],
        ),
        (
            "Changes in `config/app.toml` are fine.",
            &[],
            &["echo x > config/db.toml"],
        ),
    ]);
}
