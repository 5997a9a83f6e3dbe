//! Where lessons belong: nothing is everybody's but on a person's word.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::env::TestEnv;

/// A run that met a trouble and got past it, as the plain trace has it.
fn run(name: &str, place: &str) -> String {
    let call = |turn: u32, command: &str, rest: &str| {
        format!(
            r#"{{"type":"tool","turn":{turn},"call":"c{turn}","tool":"Bash","args":"{command}",{rest}}}"#
        )
    };
    let error = r#""status":"error","error":"npm error Missing script: \"test\"""#;
    let calls = [
        call(1, "npm test", error),
        call(2, "npm test", error),
        call(3, "npm run test:unit", r#""status":"ok""#),
    ];
    let begin = format!(r#"{{"type":"run","run":"{name}",{place}"task":"run the tests"}}"#);
    let end = r#"{"type":"end","status":"completed"}"#;
    format!("{begin}\n{}\n{end}\n", calls.join("\n"))
}

fn lessons(env: &TestEnv) -> Vec<Value> {
    let page = env.ok(&["lesson", "list", "--json", "--all-projects"]);
    let page: Value = serde_json::from_str(&page).unwrap();
    page["lessons"].as_array().unwrap().clone()
}

#[test]
fn what_any_client_taught_belongs_to_a_project() {
    let transcripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/transcripts");
    let clients = fs::read_dir(transcripts)
        .unwrap()
        .map(|it| it.unwrap().path());
    let mut seen = 0;
    for client in clients.filter(|it| it.is_dir()) {
        let env = TestEnv::new();
        env.ok(&["learn", client.to_str().unwrap()]);
        let lessons = lessons(&env);
        assert!(!lessons.is_empty(), "{}", client.display());
        for lesson in lessons {
            assert!(
                lesson["project"].is_string(),
                "{}: {lesson}",
                client.display()
            );
        }
        assert_eq!(env.ok(&["recall", "npm test fails: missing script"]), "");
        seen += 1;
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn a_session_is_of_the_folder_it_was_in() {
    let env = TestEnv::new();
    for folder in ["scripts", "other"] {
        fs::create_dir(env.work().join(folder)).unwrap();
    }
    let at = |folder: &str| env.work().join(folder).display().to_string();
    let shown = |folder: &str| {
        let mut command = env.command();
        command.current_dir(env.work().join(folder));
        command.args(["recall", "npm test fails"]);
        !env.ran(command.output().unwrap()).out.is_empty()
    };
    let learn = |file: PathBuf, rest: &[&str]| {
        env.ok(&[&["learn", file.to_str().unwrap()], rest].concat());
    };
    let place = format!(r#""cwd":"{}","#, at("scripts"));
    learn(env.write("logs/one.jsonl", &run("r1", &place)), &[]);
    assert!(shown("scripts") && !shown("other") && !shown("logs"));
    // A folder may be named by its path, and what tells of none is of the folder it lies in.
    let place = format!(r#""project":"{}","#, at("other"));
    learn(env.write("logs/two.jsonl", &run("r2", &place)), &[]);
    assert!(shown("other") && !shown("logs"));
    learn(env.write("logs/three.jsonl", &run("r3", "")), &[]);
    assert!(shown("logs") && !shown("."));
    learn(env.write("four.jsonl", &run("r4", "")), &["--everywhere"]);
    assert!(shown("."));
}
