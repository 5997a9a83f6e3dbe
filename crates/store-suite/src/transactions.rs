//! The contract of transactions and snapshots, case by case.

use std::thread;

use hardwon_core::{Change, DecisionOutcome, LessonId, Scope, Status};
use hardwon_store::{LessonListing, Read, Result, StoreError, StoreErrorKind};

use super::{MakeStore, inspect::audit_tenant, samples::*};

pub(super) fn sees_own_changes(make: MakeStore<'_>) {
    let store = make();
    commit_work(&*store, &tenant_id("t"), |transaction| {
        let mut second = admitted_lesson(&default_scope(), "always use alpha");
        second.evidence = vec![run_evidence("r2")];
        let first = learn_in_transaction(
            transaction,
            admitted_lesson(&default_scope(), "use alpha"),
            9,
            time_at(0),
        )?;
        assert_eq!(first, (LessonId(1), DecisionOutcome::Added));
        let second = learn_in_transaction(transaction, second, 9, time_at(0))?;
        assert_eq!(second, (LessonId(1), DecisionOutcome::Reinforced));
        let third = learn_in_transaction(
            transaction,
            admitted_lesson(&default_scope(), "avoid alpha"),
            9,
            time_at(0),
        )?;
        assert_eq!(third, (LessonId(2), DecisionOutcome::Added));
        assert_eq!(
            found_ids(
                &transaction
                    .reader()
                    .search(&make_query(&default_scope(), "alpha"))?
            ),
            [2, 1]
        );
        Ok(())
    })
    .unwrap();
    assert_eq!(get_lesson(&*store, LessonId(1)).evidence.len(), 2);
    assert_eq!(get_lesson(&*store, LessonId(1)).contradicts, [LessonId(2)]);
    assert_eq!(get_lesson(&*store, LessonId(2)).contradicts, [LessonId(1)]);
    let kinds = store
        .snapshot()
        .unwrap()
        .journal(&tenant_id("t"), 0, 10)
        .unwrap();
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.body.kind.name()).collect();
    assert_eq!(
        kinds,
        ["add", "reinforce", "add", "contradict", "contradict"]
    );
    audit_tenant(&*store, &tenant_id("t"));
}

pub(super) fn commits_whole_or_not(make: MakeStore<'_>) {
    let store = make();
    add_lesson(&*store, &default_scope(), "use alpha");
    let head = store
        .snapshot()
        .unwrap()
        .journal_head(&tenant_id("t"))
        .unwrap();
    let outcome: Result<()> = commit_work(&*store, &tenant_id("t"), |transaction| {
        learn_in_transaction(
            transaction,
            admitted_lesson(&default_scope(), "use beta"),
            9,
            time_at(0),
        )?;
        Err(StoreError::refused("thought better of it"))
    });
    assert_eq!(outcome.unwrap_err().kind(), StoreErrorKind::Refused);

    // Ignoring the error does not commit a batch that conflicted.
    let outcome = commit_work(&*store, &tenant_id("t"), |transaction| {
        let good = Change::Credit {
            id: LessonId(1),
            delta: make_delta(1, 0),
        };
        let bad = Change::Erase { id: LessonId(7) };
        let ignored = transaction.apply(&make_batch(&tenant_id("t"), vec![good, bad], time_at(0)));
        assert_eq!(ignored.unwrap_err().kind(), StoreErrorKind::Conflict);
        Ok(())
    });
    assert_eq!(outcome.unwrap_err().kind(), StoreErrorKind::Conflict);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .journal_head(&tenant_id("t"))
            .unwrap(),
        head
    );
    assert_eq!(get_lesson(&*store, LessonId(1)).counts.helped, 0);
    assert_eq!(
        add_lesson(&*store, &default_scope(), "use beta"),
        LessonId(2)
    );
    audit_tenant(&*store, &tenant_id("t"));
}

pub(super) fn returns_changed_lessons(make: MakeStore<'_>) {
    let store = make();
    let id = LessonId(1);
    let add = Change::Add {
        id,
        admitted: Box::new(admitted_lesson(&default_scope(), "use alpha")),
    };
    let same = Change::SetStatus {
        id,
        status: Status::Active,
    };
    let applied = apply_changes(&*store, &tenant_id("t"), vec![add, same]).unwrap();
    let there = Some(get_lesson(&*store, id));
    assert_eq!(applied, [there.clone(), there]);
    let deleted = apply_changes(&*store, &tenant_id("t"), vec![Change::Erase { id }]);
    assert_eq!(deleted.unwrap(), [None]);
}

/// Holds also while others read and write; none of them waits for another.
pub(super) fn isolates_snapshots(make: MakeStore<'_>) {
    let store = make();
    let id = add_lesson(&*store, &default_scope(), "use alpha");
    let count = |reader: &dyn Read| {
        let lessons = reader.lessons(&tenant_id("t"), &LessonListing::default());
        lessons.unwrap().len()
    };
    let before = store.snapshot().unwrap();
    assert_eq!(count(&*before), 1);
    add_lesson(&*store, &default_scope(), "use beta");
    let between = store.snapshot().unwrap();
    assert_eq!(count(&*between), 2);
    apply_changes(&*store, &tenant_id("t"), vec![Change::Erase { id }]).unwrap();
    assert_eq!((count(&*before), count(&*between)), (1, 2));
    thread::scope(|scope| {
        let elsewhere = scope.spawn(|| count(&*store.snapshot().unwrap()));
        assert_eq!(elsewhere.join().unwrap(), 1);
    });
    assert_eq!((count(&*before), count(&*between)), (1, 2));
}

pub(super) fn rejects_misfits(make: MakeStore<'_>) {
    let store = make();
    let add = |id: i64, place: &Scope| Change::Add {
        id: LessonId(id),
        admitted: Box::new(admitted_lesson(place, "use alpha")),
    };
    let foreign = make_scope("u", "a", "");
    for changes in [
        vec![add(2, &default_scope())],
        vec![add(1, &foreign)],
        vec![add(1, &default_scope()), add(1, &default_scope())],
        vec![Change::Erase { id: LessonId(1) }],
        vec![Change::Erase { id: LessonId(-1) }],
        vec![Change::Erase {
            id: LessonId(i64::MAX),
        }],
    ] {
        let outcome = apply_changes(&*store, &tenant_id("t"), changes.clone());
        assert_eq!(
            outcome.unwrap_err().kind(),
            StoreErrorKind::Conflict,
            "{changes:?}"
        );
    }
    let outcome = commit_work(&*store, &tenant_id("t"), |transaction| {
        transaction.apply(&make_batch(
            &tenant_id("u"),
            vec![add(1, &foreign)],
            time_at(0),
        ))
    });
    assert_eq!(outcome.unwrap_err().kind(), StoreErrorKind::Conflict);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .journal(&tenant_id("t"), 0, 10)
            .unwrap(),
        []
    );

    // A change without effect leaves no entry.
    apply_changes(&*store, &tenant_id("t"), vec![add(1, &default_scope())]).unwrap();
    set_status(&*store, LessonId(1), Status::Active);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .journal_head(&tenant_id("t"))
            .unwrap()
            .sequence,
        1
    );
}
