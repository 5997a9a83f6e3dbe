//! Cases about erasing a tenant.

use hardwon_core::{JobState, LessonId, Scope};
use hardwon_store::{
    ChainHead, ErasedTenant, Recall, RecallListing, Sighting, SourceProgress, Store,
};

use super::{MakeStore, inspect::dump_tenant, samples::*};

/// Stores something of every kind for the tenant of a scope.
fn fill_tenant(store: &dyn Store, place: &Scope) {
    let tenant = &place.tenant;
    for text in ["use alpha in go", "avoid beta gamma"] {
        learn_lesson(store, admitted_lesson(place, text)).unwrap();
    }
    commit_work(store, tenant, |tx| {
        tx.record_sighting(&Sighting {
            scope: place.clone(),
            failure: failure_key("f1"),
            run: run_id("r1"),
            at: time_at(1),
            lesson: None,
        })?;
        let source = SourceProgress {
            position: 7,
            fingerprint: "ab".into(),
            state: vec![1],
            at: time_at(0),
        };
        tx.save_source_progress("/a.jsonl", &source)?;
        tx.save_judgement(&sample_judgement(Some("r1"), 4))?;
        tx.add_job(
            &sample_task(place, "r1", "a run"),
            time_at(1),
            JobState::Seen,
        )?;
        Ok(())
    })
    .unwrap();
    for _ in 0..2 {
        let recall = Recall {
            query_text: Some(clean_text("why does it fail?")),
            ..sample_recall(place, &[LessonId(1)])
        };
        store.spool_recall(&recall).unwrap();
    }
    store.flush(tenant).unwrap();
    // One more waits to be counted.
    store.spool_recall(&sample_recall(place, &[])).unwrap();
}

pub(super) fn erases_tenant(make: MakeStore<'_>) {
    let store = make();
    let (gone, kept) = (tenant_id("t"), tenant_id("u"));
    let untouched = dump_tenant(&*store, &gone);
    for tenant in ["t", "u"] {
        fill_tenant(&*store, &make_scope(tenant, "a", "p"));
    }
    store.flush(&kept).unwrap();
    let before = dump_tenant(&*store, &kept);
    let head = store.snapshot().unwrap().journal_head(&gone).unwrap();
    assert_eq!(head.sequence, 2);
    let erased = store.erase_tenant(&gone).unwrap();
    let expected = ErasedTenant {
        journal_head: head,
        lessons: 2,
        recalls: 3,
        judgements: 1,
        jobs: 1,
    };
    assert_eq!(erased, expected);
    assert_eq!(dump_tenant(&*store, &gone), untouched);
    store.flush(&gone).unwrap();
    let reader = store.snapshot().unwrap();
    let recalls = reader.recalls(&gone, &RecallListing::default());
    assert_eq!(recalls.unwrap(), [], "none was left in the spool");
    drop(reader);
    assert_eq!(dump_tenant(&*store, &kept), before);
}

/// What is stored under the name afterwards has nothing to do with what was.
pub(super) fn begins_anew(make: MakeStore<'_>) {
    let store = make();
    let place = make_scope("t", "a", "p");
    let new = |store: &dyn Store| {
        fill_tenant(store, &place);
        store.flush(&place.tenant).unwrap();
        dump_tenant(store, &place.tenant)
    };
    let first = new(&*store);
    store.erase_tenant(&place.tenant).unwrap();
    assert_eq!(new(&*store), first);
    store.erase_tenant(&place.tenant).unwrap();
    let again = store.erase_tenant(&place.tenant).unwrap();
    let nothing = ErasedTenant {
        journal_head: ChainHead::genesis(&place.tenant),
        lessons: 0,
        recalls: 0,
        judgements: 0,
        jobs: 0,
    };
    assert_eq!(again, nothing);
}
