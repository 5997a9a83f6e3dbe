//! Tests with real shell commands.

use hardwon_core::ModelPrompt;
use insta::assert_snapshot;

use super::*;

fn told(line: &str, seconds: u64) -> String {
    let model = CommandModel {
        line: line.to_owned(),
        timeout: Duration::from_millis(seconds * 1000 + 300),
        variables: vec![("GREETING", "well")],
    };
    let ask = ModelRequest {
        prompt: ModelPrompt {
            system: "Answer in one word.".to_owned(),
            user: "Are you there?".to_owned(),
        },
        wants_json: true,
        max_answer_tokens: 500,
    };
    match model.complete(&ask) {
        Ok(answer) => format!("{:?}", answer.text.expose()),
        Err(error) => format!("{error:?}"),
    }
}

#[test]
fn a_command_reads_the_question_and_says_the_answer() {
    assert_snapshot!(told("cat", 9), @r#""Answer in one word.\n\nAre you there?""#);
    assert_snapshot!(told("echo \"$GREETING\"", 9), @r#""well\n""#);
    assert_snapshot!(told("echo no; echo 'token=hunter2hunter2 is bad' >&2; exit 3", 9), @r#"Failed("it ended with exit status: 3: token=[REDACTED:token] is bad")"#);
    assert!(told("/no/such/program", 9).starts_with("Unusable"));
}

#[test]
fn a_command_is_ended_with_all_that_it_started() {
    let home = tempfile::tempdir().unwrap();
    let mark = home.path().join("mark");
    let line = format!("(sleep 1; touch {}) & sleep 60", mark.display());
    assert_eq!(told(&line, 0), "TimedOut");
    // What it leaves behind ends with it.
    assert_snapshot!(told("sleep 60 & echo yes", 9), @r#""yes\n""#);
    assert_snapshot!(told("yes | head -c 3000000", 9), @r#"Failed("the answer is longer than 65536 bytes")"#);
    std::thread::sleep(Duration::from_secs(2));
    assert!(!mark.exists());
}
