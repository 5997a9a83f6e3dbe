//! Files of transcripts that mean harm: what is kept of them, and how often a run is looked through.

use std::{fs, path::Path};

use hardwon_engine::{Engine, FileRead, FixedClock, Policy, Scope, store::Sqlite};

/// One trouble that cost little: a run that is kept as a witness.
const TROUBLE: &str = r#"{"type":"tool","tool":"bash","args":"npm test","status":"error","error":"npm error Missing script: \"test\""}
{"type":"tool","tool":"bash","args":"npm run test:unit","status":"ok"}
"#;

fn engine(home: &Path) -> Engine {
    let store = Sqlite::open(&home.join("hardwon.db")).unwrap();
    let monday = "2026-03-02T09:00:00Z".parse().unwrap();
    Engine::new(
        Box::new(store),
        Policy::default(),
        Box::new(FixedClock(monday)),
    )
}

fn runs(engine: &Engine, path: &Path, transcript: &str) -> Vec<String> {
    fs::write(path, transcript).unwrap();
    let read = engine.read_file(path, &Scope::default(), &|_| None, &mut |_| ());
    let FileRead::Read { runs, .. } = read.unwrap() else {
        panic!("{transcript} is a transcript");
    };
    runs.into_iter().map(|(run, _)| run.to_string()).collect()
}

#[test]
fn a_secret_in_a_name_reaches_no_file() {
    let home = tempfile::tempdir().unwrap();
    let secret = "Zq8kT2mV5xB7nC1dF4gH6jL9pR3sW0yUeIaQ";
    let transcript = format!(
        "{{\"type\":\"run\",\"run\":\"ci ghp_{secret}\",\"agent\":\"ghp_{secret}\",\
         \"project\":\"https://u:{secret}@h/p\",\"task\":\"test\"}}\n\
         {TROUBLE}{{\"type\":\"end\",\"status\":\"completed\"}}\n"
    );
    let engine = engine(home.path());
    let names = runs(&engine, &home.path().join("run.jsonl"), &transcript);
    assert_eq!(names, ["ci [REDACTED:github-token]"]);
    fs::remove_file(home.path().join("run.jsonl")).unwrap();
    for file in fs::read_dir(home.path()).unwrap() {
        let path = file.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let found = bytes
            .windows(secret.len())
            .any(|part| part == secret.as_bytes());
        assert!(!found, "{}", path.display());
    }
}

#[test]
fn a_run_that_ends_many_times_is_learned_from_once() {
    let home = tempfile::tempdir().unwrap();
    let engine = engine(home.path());
    let path = home.path().join("run.jsonl");
    let begin = |name: &str| format!("{{\"type\":\"run\",\"run\":\"{name}\",\"task\":\"test\"}}\n");
    let end = "{\"type\":\"end\",\"status\":\"completed\"}\n";
    let part = format!("{}{TROUBLE}{end}", begin("r"));
    assert_eq!(runs(&engine, &path, &part.repeat(50)), ["r"]);
    // What is read later is learned from, and what did not go on is not learned from again.
    let other = format!("{}{TROUBLE}{end}", begin("s"));
    let grown = format!("{}{other}", part.repeat(50));
    assert_eq!(runs(&engine, &path, &grown), ["s"]);
    // More runs than are kept open: each in its turn.
    let many: Vec<String> = (0..20).map(|at| format!("r{at}")).collect();
    let text: String = many
        .iter()
        .map(|name| format!("{}{TROUBLE}{end}", begin(name)))
        .collect();
    assert_eq!(runs(&engine, &home.path().join("many.jsonl"), &text), many);
}
