//! Tests of learning from transcript files: many at a time, and malicious ones.

use std::{
    fs,
    path::{Path, PathBuf},
};

use hardwon_clients::archive::{ArchiveEntry, ClientTranscript, list_entries};
use hardwon_core::{OutsideWords, Status};
use hardwon_engine::{
    Engine, FileRead, FixedClock, NoteOutcome, Policy, WatchedSession,
    store::{LessonListing, SqliteStore},
};

use crate::person;

/// A failure that cost little: its run is kept as a candidate.
const TROUBLE: &str = r#"{"type":"tool","tool":"bash","args":"npm test","status":"error","error":"npm error Missing script: \"test\""}
{"type":"tool","tool":"bash","args":"npm run test:unit","status":"ok"}
"#;

fn engine(home: &Path) -> Engine {
    let store = SqliteStore::open(&home.join("hardwon.db")).unwrap();
    let monday = "2026-03-02T09:00:00Z".parse().unwrap();
    Engine::new(
        Box::new(store),
        Policy::default(),
        Box::new(FixedClock(monday)),
    )
}

fn runs(engine: &Engine, path: &Path, transcript: &str) -> Vec<String> {
    fs::write(path, transcript).unwrap();
    let read = person(engine).read_transcript::<ClientTranscript>(path, &|_| None, &mut |_| ());
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
    // A run that is read later is learned from, and one that did not continue is not learned from again.
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

#[test]
fn a_refusal_is_one_lesson_whichever_names_it_lists() {
    let home = tempfile::tempdir().unwrap();
    let engine = engine(home.path());
    let run = |name: &str, known: &str| {
        let error = format!("Agent type 'plan2' not found. Available agents: {known}");
        let failed = format!(
            r#"{{"type":"tool","tool":"Task","args":{{"agent":"plan2"}},"status":"error","error":"{error}"}}"#
        );
        let worked = r#"{"type":"tool","tool":"Task","args":{"agent":"Bash"},"status":"ok"}"#;
        let begin = format!(r#"{{"type":"run","run":"{name}"}}"#);
        let end = r#"{"type":"end","status":"completed"}"#;
        [begin.as_str(), &failed, worked, end].join("\n") + "\n"
    };
    let text = run("r", "Bash, Plan") + &run("s", "Bash, Plan, reviewer, yard:crane:checker");
    assert_eq!(
        runs(&engine, &home.path().join("run.jsonl"), &text),
        ["r", "s"]
    );
    let lessons = person(&engine).lessons(&LessonListing::default());
    let [lesson] = &lessons.unwrap()[..] else {
        panic!("one lesson")
    };
    assert_eq!(lesson.evidence.len(), 2);
    assert_eq!(
        lesson.content.signature.as_str(),
        "task (Agent type '…' not found)"
    );
}

#[test]
fn a_run_that_got_nowhere_says_nothing_against_one_that_did() {
    let home = tempfile::tempdir().unwrap();
    let engine = engine(home.path());
    let call = |line: &str, error: Option<&str>| {
        let status = error.map_or(r#""ok""#.to_owned(), |it| {
            format!(r#""error","error":"{it}""#)
        });
        format!(r#"{{"type":"tool","tool":"Bash","args":"{line}","status":{status}}}"#)
    };
    let run = |name: &str, calls: &[String]| {
        let begin = format!(r#"{{"type":"run","run":"{name}"}}"#);
        let end = r#"{"type":"end","status":"completed"}"#;
        [begin.as_str(), &calls.join("\n"), end].join("\n") + "\n"
    };
    let missing = || call("go build", Some("bash: go: command not found"));
    let over = call("/usr/local/go/bin/go build", None);
    let text = run("r", &[missing(), missing(), over]) + &run("s", &[missing(), missing()]);
    runs(&engine, &home.path().join("run.jsonl"), &text);
    let lessons = person(&engine).lessons(&LessonListing::default());
    let texts: Vec<String> = lessons
        .unwrap()
        .iter()
        .map(|it| format!("{} {}", it.evidence.len(), it.content.text))
        .collect();
    assert_eq!(
        texts,
        [
            "2 `go` is installed here, but not on PATH (*command not found*). Run it as `/usr/local/go/bin/go`, or put its folder on PATH first."
        ]
    );
}

/// Returns whether any file in a folder holds these words.
fn is_written_down(home: &Path, words: &str) -> bool {
    fs::read_dir(home).unwrap().any(|file| {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        String::from_utf8_lossy(&bytes).contains(words)
    })
}

#[test]
fn a_session_is_read_on_wherever_it_stopped() {
    let begin = "{\"type\":\"run\",\"run\":\"r\",\"task\":\"test\"}\n";
    let work = format!(
        "{{\"type\":\"tool\",\"tool\":\"bash\",\"args\":\"echo on the way {}\",\"status\":\"ok\"}}\n",
        "x".repeat(1_500)
    );
    let (failure, remedy) = TROUBLE.split_at(TROUBLE.find('\n').unwrap() + 1);
    let struggle = [failure, failure, remedy];
    let other = begin.replace("\"r\"", "\"s\"");
    // A long session keeps the state to read it on; a short one keeps none.
    for (calls, is_kept) in [(1, false), (200, true)] {
        let before = format!("{begin}{}", work.repeat(calls));
        for stop in 0..=struggle.len() {
            let home = tempfile::tempdir().unwrap();
            let (library, path) = (home.path().join("library"), home.path().join("run.jsonl"));
            let engine = engine(&library);
            let first = format!("{before}{}", struggle[..stop].concat());
            // The next line may be half written.
            let half = format!("{first}{}", &struggle.get(stop).map_or("", |it| &it[..9]));
            assert_eq!(runs(&engine, &path, &half), ["r"]);
            assert_eq!(is_written_down(&library, "on the way"), is_kept);
            let second = format!("{first}{}", struggle[stop..].concat());
            let whole = format!("{second}{other}{failure}");
            let expected: &[&str] = if stop < 3 { &["r", "s"] } else { &["s"] };
            assert_eq!(runs(&engine, &path, &whole), expected, "{calls} {stop}");
            let lessons = person(&engine).lessons(&LessonListing::default());
            let [lesson] = &lessons.unwrap()[..] else {
                panic!("one lesson")
            };
            assert_eq!(lesson.evidence.len(), 1);
        }
    }
}

/// Renders the result of files, in order: each lesson by its number, and candidates kept.
fn told(done: &[(PathBuf, FileRead)]) -> Vec<String> {
    let noted = |noted: &NoteOutcome| match noted {
        NoteOutcome::Recorded(lesson) => format!(" learned {}", lesson.id),
        NoteOutcome::Pending(lesson) => format!(" waiting {}", lesson.id),
        NoteOutcome::AlreadyKnown(lesson) => format!(" known {}", lesson.id),
        NoteOutcome::Refused(why) => format!(" refused: {why}"),
        NoteOutcome::Logged => " logged".to_owned(),
    };
    let file = |(path, read): &(PathBuf, FileRead)| {
        let mut line = path.file_name().unwrap().to_string_lossy().into_owned();
        match read {
            FileRead::NotATranscript => line.push_str(" no transcript"),
            FileRead::Unchanged => line.push_str(" unchanged"),
            FileRead::Read { runs, .. } => {
                for (_, learned) in runs {
                    line.extend(learned.note_outcomes.iter().map(noted));
                    line.push_str(&" trouble".repeat(learned.candidate_lessons as usize));
                }
            }
        }
        line
    };
    done.iter().map(file).collect()
}

/// Reads files as one library.
fn together(engine: &Engine, paths: &[PathBuf]) -> Vec<(PathBuf, FileRead)> {
    let mut library = person(engine).open_library().unwrap();
    let mut done = Vec::new();
    for path in paths {
        done.extend(
            library
                .read_transcript::<ClientTranscript>(path, &|_| None, &mut |_| ())
                .unwrap(),
        );
    }
    done.extend(library.finish().unwrap());
    done
}

#[test]
fn many_files_teach_what_each_would() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transcripts");
    let file = |source| match source {
        ArchiveEntry::File(path) => Some(path),
        ArchiveEntry::Unreadable(..) => None,
    };
    let paths: Vec<PathBuf> = list_entries([samples.into()]).filter_map(file).collect();
    let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [one_by_one, at_once] = homes.each_ref().map(|home| engine(home.path()));
    let mut expected = Vec::new();
    for path in &paths {
        expected.extend(together(&one_by_one, std::slice::from_ref(path)));
    }
    let mut got = together(&at_once, &paths);
    // A file that is no transcript is reported before the others are learned from.
    got.sort_by_key(|(path, _)| paths.iter().position(|it| it == path));
    assert_eq!(told(&got), told(&expected));
    let lessons = |engine: &Engine| person(engine).lessons(&LessonListing::default()).unwrap();
    assert!(lessons(&at_once).len() > 5);
    assert_eq!(lessons(&at_once), lessons(&one_by_one));
    let again = together(&at_once, &paths);
    assert!(
        told(&again)
            .iter()
            .all(|it| it.ends_with("unchanged") || it.ends_with("no transcript"))
    );
}

#[test]
fn a_file_is_told_of_once_it_is_learned_from() {
    let home = tempfile::tempdir().unwrap();
    let engine = engine(home.path());
    let session = |name: &str| {
        let path = home.path().join(format!("{name}.jsonl"));
        let begin = format!("{{\"type\":\"run\",\"run\":\"{name}\",\"task\":\"test\"}}\n");
        let end = "{\"type\":\"end\",\"status\":\"completed\"}\n";
        fs::write(&path, format!("{begin}{TROUBLE}{end}")).unwrap();
        path
    };
    let (first, second, third) = (session("a"), session("b"), session("c"));
    let mut library = person(&engine).open_library().unwrap();
    let mut read = |path: &Path| {
        library
            .read_transcript::<ClientTranscript>(path, &|_| None, &mut |_| ())
            .map(|it| told(&it))
    };
    assert!(read(&first).unwrap().is_empty());
    assert!(read(&second).unwrap().is_empty());
    // A file that cannot be read costs only itself, and one read twice is read once.
    assert!(read(&home.path().join("gone.jsonl")).is_err());
    assert_eq!(
        read(&first).unwrap(),
        ["a.jsonl trouble", "b.jsonl learned #1", "a.jsonl unchanged"]
    );
    // A library that is dropped without `finish` has read nothing.
    assert!(read(&third).unwrap().is_empty());
    drop(library);
    assert_eq!(told(&together(&engine, &[third])), ["c.jsonl known #1"]);
}

#[test]
fn a_file_of_many_runs_is_learned_from_while_it_is_read() {
    let home = tempfile::tempdir().unwrap();
    let engine = engine(home.path());
    let file = |name: &str, runs: usize| {
        let path = home.path().join(name);
        let begin =
            |run| format!("{{\"type\":\"run\",\"run\":\"{name}-{run}\",\"task\":\"test\"}}\n");
        let end = "{\"type\":\"end\",\"status\":\"completed\"}\n";
        let text: String = (0..runs)
            .map(|run| format!("{}{TROUBLE}{end}", begin(run)))
            .collect();
        fs::write(&path, text).unwrap();
        path
    };
    let done = together(&engine, &[file("one.jsonl", 1), file("many.jsonl", 600)]);
    let told = told(&done);
    assert_eq!(told[0], "one.jsonl trouble");
    let known = " known #1".repeat(599);
    assert_eq!(told[1], format!("many.jsonl learned #1{known}"));
    assert_eq!(told.len(), 2);
}

/// A fork, or a sub-agent that inherits, begins with the lines of another run under a name of its own.
#[test]
fn copied_history_is_one_witness() {
    let home = tempfile::tempdir().unwrap();
    let engine = engine(home.path());
    let session = |name: &str, id: &str| {
        let line = |kind: &str, content: serde_json::Value| {
            let message = serde_json::json!({"content": content});
            serde_json::json!({"type": kind, "sessionId": name, "uuid": "u", "message": message})
        };
        let call = |n: u32, command: &str| {
            let input = serde_json::json!({"command": command});
            let block = serde_json::json!([{"type": "tool_use", "id": format!("{id}{n}"), "name": "Bash", "input": input}]);
            line("assistant", block)
        };
        let result = |n: u32, is_error: bool, content: &str| {
            line(
                "user",
                serde_json::json!([{"type": "tool_result", "tool_use_id": format!("{id}{n}"), "is_error": is_error, "content": content}]),
            )
        };
        let lines = [
            line("user", "Run the tests".into()),
            call(1, "npm test"),
            result(1, true, "Exit code 1\nnpm error Missing script: \"test\""),
            call(2, "npm run test:unit"),
            result(2, false, "ok"),
        ];
        lines.map(|line| format!("{line}\n")).concat()
    };
    let lessons = || {
        let all = LessonListing::default();
        person(&engine).lessons(&all).unwrap().len()
    };
    let one = "toolu_01TGf3uV8hK2";
    let file = |name: &str| home.path().join(format!("{name}.jsonl"));
    for fork in ["s1", "s2", "s3"] {
        runs(&engine, &file(fork), &session(fork, one));
        assert_eq!(lessons(), 0, "{fork}");
    }
    runs(&engine, &file("s4"), &session("s4", "toolu_01Xy9QmB42Lp"));
    assert_eq!(lessons(), 1);
    // Ids that are numbered anew say nothing about the history.
    let other = |name: &str| session(name, "call_").replace("npm", "pnpm");
    runs(&engine, &file("t1"), &other("t1"));
    runs(&engine, &file("t2"), &other("t2"));
    assert_eq!(lessons(), 2);
}

/// A session in the form of Claude Code: each line says whether a sub-agent wrote it.
fn claude_lines(lines: &[(bool, &str, serde_json::Value)]) -> String {
    let lines = lines.iter().map(|(is_side, kind, content)| {
        let message = serde_json::json!({"role": kind, "content": content});
        let line = serde_json::json!({"type": kind, "sessionId": "s1", "uuid": "u", "isSidechain": is_side,
            "message": message});
        format!("{line}\n")
    });
    lines.collect()
}

/// What a sub-agent says may be from a page that it read, unless it is known what it read.
#[test]
fn a_remedy_of_a_sub_agent_waits_unless_its_run_is_known() {
    const SAID: &str = "Run `npm run test:unit` in its place.";
    let call = |is_side: bool, id: &str, tool: &str, args: serde_json::Value, printed: &str| {
        let is_error = printed.starts_with("Exit");
        let block =
            serde_json::json!([{"type": "tool_use", "id": id, "name": tool, "input": args}]);
        let result = serde_json::json!([{"type": "tool_result", "tool_use_id": id, "is_error": is_error,
            "content": printed}]);
        [(is_side, "assistant", block), (is_side, "user", result)]
    };
    let task = || {
        call(
            false,
            "t1",
            "Task",
            serde_json::json!({"prompt": "look"}),
            SAID,
        )
    };
    let read = |tool: &str, args: serde_json::Value| call(true, "r1", tool, args, SAID);
    let page = || {
        read(
            "WebFetch",
            serde_json::json!({"url": "https://docs.example.org"}),
        )
    };
    let file = || read("Read", serde_json::json!({"file_path": "package.json"}));
    let bash = |id: &str, line: &str, printed: &str| {
        call(
            false,
            id,
            "Bash",
            serde_json::json!({"command": line}),
            printed,
        )
    };
    let missing = "Exit code 1\nnpm error Missing script: \"test\"";
    let begin = || vec![(false, "user", "Run the tests".into())];
    let struggle = || {
        let lines = [
            bash("a", "npm test", missing),
            bash("b", "npm test", missing),
        ];
        [
            lines.concat(),
            bash("c", "npm run test:unit", "ok").to_vec(),
        ]
        .concat()
    };
    for (name, first, then, known, expected) in [
        ("no run of it", begin(), task().to_vec(), None, 1),
        (
            "a page",
            [begin(), page().to_vec()].concat(),
            task().to_vec(),
            None,
            1,
        ),
        ("a local file", begin(), [file(), task()].concat(), None, 0),
        (
            "a page, an earlier time",
            [begin(), page().to_vec()].concat(),
            task().to_vec(),
            None,
            1,
        ),
        (
            "no page as hooks saw",
            begin(),
            task().to_vec(),
            Some(["", ""]),
            0,
        ),
        (
            "a page as hooks saw",
            begin(),
            task().to_vec(),
            Some([SAID, SAID]),
            1,
        ),
        (
            "a page of a session beside",
            begin(),
            task().to_vec(),
            Some(["", SAID]),
            1,
        ),
        (
            "a page of a session beside, and no other agent",
            begin(),
            Vec::new(),
            Some(["", SAID]),
            0,
        ),
    ] {
        let home = tempfile::tempdir().unwrap();
        let engine = engine(home.path());
        let path = home.path().join("s1.jsonl");
        let mut text = claude_lines(&first);
        fs::write(&path, &text).unwrap();
        let learn = || {
            let library = person(&engine).open_library().unwrap();
            let library = match known {
                Some(known) => {
                    let [words, passed_on] = known.map(OutsideWords::from_text);
                    library.with_watched(WatchedSession {
                        words,
                        passed_on,
                        is_unattended: false,
                    })
                }
                None => library,
            };
            library
                .read_one::<ClientTranscript>(&path, &|_| None, &mut |_| ())
                .unwrap();
        };
        learn();
        text += &claude_lines(&[then, struggle()].concat());
        fs::write(&path, &text).unwrap();
        learn();
        let lessons = person(&engine).lessons(&LessonListing::default()).unwrap();
        let waiting = lessons
            .iter()
            .filter(|lesson| lesson.status != Status::Active);
        assert_eq!((waiting.count(), lessons.len()), (expected, 1), "{name}");
    }
}
