//! A model that is asked about runs: a command, so that all of it is here.

use hardwon_cli::config::{SETTING_KEYS, variable_name};
use insta::assert_snapshot;
use serde_json::Value;

use crate::env::{TestEnv, repository};

/// A run that failed, and says so.
fn failed_run(name: &str) -> String {
    format!(
        r#"{{"type":"run","run":"{name}","task":"deploy it"}}
{{"type":"tool","turn":1,"call":"c1","tool":"Bash","args":"make deploy token=hunter2hunter2","status":"error","error":"no region given"}}
{{"type":"end","status":"failed"}}
"#
    )
}

const REPLY: &str = "Here you are:\n<situation>`make deploy` says *no region given*</situation>\n\
    <mistake>it was run without one</mistake>\n\
    <correction>Set `REGION` before `make deploy`; token=hunter2hunter2 is not needed.</correction>\n\
    <tags>make, deploy</tags>\n";

/// Sets a command up that keeps the question and answers this.
fn set_up(env: &TestEnv, reply: &str) {
    env.with_programs(&["sh", "cat"]);
    let reply = env.write("reply.txt", reply);
    let question = env.work().join("question.txt");
    let command = format!("cat > {}; cat {}", question.display(), reply.display());
    env.ok(&["config", "set", "model_command", &command]);
    env.ok(&["config", "set", "model", "command"]);
}

#[test]
fn a_run_that_failed_is_asked_about_and_taught() {
    let env = TestEnv::new();
    set_up(&env, REPLY);
    env.write("one.jsonl", &failed_run("one"));
    assert_snapshot!(env.told(&["learn", "one.jsonl"]), @"
    1 run in 1 transcript: 0 lessons learned, 0 seen again, 0 to review
      1 run queued for the model: `hardwon queue drain` asks it
    nothing to learn 1 time:
         1  nothing that worked after a failure shows what helped
    ");
    assert_snapshot!(env.told(&["queue", "list"]), @"
    1     waiting  due [DATE] [CLOCK] error: one
    1 waiting, 0 running, 0 done, 0 dead; today 0 calls, 0 tokens
    ");
    assert_snapshot!(env.told(&["queue", "drain"]), @"0 jobs done: 0 lessons learned, 0 seen again, 0 to review, 0 refused; 0 calls, 0 tokens");
    let drained = env.ok(&["queue", "drain", "--now"]);
    assert_snapshot!(drained.lines().next().unwrap(), @"  learned    #1 [make deploy (no region given)] Set `REGION` before `make deploy`; token=[REDACTED:token] is not needed.");
    assert!(
        drained.contains("1 job done: 1 lesson learned"),
        "{drained}"
    );
    let question = std::fs::read_to_string(env.work().join("question.txt")).unwrap();
    assert_snapshot!(question.split_once("BEGIN RECORD\n").unwrap().1, @"
    task: deploy it
    trouble: make deploy (no region given), met once in this run; it did not come to work in what is shown
    - failed: Bash: make deploy token=[REDACTED:token] | error: no region given
    END RECORD
    ");
    let recalled = env.ok(&["recall", "deploy with make"]);
    assert!(
        recalled.contains("Set `REGION` before `make deploy`"),
        "{recalled}"
    );
    let shown: serde_json::Value =
        serde_json::from_str(&env.ok(&["lesson", "show", "1", "--json"])).unwrap();
    assert_eq!(shown["trust"], "distilled");
    let log = env.ok(&["journal", "export"]);
    assert!(log.contains("\"model\""), "{log}");
    assert_eq!(env.run(&["doctor"]).code, 0);
}

#[test]
fn what_goes_wrong_is_told_and_can_be_tried_again() {
    let env = TestEnv::new();
    assert_snapshot!(env.told(&["queue", "drain"]), @"
    ! hardwon: no model is configured
    ! hint: set one, as in `hardwon config set model openai`; see docs/model.md
    [exit 2]
    ");
    set_up(&env, "I would rather not.\n");
    env.write("one.jsonl", &failed_run("one"));
    env.ok(&["learn", "one.jsonl"]);
    let drained = env.ok(&["queue", "drain", "--now"]);
    assert!(
        drained.contains("job 1: the reply holds no block of the form asked for"),
        "{drained}"
    );
    env.ok(&["queue", "drain", "--now"]);
    let listed = env.ok(&["queue", "list", "--state", "dead", "--json"]);
    let job: serde_json::Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&job["job"], &job["state"], &job["attempts"]),
        (&1.into(), &"dead".into(), &2.into())
    );
    assert_snapshot!(env.told(&["queue", "retry", "1"]), @"1 job will be retried");
    set_up(&env, "<skip>nothing actionable</skip>");
    assert!(
        env.ok(&["queue", "drain"])
            .starts_with("1 job done: 0 lessons learned")
    );
    assert_snapshot!(env.told(&["queue", "purge", "--all"]), @"0 jobs deleted");
    assert_snapshot!(env.told(&["queue", "purge", "1"]), @"1 job deleted");
}

#[test]
fn a_model_that_cannot_be_asked_is_found_out() {
    let env = TestEnv::new();
    env.ok(&["config", "set", "model", "anthropic"]);
    let doctor = env.run(&["doctor"]);
    assert!(
        doctor
            .out
            .contains("FAIL model       model_name is not set"),
        "{}",
        doctor.out
    );
    env.ok(&["config", "set", "model_name", "m-1"]);
    let doctor = env.run(&["doctor"]);
    let why = "FAIL model       the environment variable ANTHROPIC_API_KEY holds no key";
    assert!(doctor.out.contains(why), "{}", doctor.out);
    set_up(&env, "Yes.");
    assert!(
        env.ok(&["doctor"])
            .contains("set; `hardwon doctor --probe` asks it")
    );
    assert!(env.ok(&["doctor", "--probe"]).contains("it answers"));
    env.ok(&["config", "set", "model_command", "no-such-program-here"]);
    assert_eq!(env.run(&["doctor", "--probe"]).code, 1);
    assert_snapshot!(env.told(&["config", "set", "model_tokens_per_day", "1,5"]), @r#"
    ! hardwon: "1,5" is not a valid value of the setting model_tokens_per_day
    ! hint: tokens that may be spent in a day; 0 for no limit
    [exit 2]
    "#);
}

#[test]
fn the_tables_of_settings_are_what_the_program_knows() {
    for (page, names) in [
        ("docs/model.md", &["model"][..]),
        ("docs/meaning.md", &["meaning", "embedding"]),
    ] {
        let path = repository().join(page);
        let text = std::fs::read_to_string(&path).unwrap();
        let (head, rest) = text.split_once("<!-- settings -->\n").unwrap();
        let (kept, tail) = rest.split_once("<!-- end of settings -->").unwrap();
        let table = table_of_settings(names);
        if std::env::var_os("HARDWON_PRINT_DOCS").is_some() {
            let text = format!("{head}<!-- settings -->\n{table}<!-- end of settings -->{tail}");
            std::fs::write(&path, text).unwrap();
            continue;
        }
        assert!(
            kept == table,
            "{page} is out of date: print it anew as docs/cli.md says"
        );
    }
}

fn table_of_settings(names: &[&str]) -> String {
    let mut table =
        "| setting | environment | default | what it is for |\n|---|---|---|---|\n".to_owned();
    for key in SETTING_KEYS
        .iter()
        .filter(|key| names.iter().any(|name| key.name.starts_with(name)))
    {
        let default = match key.default {
            "" => String::new(),
            word => format!("`{word}`"),
        };
        table.push_str(&format!(
            "| `{}` | `{}` | {default} | {} |\n",
            key.name,
            variable_name(key.name),
            key.help
        ));
    }
    table
}

/// What is asked about, of which project.
fn jobs(env: &TestEnv, whose: &[&str]) -> (Vec<String>, u64) {
    let listed = env.ok(&[whose, &["queue", "list", "--json"]].concat());
    let lines = listed
        .lines()
        .map(|it| serde_json::from_str::<Value>(it).unwrap());
    let (jobs, sums): (Vec<Value>, Vec<Value>) = lines.partition(|it| it["run"].is_string());
    let runs = jobs.iter().map(|it| it["run"].as_str().unwrap().to_owned());
    (runs.collect(), sums[0]["waiting"].as_u64().unwrap())
}

#[test]
fn the_queue_and_the_journal_are_bound_by_agent_and_project() {
    let env = TestEnv::new();
    set_up(&env, REPLY);
    for (project, run) in [("shop", "one"), ("yard", "two")] {
        let file = format!("{run}.jsonl");
        env.write(&file, &failed_run(run));
        env.ok(&["--project", project, "learn", &file]);
        env.ok(&[
            "--project",
            project,
            "lesson",
            "add",
            run,
            "Set the region.",
        ]);
    }
    for (whose, runs) in [
        (&[][..], &["two", "one"][..]),
        (&["--project", "shop"], &["one"]),
        (&["--project", "yard"], &["two"]),
        (&["--agent", "other"], &[]),
        (&["--everywhere"], &[]),
    ] {
        assert_eq!(
            jobs(&env, whose),
            (
                runs.iter().map(ToString::to_string).collect(),
                runs.len() as u64
            )
        );
        let entries = env.ok(&[whose, &["journal", "export"]].concat());
        assert_eq!(entries.lines().count(), runs.len(), "{whose:?}");
    }
    assert_snapshot!(env.told(&["--project", "shop", "queue", "purge", "2"]), @"
    ! hardwon: no job matches
    ! hint: `hardwon queue list` shows the jobs
    [exit 1]
    ");
    assert_snapshot!(env.told(&["--project", "shop", "queue", "retry", "--all"]), @"1 job will be retried");
    assert_snapshot!(env.told(&["--project", "shop", "queue", "drain"]), @"
    ! hardwon: --project has no meaning here: the queue is worked off as a whole, in turn
    [exit 2]
    ");
    assert_snapshot!(env.told(&["--agent", "other", "journal", "verify"]), @"
    ! hardwon: --agent has no meaning here: the journal is one chain, which holds or does not
    [exit 2]
    ");
    assert_snapshot!(env.told(&["--everywhere", "backup", "copy.db"]), @"
    ! hardwon: --everywhere has no meaning here: a backup is the whole database
    [exit 2]
    ");
    assert_eq!(jobs(&env, &[]).0, ["two", "one"]);
}
