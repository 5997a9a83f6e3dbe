//! A tenant with something of every kind.

use hardwon_core::{JobState, LessonId, ModelCost};
use hardwon_store::{Commit as _, Sighting, Store, StoreError};

use super::samples::*;

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
