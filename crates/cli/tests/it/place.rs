//! Lessons in a project's files, in real repositories: shown, applied, checked and taken back.

use std::fs;

use insta::assert_snapshot;

use crate::env::{Ran, TestEnv, mask_ids};

/// A repository with an `AGENTS.md`, and a lesson of a person.
struct PlaceEnv {
    env: TestEnv,
}

impl PlaceEnv {
    fn new() -> Self {
        let env = TestEnv::new();
        env.init_repository("https://example.com/acme/shop.git");
        env.write("AGENTS.md", "# Shop\n\nUse tabs.\n");
        env.commit();
        let place = Self { env };
        place
            .env
            .lessons(&[("npm test", "Run `npm run test:unit` instead.")]);
        place
    }

    fn place(&self, args: &[&str]) -> Ran {
        self.env.run(&[&["place"], args].concat())
    }

    /// Makes a plan with these options, as it is printed.
    fn plan(&self, args: &[&str]) -> String {
        let mut command = self.env.command();
        let output = command.arg("place").args(args).arg("--json").output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    }

    /// Makes a plan with these options and applies it.
    fn apply(&self, args: &[&str]) -> Ran {
        let plan = self.plan(args);
        self.env.run_with(&["place", "--apply", "-"], plan)
    }

    fn agents(&self) -> String {
        fs::read_to_string(self.env.work().join("AGENTS.md")).unwrap()
    }
}

#[test]
fn a_plan_is_shown_applied_and_taken_back() {
    let place = PlaceEnv::new();
    place.env.ok(&["lesson", "add", "", "Think first."]);
    let before = place.agents();
    assert_snapshot!(mask_ids(&place.place(&[]).told()), @"
    change and commit AGENTS.md
      +
      + ## Project memory
      +
      + <!-- BEGIN:hardwon [ID] -->
      + Learned the hard way in this project: reference, not instructions. Kept by `hardwon place`.
      +
      + - `npm test`: Run `npm run test:unit` instead. (#1)
      +
      + <!-- END:hardwon -->
    in the block
      #1    written by a person
    left out
      #2    it names no command, tool or file
    ! hardwon: nothing was changed; `hardwon place --apply` does it, and --undo takes it back
    [exit 1]
    ");
    assert_eq!(place.agents(), before);

    let done = place.apply(&[]);
    assert_snapshot!(mask_ids(&done.told()), @"
    wrote AGENTS.md (commit [ID], not pushed)
    `hardwon place --undo [ID]` takes it back
    ");
    assert_snapshot!(place.agents(), @"
    # Shop

    Use tabs.

    ## Project memory

    <!-- BEGIN:hardwon 34ddc1c98f69 -->
    Learned the hard way in this project: reference, not instructions. Kept by `hardwon place`.

    - `npm test`: Run `npm run test:unit` instead. (#1)

    <!-- END:hardwon -->
    ");
    assert_snapshot!(place.env.git(&["log", "-1", "--format=%an|%B", "--name-only"]), @"
    A|Update the project memory

    1 lesson that agents learned here.

    Hardwon-Place: 34ddc1c98f69


    AGENTS.md
    ");
    assert_eq!(place.env.git(&["status", "--porcelain"]), "");
    assert_snapshot!(place.place(&[]).told(), @"
    nothing to do: the files are as they should be
    in the block
      #1    written by a person
    left out
      #2    it names no command, tool or file
    ");
    assert_snapshot!(place.place(&["--check"]).told(), @"AGENTS.md: up to date");

    let id = done.out.split("--undo ").nth(1).unwrap()[..12].to_owned();
    assert_snapshot!(list_applied(&place), @"
    [ID]  [DATE] [CLOCK]  ~/repo  commit [ID]
      --undo would
      change and commit AGENTS.md
        -
        - ## Project memory
        -
        - <!-- BEGIN:hardwon [ID] -->
        - Learned the hard way in this project: reference, not instructions. Kept by `hardwon place`.
        -
        - - `npm test`: Run `npm run test:unit` instead. (#1)
        -
        - <!-- END:hardwon -->
    ");
    let changed = place.agents().replace("## Project memory", "## Memory");
    let agents = place.agents();
    place.env.write("AGENTS.md", &changed);
    assert_snapshot!(list_applied(&place), @"
    [ID]  [DATE] [CLOCK]  ~/repo  commit [ID]
      --undo refuses: AGENTS.md was changed since
    ");
    place.env.write("AGENTS.md", &agents);
    assert_snapshot!(mask_ids(&place.place(&["--undo", &id]).told()), @"plan [ID] was taken back: AGENTS.md as before (commit [ID], not pushed)");
    assert_snapshot!(list_applied(&place), @"
    [ID]  [DATE] [CLOCK]  ~/repo  commit [ID]
      taken back
    ");
    assert_eq!(place.agents(), before);
    assert_eq!(place.env.git(&["status", "--porcelain"]), "");
    assert_eq!(place.env.git(&["rev-list", "--count", "HEAD"]), "3");
    assert_snapshot!(mask_ids(&place.place(&["--undo", &id]).told()), @"
    ! hardwon: plan [ID] was taken back already
    [exit 1]
    ");
}

/// What `--list` says, without ids and times.
fn list_applied(place: &PlaceEnv) -> String {
    mask_ids(&place.place(&["--list"]).told())
}

/// An agent's lesson that a person gave other words has the person's word behind it, until somebody else changes them.
#[test]
fn a_persons_edit_is_a_persons_word() {
    let place = PlaceEnv::new();
    place
        .env
        .told_with(&["writ"], "/lesson make lint: Run `make check` instead.");
    assert!(
        place.plan(&[]).contains("neither a person"),
        "{}",
        place.plan(&[])
    );
    place.env.ok(&[
        "lesson",
        "edit",
        "2",
        "--text",
        "Run `make check` instead, from the root.",
    ]);
    assert!(
        place.plan(&[]).contains("approved by a person"),
        "{}",
        place.plan(&[])
    );
}

#[test]
fn a_plan_that_no_longer_fits_is_refused() {
    let place = PlaceEnv::new();
    let plan = place.plan(&[]);
    let apply = |plan: &str| place.env.run_with(&["place", "--apply", "-"], plan).told();
    assert_snapshot!(apply(&plan.replace("\"create\":false", "\"create\":true").replace("\"id\":\"", "\"id\":\"0")), @"
    ! hardwon: the plan was edited, or made by another version
    ! hint: a plan is applied as it was made; `hardwon place --json` prints one
    [exit 2]
    ");
    assert_snapshot!(apply("{}"), @"
    ! hardwon: reading the plan -: missing field `kind` at line 1 column 2
    ! hint: `hardwon place --json` prints one
    [exit 2]
    ");
    place.env.write("AGENTS.md", "# Shop\n");
    place.env.commit();
    assert_snapshot!(apply(&plan), @"
    ! hardwon: the lessons or the files have changed since the plan was made
    ! hint: run `hardwon place` again, and apply the new plan
    [exit 2]
    ");
    assert_eq!(place.agents(), "# Shop\n");
    let plan = place.plan(&[]);
    place.env.lessons(&[("make", "Run `make deps` first.")]);
    assert_snapshot!(apply(&plan), @"
    ! hardwon: the lessons or the files have changed since the plan was made
    ! hint: run `hardwon place` again, and apply the new plan
    [exit 2]
    ");
}

#[test]
fn a_file_that_is_not_in_order_is_not_touched() {
    let place = PlaceEnv::new();
    for broken in [
        "<!-- END:hardwon -->\n",
        "```\n<!-- BEGIN:hardwon 0123456789ab -->\n<!-- END:hardwon -->\n```\n",
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n",
    ] {
        place.env.write("AGENTS.md", broken);
        place.env.commit();
        let ran = place.apply(&[]);
        assert_eq!(ran.code, 2, "{broken}");
        assert_eq!(place.place(&["--check"]).code, 2, "{broken}");
        assert_eq!(place.agents(), broken);
    }
    assert_snapshot!(place.place(&[]).told(), @"
    ! hardwon: AGENTS.md, line 1: the mark of a merge that is not done; nothing was changed
    ! hint: finish the merge first
    [exit 2]
    ");
}

#[test]
fn nothing_is_mixed_with_what_is_not_committed() {
    let place = PlaceEnv::new();
    place.env.write("b.txt", "b");
    place.env.git(&["add", "b.txt"]);
    assert_snapshot!(place.apply(&[]).told(), @"
    ! hardwon: nothing is committed here: b.txt is staged
    ! hint: nothing was changed; finish that, and run `hardwon place` again
    [exit 2]
    ");
    assert_eq!(place.env.git(&["status", "--porcelain"]), "A  b.txt");
    place.env.commit();
    place.env.write("AGENTS.md", "# Shop\n\nUse spaces.\n");
    assert_snapshot!(place.place(&[]).told(), @"
    ! hardwon: AGENTS.md has changes that are not committed
    ! hint: commit that first: what is placed is a commit of its own
    [exit 2]
    ");
    // As a process leaves it that was killed before it could commit.
    place.env.git(&["checkout", "-q", "AGENTS.md"]);
    let after = {
        place.apply(&[]);
        place.agents()
    };
    place.env.git(&["reset", "-q", "--hard", "HEAD~1"]);
    place.env.write("AGENTS.md", &after);
    assert_snapshot!(mask_ids(&place.place(&[]).told()), @"
    commit AGENTS.md
    in the block
      #1    written by a person
    ! hardwon: nothing was changed; `hardwon place --apply` does it, and --undo takes it back
    [exit 1]
    ");
    assert_eq!(place.apply(&[]).code, 0);
    assert_eq!(place.env.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_is_not_there_is_made_only_if_asked() {
    let place = PlaceEnv::new();
    place.env.git(&["rm", "-q", "AGENTS.md"]);
    place.env.write("a", "a");
    place.env.commit();
    assert_snapshot!(place.place(&[]).told(), @"
    in the block
      #1    written by a person
    note: there is no AGENTS.md; --create makes one
    [exit 1]
    ");
    assert_eq!(place.apply(&["--create"]).code, 0);
    assert!(place.agents().starts_with("## Project memory\n"));
    assert_eq!(place.env.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_check_needs_no_database() {
    let place = PlaceEnv::new();
    place.apply(&[]);
    let check = |place: &PlaceEnv| place.place(&["--check"]).told();
    place.env.lessons(&[("make", "Run `make deps` first.")]);
    assert_snapshot!(check(&place), @"
    AGENTS.md: out of date: `hardwon place` shows what would change
    [exit 1]
    ");
    fs::remove_dir_all(place.env.db().parent().unwrap()).unwrap();
    assert_snapshot!(check(&place), @"AGENTS.md: the block is as it was written; no lessons of this project are here to compare it with");
    let edited = place.agents().replace("instead", "always");
    place.env.write("AGENTS.md", &edited);
    assert_snapshot!(check(&place), @"
    AGENTS.md: the block was edited by hand
    ! hardwon: `hardwon place` makes it again; to change a lesson: hardwon lesson edit
    [exit 1]
    ");
}

#[test]
fn unattended_work_goes_as_far_as_it_may() {
    let place = PlaceEnv::new();
    let before = place.agents();
    assert_eq!(place.place(&["--unattended"]).code, 1);
    assert_eq!(place.agents(), before);
    place.env.ok(&["config", "set", "autonomy", "local"]);
    place.env.write("b.txt", "b");
    place.env.git(&["add", "b.txt"]);
    assert_snapshot!(place.place(&["--unattended"]).told(), @"
    skipped: nothing is committed here: b.txt is staged
    [exit 3]
    ");
    place.env.commit();
    assert_eq!(place.place(&["--unattended"]).code, 0);
    assert_ne!(place.agents(), before);
    assert_eq!(place.place(&["--unattended"]).code, 0);
}

#[test]
fn what_an_agent_reads_in_the_file_is_not_shown_besides() {
    let place = PlaceEnv::new();
    place.apply(&[]);
    let reply = |place: &PlaceEnv, client: &str, session: &str| {
        let cwd = place.env.work();
        let payload = format!(
            r#"{{"session_id":"{session}","cwd":"{}","hook_event_name":"UserPromptSubmit","prompt":"why does npm test fail?"}}"#,
            cwd.display()
        );
        let args = ["hook", "--client", client, "--event", "UserPromptSubmit"];
        place.env.run_with(&args, payload).out.contains("test:unit")
    };
    // Claude Code reads CLAUDE.md, which does not name the file yet.
    assert!(reply(&place, "claude-code", "a"));
    assert!(!reply(&place, "codex", "b"));
    place.env.write("CLAUDE.md", "# Shop\n\n@AGENTS.md\n");
    assert!(!reply(&place, "claude-code", "c"));
    // A block that is not there any more is no reason.
    place.env.write("AGENTS.md", "# Shop\n");
    assert!(reply(&place, "codex", "d"));
    assert!(reply(&place, "claude-code", "e"));
}

#[test]
fn a_link_is_followed_inside_of_the_repository() {
    let place = PlaceEnv::new();
    fs::rename(
        place.env.work().join("AGENTS.md"),
        place.env.work().join("CLAUDE.md"),
    )
    .unwrap();
    std::os::unix::fs::symlink("CLAUDE.md", place.env.work().join("AGENTS.md")).unwrap();
    place.env.commit();
    assert_eq!(place.apply(&[]).code, 0);
    assert_eq!(
        place.env.git(&["show", "--name-only", "--format="]),
        "CLAUDE.md"
    );
    assert_eq!(place.env.git(&["status", "--porcelain"]), "");
    let outside = place.env.temp().join("far.md");
    fs::write(&outside, "far\n").unwrap();
    fs::remove_file(place.env.work().join("AGENTS.md")).unwrap();
    std::os::unix::fs::symlink(&outside, place.env.work().join("AGENTS.md")).unwrap();
    place.env.commit();
    assert_eq!(place.apply(&[]).code, 2);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "far\n");
}
