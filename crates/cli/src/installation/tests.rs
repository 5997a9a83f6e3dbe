//! Each way to install leaves its marks, and is known by them.

use std::fs;

use tempfile::TempDir;

use super::*;

/// Lays out files below a root, and returns how the program in it was installed and is upgraded.
fn check(program: &str, marks: &[(&str, &str)], command: &str) {
    let root = TempDir::new().unwrap();
    for (name, text) in [(program, "")].iter().chain(marks) {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let found = find_installation(&root.path().join(program));
    let upgrade = found.map_or_else(String::new, |installation| installation.upgrade);
    let root = root.path().to_string_lossy().into_owned();
    assert_eq!(upgrade.replace(&root, "ROOT"), command, "{program}");
}

#[test]
fn a_package_of_npm_is_known_by_its_folder() {
    let program = "node_modules/@hardwon/linux-x64/bin/hardwon";
    let npm = "npm install --global hardwon@latest";
    check(&format!("usr/lib/{program}"), &[], npm);
    check(&format!("usr/lib/node_modules/hardwon/{program}"), &[], npm);
    for folder in [
        "home/.bun/install/global",
        "home/.config/yarn/global",
        "home/.local/share/pnpm/global/5/.pnpm/x",
        "home/.npm/_npx/8f",
    ] {
        check(&format!("{folder}/{program}"), &[], "");
    }
    let about = [("shop/package.json", "{}")];
    check(&format!("shop/{program}"), &about, "");
}

#[test]
fn a_package_of_python_is_known_by_its_environment() {
    let about = "v/lib/python3.11/site-packages/hardwon-0.1.0.dist-info/METADATA";
    check(
        "v/bin/hardwon",
        &[(about, ""), ("v/pyvenv.cfg", ""), ("v/bin/python3", "")],
        "ROOT/v/bin/python3 -m pip install --upgrade hardwon",
    );
    check(
        "v/bin/hardwon",
        &[(about, "")],
        "python3 -m pip install --upgrade hardwon",
    );
    check(
        "v/bin/hardwon",
        &[(about, ""), ("v/uv-receipt.toml", "")],
        "uv tool upgrade hardwon",
    );
    check(
        "v/bin/hardwon",
        &[(about, ""), ("v/pipx_metadata.json", "")],
        "pipx upgrade hardwon",
    );
    check("cache/uv/archive-v0/x1/bin/hardwon", &[], "");
    let other = "v/lib/python3.11/site-packages/hardwonder-1.0.dist-info/METADATA";
    check("v/bin/hardwon", &[(other, "")], "");
}

#[test]
fn a_program_of_cargo_is_known_by_its_list() {
    let list = "c/.crates.toml";
    let registry = "[v1]\n\"hardwon 0.1.0 (registry+https://example.org/index)\" = [\"hardwon\"]\n";
    let folder = "[v1]\n\"hardwon 0.1.0 (path+file:///src/crates/cli)\" = [\"hardwon\"]\n";
    check(
        "c/bin/hardwon",
        &[(list, registry)],
        "cargo install --locked hardwon",
    );
    check("c/bin/hardwon", &[(list, folder)], "");
    let fetched = (
        "c/binstall/crates-v1.json",
        "{\"name\":\"hardwon\",\"version_req\":\"*\"}",
    );
    check(
        "c/bin/hardwon",
        &[(list, registry), fetched],
        "cargo binstall hardwon",
    );
    check(
        "c/bin/hardwon",
        &[(list, "[v1]\n\"hardwonder 1.0.0 (registry+x)\" = []\n")],
        "",
    );
    check("src/target/release/hardwon", &[], "");
}

#[test]
fn other_packages_are_known_by_what_they_leave() {
    check(
        "opt/homebrew/Cellar/hardwon/0.1.0/bin/hardwon",
        &[],
        "brew upgrade hardwon",
    );
    let list = "var/lib/dpkg/info/hardwon.list";
    check(
        "usr/bin/hardwon",
        &[(list, "")],
        "sudo apt-get install ./hardwon_*.deb",
    );
    check("usr/local/bin/hardwon", &[(list, "")], "");
}

#[test]
fn a_script_is_named_with_its_folder_and_nothing_that_a_shell_would_run() {
    let list = "p/share/doc/hardwon/installed.txt";
    for (from, command) in [
        (
            "https://example.org/hardwon/releases/download",
            "curl -fsSL https://example.org/hardwon/releases/latest/download/install.sh | sh -s -- --prefix ROOT/p",
        ),
        ("http://127.0.0.1:80", "sh install.sh --prefix ROOT/p"),
        (
            "https://x/$(touch y)/download",
            "sh install.sh --prefix ROOT/p",
        ),
        ("https://x/;id/download", "sh install.sh --prefix ROOT/p"),
    ] {
        let text = format!("from {from}\nfile bin/hardwon\n");
        check("p/bin/hardwon", &[(list, &text)], command);
    }
    check("p/bin/hardwon", &[(list, "file bin/hardwon\n")], "");
}

#[test]
fn only_what_npm_keeps_in_its_place_is_started_by_its_path() {
    let script = Path::new("/usr/lib/node_modules/hardwon/bin/hardwon.js");
    let npm = Path::new("/usr/lib/node_modules/@hardwon/linux-x64/bin/hardwon");
    let pnpm = Path::new("/p/pnpm/global/5/node_modules/@hardwon/linux-x64/bin/hardwon");
    for (program, on_path, expected) in [
        (npm, script, true),
        (npm, Path::new("/usr/lib/hardwon.cmd"), true),
        (npm, npm, false),
        (pnpm, script, false),
        (Path::new("/no/such/bin/hardwon"), script, false),
    ] {
        assert_eq!(is_behind_wrapper(program, on_path), expected, "{program:?}");
    }
}

#[test]
fn what_came_in_one_way_leaves_the_same_way() {
    let root = TempDir::new().unwrap();
    let list = root.path().join("p/share/doc/hardwon/installed.txt");
    fs::create_dir_all(list.parent().unwrap()).unwrap();
    let releases = "https://example.org/hardwon/releases/download";
    fs::write(&list, format!("from {releases}\n")).unwrap();
    let cellar = Path::new("/opt/Cellar/hardwon/0.1.0/bin/hardwon");
    let npm = Path::new("/usr/lib/node_modules/@hardwon/linux-x64/bin/hardwon");
    let script = root.path().join("p/bin/hardwon");
    for (program, command) in [
        (npm, "npm uninstall --global hardwon"),
        (cellar, "brew uninstall hardwon"),
        (
            &script,
            "curl -fsSL https://example.org/hardwon/releases/latest/download/install.sh | sh -s -- --prefix ROOT/p --uninstall",
        ),
        (Path::new("/no/such/bin/hardwon"), ""),
    ] {
        let installation = find_installation(program);
        let removal = installation.map_or_else(String::new, |installation| installation.removal);
        let root = root.path().to_string_lossy();
        assert_eq!(removal.replace(&*root, "ROOT"), command, "{program:?}");
    }
}
