use proptest::prelude::*;

use super::*;
use crate::setup::json::tests::{part, settings};

fn target(folder: &Path) -> SettingsFile {
    SettingsFile {
        path: folder.join("client/settings.json"),
        kept_folder: folder.to_owned(),
        content: FileContent::Json(part()),
    }
}

fn files_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn in_and_out_gives_the_same_bytes(text in prop::option::of(settings::text())) {
        let folder = tempfile::tempdir().unwrap();
        let target = target(folder.path());
        if let Some(text) = &text {
            fs::create_dir(folder.path().join("client")).unwrap();
            fs::write(&target.path, text).unwrap();
        }
        let was_put = target.apply_change(SetupDirection::Install, &|_| true).is_ok();
        if was_put {
            prop_assert_eq!(target.plan(SetupDirection::Install).unwrap(), FileStep::Nothing);
        }
        drop(target.apply_change(SetupDirection::Remove, &|_| true));
        match text {
            Some(text) => {
                prop_assert_eq!(fs::read_to_string(&target.path).unwrap(), text);
                prop_assert_eq!(files_in(&folder.path().join("client")), ["settings.json"]);
            }
            None => prop_assert_eq!(files_in(folder.path()), [""; 0]),
        }
    }
}

fn toml_text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(
        &[
            "a = 1",
            "# c",
            "",
            "[x]",
            "[[y]]",
            "b = \"é\"",
            "[mcp_servers.db]",
            "[mcp_servers]",
            "s = '''",
            "]",
            "[hooks.state]",
        ][..],
    );
    let newline = prop::sample::select(&["\n", "\r\n"][..]);
    (prop::collection::vec(line, 0..8), newline, any::<bool>())
        .prop_map(|(lines, newline, ends)| lines.join(newline) + if ends { newline } else { "" })
}

proptest! {
    #[test]
    fn in_and_out_gives_the_same_bytes_of_toml(text in toml_text()) {
        let folder = tempfile::tempdir().unwrap();
        let command = vec!["hardwon".to_owned(), "mcp".to_owned()];
        let target = SettingsFile {
            path: folder.path().join("config.toml"),
            kept_folder: folder.path().to_owned(),
            content: FileContent::Toml { command },
        };
        fs::write(&target.path, &text).unwrap();
        let was_put = target.apply_change(SetupDirection::Install, &|_| true);
        let is_valid = text.parse::<toml_edit::DocumentMut>().is_ok();
        prop_assert_eq!(was_put.is_ok(), is_valid, "{:?}", was_put);
        drop(target.apply_change(SetupDirection::Remove, &|_| true));
        prop_assert_eq!(fs::read_to_string(&target.path).unwrap(), text);
        prop_assert_eq!(files_in(folder.path()), ["config.toml"]);
    }
}

const THEIRS: &str = "{\n  \"model\": \"x\", // mine\n  \"hooks\": {}\n}\n";

/// Makes a folder with a user's file in it, to which our entries are added.
fn with_us(text: &str) -> (tempfile::TempDir, SettingsFile) {
    let folder = tempfile::tempdir().unwrap();
    let target = target(folder.path());
    fs::create_dir(folder.path().join("client")).unwrap();
    fs::write(&target.path, text).unwrap();
    target
        .apply_change(SetupDirection::Install, &|_| true)
        .unwrap();
    (folder, target)
}

fn text_of(target: &SettingsFile) -> String {
    fs::read_to_string(&target.path).unwrap()
}

#[test]
fn what_was_changed_in_between_stays() {
    let (_folder, target) = with_us(THEIRS);
    assert_eq!(
        fs::read_to_string(backup_path(&target.path)).unwrap(),
        THEIRS
    );
    let changed = text_of(&target).replace("\"x\"", "\"y\"");
    fs::write(&target.path, changed).unwrap();
    assert_eq!(
        target.plan(SetupDirection::Install).unwrap(),
        FileStep::Nothing
    );
    target
        .apply_change(SetupDirection::Remove, &|_| true)
        .unwrap();
    assert_eq!(text_of(&target), THEIRS.replace("\"x\"", "\"y\""));
    assert_eq!(files_in(target.path.parent().unwrap()), ["settings.json"]);
}

#[test]
fn the_first_bytes_are_kept_however_often_it_runs() {
    let (_folder, mut target) = with_us(THEIRS);
    let FileContent::Json(part) = &mut target.content else {
        unreachable!()
    };
    part.hooks.pop();
    target
        .apply_change(SetupDirection::Install, &|_| true)
        .unwrap();
    assert_eq!(
        fs::read_to_string(backup_path(&target.path)).unwrap(),
        THEIRS
    );
    target
        .apply_change(SetupDirection::Remove, &|_| true)
        .unwrap();
    assert_eq!(text_of(&target), THEIRS);
}

#[test]
fn another_version_takes_it_out_as_well() {
    let (_folder, mut target) = with_us(THEIRS);
    let FileContent::Json(part) = &mut target.content else {
        unreachable!()
    };
    part.hooks.truncate(1);
    part.server = None;
    target
        .apply_change(SetupDirection::Remove, &|_| true)
        .unwrap();
    assert_eq!(text_of(&target), THEIRS);
}

#[test]
fn a_file_that_cannot_be_understood_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let target = target(folder.path());
    fs::create_dir(folder.path().join("client")).unwrap();
    for bytes in [&b"{\"hooks\": "[..], b"\xff\xfe{}", b"[1]"] {
        fs::write(&target.path, bytes).unwrap();
        target
            .apply_change(SetupDirection::Install, &|_| true)
            .unwrap_err();
        assert_eq!(fs::read(&target.path).unwrap(), bytes);
        assert_eq!(files_in(target.path.parent().unwrap()), ["settings.json"]);
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = tempfile::tempdir().unwrap();
    let target = target(folder.path());
    let place = folder.path().join("dotfiles.json");
    fs::write(&place, THEIRS).unwrap();
    fs::set_permissions(&place, Permissions::from_mode(0o600)).unwrap();
    fs::create_dir(folder.path().join("client")).unwrap();
    symlink("../dotfiles.json", &target.path).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;

    target
        .apply_change(SetupDirection::Install, &|_| true)
        .unwrap();
    assert!(fs::symlink_metadata(&target.path).unwrap().is_symlink());
    assert_eq!(
        (mode(&place), mode(&backup_path(&target.path))),
        (0o600, 0o600)
    );
    target
        .apply_change(SetupDirection::Remove, &|_| true)
        .unwrap();
    assert!(fs::symlink_metadata(&target.path).unwrap().is_symlink());
    assert_eq!(text_of(&target), THEIRS);
    assert_eq!(mode(&place), 0o600);
}

#[test]
fn a_file_of_our_own_is_made_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/hooks/Stop");
    let text = format!("#!/bin/sh\n# {}\n", crate::setup::content::MARK);
    let content = FileContent::Whole {
        text,
        is_program: true,
    };
    let target = SettingsFile {
        path,
        kept_folder: folder.path().to_owned(),
        content,
    };
    target
        .apply_change(SetupDirection::Install, &|_| true)
        .unwrap();
    #[cfg(unix)]
    assert!(
        std::process::Command::new(&target.path)
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(
        target.plan(SetupDirection::Install).unwrap(),
        FileStep::Nothing
    );
    target
        .apply_change(SetupDirection::Remove, &|_| true)
        .unwrap();
    assert_eq!(files_in(folder.path()), [""; 0]);

    fs::create_dir_all(target.path.parent().unwrap()).unwrap();
    fs::write(&target.path, "theirs").unwrap();
    target
        .apply_change(SetupDirection::Install, &|_| true)
        .unwrap_err();
    target
        .apply_change(SetupDirection::Remove, &|_| true)
        .unwrap();
    assert_eq!(text_of(&target), "theirs");
}
