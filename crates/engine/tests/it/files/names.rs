//! Names that not every system can have: devices of Windows, and such as differ by capitals alone.

use super::*;

impl Repo {
    /// Returns the names of what an export writes to a folder, and of what is there then.
    fn export(&self, folder: &Path) -> (String, String) {
        let exported = self.desk().export_lessons(folder, false).unwrap();
        let written: Vec<String> = exported.written.iter().map(ToString::to_string).collect();
        let mut names = Vec::new();
        list(folder, "", &mut names);
        names.sort();
        (written.join(" "), names.join(" "))
    }

    /// Makes a work tree whose file is called as a device of Windows, as an older program may have left it.
    fn with_device() -> Self {
        let repo = Self::new(EntryState::Active);
        repo.put("con.md", &file("con", "Read the console to its end."));
        assert_eq!(repo.sync(), "take con\n");
        repo
    }
}

#[test]
fn no_new_file_is_called_as_a_device() {
    let repo = Repo::new(EntryState::Active);
    repo.add("read", "Con.");
    repo.add("print", "NUL");
    assert_eq!(repo.sync(), "write con-lesson\nwrite nul-lesson\n");
}

#[test]
fn a_file_that_is_called_as_a_device_keeps_its_name() {
    let repo = Repo::with_device();
    assert_eq!(repo.lesson(1).slug.as_str(), "con");
    repo.change("con.md", "to its end", "to the end of it");
    assert_eq!(repo.sync(), "take con\n");
    repo.revise(1, "Read all of the console.");
    assert_eq!(repo.sync(), "write con\n");
    assert_eq!(repo.tree(), "_index.md\ncon.md");
    // So does one that was exported before, while one in a new folder gets another name.
    assert_eq!(repo.export(&repo.folder()).1, "_index.md con.md");
    let new = tempfile::tempdir().unwrap();
    let (written, there) = repo.export(new.path());
    assert_eq!(
        (&*written, &*there),
        ("con-lesson", "_index.md con-lesson.md")
    );
    assert_eq!(repo.export(new.path()), (String::new(), there));
    // In a clone it is the same lesson under the new name.
    let clone = Repo::new(EntryState::Active);
    clone.put(
        "con-lesson.md",
        &fs::read_to_string(new.path().join("con-lesson.md")).unwrap(),
    );
    assert_eq!(clone.sync(), "take con-lesson\n");
    // The lesson leaves, and comes back under a name that every system can have.
    let archive = repo.desk().archive_lesson(LessonId(1), &"old".into());
    archive.unwrap();
    assert_eq!(repo.sync(), "archivefile con\n");
    repo.desk().approve_lesson(LessonId(1), None).unwrap();
    assert_eq!(repo.sync(), "write con-lesson\n");
}

#[test]
fn a_file_in_capitals_is_not_written_over() {
    let repo = Repo::new(EntryState::Active);
    repo.put("README.md", "# Lessons of the team\n");
    repo.put("Lesson-2.MD", "# Another one\n");
    repo.add("a", "Readme!");
    repo.add("b", "日本語");
    repo.add("c", "日本語では");
    assert_eq!(
        repo.sync(),
        "write lesson\nwrite lesson-3\nwrite readme-2\n"
    );
    let (written, _) = repo.export(&repo.folder());
    assert_eq!(written, "");
    // One that was there before keeps its name.
    let other = Repo::with_go(EntryState::Active);
    other.put(&GO.to_uppercase(), "# Go\n");
    other.put("Indent-go-with-tabs.md", "# Go\n");
    assert_eq!(other.sync(), "");
    other.revise(1, "Indent Go with gofmt.");
    assert_eq!(other.sync(), "write indent-go-with-tabs\n");
}

#[test]
fn a_file_that_is_renamed_to_capitals_is_not_deleted() {
    let repo = Repo::with_go(EntryState::Active);
    let shouted = repo.path("Indent-Go-with-tabs.md");
    fs::rename(repo.path(GO), &shouted).unwrap();
    assert_eq!(repo.sync(), "report indent-go-with-tabs\n");
    assert_snapshot!(repo.bank(), @"#1 active person: Indent Go with tabs.");
    fs::rename(&shouted, repo.path(GO)).unwrap();
    assert_eq!(repo.sync(), "");
    // Nor is it written over, once the lesson changes.
    fs::rename(repo.path(GO), &shouted).unwrap();
    repo.revise(1, "Indent Go with gofmt.");
    assert_eq!(repo.sync(), "report indent-go-with-tabs\n");
    // Another file of that name is nobody's rename.
    fs::write(&shouted, "# Go\n").unwrap();
    assert_eq!(repo.sync(), "report indent-go-with-tabs\n");
    fs::remove_file(&shouted).unwrap();
    assert_eq!(repo.sync(), "write indent-go-with-tabs\n");
    fs::remove_file(repo.path(GO)).unwrap();
    fs::write(&shouted, "# Go\n").unwrap();
    assert_eq!(repo.sync(), "archivelesson indent-go-with-tabs\n");
}
