//! Settings: where they come from and how they are changed.

use insta::assert_snapshot;

use crate::env::TestEnv;

#[test]
fn settings_are_shown_with_where_they_come_from() {
    let env = TestEnv::new();
    env.ok(&["config", "set", "shown", "5"]);
    let mut command = env.command();
    command
        .args(["--agent", "me", "config"])
        .env("HARDWON_TOKENS", "300");
    assert_snapshot!(env.ran(command.output().unwrap()).told(), @"
    db         [HOME]/data/hardwon/hardwon.db # the database file (default)
    tenant     local                # who owns the data (default)
    agent      me                   # whose lessons: the agent they follow (flag)
    capture    struggle             # what is worth a lesson: struggle or every-run (default)
    capacity   1000                 # learned lessons kept active in one scope (default)
    shown      5                    # lessons that one recall shows, 1 to 7 (file)
    form       pitfalls             # preamble: pitfalls, markdown, aip11 or json (default)
    tokens     300                  # tokens that a preamble may take (environment)
    distilled  active               # lessons of a model start: active or pending (default)
    imported   pending              # lessons of a file start: active or pending (default)
    subagents  off                  # sub-agents' prompts bring up lessons too: on or off (default)
    sync       off                  # keep .hardwon/lessons/ in step after learning: on or off (default)
    ");
    assert_snapshot!(env.told(&["config", "get", "shown"]), @"5");
    assert_snapshot!(env.told(&["config", "get", "db"]), @"[HOME]/data/hardwon/hardwon.db");
    assert_snapshot!(env.told(&["config", "path"]), @"[HOME]/config/hardwon/config.toml");
    let json: serde_json::Value = serde_json::from_str(&env.ok(&["config", "--json"])).unwrap();
    assert_eq!(json["shown"]["value"], "5");
    assert_eq!(json["shown"]["origin"], "file");
    assert_eq!(env.told(&["config", "unset", "shown"]), "");
    assert_eq!(env.ok(&["config", "get", "shown"]), "3\n");
}

#[test]
fn what_is_no_setting_is_not_written() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["config", "set", "colour", "red"]), @r#"
    ! hardwon: there is no setting "colour"
    ! hint: the settings are db, tenant, agent, capture, capacity, shown, form, tokens, distilled, imported, subagents, sync
    [exit 2]
    "#);
    assert_snapshot!(env.told(&["config", "set", "shown", "99"]), @r#"
    ! hardwon: the setting shown cannot be "99"
    ! hint: lessons that one recall shows, 1 to 7
    [exit 2]
    "#);
    assert_snapshot!(env.told(&["config", "set", "form", "xml"]), @r#"
    ! hardwon: the setting form cannot be "xml"
    ! hint: preamble: pitfalls, markdown, aip11 or json
    [exit 2]
    "#);
    assert!(!env.work().join("../config").exists());
}

/// A broken file must not stop an agent, and must not be taken for no file.
#[test]
fn a_broken_file_is_named() {
    let env = TestEnv::new();
    env.lessons(&[("npm test", "Run the unit tests.")]);
    env.write("../config/hardwon/config.toml", "shown = [3\n");
    assert_snapshot!(env.told(&["lesson", "list"]), @"
    ! hardwon: [HOME]/config/hardwon/config.toml is not valid TOML: TOML parse error at line 1, column 11
    !   |
    ! 1 | shown = [3
    !   |           ^
    ! unclosed array, expected `]`
    ! hint: mend the file, or remove it
    [exit 3]
    ");
    assert_snapshot!(env.told(&["recall", "npm test"]), @"
    ! hardwon: [HOME]/config/hardwon/config.toml is not valid TOML: TOML parse error at line 1, column 11
    !   |
    ! 1 | shown = [3
    !   |           ^
    ! unclosed array, expected `]`
    ! hint: mend the file, or remove it
    ");
    assert_snapshot!(env.told(&["recall", "npm test", "--json"]), @r#"
    {"lessons":[],"preamble":"","silent":"[HOME]/config/hardwon/config.toml is not valid TOML: TOML parse error at line 1, column 11\n  |\n1 | shown = [3\n  |           ^\nunclosed array, expected `]`"}
    ! hardwon: [HOME]/config/hardwon/config.toml is not valid TOML: TOML parse error at line 1, column 11
    !   |
    ! 1 | shown = [3
    !   |           ^
    ! unclosed array, expected `]`
    ! hint: mend the file, or remove it
    "#);
    env.write("../config/hardwon/config.toml", "shwon = 3\n");
    assert_snapshot!(env.told(&["config"]), @r#"
    ! hardwon: [HOME]/config/hardwon/config.toml: there is no setting "shwon"
    ! hint: the settings are db, tenant, agent, capture, capacity, shown, form, tokens, distilled, imported, subagents, sync
    [exit 3]
    "#);
    env.write(
        "../config/hardwon/config.toml",
        "shown = 3 # mine\nform = \"markdown\"\n",
    );
    assert!(
        env.ok(&["recall", "npm test"])
            .starts_with("<!-- hardwon:preamble -->")
    );
    env.ok(&["config", "set", "form", "pitfalls"]);
    let kept = std::fs::read_to_string(env.work().join("../config/hardwon/config.toml")).unwrap();
    assert_eq!(kept, "shown = 3 # mine\nform = \"pitfalls\"\n");
}

#[test]
fn a_preamble_keeps_to_its_tokens() {
    let env = TestEnv::new();
    let long = "Run the unit tests before anything else is done. ".repeat(4);
    env.lessons(&[("npm test", &long)]);
    let recalled = |tokens: &str| {
        let mut command = env.command();
        command
            .args(["recall", "npm test unit"])
            .env("HARDWON_TOKENS", tokens);
        env.ran(command.output().unwrap()).told().len()
    };
    let (small, large) = (recalled("60"), recalled("1000"));
    assert!(
        0 < small && small <= 60 * 4 && small < large,
        "{small} {large}"
    );
}
