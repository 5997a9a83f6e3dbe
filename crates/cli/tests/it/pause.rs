//! Keeping still for a while.

use insta::assert_snapshot;

use crate::env::TestEnv;

#[test]
fn a_project_is_paused_and_taken_up_again() {
    let env = TestEnv::new();
    env.write(
        ".git/config",
        "[remote \"origin\"]\n\turl = git@example.org:a/b.git\n",
    );
    assert_snapshot!(env.told(&["resume"]), @"
    ! hardwon: example.org/a/b: nothing was paused
    [exit 1]
    ");
    assert_snapshot!(env.told(&["pause"]), @"paused in example.org/a/b until `hardwon resume`");
    assert_snapshot!(env.told(&["pause", "--for", "2h"]), @"paused in example.org/a/b until [DATE] [CLOCK]; `hardwon resume` ends it");
    assert_snapshot!(env.told(&["lesson", "list"]), @"
    ! hardwon: paused in example.org/a/b until [DATE] [CLOCK]; `hardwon resume` ends it
    ! hardwon: no lessons yet
    ! hint: `hardwon learn` learns from agents' sessions, `hardwon lesson add` records your own
    ");
    // Whoever wonders why nothing comes up is told wherever they look.
    env.told(&["lesson", "add", "make x", "Run `just x`."]);
    for line in [
        &["lesson", "when", "make x"][..],
        &["lesson", "when", "1"],
        &["lesson", "show", "1"],
        &["lesson", "search", "just"],
        &["lesson", "add", "make y", "Run `just y`."],
        &["effect"],
        &["effect", "1"],
        &["why"],
    ] {
        let answer = env.told(line);
        let is_told = answer.contains("! hardwon: paused in example.org/a/b until");
        assert!(is_told, "{line:?}: {answer}");
    }
    assert_snapshot!(env.told(&["log"]), @"
    ! hardwon: paused in example.org/a/b until [DATE] [CLOCK]; `hardwon resume` ends it
    ! hardwon: nothing was shown yet
    ");
    assert_snapshot!(env.told(&["lesson", "list", "--project", "other"]), @"
    ! hardwon: nothing is known of a project other
    ! hint: `hardwon lesson list --all-projects` names the projects
    [exit 2]
    ");
    assert_snapshot!(env.told(&["pause", "--everywhere"]), @"paused everywhere until `hardwon resume --everywhere`");
    assert_snapshot!(env.told(&["resume"]), @"resumed example.org/a/b; paused everywhere until `hardwon resume --everywhere`");
    assert_snapshot!(env.told(&["doctor"]), @"
    ok   settings    defaults; there is no settings file [HOME]/config/hardwon/config.toml
    ok   database    [HOME]/data/hardwon/hardwon.db
    ok   journal     verifies: 2 changes, 2 lessons
    ok   project     example.org/a/b
    note pause       paused everywhere until `hardwon resume --everywhere`
                     -> until then hooks show nothing and learn nothing
    ok   meaning     no sentence model: lessons are found by their words; `hardwon meaning add FILE` adds one of 12 MB
    ok   sessions    no agent keeps sessions here yet
    ");
    assert_snapshot!(env.told(&["resume", "--everywhere"]), @"resumed everywhere");
    assert_snapshot!(env.told(&["resume", "--everywhere"]), @"
    ! hardwon: everywhere: nothing was paused
    [exit 1]
    ");
}

#[test]
fn a_folder_outside_of_a_repository_is_paused_by_itself() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["pause"]), @"paused in [HOME]/repo until `hardwon resume`");
    assert_snapshot!(env.told(&["resume"]), @"resumed [HOME]/repo");
    assert_snapshot!(env.told(&["pause", "--project", "other"]), @"paused in other until `hardwon resume`");
    assert_snapshot!(env.told(&["pause", "--everywhere", "--for", "a while"]), @"
    ! error: invalid value 'a while' for '--for <TIME>': write it as 30m, 2h or 3d
    ! 
    ! For more information, try '--help'.
    [exit 2]
    ");
    assert_snapshot!(env.told(&["pause", "--everywhere", "--for", "99999999h"]), @"
    ! hardwon: the pause is too long: give a shorter time, as in `--for 3d`
    [exit 2]
    ");
}

/// Stopping everything is most needed when something is broken.
#[test]
fn broken_settings_do_not_keep_anybody_from_pausing() {
    let env = TestEnv::new();
    env.write("../config/hardwon/config.toml", "shown = [3\n");
    assert_snapshot!(env.told(&["pause", "--everywhere"]), @"paused everywhere until `hardwon resume --everywhere`");
    assert_snapshot!(env.told(&["resume", "--everywhere"]), @"resumed everywhere");
    assert!(!env.db().exists());
}
