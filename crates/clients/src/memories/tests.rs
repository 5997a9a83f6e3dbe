use std::fs;

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
    "# Task Group: x\n",
    "## Reusable knowledge\n",
    "applies_to: cwd=/a;",
    "symptom: ",
    "-> cause: ",
    "-> fix: ",
    "**Why:** ",
    "```\n",
    "~~~",
    "<!-- ",
    "-->",
    "<!-- BEGIN:hardwon ",
    "[a](b.md)",
    "[Task 1]",
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
    "{\"fact\":\"Use tabs\"}",
    "\"fact\"",
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
        for format in MemoryFormat::ALL {
            for name in ["MEMORY.md", "x.md"] {
                let document = MemoryDocument::read(format, name, &text);
                let entries = list_entries(format, name, &text);
                for item in document.items.iter().chain(&entries) {
                    prop_assert!(!item.text.expose().trim().is_empty());
                    prop_assert!(item.text.expose().chars().count() <= 4096);
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
}

/// Shows what a file comes to.
fn show(format: MemoryFormat, name: &str, text: &str) -> String {
    let document = MemoryDocument::read(format, name, text);
    let field = |name: &str, text: Option<&RawText>| {
        text.map_or_else(String::new, |it| format!("  {name}: {}\n", it.expose()))
    };
    let list = |name: &str, texts: &[RawText]| {
        let texts: Vec<&str> = texts.iter().map(RawText::expose).collect();
        match texts.is_empty() {
            true => String::new(),
            false => format!("  {name}: {}\n", texts.join(" | ")),
        }
    };
    let item = |it: &MemoryItem| {
        let owner = it.owner.as_ref().map(|it| RawText::new(format!("{it:?}")));
        [
            format!("{}: {}\n", it.line, it.text.expose()),
            field("title", it.title.as_ref()),
            field("signature", it.signature.as_ref()),
            field("when", it.situation.as_ref()),
            field("mistake", it.mistake.as_ref()),
            list("tags", &it.tags),
            list("cites", &it.citations),
            field("date", it.date.as_ref()),
            field("owner", owner.as_ref()),
        ]
        .concat()
    };
    let items: String = document.items.iter().map(item).collect();
    let omitted = document
        .omitted
        .iter()
        .map(|it| format!("{}: no lesson: {}\n", it.line, it.why));
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
    assert_snapshot!(show(MemoryFormat::Solutions, "x.md", SOLUTION), @"
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
        ("tags: [jest, postgres]\n---", "tags: [jest, postgres]"),
    ] {
        let text = SOLUTION
            .replace(from, to)
            .replace("## Prevention", "## Related");
        let shown = show(MemoryFormat::Solutions, "x.md", &text);
        assert!(shown.starts_with("1: no lesson: "), "{from}: {shown}");
    }
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
    assert_snapshot!(show(MemoryFormat::Claude, "feedback_unit.md", TOPIC), @"
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
        let shown = show(MemoryFormat::Claude, "x.md", &text);
        assert!(shown.starts_with(expected), "{shown}");
    }
    let state = TOPIC
        .replace("type: feedback", "type: project")
        .replace("**How to apply:**", "Then");
    assert_snapshot!(show(MemoryFormat::Claude, "x.md", &state), @"1: no lesson: it describes the state of a project");
}

#[test]
fn a_list_of_claude_code() {
    assert_snapshot!(show(MemoryFormat::Claude, "MEMORY.md", "# Memory\n\n- [Unit script](feedback_unit.md) \u{2014} never the full suite\n- [[testing]]\n\n## Database\n\nThe schema lives in `db/schema.rb`.\n\n- Run `bin/migrate` before the tests,\n  or they fail with *relation does not exist*\n- [ ] Rename the tables\n\n## User Preferences\n- Always answer in British English\n"), @"
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

const HANDBOOK: &str = r#"# Task Group: /src/shop checkout tests

scope: How to run and repair the checkout tests.
applies_to: cwd=/src/shop; reuse_rule=any checkout of this repository

## Task 1: Repair the flaky checkout test, done

### rollout_summary_files

- rollout_summaries/2026-09-07T05-50-12-XwfR.md (cwd=/src/shop, updated_at=2026-09-07T06:00:00Z)

### keywords

- jest, checkout.spec.ts, `did not exit`

## User preferences

- when tests fail, the user said "do not raise the timeout" -> look for the shared state first [Task 1]

## Reusable knowledge

- `src/checkout` holds the handlers. [Task 1]
- Run `npm run test:unit -- checkout` for these tests only. [Task 1][Task 2]

## Failures and how to do differently

- symptom: jest did not exit -> cause: an open pool -> fix: close the pool in `afterAll` [Task 1]

# Task Group: reviews

scope: Reviews in many repositories.
applies_to: workflow=review

## Reusable knowledge

- Never approve your own commit.
"#;

#[test]
fn a_handbook_of_codex() {
    assert_snapshot!(show(MemoryFormat::Codex, "MEMORY.md", HANDBOOK), @r#"
    18: when tests fail, the user said "do not raise the timeout" -> look for the shared state first
      tags: jest | checkout.spec.ts | did not exit
      owner: Folder("/src/shop")
    22: `src/checkout` holds the handlers.
      tags: jest | checkout.spec.ts | did not exit
      owner: Folder("/src/shop")
    23: Run `npm run test:unit -- checkout` for these tests only.
      tags: jest | checkout.spec.ts | did not exit
      owner: Folder("/src/shop")
    27: close the pool in `afterAll`
      signature: jest did not exit
      mistake: an open pool
      tags: jest | checkout.spec.ts | did not exit
      owner: Folder("/src/shop")
    36: Never approve your own commit.
      owner: Unsaid
    "#);
    assert_snapshot!(show(MemoryFormat::Codex, "memory_summary.md", "v1\n\n## User Profile\n\n- Use this\n"), @"1: no lesson: it is a summary of MEMORY.md");
}

#[test]
fn raw_notes_of_codex() {
    assert_snapshot!(show(MemoryFormat::Codex, "raw_memories.md", "# Raw Memories\n\nMerged stage-1 raw memories (stable ascending thread-id order):\n\n## Thread `a`\nupdated_at: 2026-09-08T10:00:00+00:00\ncwd: /src/shop\nrollout_path: /s.jsonl\n\n---\ndescription: d\ntask: t\n---\n\n### Task 1: x\n\nReusable knowledge:\n- Run `make db` first.\n\nReferences:\n- [1] `make db` printed OK\n\n## Thread `b`\nupdated_at: 2026-09-09T10:00:00+00:00\ncwd: /src/till\n\nFailures and how to do differently:\n- The till needs `make` twice.\n"), @r#"
    18: Run `make db` first.
      date: 2026-09-08T10:00:00+00:00
      owner: Folder("/src/shop")
    28: The till needs `make` twice.
      date: 2026-09-09T10:00:00+00:00
      owner: Folder("/src/till")
    "#);
}

#[test]
fn facts_of_copilot() {
    let facts = r#"[
  {"subject": "build", "fact": "Run `make gen` before `make build`.", "citations": "Makefile:12, README.md:40", "reason": "Builds fail otherwise.", "category": "bootstrap_and_build", "repository": "acme/shop"},
  {"subject": "layout", "fact": "The handlers are in src/api.", "citations": ["src/api/mod.rs:1"], "category": "general"}
]"#;
    assert_snapshot!(show(MemoryFormat::Copilot, "x.json", facts), @r#"
    2: Run `make gen` before `make build`.
      when: build
      tags: bootstrap_and_build
      cites: Makefile:12 | README.md:40
      owner: Repository("acme/shop")
    3: The handlers are in src/api.
      when: layout
      cites: src/api/mod.rs:1
    "#);
    let one =
        r#"{"subject":"errors","fact":"Use ErrKind for every public error","category":"general"}"#;
    assert_snapshot!(show(MemoryFormat::Copilot, "x.json", &format!("{one}\n{one}\nnot json\n")), @"
    1: Use ErrKind for every public error
      when: errors
    2: Use ErrKind for every public error
      when: errors
    3: no lesson: it is not JSON
    ");
    assert_snapshot!(show(MemoryFormat::Copilot, "x.json", "{\"a\": 1}"), @"1: no lesson: there is no fact in it");
}

#[test]
fn rules_of_cursor() {
    assert_snapshot!(show(MemoryFormat::Cursor, "db.mdc", "---\ndescription: Migrations\nglobs: *.sql,db/**\nalwaysApply: false\n---\n# Migrations\n\nNever edit a migration that was merged; write a new one.\n"), @"
    6: Never edit a migration that was merged; write a new one.
      title: Migrations
      when: Migrations (files: *.sql,db/**)
    ");
    assert_snapshot!(show(MemoryFormat::Cursor, "db.mdc", "---\ndescription:\nglobs: src/**/*.ts\nalwaysApply: false\n---\n- Use tabs\n- Prefer `type` to `interface`\n- @docs/style.md\n"), @"
    6: Use tabs
      when: files: src/**/*.ts
    7: Prefer `type` to `interface`
      when: files: src/**/*.ts
    8: no lesson: a table of contents
    ");
}

#[test]
fn what_programs_write_is_read_back() {
    use hardwon_core::{
        guard::{GuardPolicy, GuardVerdict, admit_draft},
        id::LessonId,
        lesson::{Lesson, LessonCounts},
        scope::Scope,
    };
    let document = MemoryDocument::read(MemoryFormat::Solutions, "x.md", SOLUTION);
    let draft = |it: &MemoryItem| it.to_draft(MemoryFormat::Solutions, "x.md", Scope::default());
    let GuardVerdict::Admitted(admitted) =
        admit_draft(draft(&document.items[0]), &GuardPolicy::default())
    else {
        panic!("the sample is a lesson");
    };
    let lesson = Lesson {
        id: LessonId(1),
        admitted: *admitted,
        counts: LessonCounts::default(),
        contradicts: Vec::new(),
        created: jiff::Timestamp::UNIX_EPOCH,
        updated: jiff::Timestamp::UNIX_EPOCH,
    };
    for (written, read) in [
        (export::ExportFormat::Solutions, MemoryFormat::Solutions),
        (export::ExportFormat::Claude, MemoryFormat::Claude),
        (export::ExportFormat::Cursor, MemoryFormat::Cursor),
    ] {
        let text = export::render_file(written, "unit-tests-hang", &lesson);
        assert!(export::is_own_file(&text), "{text}");
        let back = MemoryDocument::read(read, "unit-tests-hang.md", &text);
        let said: Vec<&str> = back.items.iter().map(|it| it.text.expose()).collect();
        assert_eq!(said, [lesson.content.text.as_str()], "{text}");
        let situation = back.items[0].situation.as_ref().map(RawText::expose);
        let expected = lesson.content.situation.as_ref();
        assert_eq!(situation, expected.map(|it| it.as_str()), "{text}");
        let title = back.items[0].title.as_ref().map(RawText::expose);
        assert_eq!(title, Some(lesson.content.title.as_str()), "{text}");
    }
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
    for (file, text) in [
        ("shop/docs/solutions/ci/x.md", SOLUTION),
        ("shop/.cursor/rules/a.mdc", "Use tabs."),
        ("shop/AGENTS.md", "- Use tabs"),
        (".claude/CLAUDE.md", "- Use tabs"),
        (&format!("{memory}/MEMORY.md"), "- Use tabs"),
        (&format!("{memory}/feedback_a.md"), TOPIC),
        (".claude/projects/-nowhere/memory/MEMORY.md", "- Use tabs"),
        (".codex/memories/MEMORY.md", HANDBOOK),
        (
            "code/workspaceStorage/1/workspace.json",
            "{\"folder\": \"file:///src/shop\"}",
        ),
        (
            "code/workspaceStorage/1/memories/repo/a.json",
            "{\"fact\": \"Use tabs\"}",
        ),
        (
            "lessons/use-tabs.md",
            "---\nschema: learning/v1\nslug: use-tabs\n---\n",
        ),
    ] {
        fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
        fs::write(home.join(file), text).unwrap();
    }
    let show = |path: &str| {
        let path = home.join(path);
        let Some(format) = recognise_memories(&path) else {
            return "nothing known".to_owned();
        };
        let found = find_documents(&path, format).unwrap();
        let first = &found.documents[0].0;
        let owner = find_owner(format, first, Some(&home));
        let owner = format!("{owner:?}").replace(home.to_str().unwrap(), "~");
        format!(
            "{}, {} files, {owner}",
            format.name(),
            found.documents.len()
        )
    };
    for (path, expected) in [
        (
            "shop/docs/solutions",
            "solutions, 1 files, Folder(\"~/shop\")",
        ),
        (
            "shop/docs/solutions/ci/x.md",
            "solutions, 1 files, Folder(\"~/shop\")",
        ),
        ("shop/.cursor/rules", "cursor, 1 files, Folder(\"~/shop\")"),
        (
            "shop/AGENTS.md",
            "instructions, 1 files, Folder(\"~/shop\")",
        ),
        (".claude/CLAUDE.md", "instructions, 1 files, Unsaid"),
        (&*memory, "claude, 2 files, Folder(\"~/shop\")"),
        (
            ".claude/projects/-nowhere/memory",
            "claude, 1 files, Unsaid",
        ),
        (".codex/memories", "codex, 1 files, Unsaid"),
        (
            "code/workspaceStorage/1/memories/repo",
            "copilot, 1 files, Folder(\"/src/shop\")",
        ),
        ("lessons", "nothing known"),
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
    let found = find_documents(&folder, MemoryFormat::Solutions).unwrap();
    assert_eq!(found.documents.len(), 1);
    let row = |it: &UnreadFile| format!("{}: {}\n", it.path.file_name().unwrap().display(), it.why);
    let mut unread: Vec<String> = found.unread.iter().map(row).collect();
    unread.sort();
    assert_snapshot!(unread.concat(), @"
    bytes.md: it is not UTF-8 text
    link.md: a link is not followed
    long.md: it is longer than 4 MB
    root: a link is not followed
    ");
    let error = find_documents(&folder.join("long.md"), MemoryFormat::Solutions).unwrap_err();
    assert!(
        error.to_string().ends_with("it is longer than 4 MB"),
        "{error}"
    );
}
