//! Dumps everything that can be queried of a store, as text.

use std::fmt::{Debug, Write as _};

use hardwon_core::{BaselineKey, JobId, JobState, LessonId, Scope, TenantId, Vector, limits};
use hardwon_store::{
    ChainHead, JobListing, JudgementListing, LessonLedger, LessonListing, LessonQuery, QueryVector,
    RecallListing, ScopeFilter, StatusName, Store,
};

use super::samples::{failure_key, make_query, request_mark, time_at};

/// The names of failures that tests use.
pub(super) const FAILURE_NAMES: [&str; 2] = ["f1", "f2"];
/// The names of sources that tests use.
pub(super) const SOURCE_NAMES: [&str; 2] = ["/a.jsonl", "/b.jsonl"];
/// The names of requests that tests use.
pub(super) const REQUEST_NAMES: [&str; 2] = ["k1", "k2"];
/// The names of spaces that tests use.
pub(super) const SPACE_NAMES: [&str; 2] = ["s", "other"];
/// Prompts that tests ask with.
const PROMPTS: [&str; 3] = ["alpha in go", "avoid beta gamma", "nothing known"];

/// Dumps everything of one tenant: two stores with the same dump hold the same.
pub(super) fn dump_tenant(store: &dyn Store, tenant: &TenantId) -> String {
    let store = store.snapshot().unwrap();
    let mut told = String::new();
    let mut tell = |what: &dyn Debug| writeln!(told, "{what:?}").expect("text can grow");
    let scopes = store.scopes(tenant).unwrap();
    tell(&scopes);
    tell(&store.journal_head(tenant).unwrap());
    tell(&store.journal(tenant, 0, limits::PAGE_ROWS).unwrap());
    for id in 1..12 {
        let whole = store
            .lesson_history(tenant, LessonId(id), 0, limits::PAGE_ROWS)
            .unwrap();
        let second = whole.first().map_or(0, |whole| whole.sequence);
        tell(
            &store
                .lesson_history(tenant, LessonId(id), second, 1)
                .unwrap(),
        );
        tell(&whole);
        tell(&store.lessons_replaced_by(tenant, LessonId(id)).unwrap());
    }
    tell(&store.recalls(tenant, &RecallListing::default()).unwrap());
    tell(
        &store
            .judgements(tenant, &JudgementListing::default())
            .unwrap(),
    );
    for about in [
        BaselineKey::AllRuns,
        BaselineKey::AllCalls,
        BaselineKey::CallsForFailure(failure_key("f1")),
    ] {
        tell(&store.baseline(tenant, &about).unwrap());
    }
    for listing in sample_listings(&scopes) {
        tell(&(&listing, store.lessons(tenant, &listing).unwrap()));
    }
    for scope in &scopes {
        tell(&store.proven_lessons(scope, time_at(0)).unwrap());
        for name in FAILURE_NAMES {
            let about = store
                .lessons_for_failure(scope, &failure_key(name))
                .unwrap();
            tell(&about);
            tell(&store.candidate_lesson(scope, &failure_key(name)).unwrap());
        }
        for prompt in PROMPTS {
            let query = make_query(scope, prompt);
            tell(&store.search(&query).unwrap());
            let near = QueryVector {
                embedding_space: SPACE_NAMES[0].to_owned(),
                vector: Vector::from_numbers(&[1.0, 0.5]).unwrap(),
            };
            let near = LessonQuery {
                vector: Some(near),
                limit: 4,
                ..query
            };
            tell(&store.search(&near).unwrap());
        }
        for space in SPACE_NAMES {
            tell(&store.count_vectors(scope, space).unwrap());
        }
    }
    for now in [time_at(0), time_at(5), time_at(1000)] {
        tell(&store.next_job(tenant, now).unwrap());
        tell(&store.count_jobs(tenant, now).unwrap());
    }
    let jobs = store.jobs(tenant, &JobListing::default()).unwrap();
    for job in &jobs {
        assert_eq!(store.job(tenant, job.id).unwrap().as_ref(), Some(job));
        let found = store.job_with_key(tenant, &job.task.key()).unwrap();
        assert_eq!(found.as_ref(), Some(job));
    }
    tell(&jobs);
    for state in JobState::NAMES {
        let listing = JobListing {
            state: Some(state),
            before: Some(JobId(3)),
            limit: 1,
        };
        tell(&store.jobs(tenant, &listing).unwrap());
    }
    for space in SPACE_NAMES {
        let lacking = store.lessons_without_vector(tenant, space, LessonId(1), 5);
        let lacking: Vec<LessonId> = lacking.unwrap().iter().map(|lacking| lacking.id).collect();
        tell(&lacking);
    }
    for day in 0..3 {
        tell(&store.model_cost(tenant, day).unwrap());
    }
    for name in REQUEST_NAMES {
        let mark = request_mark(name, "");
        tell(&store.kept_answer(tenant, &mark.name).unwrap());
    }
    for name in SOURCE_NAMES {
        tell(&store.source_progress(tenant, name).unwrap());
    }
    told
}

fn sample_listings(scopes: &[Scope]) -> Vec<LessonListing> {
    let all = LessonListing::default();
    let with_status = |status| LessonListing {
        status: Some(status),
        ..LessonListing::default()
    };
    let mut listings = vec![LessonListing {
        search_text: "LPHA i".to_owned(),
        ..all.clone()
    }];
    listings.push(all);
    listings.extend(StatusName::ALL.map(with_status));
    for scope in scopes {
        let within = [
            ScopeFilter::Agent(scope.agent.clone()),
            ScopeFilter::Scope(scope.clone()),
            ScopeFilter::Visible(scope.clone()),
        ];
        listings.extend(within.map(|within| LessonListing {
            within,
            ..LessonListing::default()
        }));
    }
    listings
}

/// Replays a tenant's journal and checks every lesson against it.
pub(super) fn audit_tenant(store: &dyn Store, tenant: &TenantId) {
    let store = store.snapshot().unwrap();
    let mut entries = Vec::new();
    loop {
        let page = store.journal(tenant, entries.len() as u64, 7).unwrap();
        if page.is_empty() {
            break;
        }
        entries.extend(page);
    }
    let mut chain = entries.iter();
    assert_eq!(
        chain.try_fold(ChainHead::genesis(tenant), ChainHead::verify_next),
        Ok(store.journal_head(tenant).unwrap())
    );
    assert_eq!(store.find_faults(tenant).unwrap(), Vec::<String>::new());
    let mut ledger = entries
        .iter()
        .fold(LessonLedger::default(), LessonLedger::apply_entry);
    let mut listing = LessonListing {
        limit: 7,
        ..LessonListing::default()
    };
    loop {
        let page = store.lessons(tenant, &listing).unwrap();
        let Some(last) = page.last() else { break };
        listing.before = Some(last.id);
        for lesson in &page {
            assert_eq!(ledger.check_row(lesson), Ok(()));
            assert_eq!(
                store.lesson(tenant, lesson.id).unwrap().as_ref(),
                Some(lesson)
            );
        }
    }
    assert_eq!(ledger.missing_lessons().collect::<Vec<_>>(), []);
}
