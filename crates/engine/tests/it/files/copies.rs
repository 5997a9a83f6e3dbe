//! Lessons with several files, or files that copy one another, when more than one of them changes.

use super::*;

/// A lesson that was added says what the file of a lesson says that left, so it has two files; each gets other words.
#[test]
fn two_files_of_one_lesson_change_at_once() {
    let repo = Repo::with_go(EntryState::Active);
    repo.say("tabs", "gofmt");
    repo.desk()
        .archive_lesson(LessonId(1), &"old".into())
        .unwrap();
    repo.add("go", "Indent Go with gofmt.");
    assert_snapshot!(repo.sync(), @"
    take indent-go-with-tabs
    write indent-go-with-gofmt
    ");
    repo.say("gofmt", "spaces");
    repo.change(
        "indent-go-with-gofmt.md",
        "\nIndent Go with gofmt.\n",
        "\nIndent Go with goimports.\n",
    );
    assert_snapshot!(repo.sync(), @"
    take indent-go-with-gofmt
    conflict indent-go-with-tabs
    ");
    assert_snapshot!(repo.bank(), @"
    #1 archived person: Indent Go with tabs.
    #2 active imported: Indent Go with goimports.
    #3 pending imported: Indent Go with spaces.
    ");
    assert!(repo.read(GO).contains("\nIndent Go with spaces.\n"));
}

/// A file comes to replace the lesson of another one that has new words: those are a lesson of their own.
#[test]
fn a_file_changes_while_another_one_replaces_its_lesson() {
    let repo = Repo::new(EntryState::Active);
    repo.put("new-way.md", &file("new-way", "Send them in batches."));
    repo.put("old-way.md", &file("old-way", "Retry until it works."));
    repo.sync();
    let new = file("new-way", "Send them in tens.")
        .replace("success_count", "supersedes: [old-way]\nsuccess_count");
    repo.put("new-way.md", &new);
    repo.change("old-way.md", "Retry until it works.", "Retry three times.");
    assert_snapshot!(repo.sync(), @"
    take new-way
    take old-way
    ");
    assert_snapshot!(repo.bank(), @"
    #1 active imported: Send them in tens.
    #2 superseded imported: Retry until it works.
    #3 active imported: Retry three times.
    ");
}

/// A copy keeps the words when its original gets others, whichever of their names comes first.
#[test]
fn a_file_is_copied_before_it_changes() {
    for slug in ["a-copy", "the-copy"] {
        let repo = Repo::with_go(EntryState::Active);
        repo.copy_go(slug);
        repo.say("tabs", "gofmt");
        let steps = repo.sync();
        assert_eq!(steps, format!("take indent-go-with-tabs\ntake {slug}\n"));
        assert_eq!(
            repo.bank(),
            "#1 active imported: Indent Go with gofmt.\n#2 active imported: Indent Go with tabs.\n"
        );
        assert!(
            repo.read(&format!("{slug}.md"))
                .contains("\nIndent Go with tabs.\n")
        );
    }
}

/// One of a lesson's two files is deleted and the other one has new words: the lesson changed, so it stays.
#[test]
fn a_file_is_deleted_while_a_copy_of_it_changes() {
    let repo = Repo::with_go(EntryState::Active);
    repo.copy_go("go-copy");
    repo.sync();
    fs::remove_file(repo.path(GO)).unwrap();
    repo.change(
        "go-copy.md",
        "\nIndent Go with tabs.\n",
        "\nIndent Go with gofmt.\n",
    );
    assert_snapshot!(repo.sync(), @"
    take go-copy
    write indent-go-with-tabs
    ");
    assert_snapshot!(repo.bank(), @"#1 active imported: Indent Go with gofmt.");
}
