//! `hardwon night`: what it does, how far it goes, and what starts it.

use std::fs;

use crate::env::TestEnv;

#[test]
fn a_timer_calls_what_takes_its_exit_codes_for_success() {
    let env = TestEnv::new();
    let printed = env.ok(&["night", "--schedule", "systemd"]);
    assert!(
        printed.contains("SuccessExitStatus=1 3") && printed.contains(" night"),
        "{printed}"
    );
    let task = env.ok(&["night", "--schedule", "schtasks", "--db", "a b.db"]);
    let head = "schtasks /Create /F /TN hardwon-night /SC DAILY /ST 03:30 /TR \"";
    assert!(
        task.starts_with(head) && task.ends_with("a b.db\\\"\"\n\n"),
        "{task}"
    );
    for by_hand in ["cron", "schtasks"] {
        let refused = env.run(&["night", "--schedule", by_hand, "--install"]);
        assert_eq!(refused.code, 2);
    }
}

/// A night copies the database, sweeps, audits and places, each as far as it may.
#[test]
fn a_night_is_one_job() {
    let env = TestEnv::new();
    env.init_repository("https://example.com/acme/shop.git");
    env.write("AGENTS.md", "# Shop\n");
    env.commit();
    env.ok(&["lesson", "add", "npm test", "Run the unit script."]);
    env.run(&["place"]);
    env.ok(&["place", "--apply"]);
    env.ok(&["lesson", "add", "cargo build", "Build it offline."]);
    let proposed = env.run(&["night"]);
    let steps = |told: &str| {
        let steps = told.lines().filter(|line| !line.starts_with(' '));
        let names = steps.filter_map(|line| line.split_whitespace().next());
        names.map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        steps(&proposed.out),
        "backup sweep audit place",
        "{}",
        proposed.told()
    );
    assert_eq!(proposed.code, 1, "{}", proposed.told());
    let agents = || fs::read_to_string(env.work().join("AGENTS.md")).unwrap();
    assert!(!agents().contains("Build it offline."));
    env.ok(&["config", "set", "autonomy", "local"]);
    let done = env.run(&["night"]);
    // There is a copy of today.
    assert_eq!(steps(&done.out), "sweep audit place", "{}", done.told());
    assert!(agents().contains("Build it offline."), "{}", done.told());
    // What is erased may still be in the copy.
    let erased = env.run(&["lesson", "erase", "1", "--yes"]);
    assert!(erased.err.contains("backups"), "{}", erased.err);
    let refused = env.run(&["night", "--project", "shop"]);
    assert_eq!(refused.code, 2);
}
