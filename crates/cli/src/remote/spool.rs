//! What waits to be sent to the server: one file for each thing, in the order in which they happened.
//!
//! A file appears whole or not at all, because it is written under another name first, and is deleted once the server
//! has taken it in. What the server will never take in is set aside with the reason, for a person to look at.

use std::{
    fs::{self, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use hardwon_api::v1::delivery::{DeliveryItem, DeliveryKind};
use hardwon_core::{OutsideWords, RawText, Recall, RunId, Trace, digest, limits};
use hardwon_engine::{KeptWrit, private_file, regular_file};
use hardwon_store::rows::render_recall_line;
use jiff::Timestamp;

/// Random bytes of a name.
const NAME_BYTES: usize = 12;
/// Most recalls that wait; the oldest are dropped.
const MAX_WAITING: usize = 10_000;
/// Most bytes that wait, and as many that are set aside: some hundred long runs.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Longest file that is read: the server takes in no more at once.
const MAX_ITEM_BYTES: u64 = 8 * 1024 * 1024;
/// How the name of a file with words from outside ends.
const OUTSIDE_ENDING: &str = "outside.json";

/// The files of one scope.
#[derive(Debug, Clone)]
pub struct Spool {
    folder: PathBuf,
    aside: PathBuf,
    /// The file with how many things were dropped.
    dropped: PathBuf,
}

/// What a crash of the whole machine may lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpoolDurability {
    /// Nothing.
    Full,
    /// The last moments.
    Lazy,
}

impl Spool {
    /// Returns the spool in the folder of a scope.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.join("spool"),
            aside: folder.join("set-aside"),
            dropped: folder.join("dropped"),
        }
    }

    /// Adds a recall. As on a machine of its own, a crash of the whole machine may lose it.
    pub fn add_recall(&self, recall: &Recall) -> io::Result<()> {
        let Some(run) = &recall.run else {
            return Ok(());
        };
        let line = render_recall_line(recall).map_err(io::Error::other)?;
        let kind = DeliveryKind::Recall { line };
        self.add(run, kind, ".json", SpoolDurability::Lazy)
    }

    /// Adds writs; they are on disk when this returns.
    pub fn add_writs(&self, run: &RunId, writs: &[KeptWrit]) -> io::Result<()> {
        writs.iter().try_for_each(|writ| {
            let writ = DeliveryKind::Writ { writ: writ.clone() };
            self.add(run, writ, ".json", SpoolDurability::Full)
        })
    }

    /// Adds the trace of a run, in place of earlier ones of it; it is on disk when this returns.
    pub fn add_trace(&self, trace: &Trace) -> io::Result<()> {
        let kind = DeliveryKind::Trace {
            trace: trace.to_json(),
        };
        self.add_in_place(trace.run(), kind, "json", SpoolDurability::Full)
    }

    /// Adds all words that a run has read from outside, in place of those that were added before. The run's trace tells
    /// of them as well.
    pub fn add_outside(&self, run: &RunId, words: &OutsideWords) -> io::Result<()> {
        let kind = DeliveryKind::Outside {
            words: words.to_numbers(),
        };
        self.add_in_place(run, kind, OUTSIDE_ENDING, SpoolDurability::Lazy)
    }

    fn add_in_place(
        &self,
        run: &RunId,
        what: DeliveryKind,
        ending: &str,
        durability: SpoolDurability,
    ) -> io::Result<()> {
        let hash = digest::hash_parts([run.as_str().as_bytes()]);
        let ending = format!(".{}.{ending}", digest::to_hex(&hash[..8]));
        let before = self.list()?;
        self.add(run, what, &ending, durability)?;
        let is_earlier = |it: &&PathBuf| it.to_string_lossy().ends_with(&ending);
        for path in before.iter().filter(is_earlier) {
            drop(fs::remove_file(path));
        }
        Ok(())
    }

    fn add(
        &self,
        run: &RunId,
        what: DeliveryKind,
        ending: &str,
        durability: SpoolDurability,
    ) -> io::Result<()> {
        let id = random_name();
        let item = DeliveryItem {
            id: id.clone(),
            run: run.as_str().to_owned(),
            what,
        };
        let bytes = serde_json::to_vec(&item)?;
        let fresh = self.folder.join(format!(".{id}"));
        let mut options = OpenOptions::new();
        let mut file = private_file::open(options.write(true).create_new(true), &fresh)?;
        file.write_all(&bytes)?;
        if durability == SpoolDurability::Full {
            file.sync_data()?;
        }
        let at = Timestamp::now().as_nanosecond();
        fs::rename(&fresh, self.folder.join(format!("{at:020}-{id}{ending}")))?;
        if durability == SpoolDurability::Full {
            sync_folder(&self.folder)?;
        }
        Ok(())
    }

    /// Returns the files that wait, the oldest first.
    pub fn list(&self) -> io::Result<Vec<PathBuf>> {
        list_items(&self.folder)
    }

    /// Returns the same in the order in which they are sent. What was read from outside goes first: until the server
    /// knows of it, it trusts what the agent records there.
    pub fn list_to_send(&self) -> io::Result<Vec<PathBuf>> {
        let mut waiting = self.list()?;
        waiting.sort_by_key(|waiting| !waiting.to_string_lossy().ends_with(OUTSIDE_ENDING));
        Ok(waiting)
    }

    /// Returns whether it waits to be told that something was read from outside.
    pub fn has_outside(&self) -> bool {
        let waiting = self.list().unwrap_or_default();
        let mut waiting = waiting.iter();
        waiting.any(|waiting| waiting.to_string_lossy().ends_with(OUTSIDE_ENDING))
    }

    /// Returns the files that were set aside.
    pub fn list_aside(&self) -> io::Result<Vec<PathBuf>> {
        list_items(&self.aside)
    }

    /// Sets a file aside, with the reason beside it: the server's own words, cleaned and bounded.
    pub fn set_aside(&self, path: &Path, why: &str) -> io::Result<()> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let to = self.aside.join(name);
        let reason = hardwon_redact::clean_to_chars(&RawText::from(why), limits::REASON_CHARS);
        private_file::write(&to.with_extension("why"), reason.as_str().as_bytes())?;
        fs::rename(path, to)
    }

    /// Drops what is beyond the bounds, of what waits and of what was set aside: the oldest recalls first, then the oldest
    /// traces, then what was read from outside. What a person wrote is never dropped. Returns how many things went.
    pub fn drop_surplus(&self) -> io::Result<usize> {
        let dropped_count =
            drop_beyond(&self.folder, MAX_BYTES)? + drop_beyond(&self.aside, MAX_BYTES)?;
        if dropped_count > 0 {
            let all = self.count_dropped().saturating_add(dropped_count);
            private_file::write(&self.dropped, all.to_string().as_bytes())?;
        }
        Ok(dropped_count)
    }

    /// Returns how many things were dropped so far.
    pub fn count_dropped(&self) -> usize {
        let text = fs::read_to_string(&self.dropped).unwrap_or_default();
        text.trim().parse().unwrap_or_default()
    }
}

/// The kinds of things that may be dropped, in that order. The newest are kept: they teach what holds now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DroppedKind {
    Recall,
    Trace,
    Outside,
}

impl DroppedKind {
    const IN_ORDER: [Self; 3] = [Self::Recall, Self::Trace, Self::Outside];

    /// Returns the kind of a file; `None` for what a person wrote, and for what cannot be read.
    fn of_file(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy();
        match name.split('.').count() {
            _ if name.ends_with(OUTSIDE_ENDING) => Some(Self::Outside),
            // `TIME-ID.RUN.json`
            3 => Some(Self::Trace),
            _ => match read_item(path).ok()?.what {
                DeliveryKind::Recall { .. } => Some(Self::Recall),
                _ => None,
            },
        }
    }
}

/// Drops files of a folder until no more than so many bytes and [`MAX_WAITING`] are left, or none that may be dropped.
fn drop_beyond(folder: &Path, most: u64) -> io::Result<usize> {
    let weigh = |path: PathBuf| {
        let bytes = fs::symlink_metadata(&path).map_or(0, |about| about.len());
        (path, bytes)
    };
    let files: Vec<(PathBuf, u64)> = list_items(folder)?.into_iter().map(weigh).collect();
    let mut bytes: u64 = files.iter().map(|file| file.1).sum();
    let mut count = files.len();
    if bytes <= most && count <= MAX_WAITING {
        return Ok(0);
    }
    let kinds: Vec<_> = files
        .iter()
        .map(|file| DroppedKind::of_file(&file.0))
        .collect();
    for kind in DroppedKind::IN_ORDER {
        for ((path, length), _) in files
            .iter()
            .zip(&kinds)
            .filter(|file| *file.1 == Some(kind))
        {
            // Traces are few, so that there are very many things is no reason to drop one.
            if bytes <= most && (count <= MAX_WAITING || kind != DroppedKind::Recall) {
                break;
            }
            if fs::remove_file(path).is_ok() {
                drop(fs::remove_file(path.with_extension("why")));
                bytes -= length;
                count -= 1;
            }
        }
    }
    Ok(files.len() - count)
}

/// Reads a file of a spool: only a file in itself, and none that is longer than a hook writes.
pub fn read_item(path: &Path) -> io::Result<DeliveryItem> {
    let invalid = |what| io::Error::new(io::ErrorKind::InvalidData, what);
    if fs::symlink_metadata(path)?.is_symlink() {
        return Err(invalid("it is a link, not a file"));
    }
    let mut bytes = Vec::new();
    let file = regular_file::open(path)?;
    file.take(MAX_ITEM_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_ITEM_BYTES {
        return Err(invalid("it is longer than 8 MiB"));
    }
    Ok(serde_json::from_slice(&bytes)?)
}

fn list_items(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut items = regular_file::list_folder(folder)?;
    let is_item = |it: &PathBuf| {
        let is_hidden = it
            .file_name()
            .is_none_or(|name| name.to_string_lossy().starts_with('.'));
        !is_hidden && it.extension().is_some_and(|extension| extension == "json")
    };
    items.retain(is_item);
    items.sort();
    Ok(items)
}

/// Returns a name that no other thing has.
fn random_name() -> String {
    let mut bytes = [0; NAME_BYTES];
    match getrandom::fill(&mut bytes) {
        Ok(()) => digest::to_hex(&bytes),
        // Without randomness the time and the process tell things apart.
        Err(_) => format!(
            "{}-{}",
            Timestamp::now().as_nanosecond(),
            std::process::id()
        ),
    }
}

/// Makes a rename in a folder durable.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_data()
}

/// Windows opens no folder, and keeps a log of renames by itself.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use hardwon_core::Scope;

    use super::*;

    fn run(name: &str) -> RunId {
        RunId::parse(name).unwrap()
    }

    #[test]
    fn the_last_trace_of_a_run_replaces_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::new(folder.path());
        assert_eq!(spool.list().unwrap(), Vec::<PathBuf>::new());
        for name in ["a", "b", "a"] {
            spool
                .add_trace(&Trace::new(run(name), Scope::default()))
                .unwrap();
        }
        let items = spool.list().unwrap();
        let runs = items.iter().map(|it| read_item(it).unwrap().run);
        assert_eq!(runs.collect::<Vec<_>>(), ["b", "a"]);
        spool.set_aside(&items[0], "it is odd").unwrap();
        assert_eq!(spool.list().unwrap().len(), 1);
        let aside = spool.list_aside().unwrap();
        let why = fs::read_to_string(aside[0].with_extension("why")).unwrap();
        assert_eq!(why, "it is odd");

        let long = format!(
            "sent with token=hunter2hunter2, \u{1b}[31m{}",
            "x".repeat(5000)
        );
        spool.set_aside(&spool.list().unwrap()[0], &long).unwrap();
        let aside = spool.list_aside().unwrap();
        let why = fs::read_to_string(aside[1].with_extension("why")).unwrap();
        assert!(why.starts_with("sent with token=[REDACTED"), "{why}");
        assert!(!why.contains('\u{1b}') && why.chars().count() <= limits::REASON_CHARS);
    }

    #[test]
    fn what_was_read_from_outside_is_sent_first() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::new(folder.path());
        let trace = |name| Trace::new(run(name), Scope::default());
        spool.add_trace(&trace("a")).unwrap();
        for text in ["a page", "a page and another"] {
            let words = OutsideWords::from_text(text);
            spool.add_outside(&run("a"), &words).unwrap();
        }
        spool.add_trace(&trace("b")).unwrap();
        let items = spool.list_to_send().unwrap();
        let items = items.iter().map(|it| read_item(it).unwrap());
        let kinds = items.map(|it| match it.what {
            DeliveryKind::Outside { words } => {
                let all = OutsideWords::from_text("a page and another");
                assert_eq!(words, all.to_numbers());
                format!("outside {}", it.run)
            }
            _ => it.run,
        });
        assert_eq!(kinds.collect::<Vec<_>>(), ["outside a", "a", "b"]);
    }

    #[test]
    fn what_is_too_much_is_dropped_but_for_what_a_person_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::new(folder.path());
        let add = |name: &str, what: DeliveryKind, ending: &str| {
            spool
                .add(&run(name), what, ending, SpoolDurability::Lazy)
                .unwrap();
        };
        let writ = || {
            let writ = serde_json::from_str(r#"{"order": {"helped": 3}}"#).unwrap();
            DeliveryKind::Writ { writ }
        };
        let recall = || DeliveryKind::Recall {
            line: String::new(),
        };
        add("w1", writ(), ".json");
        for name in ["a", "b", "c"] {
            spool
                .add_trace(&Trace::new(run(name), Scope::default()))
                .unwrap();
        }
        let words = OutsideWords::from_text("a page");
        spool.add_outside(&run("a"), &words).unwrap();
        add("r1", recall(), ".json");
        add("r2", recall(), ".json");
        add("w2", writ(), ".json");
        let runs = || -> Vec<String> {
            let items = spool.list().unwrap();
            let items = items.iter().map(|it| read_item(it).unwrap());
            items.map(|it| it.run).collect()
        };
        let size = |at: usize| fs::metadata(&spool.list().unwrap()[at]).unwrap().len();
        let all: u64 = (0..8).map(size).sum();
        let check = |most: u64, dropped: usize, left: &[&str]| {
            assert_eq!(drop_beyond(&spool.folder, most).unwrap(), dropped, "{most}");
            assert_eq!(runs(), left, "{most}");
        };
        let recalls = size(5) + size(6);
        check(all, 0, &["w1", "a", "b", "c", "a", "r1", "r2", "w2"]);
        check(all - 1, 1, &["w1", "a", "b", "c", "a", "r2", "w2"]);
        check(all - recalls - 1, 2, &["w1", "b", "c", "a", "w2"]);
        check(0, 3, &["w1", "w2"]);
        check(0, 0, &["w1", "w2"]);
        assert_eq!(spool.drop_surplus().unwrap(), 0);
        assert_eq!(spool.count_dropped(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn only_files_of_a_hooks_length_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::new(folder.path());
        spool
            .add_trace(&Trace::new(run("a"), Scope::default()))
            .unwrap();
        let whole = spool.list().unwrap().remove(0);
        let at = |name: &str| folder.path().join("spool").join(name);
        std::os::unix::fs::symlink(&whole, at("1.json")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("2.json")).unwrap();
        fs::create_dir(at("3.json")).unwrap();
        let mut long = fs::read(&whole).unwrap();
        long.resize(9 * 1024 * 1024, b' ');
        fs::write(at("4.json"), long).unwrap();
        for name in ["1.json", "2.json", "3.json", "4.json"] {
            assert!(read_item(&at(name)).is_err(), "{name}");
        }
        assert!(read_item(&whole).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_what_waits() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::new(folder.path());
        spool
            .add_trace(&Trace::new(run("a"), Scope::default()))
            .unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&spool.list().unwrap()[0]), 0o600);
        assert_eq!(mode(&folder.path().join("spool")), 0o700);
    }
}
