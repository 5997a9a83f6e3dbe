//! How the time of each view grows with the number of lessons, other things equal.

use std::time::{Duration, Instant};

use hardwon_core::{
    change::{Actor, Change, ChangeBatch},
    id::{AgentId, LessonId, ProjectId, TenantId},
    lesson::Status,
    redact::clean_to_chars,
    scope::Scope,
    text::RawText,
};
use hardwon_server::api_key::Role;
use hardwon_store::{Commit as _, SqliteStore};
use hardwon_store_suite::samples::admitted_lesson;
use jiff::Timestamp;

use crate::{
    client::TestServer,
    page_visitor::{PageVisitor, fill_history},
};

/// Lessons of the two tenants that are compared.
const SIZES: [(&str, u32); 2] = [("small", 100), ("large", 10_000)];
const VIEWS: [&str; 9] = [
    "/effects",
    "/lessons",
    "/lessons?days=7",
    "/lessons?state=pending",
    "/lessons?project=p3",
    "/lessons/50",
    "/recalls",
    "/recalls/9",
    "/journal",
];
/// Views that look for words, and take longer the more lessons hold them. They are only timed.
const SEARCHES: [&str; 3] = [
    "/review",
    "/lessons?q=bolt77",
    "/try?project=p3&prompt=why+does+gear77+stick+at+bolt7&call=npm+test",
];
/// Each view is asked for so many times, and the fastest counts.
const TIMES: u32 = 7;

/// Adds lessons in ten projects, ten of which wait for review.
fn fill_lessons(store: &SqliteStore, tenant: &TenantId, count: u32) {
    let why = clean_to_chars(&RawText::from("by an agent"), 99);
    let lesson = |number: u32| {
        let scope = Scope {
            tenant: tenant.clone(),
            agent: AgentId::parse("index").unwrap(),
            project: Some(ProjectId::parse(&format!("p{}", number % 10)).unwrap()),
        };
        // Words as rare as those of real lessons: each of a few thousand in some.
        let word = |name: &str, salt: u32| format!("{name}{}", number * salt % 2003);
        let words = format!(
            "Oil the {} before the {} at {}.",
            word("bolt", 7),
            word("valve", 11),
            word("gear", 13)
        );
        let mut admitted = admitted_lesson(&scope, &words);
        if number.is_multiple_of(10) && number <= 100 {
            admitted.status = Status::Pending { why: why.clone() };
        }
        Change::Add {
            id: LessonId(number.into()),
            admitted: Box::new(admitted),
        }
    };
    for first in (1..=count).step_by(500) {
        let batch = ChangeBatch {
            tenant: tenant.clone(),
            actor: Actor::person(),
            at: Timestamp::now(),
            changes: (first..=count.min(first + 499)).map(lesson).collect(),
        };
        let filled = store.commit(tenant, |tx| tx.apply(&batch).map(drop));
        filled.unwrap();
    }
}

fn time_view(visitor: &PageVisitor<'_>, path: &str) -> Duration {
    let times = (0..TIMES).map(|_| {
        let begin = Instant::now();
        let answer = visitor.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        begin.elapsed()
    });
    times.min().unwrap()
}

#[test]
#[ignore = "takes a minute, and says how long each view takes: run it alone"]
fn no_view_takes_longer_with_many_lessons() {
    let server = TestServer::start();
    let store = server.open_store();
    let visitors = SIZES.map(|(name, count)| {
        let tenant = TenantId::parse(name).unwrap();
        fill_lessons(&store, &tenant, count);
        fill_history(&store, &tenant);
        PageVisitor::log_in(&server, &server.key(Role::Owner, name))
    });
    let mut slow = Vec::new();
    for view in VIEWS.into_iter().chain(SEARCHES) {
        let [small, large] = visitors.each_ref().map(|visitor| time_view(visitor, view));
        let ratio = large.as_secs_f64() / small.as_secs_f64();
        eprintln!("{view:<48} {small:>9.1?} {large:>9.1?} {ratio:>6.2}");
        if ratio > 2.0 && !SEARCHES.contains(&view) {
            slow.push(view);
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}
