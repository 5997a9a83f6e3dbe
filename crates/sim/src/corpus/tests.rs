use std::path::Path;

use super::open_file;
use crate::events::list_events;

/// Checks what the runs of a file of our own making come to.
fn check(name: &str, benchmark: &str, expected: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let path = folder.join(name);
    let opened = open_file(&path).unwrap().unwrap();
    assert_eq!(opened.benchmark, Some(benchmark), "{name}");
    let events = list_events(&path, 160).unwrap().join("\n");
    assert_eq!(events, expected.trim(), "{name}");
}

#[test]
fn tasks_of_intercode() {
    check(
        "intercode/task.json",
        "intercode",
        r#"
task run agent=- project=- task=Count the plots
task tool 0 bash wc -l plot => ERROR wc: plot: No such file or directory
task tool 0 bash wc -l plots => ok
task end Completed Some(1.0)
"#,
    );
    check(
        "intercode/tasks.json",
        "intercode",
        r#"
tasks run agent=- project=- task=Count the plots
tasks tool 0 sql SELECT count(*) FROM plot => ERROR Error executing query: Table 'o.plot' doesn't exist
tasks end Failed Some(0.0)
tasks-2 run agent=- project=- task=Add two numbers
tasks-2 tool 0 python def f(a, b): return a + b => ok
tasks-2 end Completed None
"#,
    );
}

#[test]
fn trajectories_of_swe_agent() {
    check(
        "swe-agent/run.traj",
        "swe-agent",
        r#"
run run agent=- project=- task=The height of a tree is wrong
run assistant: Look for it.
run tool 0 find_file find_file "tree.py" => ok
run assistant: Fix it.
run tool 0 edit edit 2:2⏎  return self.height⏎end_of_edit => ERROR - E999 IndentationError: unexpected indent
run assistant: Try it.
run tool 0 bash python tree.py => ERROR NameError: name 'self' is not defined
run assistant: Done.
run tool 0 submit submit => ok
run end Completed Some(1.0)
"#,
    );
    check(
        "swe-agent/cost.traj",
        "swe-agent",
        r#"
cost run agent=- project=- task=Trees are too tall
cost tool 0 bash ls => ok
cost end Failed Some(0.0)
"#,
    );
}

#[test]
fn traces_of_react() {
    check(
        "react/inputs.txt",
        "react",
        r#"
inputs run agent=- project=- task=How tall is the oak?
inputs assistant: I should run a query.
inputs tool 0 sql_query SELECT height FROM oaks => ERROR Error: no such table: oaks
inputs assistant: The table is trees.
inputs tool 0 sql_query SELECT height FROM trees => ok
inputs assistant: I know.
inputs end Completed Some(1.0)
"#,
    );
    check(
        "react/trials.txt",
        "react",
        r#"
trials run agent=- project=- task=Which tree is older, the oak or the lime?
trials assistant: I need to search both.
trials tool 0 Search (external) oak tree of Ada => ERROR Could not find [oak tree of Ada]. Similar: ['Oak', 'Ada']
trials assistant: Search the oak.
trials tool 0 Search (external) oak => ok
trials assistant: The oak is older.
trials end Failed Some(0.0)
trials-2 run agent=- project=- task=Which tree is older, the oak or the lime?
trials-2 assistant: Look up the lime.
trials-2 tool 0 Lookup (external) lime => ok
trials-2 end Completed Some(1.0)
"#,
    );
}

/// Programs and documents quote traces, and other JSON is no run.
#[test]
fn other_files_are_no_runs() {
    let dir = tempfile::tempdir().unwrap();
    let trace = "Question: a\nThought: b\nAction: c[d]\nObservation: e\n";
    for (name, text, is_run) in [
        ("run.txt", trace, true),
        ("prompt.py", trace, false),
        ("README.md", trace, false),
        ("empty.json", "", false),
        ("list.json", "[1, 2, 3]", false),
        ("open.json", "{", false),
        ("other.traj", "{\"trajectory\": [{\"action\": 1}]}", false),
    ] {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        assert_eq!(open_file(&path).unwrap().is_some(), is_run, "{name}");
    }
}
