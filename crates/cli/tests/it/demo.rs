//! The demo: what it must show, however capture and ranking get better.

use crate::env::TestEnv;

#[test]
fn it_shows_the_loop_and_leaves_nothing() {
    let env = TestEnv::new();
    let told = env.ok(&["demo"]);
    let mut rest = &*told;
    for line in [
        "Seven sessions of real coding agents",
        "\n1. Claude Code",
        "\n   fails      Bash npm test\n",
        "\n   LEARNED    #1 [npm test",
        "\n2. ",
        "\n   reminds    [KNOWN PITFALLS",
        "\n   credits    #1: followed",
        "\n   CONFIRMED  #1 [npm test",
        "\n3. Codex",
        "\n   asks       No, don't edit generated files.",
        "\n   LEARNED ",
        "\n4. Gemini CLI",
        "\n   warns      [LOOP DETECTED]",
        "\n   warns      … the same again",
        "\n5. Qwen Code",
        "GITHUB_TOKEN=[REDACTED:",
        "\n   learns     nothing: seen once",
        "\n6. pi",
        "\n7. Claude Code",
        "\n   learns     nothing: the run went well",
        "\nThe next task",
        "\n   asks       Edit the generated routes, then run npm test.\n   recalls    [KNOWN PITFALLS",
        "its chain verifies.",
        "\nNext:  hardwon init ",
    ] {
        rest = match rest.split_once(line) {
            Some((_, rest)) => rest,
            None => panic!("{line:?} is missing in\n{told}"),
        };
    }
    assert!(!told.contains("ghp_"), "{told}");
    let home = std::fs::read_dir(env.work().join("..")).unwrap();
    assert_eq!(home.count(), 2, "folders for work and for temporary files");
    assert_eq!(std::fs::read_dir(env.temp()).unwrap().count(), 0);
}

/// One or two screens a session, as wide as a terminal usually is.
#[test]
fn it_can_be_read() {
    let told = TestEnv::new().ok(&["demo"]);
    for session in told.split("\n\n") {
        assert!(session.lines().count() <= 48, "{session}");
    }
    for line in told.lines() {
        assert!(line.chars().count() <= 120, "{line}");
    }
}

#[test]
fn it_tells_the_same_each_time() {
    let env = TestEnv::new();
    assert_eq!(env.ok(&["demo"]), env.ok(&["demo"]));
}
