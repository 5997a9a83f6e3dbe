//! Processes killed while they write: acknowledged lessons survive.
//!
//! The writers are this very test binary, started again with [`WRITER`] set.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use hardwon_core::LessonId;
use hardwon_store::{ChainHead, LessonLedger, LessonListing, SqliteStore, Store as _};
use hardwon_store_suite::samples::*;
use tempfile::TempDir;

/// The environment variable that names the writer's store.
const WRITER: &str = "HARDWON_TEST_WRITER";
/// The prefix of a writer's acknowledgements in a test's output.
const ACKNOWLEDGED: &str = "acknowledged ";

/// Not a test of its own: the writer, which adds lessons until it is killed or has added enough.
#[test]
fn writer() {
    let Ok(order) = env::var(WRITER) else { return };
    let [path, name, count] = order.split('|').collect::<Vec<_>>()[..] else {
        panic!("{order}");
    };
    let store = SqliteStore::open(Path::new(path)).unwrap();
    for number in 0..count.parse().unwrap() {
        let text = format!("{name} learned thing {number}");
        let (id, _) =
            learn_lesson(&store, admitted_lesson(&make_scope("t", "a", ""), &text)).unwrap();
        println!("\n{ACKNOWLEDGED}{} {text}", id.0);
        store
            .spool_recall(&sample_recall(&make_scope("t", "a", ""), &[id]))
            .unwrap();
        if number % 5 == 4 {
            store.flush(&tenant_id("t")).unwrap();
        }
    }
}

fn start(path: &Path, name: &str, count: u32) -> Child {
    let order = format!("{}|{name}|{count}", path.display());
    Command::new(env::current_exe().unwrap())
        .args(["crash::writer", "--exact", "--nocapture"])
        .env(WRITER, order)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Reads acknowledgements until there are enough or the writer ends.
fn acknowledged(writer: &mut Child, enough: usize) -> Vec<(LessonId, String)> {
    let lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    lines
        .map_while(Result::ok)
        .filter_map(|line| {
            let (id, text) = line.strip_prefix(ACKNOWLEDGED)?.split_once(' ')?;
            Some((id.parse().unwrap(), text.to_owned()))
        })
        .take(enough)
        .collect()
}

/// Reads the whole store, and panics if the journal or a row is not as it should be.
fn audited(path: &Path) -> BTreeMap<LessonId, hardwon_core::lesson::Lesson> {
    let store = SqliteStore::open(path).unwrap();
    let tenant = tenant_id("t");
    assert_eq!(store.check_integrity().unwrap(), [""; 0]);
    store.flush(&tenant).unwrap();
    let mut entries = Vec::new();
    while let page @ [_, ..] = &store
        .snapshot()
        .unwrap()
        .journal(&tenant, entries.len() as u64, 1000)
        .unwrap()[..]
    {
        entries.extend_from_slice(page);
    }
    let mut chain = entries.iter();
    assert_eq!(
        chain.try_fold(ChainHead::genesis(&tenant), ChainHead::verify_next),
        Ok(store.snapshot().unwrap().journal_head(&tenant).unwrap())
    );
    let mut ledger = entries
        .iter()
        .fold(LessonLedger::default(), LessonLedger::apply_entry);
    let mut lessons = BTreeMap::new();
    loop {
        let listing = LessonListing {
            before: lessons.keys().next().copied(),
            ..LessonListing::default()
        };
        let page = store
            .snapshot()
            .unwrap()
            .lessons(&tenant, &listing)
            .unwrap();
        if page.is_empty() {
            break;
        }
        lessons.extend(page.into_iter().map(|it| (it.id, it)));
    }
    assert!(lessons.values().all(|it| ledger.check_row(it).is_ok()));
    assert_eq!(ledger.missing_lessons().count(), 0);
    lessons
}

#[test]
fn a_killed_writer_loses_nothing_that_was_acknowledged() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hardwon.db");
    let mut promised: BTreeMap<LessonId, String> = BTreeMap::new();
    for round in 0..24_usize {
        let names = [format!("first{round}"), format!("second{round}")];
        let mut writers = names.map(|name| start(&path, &name, 1000));
        for (place, writer) in writers.iter_mut().enumerate() {
            // The count varies, and is sometimes zero.
            promised.extend(acknowledged(writer, (round * 7 + place * 3) % 11));
            writer.kill().unwrap();
        }
        for writer in &mut writers {
            writer.wait().unwrap();
        }
        let lessons = audited(&path);
        for (id, text) in &promised {
            assert_eq!(lessons[id].content.text.as_str(), text);
        }
        // Every lesson was shown at most once.
        assert!(lessons.values().all(|it| it.counts.shown <= 1));
    }
    assert!(promised.len() > 100, "{}", promised.len());
}

#[test]
fn many_processes_store_once() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hardwon.db");
    // One name, so that all learn the same things.
    let mut writers: Vec<Child> = (0..8).map(|_| start(&path, "all", 25)).collect();
    let mut ids = BTreeSet::new();
    for writer in &mut writers {
        let told = acknowledged(writer, usize::MAX);
        assert_eq!(told.len(), 25);
        ids.extend(told.into_iter().map(|(id, _)| id));
        assert!(writer.wait().unwrap().success());
    }
    let lessons = audited(&path);
    assert_eq!(lessons.keys().copied().collect::<BTreeSet<_>>(), ids);
    assert_eq!(lessons.len(), 25);
    assert!(lessons.values().all(|it| it.counts.shown == 8));
}
