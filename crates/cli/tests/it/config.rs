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
    Database and agent
      db                     [HOME]/data/hardwon/hardwon.db
                                        the database file
      tenant                 local      who owns the data
      agent                  me         the agent whose lessons are used [--agent]
      operator                          whom the agent works for; adds the lessons meant for this
                                        operator
      role                              the agent's role; adds the lessons meant for this role
      skills                            the agent's skills, comma-separated; adds the lessons meant for
                                        them

    Learning
      capture                struggle   which runs give lessons: struggle or every-run
      learning               keep       what becomes of what runs teach: keep it as lessons, or log it
                                        (learned.log) and keep nothing
      capacity               1000       most learned lessons in use in one project
      distilled              active     status of new lessons from a model: active or pending
      imported               pending    status of new lessons from files: active or pending
      sync                   off        sync .hardwon/lessons/ after lessons changed: on or off

    Showing lessons
      shown                  5          most lessons shown at once, 1 to 7 [settings file]
      silence                normal     how near a prompt must be to a lesson: quiet (clearly about it),
                                        normal, or talkative (rather one too many)
      form                   pitfalls   format in which lessons are shown: pitfalls, markdown, aip11,
                                        coordinator or json
      tokens                 300        most tokens that shown lessons may take [HARDWON_TOKENS]
      show_at                first      when to show a lesson that fits at several moments: first, or
                                        action (at its call or failure)
      start                  few        what a session begins with: few (a small bank, else what is
                                        proven or has no other moment), all that fits, or off
      before_call            tell       what a person's lesson does before a call that it names: tell,
                                        or hold the first one
      subagents              on         look up lessons for the tasks of sub-agents too: on or off
      holdout                on         leave lessons out at random (control group), to measure their
                                        effect, each every second time until that is known, then rarely:
                                        on or off
      keep_prompts           on         keep the prompts that lessons were looked up for, secrets
                                        removed, for 14 days: on or off

    Asking the agent after a turn
      ask                    on         after a turn with failures, ask the agent what to remember: on,
                                        off or always
      asks_per_day           10         how often agents may be asked in a day

    At night
      autonomy               propose    what may be done unasked: propose (only show), local (change
                                        lessons, commit here) or draft
      sweep_min_hours        20         least hours between two unattended sweeps
      sweep_min_lessons      1          least new lessons for an unattended sweep
      sweep_prune_days       180        days after which a learned lesson that was never shown leaves

    The leak gate
      leak_names                        names that must not be published, comma-separated
      leak_public_names                 names that may be, though they are those of a project, an
                                        account or a machine, comma-separated

    The review gate
      review_command                    command that reviews a delivery: material on stdin, verdict on
                                        stdout, such as claude -p

    Model
      model                  off        model that writes lessons besides the rules: off, openai,
                                        anthropic, gemini or command
      model_url                         the model's address, if not its provider's own, such as
                                        http://localhost:11434/v1
      model_name                        name of the model
      model_key_env                     the environment variable that holds the key
      model_command                     command that acts as the model: question on stdin, answer on
                                        stdout
      model_method           lesson     what the model does: lesson (writes lessons) or judge (also
                                        rates the lessons that a run was shown)
      model_on_error         on         ask about runs in which something failed: on or off
      model_on_hallucination on         ask where a verifier found a claim wrong: on or off
      model_on_low_quality   off        ask where the result scored low: on or off
      model_on_manual        on         ask where a person wrote /reflect: on or off
      model_on_correction    on         ask where a person corrected the agent: on or off
      model_quiet            10         minutes a run must be idle before the model is asked about it
      model_workers          2          concurrent model calls over all processes, 1 to 16
      model_timeout          120        seconds to wait for an answer
      model_answer_tokens    2000       most tokens of an answer, reasoning included
      model_tokens_per_day   200000     tokens that may be spent in a day; 0 for no limit

    Meaning
      meaning                on         use the sentence model that `hardwon meaning add` put in place:
                                        on or off
      embedding              off        a service for recall by meaning instead: off or openai
      embedding_url                     the embedding's address, if not OpenAI's, such as
                                        http://localhost:11434/v1
      embedding_name                    name of the model
      embedding_key_env                 the environment variable that holds the key
      embedding_dimensions   0          vector dimensions; 0 for the embedding's default
      embedding_timeout      600        milliseconds to wait for a prompt's vector; past it the words
                                        decide alone

    The server that keeps the lessons
      server                            address of the server that keeps the lessons, such as
                                        https://lessons.example; empty for this machine
      server_key_file                   file with the key and, on a second line, the server's address;
                                        server.key beside this file unless said
      server_ca_file                    file of certificates, in PEM form, that vouch for the server;
                                        empty for those of the web
      server_insecure        off        send the key over http:// to another machine too: on or off

    `hardwon config set NAME VALUE` writes one to the settings file.
    An environment variable comes before the file: HARDWON_ and the name in upper case, as in HARDWON_SHOWN=5.
    ");
    assert_snapshot!(env.told(&["config", "get", "shown"]), @"5");
    assert_snapshot!(env.told(&["config", "get", "db"]), @"[HOME]/data/hardwon/hardwon.db");
    assert_snapshot!(env.told(&["config", "path"]), @"[HOME]/config/hardwon/config.toml");
    let json: serde_json::Value = serde_json::from_str(&env.ok(&["config", "--json"])).unwrap();
    assert_eq!(json["shown"]["value"], "5");
    assert_eq!(json["shown"]["origin"], "file");
    assert_snapshot!(env.told(&["config", "set", "form", "markdown"]), @"form = markdown");
    assert_snapshot!(env.told(&["config", "unset", "shown"]), @"shown = 3 (the default)");
    let mut command = env.command();
    command
        .args(["config", "set", "tokens", "500"])
        .env("HARDWON_TOKENS", "300");
    assert_snapshot!(env.ran(command.output().unwrap()).told(), @"tokens = 300 (HARDWON_TOKENS comes before the settings file)");
    assert_eq!(env.ok(&["config", "get", "shown"]), "3\n");
}

#[test]
fn what_is_no_setting_is_not_written() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["config", "set", "colour", "red"]), @r#"
    ! hardwon: there is no setting "colour"
    ! hint: `hardwon config` lists the settings
    [exit 2]
    "#);
    assert_snapshot!(env.told(&["config", "set", "shown", "99"]), @r#"
    ! hardwon: "99" is not a valid value of the setting shown
    ! hint: most lessons shown at once, 1 to 7
    [exit 2]
    "#);
    assert_snapshot!(env.told(&["config", "set", "form", "xml"]), @r#"
    ! hardwon: "xml" is not a valid value of the setting form
    ! hint: format in which lessons are shown: pitfalls, markdown, aip11, coordinator or json
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
    ! hint: fix the file, or remove it
    [exit 4]
    ");
    assert_snapshot!(env.told(&["recall", "npm test"]), @"
    ! hardwon: [HOME]/config/hardwon/config.toml is not valid TOML: line 1: unclosed array, expected `]`
    ! hint: fix the file, or remove it
    ");
    assert_snapshot!(env.told(&["recall", "npm test", "--json"]), @r#"
    {"lessons":[],"preamble":"","silent":"[HOME]/config/hardwon/config.toml is not valid TOML: line 1: unclosed array, expected `]`"}
    ! hardwon: [HOME]/config/hardwon/config.toml is not valid TOML: line 1: unclosed array, expected `]`
    ! hint: fix the file, or remove it
    "#);
    env.write("../config/hardwon/config.toml", "shwon = 3\n");
    assert_snapshot!(env.told(&["config"]), @r#"
    ! hardwon: [HOME]/config/hardwon/config.toml: there is no setting "shwon"
    ! hint: did you mean shown? `hardwon config` lists the settings; `hardwon config unset shwon` removes it
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

/// Each version knows the settings that it has; a file of another is mended one setting after the other.
#[test]
fn what_another_version_had_is_taken_out() {
    let env = TestEnv::new();
    let file = "embedding = \"folder\"\nembedding_folder = \"/models\"\nshown = 5\n";
    env.write("../config/hardwon/config.toml", file);
    assert_snapshot!(env.told(&["config", "unset", "embedding_folder"]), @r#"
    embedding_folder is no longer in the settings file
    ! hardwon: "folder" is not a valid value of the setting embedding
    ! hint: the value comes from the file; the setting is: a service for recall by meaning instead: off or openai
    [exit 4]
    "#);
    assert_snapshot!(env.told(&["config", "unset", "embedding_folder"]), @r#"
    ! hardwon: there is no setting "embedding_folder"
    ! hint: did you mean embedding_url? `hardwon config` lists the settings
    [exit 2]
    "#);
    assert_snapshot!(env.told(&["config", "unset", "embedding"]), @"embedding = off (the default)");
    assert_snapshot!(env.told(&["config", "get", "shown"]), @"5");
    let kept = std::fs::read_to_string(env.work().join("../config/hardwon/config.toml")).unwrap();
    assert_eq!(kept, "shown = 5\n");
}

/// A server starts, and hooks go on, with a file of a version that had more.
#[test]
fn what_there_is_no_more_is_passed_over() {
    let env = TestEnv::new();
    let file =
        "serve_oidc_issuer = \"https://id.example\"\nserve_hosts = \"a.example\"\nshown = 5\n";
    env.write("../config/hardwon/config.toml", file);
    assert_eq!(env.ok(&["config", "get", "shown"]), "5\n");
    assert_snapshot!(env.told(&["config", "set", "serve_oidc_issuer", "https://id.example"]), @r#"
    ! hardwon: there is no setting "serve_oidc_issuer"
    ! hint: let a proxy in front have people sign in (docs/server.md)
    [exit 2]
    "#);
    let told = env.told(&["doctor"]);
    let notes: Vec<&str> = told
        .lines()
        .filter(|it| it.contains("passed over"))
        .collect();
    assert_snapshot!(notes.join("\n"), @"                 -> the setting serve_oidc_issuer is passed over: let a proxy in front have people sign in (docs/server.md); `hardwon config unset serve_oidc_issuer` removes it; the setting serve_hosts is passed over: it is an option of `hardwon serve`, as --help says; `hardwon config unset serve_hosts` removes it");
    assert_snapshot!(env.told(&["config", "unset", "serve_oidc_issuer"]), @"serve_oidc_issuer is no longer in the settings file");
    // But for what kept keys from being read on the way.
    let mut command = env.command();
    command.args(["serve", "--listen", "127.0.0.1:0"]);
    command.env("HARDWON_SERVE_TLS_CERT", "c.pem");
    assert_snapshot!(env.ran(command.output().unwrap()).told(), @"
    ! hardwon: the setting serve_hosts is passed over: it is an option of `hardwon serve`, as --help says; `hardwon config unset serve_hosts` removes it
    ! hardwon: serve_tls_cert is set, and the server speaks HTTP only
    ! hint: let a proxy in front end TLS (docs/server.md), and unset it
    [exit 2]
    ");
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
