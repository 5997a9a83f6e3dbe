use proptest::prelude::*;

use super::*;
use crate::{
    Scope, TrustClass,
    distil::samples,
    id::RunId,
    lesson::{Cause, RunOutcome},
};

fn told(reply: &str) -> String {
    let origin = InquiryOrigin {
        scope: Scope::default(),
        run: RunId::parse("r1").unwrap(),
        other_runs: Vec::new(),
        failure: None,
        cause: Cause::Error,
        outcome: RunOutcome::Failure,
        tainted: true,
        task: None,
    };
    let judged = match parse_reply(&reply.into(), &[LessonId(4), LessonId(9)], &origin) {
        Ok(judged) => judged,
        Err(why) => return format!("off: {why}"),
    };
    let mut lines = Vec::new();
    for it in &judged.opinions {
        lines.push(format!("{} {:?} {:?}", it.lesson, it.followed, it.effect));
    }
    for draft in &judged.drafts {
        assert_eq!(draft.trust.class, TrustClass::Distilled);
        assert!(draft.trust.tainted && draft.evidence.len() == 1);
        let tags: Vec<&str> = draft.content.tags.iter().map(RawText::expose).collect();
        let (title, text) = (&draft.content.title, &draft.content.text);
        lines.push(format!(
            "{}: {} ({})",
            title.expose(),
            text.expose(),
            tags.join(",")
        ));
    }
    lines.join("\n")
}

#[test]
fn verdicts_and_drafts_are_read() {
    insta::assert_snapshot!(told(r##"Here is my judgement:
```json
{"verdicts": [{"lesson": 4, "followed": "yes", "effect": "helped", "because": "it ran"},
              {"lesson": "#9", "followed": "No"}],
 "lessons": [{"title": "Use pnpm", "situation": "a lock file of pnpm", "mistake": "npm install",
              "correction": "Run `pnpm install` {not npm}", "tags": ["Node", "pnpm"]},
             {"situation": "s", "correction": "Do c first. Then d.", "tags": "a1, b2"}],
 "confidence": 0.9}
```"##), @"
    #4 Yes Helped
    #9 No Unclear
    Use pnpm: Run `pnpm install` {not npm} (node,pnpm)
    Do c first: Do c first. Then d. (a1,b2)
    ");
    assert_eq!(told(r#"{"verdicts": [], "lessons": []}"#), "");
    assert_eq!(told(r#"{a brace} and {"lessons": []}"#), "");
    assert_eq!(told(r#"An odd { brace, then {"lessons": []}"#), "");
    assert_eq!(
        told(r#"<think>{"lessons": [{}]}</think>{"verdicts": null, "lessons": []}"#),
        ""
    );
}

#[test]
fn a_bad_entry_spoils_only_itself() {
    insta::assert_snapshot!(told(r#"{"verdicts": [
        {"lesson": 5, "followed": "yes"}, {"lesson": 4.5}, {"followed": "yes"},
        {"lesson": 4, "followed": true}, {"lesson": 4, "followed": "yes", "effect": "magic"},
        {"lesson": 4, "followed": "yes", "effect": "harmed"}, {"lesson": 4, "followed": "no"}],
      "lessons": [{}, {"situation": "s"}, {"situation": 3, "correction": "c"},
        {"situation": "…", "correction": "…"}]}"#), @"#4 Yes Harmed");
    let many = [r#"{"situation":"s","correction":"c"}"#; 7].join(",");
    let told = told(&format!("{{\"lessons\":[{many}]}}"));
    assert_eq!(told.matches("c: c").count(), 5);
}

#[test]
fn what_is_not_of_the_form_is_no_answer() {
    for reply in [
        "",
        "nothing to learn here",
        "{}",
        "[1, 2]",
        r#"{"answer": 42}"#,
        r#"{"lessons": "none"}"#,
        r#"{"lessons": [1]}"#,
        r#"{"lessons": [{"situation": "s", "correction": "cut of"#,
        r#"{"lessons": [], "lessons": []}"#,
        &"{".repeat(60_000),
        &r#"{"lessons":"#.repeat(500),
    ] {
        let told = told(reply);
        assert_eq!(
            told, "off: the reply holds no JSON object of the form asked for",
            "{reply:.40}"
        );
    }
    let long = " ".repeat(limits::MODEL_REPLY_BYTES + 1);
    assert_eq!(told(&long), "off: the reply is longer than 65536 bytes");
}

#[test]
fn a_question_names_the_lessons_shown() {
    let trace = samples::trace(vec![samples::said("go on")]);
    insta::assert_snapshot!(build_prompt(&Excerpt::from_trace(&trace), &[]).user, @"
    The agent was shown these lessons, by number:
    none

    BEGIN RECORD
    - the person said: go on
    END RECORD
    ");
}

proptest! {
    #[test]
    fn any_reply_is_read(reply in "(\\{|\\}|\"|\\\\|lessons|verdicts|:|\\[|\\]|\\PC| ){0,60}") {
        told(&reply);
    }
}
