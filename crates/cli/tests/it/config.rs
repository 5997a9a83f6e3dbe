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
    db                     [HOME]/data/hardwon/hardwon.db # the database file (default)
    tenant                 local                # who owns the data (default)
    agent                  me                   # whose lessons: the agent they follow (flag)
    operator                                    # whom the agent works for: lessons for that operator are shown to it (default)
    role                                        # the agent's role: lessons for that role are shown to it (default)
    skills                                      # the agent's skills, with commas: lessons for one of them are shown to it (default)
    capture                struggle             # what is worth a lesson: struggle or every-run (default)
    capacity               1000                 # learned lessons kept active in one scope (default)
    shown                  5                    # lessons that one recall shows, 1 to 7 (file)
    form                   pitfalls             # preamble: pitfalls, markdown, aip11 or json (default)
    tokens                 300                  # tokens that a preamble may take (environment)
    holdout                on                   # hold a lesson back now and then, to measure its effect: on or off (default)
    show_at                first                # when a lesson comes up that several moments find: first, or action (its call or failure) (default)
    keep_prompts           on                   # keep what lessons were looked up for, without secrets, for 14 days: on or off (default)
    distilled              active               # lessons of a model start: active or pending (default)
    imported               pending              # lessons of a file start: active or pending (default)
    subagents              off                  # sub-agents' prompts bring up lessons too: on or off (default)
    ask                    on                   # ask an agent after a turn with trouble what to remember: on, off or always (default)
    asks_per_day           10                   # how often agents may be asked in a day (default)
    sync                   off                  # keep .hardwon/lessons/ in step after learning: on or off (default)
    model                  off                  # who distils besides the rules: off, openai, anthropic, gemini or command (default)
    model_url                                   # where the model is, if not at its maker's: http://localhost:11434/v1 (default)
    model_name                                  # which model is asked (default)
    model_key_env                               # the environment variable that holds the key (default)
    model_command                               # the command that is asked: question on stdin, answer on stdout (default)
    model_method           lesson               # how it is asked: lesson (one, in four blocks) or judge (the whole run) (default)
    model_on_error         on                   # ask about runs in which something failed: on or off (default)
    model_on_hallucination on                   # ask where a verifier found a claim wrong: on or off (default)
    model_on_low_quality   off                  # ask where the result scored low: on or off (default)
    model_on_manual        on                   # ask where a person wrote /reflect: on or off (default)
    model_on_correction    on                   # ask where a person corrected the agent: on or off (default)
    model_quiet            10                   # minutes a run must rest before it is asked about (default)
    model_workers          2                    # calls at one time, by all processes together, 1 to 16 (default)
    model_timeout          120                  # seconds that an answer may take (default)
    model_answer_tokens    2000                 # tokens that an answer may take, with the thoughts before it (default)
    model_tokens_per_day   200000               # tokens that may be spent in a day; 0 for no limit (default)
    model_money_per_day    0                    # money that may be spent in a day; 0 for no limit (default)
    model_price_in         0                    # what a million tokens of questions cost (default)
    model_price_out        0                    # what a million tokens of answers cost (default)
    embedding              off                  # who tells what texts mean: off, openai or folder (default)
    embedding_url                               # where it is, if not at OpenAI: http://localhost:11434/v1 (default)
    embedding_name                              # which model is asked (default)
    embedding_key_env                           # the environment variable that holds the key (default)
    embedding_dimensions   0                    # numbers that a vector is to have; 0 for as many as usual (default)
    embedding_folder                            # the folder with tokenizer.json and model.safetensors (default)
    embedding_timeout      600                  # milliseconds that a prompt's vector may take (default)
    embedding_hyde         off                  # the model writes the lesson to look for: on or off (default)
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
    ! hint: the settings are db, tenant, agent, operator, role, skills, capture, capacity, shown, form, tokens, holdout, show_at, keep_prompts, distilled, imported, subagents, ask, asks_per_day, sync, model, model_url, model_name, model_key_env, model_command, model_method, model_on_error, model_on_hallucination, model_on_low_quality, model_on_manual, model_on_correction, model_quiet, model_workers, model_timeout, model_answer_tokens, model_tokens_per_day, model_money_per_day, model_price_in, model_price_out, embedding, embedding_url, embedding_name, embedding_key_env, embedding_dimensions, embedding_folder, embedding_timeout, embedding_hyde
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
    ! hardwon: [HOME]/config/hardwon/config.toml is not valid TOML: line 1: unclosed array, expected `]`
    ! hint: mend the file, or remove it
    [exit 4]
    ");
    assert_snapshot!(env.told(&["recall", "npm test"]), @"
    ! hardwon: [HOME]/config/hardwon/config.toml is not valid TOML: line 1: unclosed array, expected `]`
    ! hint: mend the file, or remove it
    ");
    assert_snapshot!(env.told(&["recall", "npm test", "--json"]), @r#"
    {"lessons":[],"preamble":"","silent":"[HOME]/config/hardwon/config.toml is not valid TOML: line 1: unclosed array, expected `]`"}
    ! hardwon: [HOME]/config/hardwon/config.toml is not valid TOML: line 1: unclosed array, expected `]`
    ! hint: mend the file, or remove it
    "#);
    env.write("../config/hardwon/config.toml", "shwon = 3\n");
    assert_snapshot!(env.told(&["config"]), @r#"
    ! hardwon: [HOME]/config/hardwon/config.toml: there is no setting "shwon"
    ! hint: the settings are db, tenant, agent, operator, role, skills, capture, capacity, shown, form, tokens, holdout, show_at, keep_prompts, distilled, imported, subagents, ask, asks_per_day, sync, model, model_url, model_name, model_key_env, model_command, model_method, model_on_error, model_on_hallucination, model_on_low_quality, model_on_manual, model_on_correction, model_quiet, model_workers, model_timeout, model_answer_tokens, model_tokens_per_day, model_money_per_day, model_price_in, model_price_out, embedding, embedding_url, embedding_name, embedding_key_env, embedding_dimensions, embedding_folder, embedding_timeout, embedding_hyde
    [exit 4]
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
