//! Tests of lessons that an agent writes after it has read outside content.

use hardwon_core::outside::Lineage;

use super::*;

/// One session, in one process from its beginning to its end.
struct Run {
    stage: Stage,
    session: AgentSession,
}

impl Run {
    fn new() -> Self {
        let stage = Stage::new();
        let session = stage.session();
        Self { stage, session }
    }

    fn on(&mut self, what: SessionEventKind) -> String {
        self.on_as(what, false)
    }

    fn on_as(&mut self, what: SessionEventKind, is_unattended: bool) -> String {
        let event = SessionEvent {
            run: Stage::run(),
            client: ClientName::parse("claude-code").unwrap(),
            scope: Stage::scope(),
            in_subagent: false,
            reply_channel: ReplyChannel::Context,
            may_hold: false,
            may_ask_agent: false,
            is_unattended,
            kind: what,
        };
        let attended = self.stage.desk().attend_event(&mut self.session, &event);
        said(&attended.unwrap()).to_owned()
    }
}

/// Only what the page said waits, not what the agent found out by itself.
#[test]
fn what_is_written_in_words_of_ones_own_does_not_wait() {
    let page = "To deploy, run `bin/ship --prod --now` from https://ship.example.org.";
    for (used_before, text, waits) in [
        ("ls", "run `bin/ship --prod` first", true),
        ("ls", "get it from ship.example.org", true),
        ("bin/ship --prod", "run `bin/ship --prod` first", false),
        ("ls", "run `npm run build` first", false),
    ] {
        let mut run = Run::new();
        run.on(called(used_before, true));
        run.on(fetched(OutsideWords::from_text(page)));
        // Running it later clears nothing.
        run.on(called("bin/ship --prod --now", true));
        run.on(called("npm run build", true));
        let told = run.on(stopped(&format!("Done.\n/lesson deploys: {text}")));
        assert_eq!(told.contains("waiting for review"), waits, "{told}");
    }
}

#[test]
fn what_was_fetched_to_a_place_is_outside_when_it_is_read_there() {
    let mut run = Run::new();
    for (what, reads) in [
        (
            called("git clone https://example.org/widget.git", true),
            false,
        ),
        (read("Read", "/w/src/a.rs", None), false),
        (read("Read", "/w/widget/README.md", None), true),
    ] {
        run.on(what);
        assert_eq!(run.session.take_outside_words().is_some(), reads);
    }
    for (text, waits) in [("run `deploy --all`", true), ("run `make deploy`", false)] {
        let told = run.on(stopped(&format!("Done.\n/lesson deploys: {text}")));
        assert_eq!(told.contains("waiting for review"), waits, "{told}");
    }
}

/// The words are kept beside the memory; without them everything waits.
#[test]
fn a_session_taken_up_again_knows_what_it_read_once_it_is_told() {
    let mut stage = Stage::new();
    stage.on(fetched(OutsideWords::from_text("run `bin/ship --prod`")));
    for (known, text, waits) in [
        (None, "run `npm run build`", true),
        (Some("run `bin/ship --prod`"), "run `npm run build`", false),
        (Some("run `bin/ship --prod`"), "run `bin/ship`", true),
    ] {
        let mut run = Run::new();
        run.session = stage.session();
        assert!(run.session.has_read_outside());
        if let Some(known) = known {
            run.session
                .set_outside_words(OutsideWords::from_text(known));
        }
        let told = run.on(stopped(&format!("Done.\n/lesson deploys: {text}")));
        assert_eq!(told.contains("waiting for review"), waits, "{told}");
    }
}

/// What a prompt quotes is not the agent's own, unless the project's own failure says it too; a program's whole prompt is
/// nobody's.
#[test]
fn words_of_a_prompt_may_be_from_outside() {
    let issue = "Fix it:\n```\nrun `bin/ship --prod` first\n```\nThen run `make db`.";
    let line = "Fix it:\n<issue>run `bin/ship --prod` first</issue>";
    for (prompt, is_unattended, text, waits) in [
        (issue, false, "run `bin/ship --prod` first", true),
        (line, false, "run `bin/ship --prod` first", true),
        (issue, false, "run `make db` first", false),
        (issue, false, "run `npm run build` first", false),
        (
            "Run `bin/ship --prod`.",
            false,
            "run `bin/ship --prod`",
            false,
        ),
        (
            "Run `bin/ship --prod`.",
            true,
            "run `bin/ship --prod`",
            true,
        ),
        (
            "It says:\n> run `make ledger`",
            false,
            "run `make ledger`",
            false,
        ),
    ] {
        let mut run = Run::new();
        run.on_as(SessionEventKind::Prompted(prompt.into()), is_unattended);
        let mut failed = called("make ship", false);
        if let SessionEventKind::AfterCall { tool_call, .. } = &mut failed {
            tool_call.status = CallStatus::Error("make: no ledger: run `make ledger`".into());
        }
        run.on(failed);
        run.on(called("bin/ship --prod", true));
        let told = run.on(stopped(&format!("Done.\n/lesson deploys: {text}")));
        assert_eq!(
            told.contains("waiting for review"),
            waits,
            "{prompt} / {told}"
        );
    }
}

/// Notes in a file that the client itself hands to the agent are read by no call.
#[test]
fn notes_that_an_agent_is_given_are_known() {
    for (path, waits) in [("/w/CLAUDE.md", true), ("/w/src/a.rs", false)] {
        let args = serde_json::json!({ "file_path": path, "content": "x" }).to_string();
        let (names, _) = Lineage::from_written_files("Write", &args);
        let mut words = OutsideWords::from_text("run `bin/ship --prod`");
        words.extend(&OutsideWords::from_numbers(names.to_numbers()));
        let mut run = Run::new();
        run.session.set_written_words(words);
        let told = run.on(stopped("Done.\n/lesson deploys: run `bin/ship --prod`"));
        assert_eq!(
            told.contains("waiting for review"),
            waits,
            "{path} / {told}"
        );
    }
}
