//! Auditing while others write.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use hardwon_core::LessonContent;
use hardwon_engine::{
    AccessError, Engine, Error, Note, Policy, Principal, Scope, SystemClock, Visibility,
};
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

/// The journal tells of every agent and project: who sees one of them only does not read or verify it.
#[test]
fn the_journal_is_for_who_sees_the_tenant() {
    let folder = TempDir::new().unwrap();
    let engine = open(&folder.path().join("hardwon.db"));
    let note = Note::new(LessonContent::new("", "Use this, not that."));
    person(&engine).note(note).unwrap();
    for reach in [Visibility::Project, Visibility::Agent] {
        let desk = engine.acting_as(Principal::person(Scope::default()).restrict_to(reach));
        let refused = |error: Error| matches!(error, Error::Denied(AccessError::OutOfScope));
        assert!(desk.journal(0).is_err_and(refused));
        assert!(desk.audit_journal().is_err_and(refused));
        assert!(desk.erase_tenant().is_err_and(refused));
    }
    assert_eq!(person(&engine).journal(0).unwrap().len(), 1);
    assert_eq!(person(&engine).erase_tenant().unwrap().lessons, 1);
    assert_eq!(person(&engine).journal(0).unwrap().len(), 0);
}
