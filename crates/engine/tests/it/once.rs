//! Requests that are repeated.

use std::{cell::Cell, sync::Arc, thread};

use hardwon_core::{
    id::LessonId,
    request::{IdempotencyKey, RequestConflict, RequestMark},
};
use hardwon_engine::{
    Clock, Desk, Engine, Error, Lesson, LessonContent, Note, Policy, Result, SystemClock,
    store::{LessonListing, Store},
};
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

#[test]
fn a_repeated_request_does_nothing_and_gets_the_same_answer() {
    let (engine, clock) = engine(RerunStore::new(Box::new(MemoryStore::new()), 3));
    let desk = person(&engine);
    let calls = Cell::new(0);
    let once = |name: &str, words: &str| {
        desk.once(&mark(name, words), |desk| {
            calls.set(calls.get() + 1);
            add(desk, words)
        })
    };
    let first = once("k", "Use the long flag.").unwrap();
    assert_eq!((first.text.as_str(), first.is_repeated), ("#1", false));
    let again = once("k", "Use the long flag.").unwrap();
    assert_eq!((again.text.as_str(), again.is_repeated), ("#1", true));
    assert_eq!((calls.get(), lessons(&engine).len()), (1, 1));
    // The same evidence was not added a second time either.
    assert_eq!(lessons(&engine)[0].evidence.len(), 1);

    let other = once("k", "Use the short flag.").unwrap_err();
    assert!(
        matches!(other, Error::Repeated(RequestConflict::OtherRequest)),
        "{other}"
    );
    assert_eq!(once("l", "Read the manual page.").unwrap().text, "#2");
    // After a day the name is free again.
    *clock.0.lock().unwrap() += SignedDuration::from_hours(24);
    assert!(!once("k", "Mind the trailing slash.").unwrap().is_repeated);
}

#[test]
fn a_request_that_failed_may_be_made_again() {
    let (engine, _) = engine(MemoryStore::new());
    let desk = person(&engine);
    let missing = |desk: &Desk<'_>| desk.erase_lesson(LessonId(7)).map(|()| String::new());
    let failed = desk.once(&mark("k", "a"), missing).unwrap_err();
    assert!(matches!(failed, Error::Denied(_)), "{failed}");
    let done = desk.once(&mark("k", "b"), |desk| add(desk, "Use the long flag."));
    assert!(!done.unwrap().is_repeated);
}

/// As if the process had ended before it could save the answer.
#[test]
fn a_request_without_an_answer_is_not_made_again() {
    let (engine, _) = engine(MemoryStore::new());
    let desk = person(&engine);
    let lost = desk.once(&mark("k", "a"), |desk| {
        add(desk, "Use the long flag.")?;
        desk.erase_lesson(LessonId(7)).map(|()| String::new())
    });
    assert!(matches!(lost, Err(Error::Denied(_))), "{lost:?}");
    let again = desk.once(&mark("k", "a"), |desk| add(desk, "Use the long flag."));
    let again = again.unwrap_err();
    assert!(
        matches!(again, Error::Repeated(RequestConflict::NoAnswer)),
        "{again}"
    );
    assert_eq!(lessons(&engine).len(), 1);
}

/// As a server does whose work is not done through a desk.
#[test]
fn a_request_that_is_begun_is_made_once_or_released() {
    let (engine, _) = engine(RerunStore::new(Box::new(MemoryStore::new()), 3));
    let desk = person(&engine);
    let asked = mark("k", "a");
    let repeated = |error: Error, expected: RequestConflict| match error {
        Error::Repeated(why) => assert_eq!(why, expected),
        error => panic!("{error}"),
    };
    desk.begin_request(&asked).unwrap();
    repeated(
        desk.begin_request(&asked).unwrap_err(),
        RequestConflict::NoAnswer,
    );
    repeated(
        desk.find_answer(&asked).unwrap_err(),
        RequestConflict::NoAnswer,
    );
    desk.release_request(&asked).unwrap();
    assert_eq!(desk.find_answer(&asked).unwrap(), None);
    desk.begin_request(&asked).unwrap();
    desk.save_answer(&asked, "done").unwrap();
    assert_eq!(desk.find_answer(&asked).unwrap().as_deref(), Some("done"));
    repeated(
        desk.find_answer(&mark("k", "b")).unwrap_err(),
        RequestConflict::OtherRequest,
    );
}

#[test]
fn an_erased_lesson_is_in_no_answer() {
    let (engine, _) = engine(MemoryStore::new());
    let desk = person(&engine);
    let note = |desk: &Desk<'_>| add(desk, "Use the long flag.").map(|_| "long flag".to_owned());
    desk.once(&mark("k", "a"), note).unwrap();
    let erase = |desk: &Desk<'_>| desk.erase_lesson(LessonId(1)).map(|()| "gone".to_owned());
    assert_eq!(desk.once(&mark("l", "b"), erase).unwrap().text, "gone");
    assert_eq!(desk.once(&mark("l", "b"), erase).unwrap().text, "gone");
    let again = desk.once(&mark("k", "a"), note).unwrap_err();
    assert!(
        matches!(again, Error::Repeated(RequestConflict::NoAnswer)),
        "{again}"
    );
    assert!(lessons(&engine).is_empty());
}

#[test]
fn repetitions_at_once_store_one_lesson() {
    let store = Box::new(MemoryStore::new());
    let engine = Engine::new(store, Policy::default(), Box::new(SystemClock));
    let outcomes: Vec<_> = thread::scope(|scope| {
        let ask = || {
            let mark = mark("k", "a");
            let answer = person(&engine).once(&mark, |desk| add(desk, "Use the long flag."));
            answer.map(|it| it.text)
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    for outcome in &outcomes {
        match outcome {
            Ok(text) => assert_eq!(text, "#1"),
            Err(error) => assert!(matches!(error, Error::Repeated(_)), "{error}"),
        }
    }
    assert!(outcomes.iter().any(Result::is_ok));
    assert_eq!(lessons(&engine)[0].evidence.len(), 1);
    assert_eq!(lessons(&engine).len(), 1);
}
