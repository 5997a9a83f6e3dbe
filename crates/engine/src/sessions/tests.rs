//! Tests that every implementation of [`Sessions`] must pass.

use crate::desk::person;
use std::{
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use hardwon_core::{
    AgentId, CallStatus, ClientName, LessonContent, OutsideWords, ProjectId, RawText, RunEvent,
    RunId, RunStatus, Scope, TenantId, ToolCall, limits,
};
use hardwon_store::{
    SessionAddition, SessionLock, SessionPlace, SessionRecord, SessionStore, StoreError,
    sessions::SessionPart,
};
use hardwon_store_suite::{MemorySessionStore, MemoryStore};
use jiff::Timestamp;

use crate::{
    AgentSession, Engine, FixedClock, Policy, ReplyChannel, SessionEvent, SessionEventKind,
    attend::SessionStartKind,
};
use crate::{
    DueSession, FileSessions, SessionClaim, SessionKey, SessionTree, Sessions, StoredSessions,
};

const REACH: usize = limits::SESSION_TAIL_BYTES;

/// Runs a check on every backend.
fn on_each(check: impl Fn(&dyn Sessions)) {
    let home = tempfile::tempdir().unwrap();
    check(&FileSessions::new(&home.path().join("state")));
    let store = Arc::new(MemorySessionStore::default());
    let Scope { tenant, agent, .. } = Scope::default();
    check(&StoredSessions::new(store, tenant, agent));
}

fn run(name: &str) -> RunId {
    RunId::parse(name).unwrap()
}

fn due(name: &str) -> DueSession {
    DueSession {
        run: name.to_owned(),
        client: "codex".to_owned(),
        folder: None,
        parent: None,
        transcript: Some("/t.jsonl".into()),
        is_unattended: false,
        tries: 0,
        writs: Vec::new(),
        reported: None,
    }
}

fn key(name: &str) -> SessionKey {
    SessionKey::from_run(name)
}

#[test]
fn a_memory_is_what_was_appended() {
    on_each(|sessions| {
        let s1 = run("s1");
        assert!(sessions.read_memory(&s1).is_err());
        assert_eq!(sessions.memory_state(&s1), "");
        let memory = sessions.open_memory(&s1, REACH).unwrap();
        assert!(memory.is_locked());
        assert_eq!(memory.tail(), b"");
        memory.append("one\n").unwrap();
        let before = sessions.memory_state(&s1);
        sessions
            .open_memory(&s1, REACH)
            .unwrap()
            .append("two\n")
            .unwrap();
        assert_ne!(sessions.memory_state(&s1), before);
        assert_eq!(
            sessions.open_memory(&s1, REACH).unwrap().tail(),
            b"one\ntwo\n"
        );
        assert_eq!(sessions.read_memory(&s1).unwrap(), b"one\ntwo\n");
        assert_eq!(sessions.open_memory(&run("s2"), REACH).unwrap().tail(), b"");
    });
}

#[test]
fn one_at_a_time_decides_about_a_session() {
    on_each(|sessions| {
        let first = sessions.open_memory(&run("s1"), REACH).unwrap();
        let second = sessions.open_memory(&run("s1"), REACH).unwrap();
        assert_eq!((first.is_locked(), second.is_locked()), (true, false));
        assert!(sessions.open_memory(&run("s2"), REACH).unwrap().is_locked());
        // The lines are written all the same.
        second.append("second\n").unwrap();
        first.append("first\n").unwrap();
        let lines = String::from_utf8(sessions.read_memory(&run("s1")).unwrap()).unwrap();
        let lines: Vec<&str> = lines.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, ["second", "first"]);
        thread::scope(|scope| {
            let held = sessions.open_memory(&run("s1"), REACH).unwrap();
            let waits =
                scope.spawn(|| sessions.open_memory(&run("s1"), REACH).unwrap().is_locked());
            thread::sleep(Duration::from_millis(20));
            drop(held);
            assert!(waits.join().unwrap(), "the lock is waited for");
        });
    });
}

#[test]
fn a_long_memory_keeps_its_end() {
    on_each(|sessions| {
        let line = format!("{}\n", "x".repeat(999));
        let lines = 2 * limits::SESSION_KEPT_BYTES / line.len() + 2;
        let append = |text: &str| {
            sessions
                .open_memory(&run("s1"), REACH)
                .unwrap()
                .append(text)
        };
        append(&line.repeat(lines)).unwrap();
        append("last\n").unwrap();
        sessions.shorten_memory(&run("s1")).unwrap();
        let kept = sessions.read_memory(&run("s1")).unwrap();
        assert!(kept.len() <= limits::SESSION_KEPT_BYTES);
        assert!(kept.len() > limits::SESSION_KEPT_BYTES - line.len());
        assert!(kept.ends_with(b"x\nlast\n"));
    });
}

#[test]
fn a_session_is_claimed_until_it_is_done() {
    on_each(|sessions| {
        let claim = |name: &str| sessions.claim_due(&key(name));
        let new = |due: DueSession| SessionClaim {
            due,
            learned_state: None,
        };
        assert_eq!(sessions.list_due(), []);
        assert_eq!(claim("s1"), None);
        for name in ["s1", "s1", "s2"] {
            sessions.add_due(&due(name)).unwrap();
        }
        let first = claim("s1").unwrap();
        assert_eq!(first, new(due("s1")));
        let all = [key("s1"), key("s2")];
        assert_eq!(
            sessions.list_due(),
            all,
            "a claim may have been left behind"
        );
        assert_eq!(claim("s1"), Some(first.clone()), "so it is taken up");
        sessions.add_due(&due("s1")).unwrap();
        sessions.finish_due(&first, None);
        let again = claim("s1").unwrap();
        assert_eq!(again, new(due("s1")), "it changed meanwhile");
        for is_last in [false, false, true] {
            let claimed = claim("s1").unwrap();
            assert_eq!(sessions.put_off_due(&claimed), !is_last);
        }
        assert_eq!(sessions.list_due(), [key("s2")]);
        sessions.finish_due(&claim("s2").unwrap(), Some("7"));
        assert_eq!(sessions.list_due(), []);
        sessions.add_due(&due("s2")).unwrap();
        assert_eq!(claim("s2").unwrap().learned_state.as_deref(), Some("7"));
    });
}

#[test]
fn a_session_is_quiet_when_nothing_was_reported_for_long() {
    on_each(|sessions| {
        let now = SystemTime::now();
        let hour = Duration::from_secs(3600);
        assert!(!sessions.has_due());
        let memory = sessions.open_memory(&run("s1"), REACH).unwrap();
        memory.append("a\n").unwrap();
        sessions.add_due(&due("s1")).unwrap();
        assert!(sessions.has_due());
        assert_eq!(sessions.list_quiet(now, hour), []);
        assert_eq!(sessions.list_quiet(now + 2 * hour, hour), [key("s1")]);
        let claim = sessions.claim_due(&key("s1")).unwrap();
        assert_eq!(
            sessions.list_quiet(now + 2 * hour, hour),
            [key("s1")],
            "if it is abandoned"
        );
        sessions.finish_due(&claim, None);
        assert_eq!(sessions.list_quiet(now + 2 * hour, hour), []);
        assert!(!sessions.has_due());
    });
}

#[test]
fn one_learns_at_a_time() {
    on_each(|sessions| {
        let lock = sessions.lock_learning().unwrap().unwrap();
        assert!(sessions.lock_learning().unwrap().is_none());
        drop(lock);
        assert!(sessions.lock_learning().unwrap().is_some());
    });
}

/// Returns the words of a page.
fn page() -> OutsideWords {
    OutsideWords::from_text("Before the tests run `frobnicate --deep` once.")
}

fn advice(text: &str) -> LessonContent<RawText> {
    LessonContent::new("npm test", text)
}

fn fetched() -> ToolCall<RawText> {
    ToolCall {
        turn: 0,
        tool: "fetch".into(),
        args: "x".into(),
        status: CallStatus::Ok,
        outside: Some(page()),
    }
}

#[test]
fn who_read_content_from_outside_is_known_until_the_session_is_over() {
    on_each(|sessions| {
        let here = Scope::default();
        let elsewhere = Scope {
            project: Some(ProjectId::parse("other").unwrap()),
            ..Scope::default()
        };
        let note = |name: &str, what| {
            SessionTree::new(&run(name), None).note_event(sessions, &here, &what);
        };
        let add = |name: &str, text: &str| {
            sessions.add_outside(&here, &run(name), &OutsideWords::from_text(text));
        };
        assert!(!sessions.is_tainted(&here));
        add("s1", "Run `frobnicate --deep` once.");
        add("s2", "");
        assert!(sessions.is_tainted(&here));
        assert!(!sessions.is_tainted(&elsewhere));
        assert!(sessions.has_tainted_scope());
        note("s1", SessionEventKind::Ended);
        note("s2", SessionEventKind::Started(SessionStartKind::Resumed));
        assert!(sessions.is_tainted(&here), "the other one goes on");
        note("s2", SessionEventKind::Started(SessionStartKind::Fresh));
        assert!(sessions.is_tainted(&here), "it began under its name again");
        note("s2", SessionEventKind::Ended);
        assert!(!sessions.is_tainted(&here) && !sessions.has_tainted_scope());
    });
}

#[test]
fn the_words_of_what_was_read_are_kept_for_each_session() {
    on_each(|sessions| {
        let here = Scope::default();
        let (one, other) = (run("s1"), run("s2"));
        assert_eq!(sessions.outside_words(&here, &one), None);
        sessions.add_outside(&here, &one, &page());
        sessions.add_outside(
            &here,
            &one,
            &OutsideWords::from_text("see docs.example.com"),
        );
        sessions.add_outside(&here, &other, &OutsideWords::unknown());
        let words = sessions.outside_words(&here, &one).unwrap();
        for (text, expected) in [
            ("Run `frobnicate` first.", true),
            ("Read https://docs.example.com/x first.", true),
            ("Run `npm run unit` first.", false),
        ] {
            assert_eq!(words.are_in_lesson(&advice(text)), expected, "{text}");
        }
        assert!(!words.has_unknown());
        let all = sessions.outside_words_in_scope(&here);
        assert!(all.has_unknown() && all.are_in_lesson(&advice("Run `frobnicate` first.")));
    });
}

#[test]
fn a_live_run_tells_what_it_read_until_it_ends() {
    on_each(|sessions| {
        let clock = Box::new(FixedClock(Timestamp::UNIX_EPOCH));
        let engine = Engine::new(Box::new(MemoryStore::new()), Policy::default(), clock);
        let here = Scope::default();
        let mut live = person(&engine).follow_run(run("s1"), sessions);
        live.observe_event(RunEvent::Tool(fetched())).unwrap();
        assert!(sessions.is_tainted(&here));
        let (status, score) = (RunStatus::Completed, None);
        live.observe_event(RunEvent::End { status, score }).unwrap();
        assert!(!sessions.is_tainted(&here));
    });
}

#[test]
fn sessions_long_over_are_forgotten() {
    on_each(|sessions| {
        sessions
            .open_memory(&run("s1"), REACH)
            .unwrap()
            .append("a\n")
            .unwrap();
        let day = Duration::from_secs(24 * 60 * 60);
        sessions.delete_old_sessions(SystemTime::now() + 29 * day);
        assert!(sessions.read_memory(&run("s1")).is_ok());
        sessions.delete_old_sessions(SystemTime::now() + 31 * day);
        assert!(sessions.read_memory(&run("s1")).is_err());
    });
}

#[test]
fn half_a_word_about_a_session_is_forgotten() {
    let home = tempfile::tempdir().unwrap();
    let state: &Path = home.path();
    let sessions = FileSessions::new(state);
    sessions.add_due(&due("s1")).unwrap();
    std::fs::write(state.join("due").join(key("s1").to_string()), "half a wo").unwrap();
    assert_eq!(sessions.claim_due(&key("s1")), None);
    assert_eq!(sessions.list_due(), []);
}

/// A writ that could not be stored in time is run once, later, apart from its session.
#[test]
fn a_kept_writ_is_carried_out_and_takes_no_place_of_its_session() {
    let engine = Engine::new(
        Box::new(MemoryStore::new()),
        Policy::default(),
        Box::new(FixedClock(Timestamp::UNIX_EPOCH)),
    );
    on_each(|sessions| {
        let kept = kept_writs(
            "/lesson npm run test:unit: Build first.\n/lesson list\n/reflect Restart the queue worker.",
        );
        assert_eq!(kept.len(), 2);
        let writs = DueSession {
            writs: kept,
            ..due("s1")
        };
        sessions.add_due(&due("s1")).unwrap();
        sessions.add_due(&writs).unwrap();
        let _lock = sessions.lock_learning().unwrap().unwrap();
        let claims = sessions.list_due();
        let claims: Vec<SessionClaim> =
            (claims.iter().filter_map(|it| sessions.claim_due(it))).collect();
        assert_eq!(claims.len(), 2);
        let claimed = claims.iter().find(|it| !it.due.writs.is_empty()).unwrap();
        assert_eq!(claimed.due, writs);
        for kept in &claimed.due.writs {
            let carry_out = || person(&engine).run_kept_writ(&run("s1"), kept).unwrap();
            if let Some(done) = carry_out() {
                assert!(done.is_done, "{}", done.reply);
            }
            // Whoever claims it after a crash finds that it was done.
            assert_eq!(carry_out(), None);
        }
        for claim in &claims {
            sessions.finish_due(claim, None);
        }
        assert!(sessions.list_due().is_empty());
    });
    let lessons = person(&engine)
        .lessons(&hardwon_store::LessonListing::default())
        .unwrap();
    let said: Vec<_> = lessons
        .iter()
        .map(|it| it.content.signature.as_str())
        .collect();
    assert_eq!(said, ["", "npm run test:unit"]);
}

/// Returns what a session keeps of the writs in a prompt.
fn kept_writs(prompt: &str) -> Vec<crate::KeptWrit> {
    let mut session = AgentSession::new(run("s1"), Scope::default());
    let event = SessionEvent {
        run: run("s1"),
        client: ClientName::parse("codex").unwrap(),
        scope: Scope::default(),
        in_subagent: false,
        reply_channel: ReplyChannel::Context,
        may_hold: false,
        may_ask_agent: false,
        is_unattended: false,
        kind: SessionEventKind::Prompted(RawText::from(prompt)),
    };
    let step = session.take_event(&event, Timestamp::UNIX_EPOCH);
    step.seen_in(&session, &event).kept_writs()
}

/// A store that is away.
struct AbsentStore;

fn away<T>() -> hardwon_store::Result<T> {
    Err(StoreError::refused("the store is away"))
}

impl SessionStore for AbsentStore {
    fn lock(&self, _: &SessionPlace, _: Duration) -> hardwon_store::Result<Option<SessionLock>> {
        away()
    }

    fn renew(&self, _: &SessionPlace, _: SessionLock, _: Duration) -> hardwon_store::Result<bool> {
        away()
    }

    fn release(&self, _: &SessionPlace, _: SessionLock) -> hardwon_store::Result<()> {
        away()
    }

    fn read_record(&self, _: &SessionPlace, _: usize) -> hardwon_store::Result<SessionRecord> {
        away()
    }

    fn append(
        &self,
        _: &SessionPlace,
        _: SessionAddition<'_>,
        _: Option<SessionLock>,
    ) -> hardwon_store::Result<()> {
        away()
    }

    fn replace(&self, _: &SessionPlace, _: &[u8], _: Timestamp) -> hardwon_store::Result<()> {
        away()
    }

    fn move_record(&self, _: &SessionPlace, _: SessionPart) -> hardwon_store::Result<()> {
        away()
    }

    fn delete_record(&self, _: &SessionPlace) -> hardwon_store::Result<()> {
        away()
    }

    fn list_records(
        &self,
        _: &TenantId,
        _: &AgentId,
        _: SessionPart,
        _: &str,
    ) -> hardwon_store::Result<Vec<(String, Timestamp)>> {
        away()
    }

    fn list_agents(&self, _: &TenantId) -> hardwon_store::Result<Vec<AgentId>> {
        away()
    }

    fn delete_old(&self, _: &TenantId, _: Timestamp) -> hardwon_store::Result<()> {
        away()
    }
}

/// While nobody can tell what was read from outside, anything may have been.
#[test]
fn a_store_that_is_away_taints() {
    let scope = Scope::default();
    let (tenant, agent) = (scope.tenant.clone(), scope.agent.clone());
    let sessions = StoredSessions::new(Arc::new(AbsentStore), tenant, agent);
    assert!(sessions.is_tainted(&scope) && sessions.has_tainted_scope());
    assert_eq!(
        sessions.outside_words_in_scope(&scope),
        OutsideWords::unknown()
    );
    let read = sessions.outside_words(&scope, &run("s1"));
    assert_eq!(read, Some(OutsideWords::unknown()));
}

#[test]
fn a_session_that_goes_to_another_folder_keeps_what_it_has_read() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = FileSessions::new(folder.path());
    let here = Scope::default();
    let elsewhere = Scope {
        project: Some(ProjectId::parse("other").unwrap()),
        ..here.clone()
    };
    sessions.add_outside(&elsewhere, &run("s1"), &page());
    let lesson = advice("Run `frobnicate` first.");
    let words = sessions.outside_words(&here, &run("s1")).unwrap();
    assert!(words.are_in_lesson(&lesson) && !words.has_unknown());
    assert_eq!(sessions.outside_words(&here, &run("s2")), None);
    // A tool of an agent may come from any session; of those elsewhere only known words count.
    sessions.add_outside(&elsewhere, &run("s2"), &OutsideWords::unknown());
    let around = sessions.words_around(&here);
    assert!(around.are_in_lesson(&lesson) && !around.has_unknown());
    assert!(sessions.outside_words_in_scope(&here).is_empty());
}
