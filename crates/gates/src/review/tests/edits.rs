//! Exactly the edits that fixes name are taken.

use super::*;

/// The exact diff of what a reviewer did, as git writes it without lines around.
const EDITS: &str = "\
diff --git a/src/a.rs b/src/a.rs
--- a/src/a.rs
+++ b/src/a.rs
@@ -10 +10,2 @@ fn head() {
-one
+two
+three
@@ -40,2 +40,0 @@
-gone
-gone
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/logo.png b/logo.png
Binary files a/logo.png and b/logo.png differ
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1,3 +0,0 @@
-a
-b
-c
";

fn edited(path: &str, kind: EditedKind) -> EditedPath {
    EditedPath {
        path: path.to_owned(),
        kind,
    }
}

fn edits() -> Vec<EditedPath> {
    let files = ["src/a.rs", "run.sh", "logo.png"].map(|path| edited(path, EditedKind::File));
    [&files[..], &[edited("old.txt", EditedKind::Gone)]].concat()
}

/// A fix of each of these places.
fn fixes(anchors: &[&str]) -> Vec<Finding> {
    let fix = |anchor: &&str| Finding {
        what: clean("x"),
        why: None,
        anchors: vec![(*anchor).to_owned()],
    };
    anchors.iter().map(fix).collect()
}

fn clean(text: &str) -> hardwon_core::text::CleanText {
    hardwon_redact::clean_to_chars(&RawText::new(text), 80)
}

fn tell(objections: &[Finding]) -> String {
    let tell = |it: &Finding| format!("{} {}", it.what, it.anchors.join(", "));
    objections.iter().map(tell).collect::<Vec<_>>().join("\n")
}

const NAMES: [&str; 5] = [
    "src/a.rs:11",
    "src/a.rs:40-41",
    "run.sh",
    "logo.png",
    "old.txt:2",
];

#[test]
fn what_is_named_whole_is_taken() {
    let places = DiffPlaces::from_patch(EDITS);
    assert_eq!(
        tell(&find_objections(&edits(), &places, &fixes(&NAMES))),
        ""
    );
    assert_eq!(
        list_edits(&edits(), &places),
        [
            "src/a.rs:10-11",
            "src/a.rs:40-41",
            "run.sh",
            "logo.png",
            "old.txt:1-3"
        ]
    );
}

#[test]
fn each_edit_that_nothing_names_is_listed() {
    let places = DiffPlaces::from_patch(EDITS);
    for (index, left_out) in NAMES.into_iter().enumerate() {
        let rest: Vec<&str> = NAMES.into_iter().filter(|it| *it != left_out).collect();
        let told = tell(&find_objections(&edits(), &places, &fixes(&rest)));
        let place = &list_edits(&edits(), &places)[index];
        assert_eq!(told, format!("it made an edit that no fix names {place}"));
    }
    // A place beside the edit, of another file, without lines, or of no file: neither names it, nor is it a fix.
    for wrong in [
        "src/a.rs:9",
        "src/a.rs:12",
        "src/a.rs",
        "a.rs:10",
        "src/a.rs:42-50",
        "billing.py:1",
        "",
    ] {
        let told = tell(&find_objections(
            &edits(),
            &places,
            &fixes(&[&NAMES[1..], &[wrong]].concat()),
        ));
        assert_eq!(
            told,
            "it made an edit that no fix names src/a.rs:10-11\nit names a fix that no edit shows: x ",
            "{wrong}"
        );
    }
    // What git says changed counts, also where the diff cannot be read.
    for path in ["a\tb", "\u{fffd}.rs", "empty"] {
        let told = find_objections(
            &[edited(path, EditedKind::File)],
            &DiffPlaces::default(),
            &[],
        );
        assert_eq!(told.len(), 1, "{path}");
    }
}

/// An anchor is about the lines afterwards: those before are others, once something was added above.
#[test]
fn one_place_names_one_side() {
    let patch = "--- a/x\n+++ b/x\n@@ -0,0 +1,10 @@\n+1\n+2\n+3\n+4\n+5\n+6\n+7\n+8\n+9\n+10\n@@ -5 +15 @@\n-a\n+b\n";
    let told = find_objections(
        &[edited("x", EditedKind::File)],
        &DiffPlaces::from_patch(patch),
        &fixes(&["x:5"]),
    );
    assert_eq!(tell(&told), "it made an edit that no fix names x:15");
}

#[test]
fn some_things_are_not_for_a_reviewer() {
    let link = |target: &str| EditedKind::Link(target.to_owned());
    let file = EditedKind::File;
    for (path, kind, is_stopped) in [
        (".env", file.clone(), true),
        ("deploy/id_rsa", file.clone(), true),
        (".env", EditedKind::Gone, false),
        (".gitattributes", file.clone(), true),
        ("a/.GitAttributes", EditedKind::Gone, true),
        (".gitmodules", file.clone(), true),
        ("vendor/x", EditedKind::Submodule, true),
        (".hardwonleaks.toml", file.clone(), true),
        (".gitleaksignore", EditedKind::Gone, true),
        (".gitignore", file.clone(), false),
        ("passwd", link("/etc/passwd"), true),
        ("src", link("/etc"), true),
        ("a/b", link("../../x"), true),
        ("a/b", link("../c/../../x"), true),
        ("a/b", link("C:\\x"), true),
        ("a/b", link("..\\..\\x"), true),
        ("a/b", link("~/x"), true),
        ("a/b", link(""), true),
        ("hook", link(".git/hooks/pre-push"), true),
        ("a/b", link("../.git"), true),
        ("a/b", link("../x"), false),
        ("a/b", link("./c/../d"), false),
        (".npmrc", link("x"), true),
    ] {
        let edits = [edited(path, kind.clone())];
        let patch = format!("--- a/{path}\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n");
        let named = fixes(&[&format!("{path}:1")]);
        let told = find_objections(&edits, &DiffPlaces::from_patch(&patch), &named);
        assert_eq!(!told.is_empty(), is_stopped, "{path} {kind:?}: {told:?}");
    }
}
