//! Auditing while others write.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use hardwon_core::lesson::LessonContent;
use hardwon_engine::{Engine, Note, Policy, SystemClock};
use hardwon_store::SqliteStore;
use tempfile::TempDir;

use crate::person;

fn open(path: &Path) -> Engine {
    let store = SqliteStore::open(path).unwrap();
    Engine::new(Box::new(store), Policy::default(), Box::new(SystemClock))
}

/// A write between reading the journal's pages and the lessons' is no discrepancy.
#[test]
fn an_audit_sees_one_state() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hardwon.db");
    let (auditor, is_over) = (open(&path), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            let writer = open(&path);
            for number in 0..200 {
                let text = format!("Use tool{number}, not plan{number}.");
                let note = Note::new(LessonContent::new("", text.as_str()));
                drop(person(&writer).note(note));
            }
            is_over.store(true, Ordering::Relaxed);
        });
        while !is_over.load(Ordering::Relaxed) {
            let audit = person(&auditor).audit_journal().unwrap();
            assert!(audit.is_sound(), "{audit:?}");
        }
    });
}
