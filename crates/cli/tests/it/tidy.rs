//! What no compiler checks: module headers, forgotten test files, the pure crate's dependencies.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use hardwon_clients::Client;

use crate::env::repository;

fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![repository().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 50, "the sources were not found");
    files
}

fn is_test(path: &Path) -> bool {
    path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests")
}

#[test]
fn every_module_says_what_it_is_for() {
    for path in sources().iter().filter(|path| !is_test(path)) {
        let text = fs::read_to_string(path).unwrap();
        assert!(
            text.starts_with("//! "),
            "{} does not open with `//!`",
            path.display()
        );
        assert!(
            !text.contains("Placeholder"),
            "{} is a placeholder",
            path.display()
        );
    }
}

#[test]
fn modules_stay_readable() {
    for path in sources().iter().filter(|path| !is_test(path)) {
        let lines = fs::read_to_string(path).unwrap().lines().count();
        assert!(
            lines <= 800,
            "{} has {lines} lines: look for the seam",
            path.display()
        );
    }
}

#[test]
fn no_test_file_is_forgotten() {
    for main in sources()
        .iter()
        .filter(|path| path.ends_with("tests/it/main.rs"))
    {
        let text = fs::read_to_string(main).unwrap();
        for entry in fs::read_dir(main.parent().unwrap()).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if path.extension().is_some_and(|ext| ext == "rs") && name != "main" {
                assert!(
                    text.contains(&format!("mod {name};")),
                    "{} is not run",
                    path.display()
                );
            }
        }
    }
}

/// Who follows a walk through the code finds every function where it is said to be.
#[test]
fn walks_through_the_code_name_what_is_there() {
    let walks = fs::read_to_string(repository().join("docs/walkthrough.md")).unwrap();
    let quoted: Vec<&str> = walks.split('`').skip(1).step_by(2).collect();
    let steps = quoted.windows(2).filter(|it| it[0].contains("/src/"));
    let mut wrong = Vec::new();
    let mut count = 0;
    for step in steps {
        let file = repository().join("crates").join(step[0]);
        let text = fs::read_to_string(&file).unwrap_or_default();
        let heads = [format!("fn {}(", step[1]), format!("fn {}<", step[1])];
        if !heads.iter().any(|head| text.contains(head)) {
            wrong.push(step);
        }
        count += 1;
    }
    assert!(wrong.is_empty() && count > 30, "{count}: {wrong:?}");
}

/// What is registered with an agent is what its page says.
#[test]
fn every_agent_has_a_page_that_names_its_events() {
    let pages = repository().join("docs/clients");
    let index = fs::read_to_string(pages.join("README.md")).unwrap();
    for client in Client::ALL {
        let name = format!("{client}.md");
        let page = fs::read_to_string(pages.join(&name)).unwrap_or_default();
        assert!(index.contains(&format!("({name})")), "{name}");
        assert!(
            page.contains(&format!("hardwon init --client {client}")),
            "{name}"
        );
        for event in client.hook_row().events {
            let event = format!("`{}`", event.name);
            assert!(page.contains(&event), "{name} does not name {event}");
        }
    }
}

/// Returns what a crate's product depends on, in the order of the alphabet.
fn dependencies(of: &str) -> Vec<String> {
    let manifest = repository().join(format!("crates/{of}/Cargo.toml"));
    let manifest = fs::read_to_string(manifest).unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap();
    let names = dependencies
        .lines()
        .filter_map(|line| line.split(['.', ' ', '=']).next());
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names
}

/// Each has formats, hashes or tables and touches nothing outside; adding one is a decision.
#[test]
fn core_depends_on_pure_crates_only() {
    let known = [
        "aho-corasick",
        "frostem",
        "hardwon-redact",
        "jiff",
        "memchr",
        "regex-lite",
        "serde",
        "serde_json",
        "sha2",
        "strsim",
        "thiserror",
        "unicode-normalization",
        "unicode-security",
    ];
    assert_eq!(dependencies("core"), known);
    assert_eq!(dependencies("redact"), ["serde"]);
}

/// What only one crate above decides stands there, and is as pure as the core.
#[test]
fn decisions_above_the_core_call_nothing_that_the_core_may_not() {
    let banned = fs::read_to_string(repository().join("crates/core/clippy.toml")).unwrap();
    let banned = banned.split("path = \"").skip(1);
    let calls: Vec<String> = banned
        .map(|path| path.split('"').next().unwrap().rsplitn(3, "::").collect())
        .map(|parts: Vec<&str>| format!("{}::{}", parts[1], parts[0]))
        .chain(["hardwon_store".to_owned()])
        .collect();
    assert!(calls.len() > 5, "{calls:?}");
    let pure = [
        "api/src/word_diff",
        "engine/src/access",
        "engine/src/effects/mean_trial",
        "engine/src/effects/summary",
        "engine/src/loops",
        "engine/src/plan",
        "engine/src/sweep/decide",
        "engine/src/sweep/merging",
        "store/src/journal",
        "store/src/request",
    ];
    let mut count = 0;
    for path in sources() {
        let name = path.to_string_lossy().replace('\\', "/");
        if pure.iter().any(|module| name.contains(module)) {
            let text = fs::read_to_string(&path).unwrap();
            let call = calls.iter().find(|call| text.contains(*call));
            assert_eq!(call, None, "{name}");
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

/// A server is to use them as well: no terminal, no settings file, no store of their own.
#[test]
fn adapters_know_the_engine_and_the_wire_only() {
    let known = [
        "hardwon-core",
        "hardwon-engine",
        "hardwon-redact",
        "jiff",
        "serde_json",
        "thiserror",
        "ureq",
    ];
    assert_eq!(dependencies("adapters"), known);
}

/// What goes over the wire is made of values, and of nothing that could be read or asked for.
#[test]
fn the_wire_types_know_values_only() {
    let known = [
        "crc32fast",
        "hardwon-core",
        "hardwon-engine",
        "hardwon-redact",
        "hardwon-store",
        "jiff",
        "schemars",
        "serde",
        "serde_json",
        "sha2",
        "similar",
        "subtle",
        "thiserror",
        "utoipa",
    ];
    assert_eq!(dependencies("api"), known);
}

/// From JSON a clean text is read as it is, so what comes in from outside has none.
#[test]
fn no_type_that_is_taken_in_holds_clean_text() {
    let doors = [
        "adapters", "api", "cli", "clients", "gates", "mcp", "repo", "server",
    ];
    let folders = doors.map(|door| format!("crates/{door}/src/"));
    for path in sources() {
        let name = path.to_string_lossy().replace('\\', "/");
        if !folders.iter().any(|folder| name.contains(folder)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for taken_in in text.split("#[derive(").skip(1) {
            let (derives, rest) = taken_in.split_once(")]").unwrap();
            let body = rest.split_once("\n}").map_or(rest, |(body, _)| body);
            let holds_text = ["CleanText", "Evidence<", "Evidence,", "Signal<"];
            let holds_text = holds_text.iter().any(|name| body.contains(name));
            assert!(!derives.contains("Deserialize") || !holds_text, "{name}");
        }
    }
}

/// Whoever works on a repository uses it: it knows `git`, and nothing of lessons.
#[test]
fn the_repository_knows_git_only() {
    assert_eq!(dependencies("repo"), ["tempfile", "thiserror"]);
}

/// A gate decides about texts as the core does; who lists and reads files is the caller.
#[test]
fn the_gates_depend_on_pure_crates_only() {
    let known = [
        "aho-corasick",
        "hardwon-core",
        "hardwon-redact",
        "jiff",
        "serde",
        "serde_json",
        "thiserror",
    ];
    assert_eq!(dependencies("gates"), known);
}

/// Returns the members of the workspace that are built for a package, as `cargo tree` is asked for it.
fn list_members(ask: &str) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--prefix", "none"])
        .args(ask.split(' '))
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(tree.status.success(), "{ask}: {tree:?}");
    let names = String::from_utf8(tree.stdout).unwrap();
    let names = names.lines().filter_map(|line| line.split(' ').next());
    let names = names.filter_map(|name| name.strip_prefix("hardwon-"));
    names.map(str::to_owned).collect()
}

/// Three houses stand on one ground: the memory, the gates and the server. Neither a build nor the tests of one make another.
#[test]
fn a_house_is_built_without_the_others() {
    let houses = ["gates", "server", "store-postgres"];
    let check = |ask: &str, expected: &[&str]| {
        let members = list_members(ask);
        let of_houses = houses.into_iter().filter(|house| members.contains(*house));
        assert_eq!(of_houses.collect::<Vec<_>>(), expected, "{ask}");
    };
    for part in [
        "redact", "core", "store", "engine", "api", "adapters", "clients", "mcp", "repo",
    ] {
        check(&format!("-e normal,dev -p hardwon-{part}"), &[]);
    }
    check("-e normal,dev -p hardwon-gates", &["gates"]);
    check(
        "-e normal,dev -p hardwon-server",
        &["server", "store-postgres"],
    );
    check("-e normal -p hardwon-server", &["server"]);
    check("-e normal -p hardwon --no-default-features", &[]);
    check(
        "-e normal -p hardwon --no-default-features -F gates",
        &["gates"],
    );
    check(
        "-e normal -p hardwon --no-default-features -F server",
        &["server"],
    );
    check("-e normal -p hardwon", &houses);
}

/// Each door brings its own settings, keys and output.
#[test]
fn the_mcp_tools_know_no_door() {
    let known = [
        "hardwon-api",
        "hardwon-core",
        "hardwon-engine",
        "hardwon-redact",
        "hardwon-store",
        "http",
        "rmcp",
        "serde",
        "serde_json",
        "tokio",
        "tokio-util",
    ];
    assert_eq!(dependencies("mcp"), known);
}

/// Each package from outside is code that somebody must trust; growth should be noticed.
#[test]
fn the_lock_file_stays_small() {
    let lock = fs::read_to_string(repository().join("Cargo.lock")).unwrap();
    let packages = lock.matches("\nsource = ").count();
    assert!(packages <= 290, "{packages} packages from outside");
}
