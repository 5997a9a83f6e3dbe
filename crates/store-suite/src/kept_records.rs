//! The contract of records besides lessons, case by case: recalls, judgements, candidate lessons, and how far a source
//! was read.

use hardwon_core::{BaselineKey, ClientName, FailureKey, LessonId, Scope, limits};
use hardwon_store::{
    JudgementId, JudgementListing, JudgementRecord, LessonListing, QueryTextReader, RecallId,
    RecallListing, Result, ScopeFilter, Sighting, SourceProgress, SpoolLevel, StoreError,
    StoreErrorKind, Write,
};

use super::{MakeStore, inspect::audit_tenant, samples::*};

pub(super) fn counts_recalls_once(make: MakeStore<'_>) {
    let store = make();
    let id = add_lesson(&*store, &default_scope(), "use alpha");
    let shown = sample_recall(&default_scope(), &[id, LessonId(50)]);
    let silent = sample_recall(&default_scope().without_project(), &[]);
    assert_eq!(store.spool_recall(&shown).unwrap(), SpoolLevel::HasRoom);
    store.spool_recall(&silent).unwrap();
    let page = |listing: &RecallListing| {
        store
            .snapshot()
            .unwrap()
            .recalls(&tenant_id("t"), listing)
            .unwrap()
    };
    assert_eq!(page(&RecallListing::default()), []);

    let flushed = store.flush(&tenant_id("t")).unwrap();
    assert_eq!((flushed.recalls, flushed.unreadable), (2, 0));
    assert_eq!(store.flush(&tenant_id("t")).unwrap().recalls, 0);
    let counts = get_lesson(&*store, id).counts;
    assert_eq!((counts.shown, counts.last_shown), (1, Some(time_at(5))));
    let all = page(&RecallListing::default());
    assert_eq!(
        all.iter().map(|entry| &entry.1).collect::<Vec<_>>(),
        [&silent, &shown]
    );
    let mut listing = RecallListing {
        limit: 1,
        ..RecallListing::default()
    };
    assert_eq!(page(&listing), all[..1]);
    listing.before = Some(all[0].0);
    assert_eq!(page(&listing), all[1..]);
    listing.run = Some(run_id("r2"));
    assert_eq!(page(&listing), []);

    // The next commit counts spooled recalls, and a refused one leaves them for the one after.
    store.spool_recall(&shown).unwrap();
    let refused: Result<()> =
        commit_work(&*store, &tenant_id("t"), |_| Err(StoreError::refused("no")));
    assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Refused);
    assert_eq!(get_lesson(&*store, id).counts.shown, 1);
    let shown = commit_work(&*store, &tenant_id("t"), |tx| {
        Ok(tx
            .reader()
            .lesson(&tenant_id("t"), id)?
            .map(|lesson| lesson.counts.shown))
    });
    assert_eq!(shown.unwrap(), Some(2));
    assert_eq!(store.flush(&tenant_id("t")).unwrap().recalls, 0);
    assert_eq!(get_lesson(&*store, id).counts.shown, 2);
    audit_tenant(&*store, &tenant_id("t"));
}

/// Recalls are listed by scope and client.
pub(super) fn lists_recalls(make: MakeStore<'_>) {
    let store = make();
    let places = [("a", ""), ("a", "p"), ("a", "q"), ("b", "p")];
    for (agent, project) in places {
        store
            .spool_recall(&sample_recall(&make_scope("t", agent, project), &[]))
            .unwrap();
    }
    store.flush(&tenant_id("t")).unwrap();
    let place = |agent: &str, project: &str| make_scope("t", agent, project);
    let codex = sample_recall(&place("a", ""), &[]).client;
    let other = ClientName::parse("other").ok();
    for (within, client, expected) in [
        (ScopeFilter::Tenant, None, vec![4, 3, 2, 1]),
        (ScopeFilter::Tenant, codex, vec![4, 3, 2, 1]),
        (ScopeFilter::Tenant, other, vec![]),
        (
            ScopeFilter::Agent(place("a", "").agent),
            None,
            vec![3, 2, 1],
        ),
        (
            ScopeFilter::Project(place("a", "p").project),
            None,
            vec![4, 2],
        ),
        (ScopeFilter::Project(None), None, vec![1]),
        (ScopeFilter::Scope(place("a", "p")), None, vec![2]),
        (ScopeFilter::Visible(place("a", "p")), None, vec![2, 1]),
    ] {
        let listing = RecallListing {
            within,
            client,
            ..RecallListing::default()
        };
        let page = store.snapshot().unwrap().recalls(&tenant_id("t"), &listing);
        let ids: Vec<i64> = page.unwrap().iter().map(|page| page.0.0).collect();
        assert_eq!(ids, expected, "{listing:?}");
    }
}

/// The query text of a recall is read by its own agent and the owner, is in no listing, and is deleted after its days,
/// with its recall, or on request.
pub(super) fn keeps_query_text_apart(make: MakeStore<'_>) {
    let store = make();
    let day = 24 * 60 * 60;
    let note = |agent: &str, second: i64, asked: Option<&str>| {
        let mut recall = sample_recall(&make_scope("t", agent, "host/a"), &[]);
        recall.at = time_at(second);
        recall.query_text = asked.map(clean_text);
        store.spool_recall(&recall).unwrap();
        store.flush(&tenant_id("t")).unwrap();
        recall.query_text = None;
        let page = store
            .snapshot()
            .unwrap()
            .recalls(&tenant_id("t"), &RecallListing::default());
        let (id, there) = page.unwrap().remove(0);
        assert_eq!(there, recall);
        id
    };
    let read = |id: RecallId, reader: QueryTextReader<'_>| {
        let asked = store
            .snapshot()
            .unwrap()
            .query_text(&tenant_id("t"), id, reader)
            .unwrap();
        asked.map(|question| question.as_str().to_owned())
    };
    let (own, other) = (
        make_scope("t", "a", "").agent,
        make_scope("t", "b", "").agent,
    );
    let long = "é".repeat(2 * limits::QUERY_TEXT_CHARS);
    let first = note("a", 0, Some("mend the gate"));
    let second = note("b", day, Some(&long));
    let silent = note("a", day, None);
    for (id, reader, expected) in [
        (first, QueryTextReader::Owner, Some("mend the gate")),
        (first, QueryTextReader::Agent(&own), Some("mend the gate")),
        (first, QueryTextReader::Agent(&other), None),
        (second, QueryTextReader::Agent(&own), None),
        (
            second,
            QueryTextReader::Owner,
            Some(&long[..long.len() / 2]),
        ),
        (silent, QueryTextReader::Owner, None),
        (RecallId(99), QueryTextReader::Owner, None),
    ] {
        assert_eq!(read(id, reader).as_deref(), expected, "{id:?} {reader:?}");
    }
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .query_text(&tenant_id("u"), first, QueryTextReader::Owner)
            .unwrap(),
        None
    );

    note("b", limits::QUERY_TEXT_DAYS * day, None);
    assert!(read(first, QueryTextReader::Owner).is_some());
    let third = note("b", limits::QUERY_TEXT_DAYS * day + 1, Some("later"));
    assert_eq!(read(first, QueryTextReader::Owner), None);
    assert!(read(second, QueryTextReader::Owner).is_some());
    let forget = |name: &str, before: i64| {
        commit_work(&*store, &tenant_id(name), |tx| {
            tx.erase_query_texts(time_at(before))
        })
        .unwrap();
    };
    forget("u", 99 * day);
    forget("t", day + 1);
    assert_eq!(read(second, QueryTextReader::Owner), None);
    assert!(read(third, QueryTextReader::Owner).is_some());
}

pub(super) fn judges_run_once(make: MakeStore<'_>) {
    let store = make();
    let judge = |what: &JudgementRecord| {
        commit_work(&*store, &tenant_id("t"), |tx| tx.save_judgement(what)).unwrap();
    };
    let page = |listing: &JudgementListing| {
        store
            .snapshot()
            .unwrap()
            .judgements(&tenant_id("t"), listing)
            .unwrap()
    };
    let runs = || {
        store
            .snapshot()
            .unwrap()
            .baseline(&tenant_id("t"), &BaselineKey::AllRuns)
            .unwrap()
            .shift
    };
    assert_eq!((page(&JudgementListing::default()), runs()), (vec![], 0));

    let (first, second) = (
        sample_judgement(Some("r1"), 5),
        sample_judgement(Some("r2"), 7),
    );
    let (again, said) = (sample_judgement(Some("r1"), -3), sample_judgement(None, 0));
    for it in [&first, &second, &said, &again, &said] {
        judge(it);
    }
    // A run that is judged again keeps its place; two reports without a run never count as the same.
    let all = page(&JudgementListing::default());
    let told: Vec<_> = all.iter().map(|entry| (entry.0.0, &entry.1)).collect();
    assert_eq!(told, [(4, &said), (3, &said), (2, &second), (1, &again)]);
    assert_eq!(runs(), 4);
    let key = BaselineKey::CallsForFailure(failure_key("f1"));
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .baseline(&tenant_id("t"), &key)
            .unwrap()
            .shift,
        4
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .baseline(&tenant_id("u"), &key)
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
    listing.run = Some(run_id("r1"));
    assert_eq!(page(&listing), all[3..]);
    listing.run = Some(run_id("r9"));
    assert_eq!(page(&listing), []);

    // A transaction sees its own judgements, and a refused one leaves nothing behind.
    let refused: Result<()> = commit_work(&*store, &tenant_id("t"), |transaction| {
        transaction.save_judgement(&sample_judgement(Some("r2"), 100))?;
        let runs = transaction
            .reader()
            .baseline(&tenant_id("t"), &BaselineKey::AllRuns)?;
        assert_eq!(runs.shift, 97);
        Err(StoreError::refused("thought better of it"))
    });
    assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Refused);
    assert_eq!((page(&JudgementListing::default()), runs()), (all, 4));
}

pub(super) fn drops_the_oldest_candidates(make: MakeStore<'_>) {
    let store = make();
    let sight = |tx: &mut dyn Write, number: usize| {
        let failure = failure_key(&format!("f{number:05}"));
        // Names and times go in opposite directions.
        let at = time_at(10_000 - i64::try_from(number).unwrap());
        tx.record_sighting(&Sighting::new(&default_scope(), failure, &run_id("r1"), at))
    };
    let most = limits::CANDIDATE_LESSONS;
    for numbers in [0..most, most..most + 2] {
        commit_work(&*store, &tenant_id("t"), |tx| {
            numbers
                .clone()
                .try_for_each(|number| sight(tx, number).map(drop))
        })
        .unwrap();
    }
    let is_kept = |number: usize| {
        let failure = failure_key(&format!("f{number:05}"));
        let candidate = store
            .snapshot()
            .unwrap()
            .candidate_lesson(&default_scope(), &failure);
        candidate.unwrap().is_some()
    };
    let edges = [0, most - 1, most, most + 1].map(is_kept);
    assert_eq!(edges, [true, true, false, false]);
}

pub(super) fn remembers_candidates(make: MakeStore<'_>) {
    let store = make();
    let kept = |scope: &Scope| {
        let snapshot = store.snapshot().unwrap();
        snapshot
            .candidate_lesson(scope, &failure_key("f1"))
            .unwrap()
    };
    let sight = |name: &str, trouble: &str, second: i64| {
        let sighting = Sighting {
            scope: default_scope(),
            failure: failure_key(trouble),
            run: run_id(name),
            at: time_at(second),
            lesson: (name == "r1").then(|| full_lesson(&default_scope())),
        };
        commit_work(&*store, &tenant_id("t"), |tx| tx.record_sighting(&sighting)).unwrap()
    };
    assert_eq!(kept(&default_scope()), None);
    sight("r1", "f1", 1);
    sight("r1", "f1", 2);
    let witness = sight("r2", "f1", 3);
    assert_eq!(witness.runs, [run_id("r1"), run_id("r2")]);
    assert_eq!(
        (witness.first_seen, witness.last_seen),
        (time_at(1), time_at(3))
    );
    assert_eq!(witness.lesson, Some(full_lesson(&default_scope())));
    assert_eq!(kept(&default_scope()), Some(witness));
    assert_eq!(kept(&default_scope().without_project()), None);
    // Those that have words can be listed.
    sight("r2", "f2", 4);
    sight("r1", "f3", 5);
    let listed = |scope: &Scope| -> Vec<FailureKey> {
        let candidates = store.snapshot().unwrap().candidate_lessons(scope).unwrap();
        candidates.into_iter().map(|(failure, _)| failure).collect()
    };
    assert_eq!(
        listed(&default_scope()),
        [failure_key("f3"), failure_key("f1")]
    );
    assert_eq!(listed(&default_scope().without_project()), []);
    for number in 6..80 {
        sight(&format!("r{number}"), "f1", number);
    }
    let runs = kept(&default_scope()).expect("it is there").runs;
    assert_eq!(runs.len(), limits::CANDIDATE_LESSON_RUNS);
    assert_eq!((&runs[0], &runs[1]), (&run_id("r1"), &run_id("r17")));
    for _ in 0..2 {
        let forget =
            |tx: &mut dyn Write| tx.delete_candidate_lesson(&default_scope(), &failure_key("f1"));
        commit_work(&*store, &tenant_id("t"), forget).unwrap();
    }
    assert_eq!(kept(&default_scope()), None);
}

pub(super) fn keeps_source_progress(make: MakeStore<'_>) {
    let store = make();
    let source = SourceProgress {
        position: 7,
        fingerprint: "ab".into(),
        state: vec![0, 1, 255],
        at: time_at(0),
    };
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .source_progress(&tenant_id("t"), "/a")
            .unwrap(),
        None
    );
    let keep = |name: &str, source: &SourceProgress| {
        commit_work(&*store, &tenant_id("t"), |tx| {
            tx.save_source_progress(name, source)
        })
    };
    keep("/a", &source).unwrap();
    let further = SourceProgress {
        position: 9,
        ..source.clone()
    };
    keep("/b", &source).unwrap();
    keep("/a", &further).unwrap();
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .source_progress(&tenant_id("t"), "/a")
            .unwrap(),
        Some(further)
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .source_progress(&tenant_id("t"), "/b")
            .unwrap(),
        Some(source.clone())
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .source_progress(&tenant_id("u"), "/a")
            .unwrap(),
        None
    );
    let large = SourceProgress {
        state: vec![0; limits::SOURCE_STATE_BYTES + 1],
        ..source
    };
    let outcome = keep("/a", &large);
    assert_eq!(outcome.unwrap_err().kind(), StoreErrorKind::Invalid);
}

/// Records written in a transaction are committed and rolled back with it.
pub(super) fn commits_with_lessons(make: MakeStore<'_>) {
    let store = make();
    let sighting = |name: &str| Sighting {
        scope: default_scope(),
        failure: failure_key("f1"),
        run: run_id(name),
        at: time_at(1),
        lesson: None,
    };
    let source = SourceProgress {
        position: 7,
        fingerprint: "ab".into(),
        state: vec![1],
        at: time_at(0),
    };
    let keep = |is_kept: bool| {
        let done = commit_work(&*store, &tenant_id("t"), |tx| {
            let witness = tx.record_sighting(&sighting("r1"))?;
            assert_eq!(
                tx.reader()
                    .candidate_lesson(&default_scope(), &failure_key("f1"))?,
                Some(witness)
            );
            assert_eq!(tx.record_sighting(&sighting("r2"))?.runs.len(), 2);
            tx.save_source_progress("/a", &source)?;
            assert_eq!(
                tx.reader().source_progress(&tenant_id("t"), "/a")?.as_ref(),
                Some(&source)
            );
            learn_in_transaction(
                tx,
                admitted_lesson(&default_scope(), "use alpha"),
                9,
                time_at(1),
            )?;
            is_kept
                .then_some(())
                .ok_or_else(|| StoreError::refused("no"))
        });
        let lessons = listed_ids(&*store, &LessonListing::default()).len();
        (done.is_ok(), lessons)
    };
    assert_eq!(keep(false), (false, 0));
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .candidate_lesson(&default_scope(), &failure_key("f1"))
            .unwrap(),
        None
    );
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .source_progress(&tenant_id("t"), "/a")
            .unwrap(),
        None
    );
    assert_eq!(keep(true), (true, 1));
    assert!(
        store
            .snapshot()
            .unwrap()
            .candidate_lesson(&default_scope(), &failure_key("f1"))
            .unwrap()
            .is_some()
    );
    assert!(
        store
            .snapshot()
            .unwrap()
            .source_progress(&tenant_id("t"), "/a")
            .unwrap()
            .is_some()
    );
    let forget = commit_work(&*store, &tenant_id("t"), |tx| {
        tx.delete_candidate_lesson(&default_scope(), &failure_key("f1"))
    });
    assert!(forget.is_ok());
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .candidate_lesson(&default_scope(), &failure_key("f1"))
            .unwrap(),
        None
    );
    let large = SourceProgress {
        state: vec![0; limits::SOURCE_STATE_BYTES + 1],
        ..source.clone()
    };
    let outcome = commit_work(&*store, &tenant_id("t"), |tx| {
        tx.save_source_progress("/a", &large)
    });
    assert_eq!(outcome.unwrap_err().kind(), StoreErrorKind::Invalid);
    audit_tenant(&*store, &tenant_id("t"));
}
