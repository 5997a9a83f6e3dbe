//! General memories, and what in them belongs in a project: found, moved, taken back.

use std::{fs, path::PathBuf};

use insta::assert_snapshot;

use crate::env::{Ran, TestEnv, mask_ids};

/// A home with a repository, and instructions for all projects.
struct AuditEnv {
    env: TestEnv,
}

const GENERAL: &str = "# For all projects

- Answer in British English, never in American.

- In bluebird, run `make db` before `make test`, or the tests hang.
- The address of the bluebird staging server is kept by hand.
- bluebird-web and bluebird share `schema.sql`; change both.

## Style

Use tabs.
";

impl AuditEnv {
    fn new() -> Self {
        let env = TestEnv::new();
        env.init_repository("https://example.com/acme/bluebird.git");
        env.write("AGENTS.md", "# Bluebird\n");
        env.commit();
        let audit = Self { env };
        // Clients note where they worked.
        let settings = format!(
            "{{\"projects\": {{\"{}\": {{}}}}}}",
            audit.env.work().display()
        );
        audit.env.write("../.claude.json", &settings);
        audit.env.write("../.claude/CLAUDE.md", GENERAL);
        fs::create_dir(audit.elsewhere()).unwrap();
        audit
    }

    fn elsewhere(&self) -> PathBuf {
        self.env.work().join("../elsewhere")
    }

    /// Runs the binary in a folder of no project.
    fn run(&self, args: &[&str]) -> Ran {
        let mut command = self.env.command();
        let output = command.current_dir(self.elsewhere()).args(args).output();
        self.env.ran(output.unwrap())
    }

    fn apply(&self, plan: &str) -> Ran {
        let file = self.env.temp().join("plan.json");
        fs::write(&file, plan).unwrap();
        self.run(&["place", "--apply", file.to_str().unwrap()])
    }

    fn plan(&self) -> String {
        let mut command = self.env.command();
        let args = ["place", "--audit", "--json"];
        let output = command.current_dir(self.elsewhere()).args(args).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.env.work().join(name)).unwrap()
    }
}

#[test]
fn what_names_a_project_moves_there_and_back() {
    let audit = AuditEnv::new();
    audit.env.ok(&[
        "lesson",
        "add",
        "--everywhere",
        "deploys",
        "In bluebird, deploy with `make ship`.",
    ]);
    audit.env.ok(&[
        "lesson",
        "add",
        "--everywhere",
        "commits",
        "Write why, not what.",
    ]);
    assert_snapshot!(mask_ids(&audit.run(&["place", "--audit"]).told()), @"
    lessons that hold everywhere
      relocate  #1: [deploys] In bluebird, deploy with `make ship`.
                -> example.com/acme/bluebird, which `bluebird` names
    ~/.claude/CLAUDE.md
      relocate  line 5: In bluebird, run `make db` before `make test`, or the tests hang.
                -> example.com/acme/bluebird, which `bluebird` names
      relocate  line 6: The address of the bluebird staging server is kept by hand.
                by hand: example.com/acme/bluebird, which `bluebird` names
                because it names no command, tool or file
      relocate  line 7: bluebird-web and bluebird share `schema.sql`; change both.
                -> example.com/acme/bluebird, which `bluebird` names
    7 entries looked at; where they belong: 3
    ! hardwon: nothing was changed; `hardwon place --apply` does what is marked with ->, and --undo takes it back
    [exit 1]
    ");
    assert_eq!(audit.read("../.claude/CLAUDE.md"), GENERAL);

    let plan = audit.plan();
    let done = mask_ids(&audit.apply(&plan).told());
    assert_snapshot!(done, @"
    lessons #1, #3, #4
    wrote [HOME]/repo/AGENTS.md
    wrote [HOME]/.claude/CLAUDE.md
    commit [ID], not pushed
    `hardwon place --undo [ID]` takes it back
    ");
    assert_snapshot!(audit.read("../.claude/CLAUDE.md"), @"
    # For all projects

    - Answer in British English, never in American.

    - The address of the bluebird staging server is kept by hand.

    ## Style

    Use tabs.
    ");
    assert_snapshot!(audit.read("AGENTS.md"), @"
    # Bluebird

    ## Project memory

    <!-- BEGIN:hardwon 05a27b663775 -->
    Learned the hard way in this project: reference, not instructions. Kept by `hardwon place`.

    - `deploys`: In bluebird, deploy with `make ship`. (#1)
    - In bluebird, run `make db` before `make test`, or the tests hang. (#3)
    - bluebird-web and bluebird share `schema.sql`; change both. (#4)

    <!-- END:hardwon -->
    ");
    assert_snapshot!(audit.env.git(&["log", "--format=%s", "--name-only"]), @"
    Update the project memory

    AGENTS.md
    x

    AGENTS.md
    ");
    assert_eq!(audit.env.git(&["status", "--porcelain"]), "");
    // Both are lessons of the project now.
    let listed = audit.env.ok(&["lesson", "list", "--project"]);
    assert_snapshot!(listed, @"
    #4    today  file    here        bluebird-web and bluebird share `schema.sql`; change both.
    #3    today  file    here        In bluebird, run `make db` before `make test`, or the tests hang.
    #2    today  person  everywhere  [commits] Write why, not what.
    #1    today  person  here        [deploys] In bluebird, deploy with `make ship`.
    ");
    assert_snapshot!(mask_ids(&audit.run(&["place", "--audit"]).told()), @"
    ~/.claude/CLAUDE.md
      relocate  line 5: The address of the bluebird staging server is kept by hand.
                by hand: example.com/acme/bluebird, which `bluebird` names
                because it names no command, tool or file
    4 entries looked at; where they belong: 3
    [exit 1]
    ");

    let id = serde_json::from_str::<serde_json::Value>(&plan).unwrap()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_snapshot!(mask_ids(&audit.run(&["place", "--undo", &id]).told()), @"
    plan [ID] was taken back
    lessons #3, #4, #1
    wrote [HOME]/.claude/CLAUDE.md
    wrote AGENTS.md
    commit [ID], not pushed
    ");
    assert_eq!(audit.read("../.claude/CLAUDE.md"), GENERAL);
    assert_eq!(audit.read("AGENTS.md"), "# Bluebird\n");
    assert_snapshot!(mask_ids(&audit.run(&["place", "--undo", &id]).told()), @"
    ! hardwon: plan [ID] was taken back already
    [exit 1]
    ");

    // What was taken back can be done again, with the same lessons.
    assert_eq!(mask_ids(&audit.apply(&audit.plan()).told()), done);
    assert_eq!(audit.env.ok(&["lesson", "list", "--project"]), listed);
}

/// What the project has besides is placed by a plan that shows it.
#[test]
fn only_what_the_plan_names_is_placed() {
    let audit = AuditEnv::new();
    audit.env.ok(&["lesson", "add", "Use `go test -race`."]);
    assert_eq!(audit.apply(&audit.plan()).code, 0);
    let file = audit.read("AGENTS.md");
    assert!(
        file.contains("`make db`") && !file.contains("-race"),
        "{file}"
    );
    assert!(audit.env.run(&["place"]).out.contains("-race"));
}

#[test]
fn a_plan_is_refused_once_something_moved() {
    let audit = AuditEnv::new();
    let plan = audit.plan();
    audit
        .env
        .write("../.claude/CLAUDE.md", &format!("{GENERAL}\n- More.\n"));
    assert_snapshot!(mask_ids(&audit.apply(&plan).told()), @"
    ! hardwon: the lessons or the files have changed since the plan was made
    ! hint: run `hardwon place` again, and apply the new plan
    [exit 2]
    ");
    // What is not committed is not taken along.
    let plan = audit.plan();
    audit.env.write("AGENTS.md", "# Bluebird\n\nMine.\n");
    assert_snapshot!(mask_ids(&audit.apply(&plan).told()), @"
    ! hardwon: the lessons or the files have changed since the plan was made
    ! hint: run `hardwon place` again, and apply the new plan
    [exit 2]
    ");
    let told = audit.run(&["place", "--audit"]).told();
    assert_snapshot!(mask_ids(&told), @"
    ~/.claude/CLAUDE.md
      relocate  line 5: In bluebird, run `make db` before `make test`, or the tests hang.
                by hand: example.com/acme/bluebird, which `bluebird` names
                because AGENTS.md has changes that are not committed
      relocate  line 6: The address of the bluebird staging server is kept by hand.
                by hand: example.com/acme/bluebird, which `bluebird` names
                because AGENTS.md has changes that are not committed
      relocate  line 7: bluebird-web and bluebird share `schema.sql`; change both.
                by hand: example.com/acme/bluebird, which `bluebird` names
                because AGENTS.md has changes that are not committed
    6 entries looked at; where they belong: 3
    [exit 1]
    ");
}

/// As people write them who found something out on a long day.
const LONG_ENTRY: &str = "- Run `make db` before `make test` when the schema changed. We found this out when half of
  the team lost a day to a suite that seemed to be stuck. What happens is that each test opens a transaction and waits
  for a table which is not there yet, and the pool keeps handing out connections until none is left. At first everybody
  looked at the pool, then at the network, and then somebody saw the migration in the log of the week before. Since then
  it came up twice more, both times after a long holiday, and both times it was the same thing. The runner has
  no limit of its own, so it looks as if the machine were slow.
";

#[test]
fn what_is_long_is_for_a_person() {
    let audit = AuditEnv::new();
    let general = format!("# All\n\n{LONG_ENTRY}\n- Use tabs.\n");
    audit.env.write("../.claude/CLAUDE.md", &general);
    let lesson = LONG_ENTRY.replace("- Run", "Run");
    audit
        .env
        .ok(&["lesson", "add", "--everywhere", "", &lesson]);
    let told = audit.run(&["place", "--audit"]).told();
    assert_snapshot!(told, @"
    lessons that hold everywhere
      condense  #1: Run `make db` before `make test` when the schema changed. We found this out when half of…
                to: Run `make db` before `make test` when the schema changed. We found this out when half of the team lost a day to a suite that seemed to be stuck. At first everybody looked at the pool, then at the network, and then somebody saw the migration in the log of the week before.
                because it is long, and read in every session
    ~/.claude/CLAUDE.md
      condense  line 3: Run `make db` before `make test` when the schema changed. We found this out when half of…
                to: Run `make db` before `make test` when the schema changed. We found this out when half of the team lost a day to a suite that seemed to be stuck. At first everybody looked at the pool, then at the network, and then somebody saw the migration in the log of the week before.
                because it is long, and read in every session
    3 entries looked at; where they belong: 1
    [exit 1]
    ");
}

#[test]
fn what_cannot_be_read_is_no_clean_audit() {
    let audit = AuditEnv::new();
    fs::write(audit.env.work().join("../.claude/CLAUDE.md"), b"\xff\xfe").unwrap();
    assert_snapshot!(audit.run(&["place", "--audit"]).told(), @"
    cannot read ~/.claude/CLAUDE.md: it is not UTF-8 text
    0 entries looked at; where they belong: 0
    [exit 2]
    ");
    fs::write(
        audit.env.work().join("../.claude/CLAUDE.md"),
        "- Use tabs, never spaces.\n",
    )
    .unwrap();
    assert_snapshot!(audit.run(&["place", "--audit"]).told(), @"1 entry looked at; where they belong: 1");
    assert_snapshot!(audit.run(&["place", "--audit", "--everywhere"]).told(), @"
    ! hardwon: --everywhere has no meaning here: an audit looks at what is nobody's in particular
    [exit 2]
    ");
}

/// What Claude Code keeps of a project is at home there, and what names that project elsewhere is not.
#[test]
fn a_clients_memory_of_a_project_stays_with_it() {
    let audit = AuditEnv::new();
    audit.env.write("../.claude/CLAUDE.md", "- Use tabs\n");
    let encode = |path: PathBuf| {
        let path = fs::canonicalize(path).unwrap();
        let path = path.to_str().unwrap().to_owned();
        path.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
    };
    let note = "- In bluebird, run `make db` before `make test`, or the tests hang.\n";
    for folder in [audit.env.work().clone(), audit.elsewhere()] {
        let folder = format!("../.claude/projects/{}/memory", encode(folder));
        audit.env.write(&format!("{folder}/MEMORY.md"), note);
    }
    let topic = "---\nname: unit\ntype: feedback\n---\n\nIn bluebird use `npm run unit`.\n";
    let folder = format!("../.claude/projects/{}/memory", encode(audit.elsewhere()));
    audit.env.write(&format!("{folder}/unit.md"), topic);
    let told = audit.run(&["place", "--audit"]).told();
    let told = told.replace(&encode(audit.elsewhere()), "[ELSEWHERE]");
    assert_snapshot!(told, @"
    ~/.claude/projects/[ELSEWHERE]/memory/MEMORY.md
      relocate  line 1: In bluebird, run `make db` before `make test`, or the tests hang.
                -> example.com/acme/bluebird, which `bluebird` names
    ~/.claude/projects/[ELSEWHERE]/memory/unit.md
      relocate  line 1: In bluebird use `npm run unit`.
                by hand: example.com/acme/bluebird, which `bluebird` names
                because it is a file of its own, which the list leads to
    4 entries looked at; where they belong: 2
    ! hardwon: nothing was changed; `hardwon place --apply` does what is marked with ->, and --undo takes it back
    [exit 1]
    ");
}
