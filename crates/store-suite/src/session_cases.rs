//! The contract of stores of sessions.

use std::{thread, time::Duration};

use hardwon_core::{AgentId, TenantId};
use hardwon_store::{
    SessionAddition, SessionPlace, SessionRecord, SessionStore, sessions::SessionPart,
};
use jiff::Timestamp;

use super::samples::{tenant_id, time_at};

/// Makes an empty store of sessions for one case.
pub type MakeSessionStore<'a> = &'a dyn Fn() -> Box<dyn SessionStore>;

/// A case: what it claims, and the function that checks it.
pub type SessionCase = (&'static str, fn(MakeSessionStore<'_>));

/// Every case, in the order of reading.
pub const SESSION_CASES: &[SessionCase] = &[
    ("a record is what was appended, up to its bound", appended),
    (
        "a record that is replaced has nothing of the one before",
        replaced,
    ),
    ("one holds a lock, until it is released or over", locked),
    ("a lock that is renewed goes on", renewed),
    ("a record moves over another", moved),
    (
        "records are listed by their tenant, agent, part and name",
        listed,
    ),
    ("what is old is deleted", deleted),
    (
        "of those that replace at once one is left",
        replaced_at_once,
    ),
    ("what many append at once is all there", appended_at_once),
];

fn agent(name: &str) -> AgentId {
    AgentId::parse(name).unwrap()
}

fn place(tenant: &str, part: SessionPart, name: &str) -> SessionPlace {
    SessionPlace {
        tenant: tenant_id(tenant),
        agent: agent("a"),
        part,
        name: name.to_owned(),
    }
}

fn memory(name: &str) -> SessionPlace {
    place("t", SessionPart::Memory, name)
}

fn append(store: &dyn SessionStore, place: &SessionPlace, bytes: &[u8], at: Timestamp) {
    let addition = SessionAddition {
        bytes,
        most: 1_000_000,
        at,
    };
    store.append(place, addition, None).unwrap();
}

fn read(store: &dyn SessionStore, place: &SessionPlace, reach: usize) -> (Vec<u8>, u64) {
    let SessionRecord { end, length, .. } = store.read_record(place, reach).unwrap();
    (end, length)
}

fn appended(make: MakeSessionStore<'_>) {
    let store = make();
    let here = memory("00");
    assert_eq!(
        store.read_record(&here, 10).unwrap(),
        SessionRecord::default()
    );
    for bytes in [&b"one\n"[..], b"", b"two\n", b"\0\xff\n"] {
        let before = store.read_record(&here, 0).unwrap();
        append(&*store, &here, bytes, time_at(0));
        assert!(store.read_record(&here, 0).unwrap().changes > before.changes);
    }
    assert_eq!(
        read(&*store, &here, 100),
        (b"one\ntwo\n\0\xff\n".to_vec(), 11)
    );
    assert_eq!(read(&*store, &here, 5), (b"o\n\0\xff\n".to_vec(), 11));
    assert_eq!(read(&*store, &here, 0), (Vec::new(), 11));
    assert_eq!(read(&*store, &memory("01"), 5).1, 0);
    assert_eq!(
        read(&*store, &place("u", SessionPart::Memory, "00"), 5).1,
        0
    );
    for most in [11, 11] {
        let addition = SessionAddition {
            bytes: b"more",
            most,
            at: time_at(0),
        };
        store.append(&here, addition, None).unwrap();
    }
    assert_eq!(read(&*store, &here, 0).1, 15, "the second did not fit");
    store.delete_record(&here).unwrap();
    assert_eq!(read(&*store, &here, 100).1, 0);
}

fn replaced(make: MakeSessionStore<'_>) {
    let store = make();
    let here = memory("00");
    let long = vec![b'x'; 300_000];
    append(&*store, &here, &long, time_at(0));
    append(&*store, &here, &long, time_at(0));
    assert_eq!(read(&*store, &here, 400_000).0, vec![b'x'; 400_000]);
    store.replace(&here, b"short", time_at(1)).unwrap();
    assert_eq!(read(&*store, &here, 100), (b"short".to_vec(), 5));
    append(&*store, &here, b"er", time_at(1));
    assert_eq!(read(&*store, &here, 100), (b"shorter".to_vec(), 7));
}

fn locked(make: MakeSessionStore<'_>) {
    let store = make();
    let here = memory("00");
    let minute = Duration::from_secs(60);
    let lock = store.lock(&here, minute).unwrap().unwrap();
    assert_eq!(store.lock(&here, minute).unwrap(), None);
    assert!(store.lock(&memory("01"), minute).unwrap().is_some());
    assert_eq!(read(&*store, &here, 1).1, 0, "a lock is no record");
    let listed = store.list_records(&tenant_id("t"), &agent("a"), SessionPart::Memory, "");
    assert!(listed.unwrap().is_empty());
    store.replace(&here, b"mine", time_at(0)).unwrap();
    assert_eq!(store.lock(&here, minute).unwrap(), None, "it is kept");
    store.release(&here, lock).unwrap();
    let brief = store.lock(&here, Duration::from_millis(1)).unwrap();
    thread::sleep(Duration::from_millis(20));
    let next = store.lock(&here, minute).unwrap().unwrap();
    // Whoever was too slow does not take the lock away from the next.
    let late = SessionAddition {
        bytes: b"late",
        most: 100,
        at: time_at(0),
    };
    store.append(&here, late, brief).unwrap();
    assert_eq!(store.lock(&here, minute).unwrap(), None);
    store.append(&here, late, Some(next)).unwrap();
    assert!(store.lock(&here, minute).unwrap().is_some());
    assert_eq!(read(&*store, &here, 100).0, b"minelatelate");
}

fn renewed(make: MakeSessionStore<'_>) {
    let store = make();
    let here = memory("00");
    let (brief, minute) = (Duration::from_millis(1), Duration::from_secs(60));
    let lock = store.lock(&here, brief).unwrap().unwrap();
    thread::sleep(Duration::from_millis(20));
    // Its time is over, and nobody has taken the record.
    assert!(store.renew(&here, lock, minute).unwrap());
    assert_eq!(store.lock(&here, minute).unwrap(), None);
    assert!(store.renew(&here, lock, brief).unwrap());
    thread::sleep(Duration::from_millis(20));
    let next = store.lock(&here, minute).unwrap().unwrap();
    assert!(!store.renew(&here, lock, minute).unwrap(), "somebody has");
    store.release(&here, next).unwrap();
    assert!(
        !store.renew(&here, next, minute).unwrap(),
        "it was released"
    );
    assert!(!store.renew(&memory("01"), next, minute).unwrap());
    assert!(store.lock(&here, minute).unwrap().is_some());
}

fn moved(make: MakeSessionStore<'_>) {
    let store = make();
    let due = |part| place("t", part, "00");
    let (from, to) = (due(SessionPart::Due), due(SessionPart::Claimed));
    store.replace(&to, b"before", time_at(0)).unwrap();
    store.move_record(&from, SessionPart::Claimed).unwrap();
    assert_eq!(
        read(&*store, &to, 100).0,
        b"before",
        "there was nothing to move"
    );
    store.replace(&from, b"now", time_at(1)).unwrap();
    store.move_record(&from, SessionPart::Claimed).unwrap();
    assert_eq!(read(&*store, &to, 100), (b"now".to_vec(), 3));
    assert_eq!(read(&*store, &from, 100).1, 0);
}

fn listed(make: MakeSessionStore<'_>) {
    let store = make();
    let tenant = tenant_id("t");
    for (name, at) in [("aa-2", 3), ("aa-1", 5), ("ab-1", 1)] {
        store.replace(&memory(name), b"x", time_at(at)).unwrap();
    }
    store
        .replace(&place("u", SessionPart::Memory, "aa-9"), b"x", time_at(0))
        .unwrap();
    store
        .replace(&place("t", SessionPart::Due, "aa-8"), b"x", time_at(0))
        .unwrap();
    let other = SessionPlace {
        agent: agent("b"),
        ..memory("aa-7")
    };
    store.replace(&other, b"x", time_at(0)).unwrap();
    let list = |tenant: &TenantId, name: &str, prefix: &str| -> Vec<String> {
        let found = store.list_records(tenant, &agent(name), SessionPart::Memory, prefix);
        found.unwrap().into_iter().map(|pair| pair.0).collect()
    };
    assert_eq!(list(&tenant, "a", ""), ["ab-1", "aa-2", "aa-1"]);
    assert_eq!(list(&tenant, "a", "aa-"), ["aa-2", "aa-1"]);
    assert_eq!(list(&tenant, "b", ""), ["aa-7"]);
    assert_eq!(list(&tenant_id("u"), "a", ""), ["aa-9"]);
    assert_eq!(
        store.list_agents(&tenant).unwrap(),
        [agent("a"), agent("b")]
    );
    let at = store.list_records(&tenant, &agent("b"), SessionPart::Memory, "");
    assert_eq!(at.unwrap()[0].1, time_at(0));
}

fn deleted(make: MakeSessionStore<'_>) {
    let store = make();
    for (name, at) in [("00", 1), ("01", 5)] {
        append(&*store, &memory(name), b"x", time_at(at));
        append(
            &*store,
            &place("u", SessionPart::Memory, name),
            b"x",
            time_at(at),
        );
    }
    store.delete_old(&tenant_id("t"), time_at(5)).unwrap();
    assert_eq!(read(&*store, &memory("00"), 9).1, 0);
    assert_eq!(read(&*store, &memory("01"), 9).1, 1);
    assert_eq!(
        read(&*store, &place("u", SessionPart::Memory, "00"), 9).1,
        1
    );
}

fn appended_at_once(make: MakeSessionStore<'_>) {
    let store = make();
    let store = &*store;
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    append(store, &memory("00"), b"line\n", time_at(0));
                }
            });
        }
    });
    assert_eq!(read(store, &memory("00"), 1000).0, b"line\n".repeat(40));
}

fn replaced_at_once(make: MakeSessionStore<'_>) {
    let store = make();
    let store = &*store;
    for round in 0..8 {
        let here = memory(&format!("{round:02}"));
        thread::scope(|scope| {
            for text in [b"one!", b"two!", b"tri!"] {
                let here = &here;
                scope.spawn(move || store.replace(here, text, time_at(0)).unwrap());
            }
        });
        let (left, length) = read(store, &here, 100);
        assert_eq!((left.len(), length), (4, 4), "{left:?}");
    }
}
