//! What doctor says where there is more than one version of hardwon: which they are, and who starts each.
//!
//! Only those are looked at that would be started: by a name on the search path, and by the hooks of agents.

use std::{
    env, iter,
    path::{Path, PathBuf},
};

use hardwon_clients::{
    Client,
    setup::{Machine, SetupScope, check, version},
};

use super::DoctorFinding;

/// A hardwon on this machine.
struct FoundProgram {
    /// Where it lies, all links followed.
    real_path: PathBuf,
    /// The path by which it is started.
    path: PathBuf,
    /// Who starts it.
    users: Vec<&'static str>,
}

/// Compares the versions of all programs that are started as hardwon; none if they are one.
pub(super) fn check_programs(
    machine: &Machine<'_>,
    project: Option<&Path>,
) -> Option<DoctorFinding> {
    let programs = find_programs(machine, project);
    let own = env::current_exe().and_then(dunce::canonicalize).ok()?;
    let others: Vec<_> = programs
        .iter()
        .map(|program| Some(&program.path).filter(|_| program.real_path != own))
        .collect();
    let versions = version::read_versions(&others);
    let this = env!("CARGO_PKG_VERSION");
    let known_version = |(program, version): (&FoundProgram, Option<String>)| {
        if program.real_path == own {
            Some(this.to_owned())
        } else {
            version
        }
    };
    let versions: Vec<_> = programs.iter().zip(versions).map(known_version).collect();
    let differs =
        |version: &Option<String>| version.as_deref().is_some_and(|version| version != this);
    if !versions.iter().any(differs) {
        return None;
    }
    let is_listed = programs.iter().any(|program| program.real_path == own);
    let this_program = format!("{this} (this one)");
    let rows = programs.iter().zip(&versions);
    let rows = rows.filter_map(|(program, version)| {
        let mut notes = vec![machine.short_path(&program.path)];
        notes.extend((program.real_path == own).then(|| "this one".to_owned()));
        notes.extend(program.users.iter().map(|user| (*user).to_owned()));
        Some(format!("{} ({})", version.as_ref()?, notes.join(", ")))
    });
    let all: Vec<String> = rows
        .chain(iter::once(this_program).filter(|_| !is_listed))
        .collect();
    Some(DoctorFinding::failed(
        "versions",
        format!("there is more than one: {}", all.join("; ")),
        "keep one and remove the others; `upgrade` of each says how it was installed",
    ))
}

/// Finds the programs on the search path in its order, then those that only hooks start.
fn find_programs(machine: &Machine<'_>, project: Option<&Path>) -> Vec<FoundProgram> {
    let mut programs = Vec::new();
    for path in machine.find_programs("hardwon") {
        let user = if programs.is_empty() {
            "first on PATH"
        } else {
            "on PATH"
        };
        add_program(&mut programs, path, user);
    }
    let project = project.map(|project| SetupScope::Project(project.to_owned()));
    for reach in iter::once(SetupScope::User).chain(project) {
        for client in Client::ALL {
            let setup = client.setup_row();
            for program in check::inspect_setup(machine, setup, &reach).programs {
                let path = if Path::new(&program).is_absolute() {
                    Some(PathBuf::from(program))
                } else {
                    machine.find_program(&program)
                };
                if let Some(path) = path {
                    add_program(&mut programs, path, setup.label);
                }
            }
        }
    }
    programs
}

/// Adds a program, or who starts it, if the program is known already.
fn add_program(found: &mut Vec<FoundProgram>, path: PathBuf, user: &'static str) {
    let Ok(real_path) = dunce::canonicalize(&path) else {
        return;
    };
    match found.iter_mut().find(|other| other.real_path == real_path) {
        Some(known) if !known.users.contains(&user) => known.users.push(user),
        Some(_) => {}
        None => found.push(FoundProgram {
            real_path,
            path,
            users: vec![user],
        }),
    }
}
