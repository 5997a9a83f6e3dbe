use std::{
    fs,
    path::{Path, PathBuf},
};

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;

/// Pieces of files, of which hostile ones are made as well.
const PIECES: &[&str] = &[
    "---\n",
    "- ",
    "* ",
    "  - ",
    "# ",
    "## Solution\n",
    "**Why:** ",
    "```\n",
    "~~~",
    "<!-- ",
    "-->",
    "<!-- BEGIN:hardwon ",
    "[a](b.md)",
    "Use `npm test`. ",
    "never ",
    "\n",
    "\r\n",
    "\n\n",
    "\u{feff}",
    "\u{e9}\u{4e16}\u{2026}",
    "key: value\n",
    "globs: *.ts\n",
    "tags: [a, \"b\n",
    "[",
    "| a | b |\n",
    "1. ",
    "5) ",
    "\u{0}",
];

proptest! {
    #[test]
    fn any_text_is_read(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        let text = pieces.concat();
        for name in ["MEMORY.md", "x.md", "x.mdc", "docs/solutions/x.md"] {
            let document = MemoryDocument::read(Path::new(name), &text).unwrap_or_default();
            let entries = list_entries(Path::new(name), &text);
            for item in document.items.iter().chain(&entries) {
                let words = item.content.text.expose();
                prop_assert!(!words.trim().is_empty());
                prop_assert!(words.chars().count() <= 4096);
                let lines = text.get(item.range.clone());
                prop_assert!(lines.is_some(), "{:?}", item.range);
                let before = &text[..item.range.start];
                prop_assert!(before.is_empty() || before.ends_with('\n'));
            }
            for pair in entries.windows(2) {
                let (one, next) = (&pair[0].range, &pair[1].range);
                prop_assert!(one.end <= next.start || one.is_empty(), "{one:?} {next:?}");
            }
        }
    }
}

/// Shows what a file comes to.
fn show(path: &str, text: &str) -> String {
    let document = match MemoryDocument::read(Path::new(path), text) {
        Ok(document) => document,
        Err(why) => return format!("not read: {why}\n"),
    };
    let field = |name: &str, text: &str| match text {
        "" => String::new(),
        text => format!("  {name}: {text}\n"),
    };
    let expose = |text: &Option<RawText>| {
        let text = text.as_ref().map(RawText::expose);
        text.unwrap_or_default().to_owned()
    };
    let show_item = |item: &MemoryItem| {
        let content = &item.content;
        let tags: Vec<&str> = content.tags.iter().map(RawText::expose).collect();
        [
            format!("{}: {}\n", item.line, content.text.expose()),
            field("title", content.title.expose()),
            field("signature", content.signature.expose()),
            field("when", &expose(&content.situation)),
            field("mistake", &expose(&content.mistake)),
            field("tags", &tags.join(" | ")),
            field("date", &expose(&item.date)),
        ]
        .concat()
    };
    let items: String = document.items.iter().map(show_item).collect();
    let omitted = document.omitted.iter();
    let omitted = omitted.map(|(line, why)| format!("{line}: no lesson: {why}\n"));
    items + &omitted.collect::<String>()
}

const SOLUTION: &str = r#"---
title: "Unit tests hang when the database is shared"
date: 2026-09-11
category: test-failures
module: billing
problem_type: test_failure
symptoms:
  - "jest prints 'did not exit' and CI stops after 30 minutes"
  - "only with --maxWorkers above 1"
root_cause: missing_isolation
tags: [jest, postgres]
---

# Unit tests hang when the database is shared

## Problem

Every worker opened the same schema. The first migration locked it.

## What Didn't Work

- Raising the timeout: the tests hung longer.

## Solution

Give each worker a schema of its own:

```ts
process.env.DB_SCHEMA = `test_${process.env.JEST_WORKER_ID}`
```

Run `npm run test:unit -- --maxWorkers=4` afterwards.

## Prevention

- Never share a schema between workers.

## Related docs

- `docs/solutions/other.md`
"#;

#[test]
fn a_solved_problem_is_one_lesson() {
    assert_snapshot!(show("docs/solutions/x.md", SOLUTION), @"
    1: Give each worker a schema of its own. Run `npm run test:unit -- --maxWorkers=4` afterwards. Never share a schema between workers.
      title: Unit tests hang when the database is shared
      signature: jest prints 'did not exit' and CI stops after 30 minutes
      when: Every worker opened the same schema. The first migration locked it.
      mistake: Raising the timeout: the tests hung longer.
      tags: jest | postgres | billing | test-failures
      date: 2026-09-11
    ");
    for (from, to) in [
        ("category:", "status: stale\ncategory:"),
        ("## Solution", "## Background"),
    ] {
        let text = SOLUTION
            .replace(from, to)
            .replace("## Prevention", "## Related");
        let shown = show("docs/solutions/x.md", &text);
        assert!(shown.starts_with("1: no lesson: "), "{from}: {shown}");
    }
    let open = SOLUTION.replace("postgres]\n---", "postgres]");
    assert_snapshot!(show("docs/solutions/x.md", &open), @"not read: its front matter does not end");
}

const TOPIC: &str = r#"---
name: feedback-run-unit-script
description: "Run the unit script: npm test also starts the browsers"
metadata:
  node_type: memory
  type: feedback
  originSessionId: 6f08055e-2202-44f0-806e-79404550dc26
  modified: 2026-08-06T16:42:40.669Z
---

Use `npm run test:unit` while working, not `npm test`.

**Why:** On 2026-08-05 the full suite ran for 40 minutes and was killed.

**How to apply:** Run the full suite once, before the commit.
"#;

#[test]
fn a_topic_of_claude_code() {
    assert_snapshot!(show("feedback_unit.md", TOPIC), @"
    1: Use `npm run test:unit` while working, not `npm test`. Run the full suite once, before the commit.
      title: Run the unit script: npm test also starts the browsers
      mistake: On 2026-08-05 the full suite ran for 40 minutes and was killed.
      date: 2026-08-06T16:42:40.669Z
    ");
    for (kind, expected) in [
        ("user", "1: no lesson: it describes a person\n"),
        ("project", "1: Use"),
    ] {
        let text = TOPIC.replace("type: feedback", &format!("type: {kind}"));
        let shown = show("x.md", &text);
        assert!(shown.starts_with(expected), "{shown}");
    }
    let state = TOPIC
        .replace("type: feedback", "type: project")
        .replace("**How to apply:**", "Then");
    assert_snapshot!(show("x.md", &state), @"1: no lesson: it describes the state of a project");
}

#[test]
fn a_list_of_claude_code() {
    assert_snapshot!(show("MEMORY.md", "# Memory\n\n- [Unit script](feedback_unit.md) \u{2014} never the full suite\n- [[testing]]\n\n## Database\n\nThe schema lives in `db/schema.rb`.\n\n- Run `bin/migrate` before the tests,\n  or they fail with *relation does not exist*\n- [ ] Rename the tables\n\n## User Preferences\n- Always answer in British English\n"), @"
    8: The schema lives in `db/schema.rb`.
      when: Database
    10: Run `bin/migrate` before the tests, or they fail with *relation does not exist*
      when: Database
    15: Always answer in British English
    3: no lesson: a table of contents
    4: no lesson: a table of contents
    12: no lesson: something to be done
    ");
}

#[test]
fn rules_of_cursor() {
    assert_snapshot!(show("db.mdc", "---\ndescription: Migrations\nglobs: *.sql,db/**\nalwaysApply: false\n---\n# Migrations\n\nNever edit a migration that was merged; write a new one.\n"), @"
    1: Never edit a migration that was merged; write a new one.
      title: Migrations
      when: Migrations (files: *.sql,db/**)
    ");
    assert_snapshot!(show("db.mdc", "---\ndescription:\nglobs: src/**/*.ts\nalwaysApply: false\n---\n- Use tabs\n- Prefer `type` to `interface`\n- @docs/style.md\n"), @"
    6: Use tabs
      when: files: src/**/*.ts
    7: Prefer `type` to `interface`
      when: files: src/**/*.ts
    8: no lesson: a table of contents
    ");
}

/// What names and front matter say is looked for where it stands, whoever keeps it.
#[test]
fn front_matter_is_read_wherever_it_stands() {
    let note = "---\ntitle: Tabs\nsignature: make fmt\nsituation: Before a commit\ntags: [go, style]\ndate: 2026-01-02\n---\nUse tabs, never spaces.\n";
    assert_snapshot!(show("notes/tabs.md", note), @"
    1: Use tabs, never spaces.
      title: Tabs
      signature: make fmt
      when: Before a commit
      tags: go | style
      date: 2026-01-02
    ");
    assert_snapshot!(show("notes/tabs.md", &note.replace("date:", "status: deprecated\ndate:")), @"1: no lesson: its front matter says that it does not hold any more");
    assert_snapshot!(show("AGENTS.md", note), @"8: Use tabs, never spaces.");
    // A kind that no client has says nothing of how long a note is.
    let guide = "---\ntype: guide\ndescription: Releases\n---\n- Tag `v1`, never `1`\n- Push the tag last\n";
    assert_snapshot!(show("guide.md", guide), @"
    5: Tag `v1`, never `1`
      when: Releases
    6: Push the tag last
      when: Releases
    ");
    let person = note.replace("date:", "type: user\ncategory: people\ndate:");
    assert_snapshot!(show("notes/tabs.md", &person), @"1: no lesson: it describes a person");
    // A rule between two lines is no front matter that does not end.
    assert_snapshot!(show("AGENTS.md", "---\n- Use tabs\n"), @"2: Use tabs");
    // What is no front matter is a list.
    assert_snapshot!(show("notes/style.md", "# Style\n\nUse tabs.\n\nName tests after what they show.\n"), @"
    3: Use tabs.
      when: Style
    5: Name tests after what they show.
      when: Style
    ");
}

#[test]
fn what_is_kept_where() {
    let dir = tempfile::tempdir().unwrap();
    let home = fs::canonicalize(dir.path()).unwrap();
    let slug: String = home
        .join("shop")
        .to_str()
        .unwrap()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let memory = format!(".claude/projects/{slug}/memory");
    let ours = "---\nschema: learning/v1\nslug: use-tabs\n---\n";
    for (file, text) in [
        ("shop/docs/solutions/ci/x.md", SOLUTION),
        ("shop/docs/solutions/README.md", "# Solutions"),
        ("shop/.cursor/rules/a.mdc", "Use tabs."),
        ("shop/.github/copilot-instructions.md", "- Use tabs"),
        ("shop/AGENTS.md", "- Use tabs"),
        ("shop/README.md", "# Shop"),
        ("shop/style.mdc", "Use tabs."),
        ("shop/facts.json", "{\"fact\": \"Use tabs\"}"),
        (".claude/CLAUDE.md", "- Use tabs"),
        (&format!("{memory}/MEMORY.md"), "- Use tabs"),
        (&format!("{memory}/feedback_a.md"), TOPIC),
        (".claude/projects/-nowhere/memory/MEMORY.md", "- Use tabs"),
        (".codex/AGENTS.md", "- Use tabs"),
        (".codex/memories/MEMORY.md", "- Use tabs"),
        (".codex/memories/raw_memories.md", "# Raw Memories"),
        ("copied/MEMORY.md", "# Task Group: checkout"),
        ("lessons/use-tabs.md", ours),
    ] {
        fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
        fs::write(home.join(file), text).unwrap();
    }
    let projects = [home.join("till"), home.join("shop")];
    let show = |path: &str| {
        let path = home.join(path);
        if let Some(why) = find_other_form(&path) {
            return why.to_owned();
        }
        if !holds_memories(&path) {
            return "nothing known".to_owned();
        }
        let found = find_documents(&path).unwrap();
        let owner = find_owner(&found.documents[0].0, Some(&home), &projects);
        let owner = owner.map_or("nobody".to_owned(), |path| path.display().to_string());
        let owner = owner.replace(home.to_str().unwrap(), "~");
        format!("{} of {owner}", found.documents.len())
    };
    for (path, expected) in [
        ("shop/docs/solutions", "1 of ~/shop"),
        ("shop/docs/solutions/ci/x.md", "1 of ~/shop"),
        ("shop/.cursor/rules", "1 of ~/shop"),
        ("shop/.github/copilot-instructions.md", "1 of ~/shop"),
        ("shop/AGENTS.md", "1 of ~/shop"),
        ("shop/style.mdc", "1 of ~/shop"),
        ("shop/facts.json", "it is no Markdown"),
        (".claude/CLAUDE.md", "1 of nobody"),
        (".codex/AGENTS.md", "1 of nobody"),
        (&*memory, "2 of ~/shop"),
        (&format!("{memory}/feedback_a.md"), "1 of ~/shop"),
        (".claude/projects/-nowhere/memory", "1 of nobody"),
        (".codex/memories", "it is what Codex keeps for itself"),
        (
            ".codex/memories/MEMORY.md",
            "it is what Codex keeps for itself",
        ),
        ("copied", "it is what Codex keeps for itself"),
        ("copied/MEMORY.md", "it is what Codex keeps for itself"),
        ("lessons", "nothing known"),
        ("lessons/use-tabs.md", "nothing known"),
        ("shop/README.md", "nothing known"),
        ("shop", "nothing known"),
    ] {
        assert_eq!(show(path), expected, "{path}");
    }
}

// On Windows not everybody may make links.
#[cfg(unix)]
#[test]
fn bad_files_are_named_and_the_others_read() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("docs/solutions");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("a.md"), SOLUTION).unwrap();
    fs::write(folder.join("bytes.md"), b"---\ntitle: \xff\xfe\n---\n").unwrap();
    let long = fs::File::create(folder.join("long.md")).unwrap();
    long.set_len(100 * 1024 * 1024).unwrap();
    fs::write(dir.path().join("secret.md"), SOLUTION).unwrap();
    std::os::unix::fs::symlink(dir.path().join("secret.md"), folder.join("link.md")).unwrap();
    std::os::unix::fs::symlink("/", folder.join("root")).unwrap();
    let found = find_documents(&folder).unwrap();
    assert_eq!(found.documents.len(), 1);
    let row = |(path, why): &(PathBuf, String)| {
        format!("{}: {why}\n", path.file_name().unwrap().display())
    };
    let mut unread: Vec<String> = found.unread.iter().map(row).collect();
    unread.sort();
    assert_snapshot!(unread.concat(), @"
    bytes.md: it is not UTF-8 text
    link.md: a link is not followed
    long.md: it is longer than 4 MB
    root: a link is not followed
    ");
    let error = find_documents(&folder.join("long.md")).unwrap_err();
    assert!(
        error.to_string().ends_with("it is longer than 4 MB"),
        "{error}"
    );
}
