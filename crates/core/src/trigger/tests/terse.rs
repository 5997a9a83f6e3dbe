//! Rules as people write them in a hurry: a product for its program, an act for its command, half of what is meant.

use super::*;

#[test]
fn an_act_has_many_commands() {
    check_lines(&[
        (
            "Don't run the whole test suite, it takes an hour.",
            &["go test ./...", "npm test", "cd api && pytest -q tests"],
            &[
                "pytest tests/oak_test.py",
                "go test ./oak -run TestOak",
                "npm run build",
            ],
        ),
        (
            "Integration tests need the queue up.",
            &["make test-integration", "go test -tags=integration ./oak"],
            &["go test ./oak"],
        ),
        (
            "Images are built with `--platform linux/arm64`.",
            &["docker build -t oak .", "docker buildx bake oak --push"],
            &[
                "docker build --platform linux/arm64 -t oak .",
                "docker pull oak",
            ],
        ),
        (
            "The dev server is up already, don't start another one.",
            &[
                "npm run dev",
                "npx next dev -p 3001",
                "npx vite --port 5000",
            ],
            &["npm run build", "curl -s localhost:3000"],
        ),
        (
            "Don't skip the hooks.",
            &["git commit --no-verify -m oak", "HUSKY=0 git push"],
            &["git commit -m oak"],
        ),
        (
            "Force pushing only with `--force-with-lease`.",
            &["git push -f", "git push origin +HEAD:oak"],
            &["git push --force-with-lease"],
        ),
    ]);
}

#[test]
fn a_program_is_known_by_what_stands_beside_it() {
    check_lines(&[
        (
            "We use pnpm, never npm or yarn.",
            &["yarn add oak"],
            &["pnpm add oak"],
        ),
        (
            "ansible: `--check` first",
            &["ansible-playbook site.yml"],
            &["ansible-playbook --check site.yml"],
        ),
        (
            "go test needs `-race`",
            &["go test ./oak", "gotestsum -- ./oak"],
            &["go test -race ./oak", "go vet"],
        ),
        (
            "use the gradle wrapper",
            &["gradle test"],
            &["./gradlew test"],
        ),
        (
            "psql is never run by hand",
            &["psql -c 'select 1'"],
            &["pg_dump oak"],
        ),
        (
            "Plain bundle exec loads the wrong gems.",
            &["bundle exec rake"],
            &["bundle install"],
        ),
        (
            "mix ecto.reset and mix ecto.drop are off limits",
            &["mix ecto.drop"],
            &["mix ecto.migrate"],
        ),
        (
            "Before `terraform state mv`, `state rm` or `import` keep a copy.",
            &["terraform state rm oak", "terraform import oak 1"],
            &["terraform plan"],
        ),
        (
            "Pass `--target=dev` when you build dbt models.",
            &["dbt run --target prod", "dbt build"],
            &["dbt run --target dev", "dbt run --target=dev"],
        ),
        (
            "Don't call mockgen.",
            &["go run oak.dev/mock/mockgen@latest -source=a.go"],
            &["go run ./oak"],
        ),
        (
            "Give migrations a name: `makemigrations <app> -n <name>`.",
            &["python manage.py makemigrations"],
            &["python manage.py makemigrations oak -n add_leaf"],
        ),
        (
            "Never use `rope start`: use `yarn dev`.",
            &["yarn workspace app rope start"],
            &["yarn dev"],
        ),
    ]);
}

#[test]
fn advice_that_is_followed_is_quiet() {
    check_lines(&[
        (
            "Notebooks are committed without outputs, run nbstripout first.",
            &["git commit -am oak"],
            &["nbstripout a.ipynb && git commit -am oak"],
        ),
        (
            "Build it with `just oak`, not with oak-pack directly.",
            &["oak-pack build"],
            &["just oak && ls pkg"],
        ),
        (
            "A producción solo se despliega con `make deploy ENV=prod`; nunca con flyctl a mano.",
            &["flyctl deploy"],
            &["make deploy ENV=prod TAG=v2"],
        ),
        (
            "Vor jedem Commit `cargo fmt` und `cargo clippy -- -D warnings` laufen lassen.",
            &["git commit -m oak"],
            &["cargo fmt && cargo clippy --workspace -- -D warnings && git commit -m oak"],
        ),
        (
            "PRs go against `develop`, not `main`.",
            &["gh pr create --base main"],
            &["gh pr create --base develop"],
        ),
        (
            "`terraform apply` only ever runs in CI. Locally you may plan.",
            &["terraform plan -out=p && terraform apply p"],
            &["terraform plan"],
        ),
        (
            "`aws s3 sync --delete` only after I saw it with --dryrun.",
            &["aws s3 sync a s3://oak --delete"],
            &["aws s3 sync a s3://oak"],
        ),
        (
            "releases = scripts/release.sh",
            &[],
            &["./scripts/release.sh minor"],
        ),
    ]);
}

#[test]
fn a_file_is_known_by_half_its_name() {
    let edit = |path: &str, new: &str| {
        let args = serde_json::json!({ "file_path": path, "old_string": "a", "new_string": new });
        called("Edit", &args.to_string())
    };
    let read = |path: &str| {
        called(
            "Read",
            &serde_json::json!({ "file_path": path }).to_string(),
        )
    };
    let bash = |line: &str| called("Bash", &serde_json::json!({ "command": line }).to_string());
    check_rules(&[
        (
            "Don't read .env files.",
            &[
                read("/w/.env"),
                read("/w/.env.local"),
                bash("cat api/.env.production"),
            ],
            &[read("/w/.env.example"), read("/w/env.ts")],
        ),
        (
            "Don't edit .pb.go by hand",
            &[edit("/w/oak.pb.go", "b"), bash("sed -i s/a/b/ pb/*.pb.go")],
            &[edit("/w/oak.go", "b")],
        ),
        (
            "Never edit package-lock by hand",
            &[edit("/w/package-lock.json", "b")],
            &[edit("/w/package.json", "b")],
        ),
        (
            "There is no __tests__ folder, tests stand beside the code.",
            &[edit("/w/src/__tests__/oak.ts", "b")],
            &[edit("/w/src/oak.test.ts", "b")],
        ),
        (
            "The files in `raw/oak` are huge, never open one whole.",
            &[bash("cd /w/raw && cat oak/a.csv")],
            &[bash("cd /w/src && cat oak/a.csv")],
        ),
        (
            "Nothing under `src/tick` may allocate: no `oak::string`.",
            &[edit("/w/src/tick/a.cpp", "oak::string name;")],
            &[edit("/w/src/menu/a.cpp", "oak::string name;")],
        ),
    ]);
}
