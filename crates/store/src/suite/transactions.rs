//! The contract of transactions and snapshots, case by case.

use std::thread;

use hardwon_core::{
    change::{Change, DecisionOutcome},
    id::LessonId,
    lesson::Status,
    scope::Scope,
};

use super::{Make, ask::audit, samples::*};
use crate::{ErrorKind, Listing, Read, Result, StoreError};

pub(super) fn own_changes(make: Make<'_>) {
    let store = make();
    write(&*store, &tenant("t"), |transaction| {
        let mut second = admitted(&here(), "always use alpha");
        second.evidence = vec![evidence("r2")];
        let first = learn_in(transaction, admitted(&here(), "use alpha"), 9, at(0))?;
        assert_eq!(first, (LessonId(1), DecisionOutcome::Added));
        let second = learn_in(transaction, second, 9, at(0))?;
        assert_eq!(second, (LessonId(1), DecisionOutcome::Reinforced));
        let third = learn_in(transaction, admitted(&here(), "avoid alpha"), 9, at(0))?;
        assert_eq!(third, (LessonId(2), DecisionOutcome::Added));
        assert_eq!(
            ids(&transaction.reader().search(&query(&here(), "alpha"))?),
            [2, 1]
        );
        Ok(())
    })
    .unwrap();
    assert_eq!(get(&*store, LessonId(1)).evidence.len(), 2);
    assert_eq!(get(&*store, LessonId(1)).contradicts, [LessonId(2)]);
    assert_eq!(get(&*store, LessonId(2)).contradicts, [LessonId(1)]);
    let kinds = store
        .snapshot()
        .unwrap()
        .journal(&tenant("t"), 0, 10)
        .unwrap();
    let kinds: Vec<&str> = kinds.iter().map(|it| it.body.kind.name()).collect();
    assert_eq!(
        kinds,
        ["add", "reinforce", "add", "contradict", "contradict"]
    );
    audit(&*store, &tenant("t"));
}

pub(super) fn whole_or_not(make: Make<'_>) {
    let store = make();
    add(&*store, &here(), "use alpha");
    let head = store.snapshot().unwrap().head(&tenant("t")).unwrap();
    let outcome: Result<()> = write(&*store, &tenant("t"), |transaction| {
        learn_in(transaction, admitted(&here(), "use beta"), 9, at(0))?;
        Err(StoreError::refused("thought better of it"))
    });
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Refused);

    // A batch that did not fit cannot be kept by looking away.
    let outcome = write(&*store, &tenant("t"), |transaction| {
        let good = Change::Credit {
            id: LessonId(1),
            delta: tally(1, 0),
        };
        let bad = Change::Delete { id: LessonId(7) };
        let ignored = transaction.apply(&batch(&tenant("t"), vec![good, bad], at(0)));
        assert_eq!(ignored.unwrap_err().kind(), ErrorKind::Conflict);
        Ok(())
    });
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(store.snapshot().unwrap().head(&tenant("t")).unwrap(), head);
    assert_eq!(get(&*store, LessonId(1)).counts.helped, 0);
    assert_eq!(add(&*store, &here(), "use beta"), LessonId(2));
    audit(&*store, &tenant("t"));
}

pub(super) fn applied(make: Make<'_>) {
    let store = make();
    let id = LessonId(1);
    let add = Change::Add {
        id,
        admitted: Box::new(admitted(&here(), "use alpha")),
    };
    let same = Change::SetStatus {
        id,
        status: Status::Active,
    };
    let applied = change(&*store, &tenant("t"), vec![add, same]).unwrap();
    let there = Some(get(&*store, id));
    assert_eq!(applied, [there.clone(), there]);
    let deleted = change(&*store, &tenant("t"), vec![Change::Delete { id }]);
    assert_eq!(deleted.unwrap(), [None]);
}

/// Also while others read and write, none of whom waits for another.
pub(super) fn snapshots(make: Make<'_>) {
    let store = make();
    let id = add(&*store, &here(), "use alpha");
    let count = |reader: &dyn Read| {
        let lessons = reader.lessons(&tenant("t"), &Listing::default());
        lessons.unwrap().len()
    };
    let before = store.snapshot().unwrap();
    assert_eq!(count(&*before), 1);
    add(&*store, &here(), "use beta");
    let between = store.snapshot().unwrap();
    assert_eq!(count(&*between), 2);
    change(&*store, &tenant("t"), vec![Change::Delete { id }]).unwrap();
    assert_eq!((count(&*before), count(&*between)), (1, 2));
    thread::scope(|scope| {
        let elsewhere = scope.spawn(|| count(&*store.snapshot().unwrap()));
        assert_eq!(elsewhere.join().unwrap(), 1);
    });
    assert_eq!((count(&*before), count(&*between)), (1, 2));
}

pub(super) fn misfits(make: Make<'_>) {
    let store = make();
    let add = |id: i64, place: &Scope| Change::Add {
        id: LessonId(id),
        admitted: Box::new(admitted(place, "use alpha")),
    };
    let foreign = scope("u", "a", "");
    for changes in [
        vec![add(2, &here())],
        vec![add(1, &foreign)],
        vec![add(1, &here()), add(1, &here())],
        vec![Change::Delete { id: LessonId(1) }],
        vec![Change::Delete { id: LessonId(-1) }],
        vec![Change::Delete {
            id: LessonId(i64::MAX),
        }],
    ] {
        let outcome = change(&*store, &tenant("t"), changes.clone());
        assert_eq!(
            outcome.unwrap_err().kind(),
            ErrorKind::Conflict,
            "{changes:?}"
        );
    }
    let outcome = write(&*store, &tenant("t"), |transaction| {
        transaction.apply(&batch(&tenant("u"), vec![add(1, &foreign)], at(0)))
    });
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .journal(&tenant("t"), 0, 10)
            .unwrap(),
        []
    );

    // What changes nothing leaves no entry.
    change(&*store, &tenant("t"), vec![add(1, &here())]).unwrap();
    set(&*store, LessonId(1), Status::Active);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .head(&tenant("t"))
            .unwrap()
            .sequence,
        1
    );
}
