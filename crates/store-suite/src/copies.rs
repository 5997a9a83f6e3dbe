//! A tenant that is copied is what it was.

use hardwon_core::{JobState, LessonId, ModelCost};
use hardwon_store::{
    Commit as _, RecallListing, Sighting, Store, StoreError, StoreErrorKind, TenantPart,
    copying::{copy_tenant, each_part},
};

use super::{MakeStore, samples::*};

/// Puts something of every kind into a store for a tenant.
///
/// # Panics
///
/// If the store refuses some of it.
pub fn fill_tenant(store: &dyn Store, tenant: &str) {
    let place = make_scope(tenant, "a", "p");
    for number in 0..12 {
        let text = format!("use alpha {number} in go, and not beta");
        learn_lesson(store, admitted_lesson(&place, &text)).unwrap();
    }
    let other = make_scope(tenant, "b", "");
    learn_lesson(store, admitted_lesson(&other, "use gamma\0 here")).unwrap();
    learn_lesson(store, full_lesson(&other)).unwrap();
    store
        .commit(&place.tenant, |transaction| -> Result<(), StoreError> {
            transaction.record_sighting(&Sighting {
                scope: place.clone(),
                failure: failure_key("f1"),
                run: run_id("r1"),
                at: time_at(0),
                lesson: Some(admitted_lesson(&place, "use delta")),
            })?;
            for (run, state) in [("r1", JobState::Seen), ("r2", JobState::Done)] {
                let task = sample_task(&place, run, "said");
                transaction.add_job(&task, time_at(0), state)?;
            }
            let cost = ModelCost {
                calls: 3,
                ..ModelCost::default()
            };
            transaction.set_model_cost(1, cost)?;
            transaction.save_answer(&request_mark("k1", "add"), Some("done"), time_at(0))?;
            transaction.save_judgement(&sample_judgement(Some("r1"), 1))?;
            transaction.save_judgement(&sample_judgement(None, 2))
        })
        .unwrap();
    let mut recall = sample_recall(&place, &[LessonId(1), LessonId(3)]);
    recall.query_text = Some(clean_text("how"));
    store.spool_recall(&recall).unwrap();
    recall.query_text = None;
    store.spool_recall(&recall).unwrap();
}

/// Returns all parts of a tenant, in an order of their own.
fn list_parts(store: &dyn Store, tenant: &str) -> Vec<TenantPart> {
    let snapshot = store.snapshot().unwrap();
    let mut parts = Vec::new();
    let collected = each_part(&*snapshot, &tenant_id(tenant), &mut |part| {
        parts.push(part);
        Ok(())
    });
    collected.unwrap();
    parts.sort_by_key(|part| format!("{part:?}"));
    parts
}

/// Copies a tenant with something of every kind from one store to another, both empty, and compares them.
///
/// # Panics
///
/// If anything differs.
pub fn check_copy(from: &dyn Store, to: &dyn Store) {
    for tenant in ["t", "u"] {
        fill_tenant(from, tenant);
    }
    fill_tenant(to, "u");
    let tenant = tenant_id("t");
    let copied = copy_tenant(from, to, &tenant).unwrap();
    assert_eq!((copied.lessons, copied.recalls), (14, 2));
    assert_eq!(list_parts(to, "t"), list_parts(from, "t"));
    let (source, target) = (from.snapshot().unwrap(), to.snapshot().unwrap());
    let head = source.journal_head(&tenant).unwrap();
    assert_eq!(target.journal_head(&tenant).unwrap(), head);
    assert_eq!(copied.journal_head, head);
    let place = make_scope("t", "a", "p");
    let query = make_query(&place, "alpha 7 beta");
    assert_eq!(
        target.search(&query).unwrap(),
        source.search(&query).unwrap()
    );
    assert_eq!(
        target.count_waiting(&tenant).unwrap(),
        source.count_waiting(&tenant).unwrap()
    );
    drop((source, target));
    // Both go on from there in the same way.
    for store in [from, to] {
        let again = learn_lesson(
            store,
            admitted_lesson(&place, "use alpha 3 in go, and not beta"),
        );
        assert_eq!(again.unwrap().0, LessonId(4), "the duplicate is found");
        let new = learn_lesson(store, admitted_lesson(&place, "use epsilon"));
        assert_eq!(new.unwrap().0, LessonId(15));
        store.spool_recall(&sample_recall(&place, &[])).unwrap();
        store.flush(&tenant).unwrap();
        let snapshot = store.snapshot().unwrap();
        let recalls = snapshot
            .recalls(&tenant, &RecallListing::default())
            .unwrap();
        let ids: Vec<i64> = recalls.iter().map(|recall| recall.0.0).collect();
        assert_eq!(ids, [3, 2, 1]);
    }
    assert_eq!(list_parts(to, "t"), list_parts(from, "t"));
}

pub(super) fn copied(make: MakeStore<'_>) {
    check_copy(&*make(), &*make());
}

pub(super) fn not_copied_over(make: MakeStore<'_>) {
    let (from, to) = (make(), make());
    let kind = |tenant: &str| {
        let copied = copy_tenant(&*from, &*to, &tenant_id(tenant));
        copied.unwrap_err().kind()
    };
    assert_eq!(kind("t"), StoreErrorKind::NotFound);
    fill_tenant(&*from, "t");
    learn_lesson(&*to, admitted_lesson(&make_scope("t", "x", ""), "mine")).unwrap();
    let before = list_parts(&*to, "t");
    assert_eq!(kind("t"), StoreErrorKind::Conflict);
    assert_eq!(list_parts(&*to, "t"), before);
}
