//! Man pages and completions for packages: made of the commands themselves, and written where `HARDWON_PAGES_FOLDER` names.
//!
//! A test writes them, so that the program carries nothing of it; `scripts/release/pages.sh` is what calls it.

use std::{env, fs, path::Path};

use clap::ValueEnum as _;
use clap_complete::Shell;

/// Writes `man/*.1` and a completion script of each shell.
fn write_pages(folder: &Path) {
    let (man, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&man).unwrap();
    fs::create_dir_all(&completions).unwrap();
    clap_mangen::generate_to(hardwon_cli::args::build_command(), &man).unwrap();
    for shell in Shell::value_variants() {
        let mut command = hardwon_cli::args::build_command();
        clap_complete::generate_to(*shell, &mut command, "hardwon", &completions).unwrap();
    }
}

/// Checks the page of a command, and those of the commands below it; returns how many there are.
fn check_pages(command: &clap::Command, name: &str, man: &Path) -> usize {
    let page = fs::read_to_string(man.join(format!("{name}.1"))).unwrap_or_default();
    let page = page.replace('\\', "");
    for option in command.get_arguments().filter_map(clap::Arg::get_long) {
        assert!(page.contains(&format!("--{option}")), "{name}: {option}");
    }
    assert!(page.contains(".SH SYNOPSIS"), "{name}");
    let below = command.get_subcommands();
    1 + below
        .map(|it| check_pages(it, &format!("{name}-{}", it.get_name()), man))
        .sum::<usize>()
}

#[test]
fn every_command_has_a_page() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = env::var_os("HARDWON_PAGES_FOLDER");
    let folder = folder.map_or_else(|| scratch.path().to_owned(), Into::into);
    write_pages(&folder);
    let man = folder.join("man");
    let mut command = hardwon_cli::args::build_command();
    command.build();
    let pages = check_pages(&command, "hardwon", &man);
    assert_eq!(fs::read_dir(&man).unwrap().count(), pages);
    let mut names: Vec<_> = fs::read_dir(folder.join("completions"))
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "_hardwon",
            "_hardwon.ps1",
            "hardwon.bash",
            "hardwon.elv",
            "hardwon.fish"
        ]
    );
}
