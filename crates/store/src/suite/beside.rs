//! The contract of what is kept beside lessons, case by case: recalls, judgements, troubles seen once,
//! and how far a source was read.

use hardwon_core::{
    credit::BaselineKey,
    id::{ClientName, LessonId},
    limits,
};

use super::{Make, ask::audit, samples::*};
use crate::{
    ErrorKind, Judged, JudgementId, JudgementListing, Listing, Reader, RecallId, RecallListing,
    Result, Sighting, Source, Spool, StoreError, Within, Write,
};

pub(super) fn recalls(make: Make<'_>) {
    let store = make();
    let id = add(&*store, &here(), "use alpha");
    let shown = recall(&here(), &[id, LessonId(50)]);
    let silent = recall(&here().without_project(), &[]);
    assert_eq!(store.remember(&shown).unwrap(), Spool::Roomy);
    store.remember(&silent).unwrap();
    let page = |listing: &RecallListing| {
        store
            .snapshot()
            .unwrap()
            .recalls(&tenant("t"), listing)
            .unwrap()
    };
    assert_eq!(page(&RecallListing::default()), []);

    let flushed = store.flush(&tenant("t")).unwrap();
    assert_eq!((flushed.recalls, flushed.broken), (2, 0));
    assert_eq!(store.flush(&tenant("t")).unwrap().recalls, 0);
    let counts = get(&*store, id).counts;
    assert_eq!((counts.shown, counts.last_shown), (1, Some(at(5))));
    let all = page(&RecallListing::default());
    assert_eq!(
        all.iter().map(|it| &it.1).collect::<Vec<_>>(),
        [&silent, &shown]
    );
    let mut listing = RecallListing {
        limit: 1,
        ..RecallListing::default()
    };
    assert_eq!(page(&listing), all[..1]);
    listing.before = Some(all[0].0);
    assert_eq!(page(&listing), all[1..]);
    listing.run = Some(run("r2"));
    assert_eq!(page(&listing), []);

    // The next commit counts what was noted, and a refused one leaves it for the one after.
    store.remember(&shown).unwrap();
    let refused: Result<()> = write(&*store, &tenant("t"), |_| Err(StoreError::refused("no")));
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Refused);
    assert_eq!(get(&*store, id).counts.shown, 1);
    let shown = write(&*store, &tenant("t"), |tx| {
        Ok(tx
            .reader()
            .lesson(&tenant("t"), id)?
            .map(|it| it.counts.shown))
    });
    assert_eq!(shown.unwrap(), Some(2));
    assert_eq!(store.flush(&tenant("t")).unwrap().recalls, 0);
    assert_eq!(get(&*store, id).counts.shown, 2);
    audit(&*store, &tenant("t"));
}

/// Recalls are listed by place and client.
pub(super) fn listed(make: Make<'_>) {
    let store = make();
    let places = [("a", ""), ("a", "p"), ("a", "q"), ("b", "p")];
    for (agent, project) in places {
        store
            .remember(&recall(&scope("t", agent, project), &[]))
            .unwrap();
    }
    store.flush(&tenant("t")).unwrap();
    let place = |agent: &str, project: &str| scope("t", agent, project);
    let codex = recall(&place("a", ""), &[]).client;
    let other = ClientName::parse("other").ok();
    for (within, client, expected) in [
        (Within::Tenant, None, vec![4, 3, 2, 1]),
        (Within::Tenant, codex, vec![4, 3, 2, 1]),
        (Within::Tenant, other, vec![]),
        (Within::Agent(place("a", "").agent), None, vec![3, 2, 1]),
        (Within::Project(place("a", "p").project), None, vec![4, 2]),
        (Within::Project(None), None, vec![1]),
        (Within::Scope(place("a", "p")), None, vec![2]),
        (Within::Visible(place("a", "p")), None, vec![2, 1]),
    ] {
        let listing = RecallListing {
            within,
            client,
            ..RecallListing::default()
        };
        let page = store.snapshot().unwrap().recalls(&tenant("t"), &listing);
        let ids: Vec<i64> = page.unwrap().iter().map(|it| it.0.0).collect();
        assert_eq!(ids, expected, "{listing:?}");
    }
}

/// What a recall was made for is read by its own agent and the owner, is in no listing, and goes
/// after its days, with its recall, or when somebody wants it to.
pub(super) fn asked(make: Make<'_>) {
    let store = make();
    let day = 24 * 60 * 60;
    let note = |agent: &str, second: i64, asked: Option<&str>| {
        let mut recall = recall(&scope("t", agent, "host/a"), &[]);
        recall.at = at(second);
        recall.query_text = asked.map(clean);
        store.remember(&recall).unwrap();
        store.flush(&tenant("t")).unwrap();
        recall.query_text = None;
        let page = store
            .snapshot()
            .unwrap()
            .recalls(&tenant("t"), &RecallListing::default());
        let (id, there) = page.unwrap().remove(0);
        assert_eq!(there, recall);
        id
    };
    let read = |id: RecallId, reader: Reader<'_>| {
        let asked = store
            .snapshot()
            .unwrap()
            .asked(&tenant("t"), id, reader)
            .unwrap();
        asked.map(|it| it.as_str().to_owned())
    };
    let (own, other) = (scope("t", "a", "").agent, scope("t", "b", "").agent);
    let long = "é".repeat(2 * limits::QUERY_TEXT_CHARS);
    let first = note("a", 0, Some("mend the gate"));
    let second = note("b", day, Some(&long));
    let silent = note("a", day, None);
    for (id, reader, expected) in [
        (first, Reader::Owner, Some("mend the gate")),
        (first, Reader::Agent(&own), Some("mend the gate")),
        (first, Reader::Agent(&other), None),
        (second, Reader::Agent(&own), None),
        (second, Reader::Owner, Some(&long[..long.len() / 2])),
        (silent, Reader::Owner, None),
        (RecallId(99), Reader::Owner, None),
    ] {
        assert_eq!(read(id, reader).as_deref(), expected, "{id:?} {reader:?}");
    }
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .asked(&tenant("u"), first, Reader::Owner)
            .unwrap(),
        None
    );

    note("b", limits::QUERY_TEXT_DAYS * day, None);
    assert!(read(first, Reader::Owner).is_some());
    let third = note("b", limits::QUERY_TEXT_DAYS * day + 1, Some("later"));
    assert_eq!(read(first, Reader::Owner), None);
    assert!(read(second, Reader::Owner).is_some());
    let forget = |name: &str, before: i64| {
        write(&*store, &tenant(name), |tx| tx.forget_asked(at(before))).unwrap();
    };
    forget("u", 99 * day);
    forget("t", day + 1);
    assert_eq!(read(second, Reader::Owner), None);
    assert!(read(third, Reader::Owner).is_some());
}

pub(super) fn judgements(make: Make<'_>) {
    let store = make();
    let judge = |what: &Judged| {
        write(&*store, &tenant("t"), |tx| tx.judge(what)).unwrap();
    };
    let page = |listing: &JudgementListing| {
        store
            .snapshot()
            .unwrap()
            .judgements(&tenant("t"), listing)
            .unwrap()
    };
    let runs = || {
        store
            .snapshot()
            .unwrap()
            .baseline(&tenant("t"), &BaselineKey::AllRuns)
            .unwrap()
            .shift
    };
    assert_eq!((page(&JudgementListing::default()), runs()), (vec![], 0));

    let (first, second) = (judged(Some("r1"), 5), judged(Some("r2"), 7));
    let (again, said) = (judged(Some("r1"), -3), judged(None, 0));
    for it in [&first, &second, &said, &again, &said] {
        judge(it);
    }
    // The run that was judged anew keeps its place, and a word is never taken for the same one.
    let all = page(&JudgementListing::default());
    let told: Vec<_> = all.iter().map(|it| (it.0.0, &it.1)).collect();
    assert_eq!(told, [(4, &said), (3, &said), (2, &second), (1, &again)]);
    assert_eq!(runs(), 4);
    let key = BaselineKey::CallsForFailure(failure("f1"));
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .baseline(&tenant("t"), &key)
            .unwrap()
            .shift,
        4
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .baseline(&tenant("u"), &key)
            .unwrap()
            .shift,
        0
    );

    let mut listing = JudgementListing {
        before: Some(JudgementId(3)),
        limit: 1,
        ..JudgementListing::default()
    };
    assert_eq!(page(&listing), all[2..3]);
    listing.run = Some(run("r1"));
    assert_eq!(page(&listing), all[3..]);
    listing.run = Some(run("r9"));
    assert_eq!(page(&listing), []);

    // A transaction sees what it judged, and a refused one leaves nothing behind.
    let refused: Result<()> = write(&*store, &tenant("t"), |transaction| {
        transaction.judge(&judged(Some("r2"), 100))?;
        let runs = transaction
            .reader()
            .baseline(&tenant("t"), &BaselineKey::AllRuns)?;
        assert_eq!(runs.shift, 97);
        Err(StoreError::refused("thought better of it"))
    });
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Refused);
    assert_eq!((page(&JudgementListing::default()), runs()), (all, 4));
}

pub(super) fn witnesses(make: Make<'_>) {
    let store = make();
    let sight = |name: &str, trouble: &str, second: i64| {
        let sighting = Sighting {
            scope: here(),
            failure: failure(trouble),
            run: run(name),
            at: at(second),
            lesson: (name == "r1").then(|| full(&here())),
        };
        write(&*store, &tenant("t"), |tx| tx.sight(&sighting)).unwrap()
    };
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .witness(&here(), &failure("f1"))
            .unwrap(),
        None
    );
    sight("r1", "f1", 1);
    sight("r1", "f1", 2);
    let witness = sight("r2", "f1", 3);
    assert_eq!(witness.runs, [run("r1"), run("r2")]);
    assert_eq!((witness.first, witness.last), (at(1), at(3)));
    assert_eq!(witness.lesson, Some(full(&here())));
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .witness(&here(), &failure("f1"))
            .unwrap(),
        Some(witness)
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .witness(&here().without_project(), &failure("f1"))
            .unwrap(),
        None
    );
    for number in 3..80 {
        sight(&format!("r{number}"), "f1", number);
    }
    let runs = store
        .snapshot()
        .unwrap()
        .witness(&here(), &failure("f1"))
        .unwrap()
        .expect("it is there")
        .runs;
    assert_eq!(runs.len(), limits::CANDIDATE_LESSON_RUNS);
    assert_eq!((&runs[0], &runs[1]), (&run("r1"), &run("r17")));
    for _ in 0..2 {
        let forget = |tx: &mut dyn Write| tx.forget_witness(&here(), &failure("f1"));
        write(&*store, &tenant("t"), forget).unwrap();
    }
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .witness(&here(), &failure("f1"))
            .unwrap(),
        None
    );
}

pub(super) fn sources(make: Make<'_>) {
    let store = make();
    let source = Source {
        position: 7,
        fingerprint: "ab".into(),
        state: vec![0, 1, 255],
        at: at(0),
    };
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .source(&tenant("t"), "/a")
            .unwrap(),
        None
    );
    let keep = |name: &str, source: &Source| {
        write(&*store, &tenant("t"), |tx| tx.keep_source(name, source))
    };
    keep("/a", &source).unwrap();
    let further = Source {
        position: 9,
        ..source.clone()
    };
    keep("/b", &source).unwrap();
    keep("/a", &further).unwrap();
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .source(&tenant("t"), "/a")
            .unwrap(),
        Some(further)
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .source(&tenant("t"), "/b")
            .unwrap(),
        Some(source.clone())
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .source(&tenant("u"), "/a")
            .unwrap(),
        None
    );
    let large = Source {
        state: vec![0; limits::SOURCE_STATE_BYTES + 1],
        ..source
    };
    let outcome = keep("/a", &large);
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Invalid);
}

/// What is kept beside lessons in a transaction comes and goes with it.
pub(super) fn with_lessons(make: Make<'_>) {
    let store = make();
    let sighting = |name: &str| Sighting {
        scope: here(),
        failure: failure("f1"),
        run: run(name),
        at: at(1),
        lesson: None,
    };
    let source = Source {
        position: 7,
        fingerprint: "ab".into(),
        state: vec![1],
        at: at(0),
    };
    let keep = |is_kept: bool| {
        let done = write(&*store, &tenant("t"), |tx| {
            let witness = tx.sight(&sighting("r1"))?;
            assert_eq!(tx.reader().witness(&here(), &failure("f1"))?, Some(witness));
            assert_eq!(tx.sight(&sighting("r2"))?.runs.len(), 2);
            tx.keep_source("/a", &source)?;
            assert_eq!(
                tx.reader().source(&tenant("t"), "/a")?.as_ref(),
                Some(&source)
            );
            learn_in(tx, admitted(&here(), "use alpha"), 9, at(1))?;
            is_kept
                .then_some(())
                .ok_or_else(|| StoreError::refused("no"))
        });
        let lessons = listed_ids(&*store, &Listing::default()).len();
        (done.is_ok(), lessons)
    };
    assert_eq!(keep(false), (false, 0));
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .witness(&here(), &failure("f1"))
            .unwrap(),
        None
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .source(&tenant("t"), "/a")
            .unwrap(),
        None
    );
    assert_eq!(keep(true), (true, 1));
    assert!(
        store
            .snapshot()
            .unwrap()
            .witness(&here(), &failure("f1"))
            .unwrap()
            .is_some()
    );
    assert!(
        store
            .snapshot()
            .unwrap()
            .source(&tenant("t"), "/a")
            .unwrap()
            .is_some()
    );
    let forget = write(&*store, &tenant("t"), |tx| {
        tx.forget_witness(&here(), &failure("f1"))
    });
    assert!(forget.is_ok());
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .witness(&here(), &failure("f1"))
            .unwrap(),
        None
    );
    let large = Source {
        state: vec![0; limits::SOURCE_STATE_BYTES + 1],
        ..source.clone()
    };
    let outcome = write(&*store, &tenant("t"), |tx| tx.keep_source("/a", &large));
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Invalid);
    audit(&*store, &tenant("t"));
}
