//! Requests that are repeated.

use std::{sync::Arc, thread};

use hardwon_core::LessonId;
use hardwon_engine::{
    Clock, Desk, Engine, Error, Lesson, LessonContent, Note, Policy, Result, SystemClock,
    store::{LessonListing, Store},
};
use hardwon_store::{IdempotencyKey, RequestConflict, RequestMark};
use hardwon_store_suite::{MemoryStore, RerunStore};
use jiff::{SignedDuration, Timestamp};

use crate::person;

/// A clock that is set by hand.
#[derive(Clone, Default)]
struct HandClock(Arc<std::sync::Mutex<Timestamp>>);

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}

fn engine(store: impl Store + 'static) -> (Engine, HandClock) {
    let clock = HandClock::default();
    let engine = Engine::new(Box::new(store), Policy::default(), Box::new(clock.clone()));
    (engine, clock)
}

fn mark(name: &str, asked: &str) -> RequestMark {
    let key = IdempotencyKey::parse(name).unwrap();
    RequestMark::new("caller", &key, [asked.as_bytes()])
}

/// Notes a lesson of these words, and answers with its number.
fn add(desk: &Desk<'_>, words: &str) -> Result<String> {
    let noted = desk.note(Note::new(LessonContent::new("make", words)))?;
    Ok(format!("{}", noted.id().unwrap()))
}

fn lessons(engine: &Engine) -> Vec<Lesson> {
    person(engine).lessons(&LessonListing::default()).unwrap()
}

/// Adds a lesson once, as a server does, and returns the answer and whether it was given before.
fn add_once(desk: &Desk<'_>, name: &str, words: &str) -> Result<(String, bool)> {
    let mark = mark(name, words);
    if let Some(text) = desk.find_answer(&mark)? {
        return Ok((text, true));
    }
    let text = add(&desk.clone().for_request(&mark), words)?;
    desk.save_answer(&mark, &text)?;
    Ok((text, false))
}

fn check_conflict<T: std::fmt::Debug>(outcome: Result<T>, expected: RequestConflict) {
    match outcome {
        Err(Error::Repeated(why)) => assert_eq!(why, expected),
        outcome => panic!("{outcome:?}"),
    }
}

#[test]
fn a_repeated_request_does_nothing_and_gets_the_same_answer() {
    let (engine, clock) = engine(RerunStore::new(Box::new(MemoryStore::new()), 3));
    let desk = person(&engine);
    let once = |name: &str, words: &str| add_once(&desk, name, words);
    let first = once("k", "Use the long flag.").unwrap();
    assert_eq!(first, ("#1".to_owned(), false));
    let again = once("k", "Use the long flag.").unwrap();
    assert_eq!(again, ("#1".to_owned(), true));
    // The same evidence was not added a second time either.
    assert_eq!(lessons(&engine).len(), 1);
    assert_eq!(lessons(&engine)[0].evidence.len(), 1);

    let other = once("k", "Use the short flag.");
    check_conflict(other, RequestConflict::OtherRequest);
    assert_eq!(once("l", "Read the manual page.").unwrap().0, "#2");
    // After a day the name is free again.
    *clock.0.lock().unwrap() += SignedDuration::from_hours(24);
    assert!(!once("k", "Mind the trailing slash.").unwrap().1);
}

#[test]
fn a_request_that_failed_may_be_made_again() {
    let (engine, _) = engine(MemoryStore::new());
    let desk = person(&engine);
    let failed = desk.clone().for_request(&mark("k", "a"));
    let failed = failed.erase_lesson(LessonId(7)).unwrap_err();
    assert!(matches!(failed, Error::Denied(_)), "{failed}");
    assert!(!add_once(&desk, "k", "Use the long flag.").unwrap().1);
}

/// As if the process had ended before it could save the answer.
#[test]
fn a_request_without_an_answer_is_not_made_again() {
    let (engine, _) = engine(MemoryStore::new());
    let desk = person(&engine);
    let words = "Use the long flag.";
    let asked = mark("k", words);
    add(&desk.clone().for_request(&asked), words).unwrap();
    check_conflict(add_once(&desk, "k", words), RequestConflict::NoAnswer);
    // Also if both looked before either did anything.
    let again = add(&desk.clone().for_request(&asked), words);
    check_conflict(again, RequestConflict::NoAnswer);
    let other = add(&desk.clone().for_request(&mark("k", "b")), words);
    check_conflict(other, RequestConflict::OtherRequest);
    assert_eq!(lessons(&engine)[0].evidence.len(), 1);
}

#[test]
fn an_erased_lesson_is_in_no_answer() {
    let (engine, _) = engine(MemoryStore::new());
    let desk = person(&engine);
    let words = "Use the long flag.";
    add_once(&desk, "k", words).unwrap();
    desk.erase_lesson(LessonId(1)).unwrap();
    check_conflict(add_once(&desk, "k", words), RequestConflict::NoAnswer);
    assert!(lessons(&engine).is_empty());
}

#[test]
fn repetitions_at_once_store_one_lesson() {
    let store = Box::new(MemoryStore::new());
    let engine = Engine::new(store, Policy::default(), Box::new(SystemClock));
    let outcomes: Vec<_> = thread::scope(|scope| {
        let ask = || add_once(&person(&engine), "k", "Use the long flag.");
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    for outcome in &outcomes {
        match outcome {
            Ok((text, _)) => assert_eq!(text, "#1"),
            Err(error) => assert!(matches!(error, Error::Repeated(_)), "{error}"),
        }
    }
    assert!(outcomes.iter().any(Result::is_ok));
    assert_eq!(lessons(&engine)[0].evidence.len(), 1);
    assert_eq!(lessons(&engine).len(), 1);
}
