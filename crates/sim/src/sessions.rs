//! Makes a folder of many short sessions, such as a year of work with agents leaves.
//!
//! They are the project's own samples, over and over: each copy is another session, and each round of copies another
//! project, whose scripts, modules and files have names of their own. So each session is as long as a real one, about
//! half of them teach something, and the lessons are in part new and in part known from the same project.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use hardwon_clients::archive::{ArchiveEntry, list_entries, recognise_format};

/// The samples that come with the project.
pub(crate) const SAMPLES_DIR: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../clients/tests/transcripts");

/// What distinguishes one project's names from another's: a beginning and an end.
const PROJECT_NAMES: &[(&str, &str)] = &[
    ("test:unit", ""),
    ("store-sqlite", ""),
    ("ledger", ""),
    ("routes", ".def"),
    ("release", ".sh"),
];

/// Writes a folder of many short sessions.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionsArgs {
    /// The folder, which is made.
    dir: PathBuf,
    /// How many sessions.
    #[arg(long, default_value_t = 2_000)]
    count: usize,
}

pub(crate) fn run(args: &SessionsArgs) -> anyhow::Result<()> {
    write_sessions(&args.dir, args.count)
}

/// Writes `count` sessions into a new folder.
pub(crate) fn write_sessions(dir: &Path, count: usize) -> anyhow::Result<()> {
    let samples = read_samples()?;
    ensure!(!samples.is_empty(), "the samples are gone");
    for (number, (path, text)) in samples.iter().cycle().take(count).enumerate() {
        let project = number / samples.len();
        let path = dir.join(project.to_string()).join(path);
        let folder = path.parent().expect("it was joined to a folder");
        fs::create_dir_all(folder)?;
        fs::write(&path, make_session(text, project))
            .with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

/// Returns the samples with their paths in the folder of samples.
fn read_samples() -> anyhow::Result<Vec<(PathBuf, String)>> {
    let mut samples = Vec::new();
    for source in list_entries([SAMPLES_DIR.into()]) {
        let ArchiveEntry::File(path) = source else {
            continue;
        };
        let text = fs::read_to_string(&path)?;
        if recognise_format(&path, text.as_bytes()).is_some() {
            samples.push((path.strip_prefix(SAMPLES_DIR)?.to_owned(), text));
        }
    }
    Ok(samples)
}

/// Turns a sample into a session of this project.
fn make_session(sample: &str, project: usize) -> String {
    let own = format!("-{:04x}-4{:03x}-8000-", project % 65_536, project / 65_536);
    let session = sample
        .replace("-0000-4000-8000-", &own)
        .replace("ses_e0", &format!("ses_{project:x}e0"));
    PROJECT_NAMES.iter().fold(session, |session, (head, tail)| {
        session.replace(&format!("{head}{tail}"), &format!("{head}{project}{tail}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_copy_is_another_session_in_another_project() {
        let sample = r#"{"sessionId":"00000001-0000-4000-8000-000000000001","run":"npm run test:unit -- routes.def"}"#;
        assert_eq!(
            make_session(sample, 7),
            r#"{"sessionId":"00000001-0007-4000-8000-000000000001","run":"npm run test:unit7 -- routes7.def"}"#
        );
    }
}
