//! A person's own words in answer to an agent's question.
//!
//! A choice among the agent's options is in the agent's words, and is none of the person's.

use hardwon_core::shell::is_listed;
use serde_json::Value;

use crate::transcript::ReportedOutput;

/// The tools by which agents ask, without the marks between words.
const ASKING_TOOLS: &str = "askuserquestion question askuser requestuserinput askquestion";

/// Returns what a person answered in their own words.
pub(in crate::transcript) fn find_answers(
    tool: &str,
    args: &str,
    printed: &ReportedOutput<'_>,
) -> Vec<String> {
    let letters = tool.chars().filter(char::is_ascii_alphanumeric);
    let name: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    if !is_listed(ASKING_TOOLS, &name) {
        return Vec::new();
    }
    let output = printed.clone().into_text();
    let mut answers = match serde_json::from_str::<Value>(&output) {
        Ok(json) => json.get("answers").map(collect_texts).unwrap_or_default(),
        Err(_) => quoted_answers(&output),
    };
    let offered = serde_json::from_str(args).map(|args| collect_texts(&args));
    let offered = offered.unwrap_or_default();
    for answer in &mut answers {
        *answer = strip_options(answer, &offered).to_owned();
    }
    answers.retain(|answer| !answer.is_empty());
    answers
}

/// Returns what an answer has beside options; several that were chosen stand before it, with commas between. A word that
/// is also an option may begin a person's own sentence.
fn strip_options<'a>(answer: &'a str, offered: &[String]) -> &'a str {
    let answer = answer.trim();
    let behind = |option: &String| {
        let rest = answer.strip_prefix(option.as_str())?;
        let others = rest.strip_prefix(',').filter(|_| option.contains(' '));
        others.or(Some(rest).filter(|rest| rest.is_empty()))
    };
    match offered
        .iter()
        .filter(|option| !option.is_empty())
        .find_map(behind)
    {
        Some(rest) => strip_options(rest, offered),
        None => answer,
    }
}

/// Returns the answers in `"question"="answer", "question"="answer".`
fn quoted_answers(said: &str) -> Vec<String> {
    let parts = said.split("\"=\"").skip(1);
    let answers = parts.map(|part| {
        let ends = ["\", \"", "\". ", "\".\n"];
        let end = ends.iter().filter_map(|end| part.find(end)).min();
        let answer = &part[..end.unwrap_or(part.len())];
        answer.trim_end_matches(['"', '.']).to_owned()
    });
    answers.collect()
}

fn collect_texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().flat_map(collect_texts).collect(),
        Value::Object(members) => members.values().flat_map(collect_texts).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tool: &str, printed: &str, expected: &[&str]) {
        let args = r#"{"questions":[{"question":"Which?","options":[{"label":"Use npm"},{"label":"Never, tag it first"},{"label":"No"}]}]}"#;
        let printed = ReportedOutput::Text(printed.into());
        assert_eq!(find_answers(tool, args, &printed), expected);
    }

    #[test]
    fn only_a_persons_own_words_are_an_answer() {
        let asked = "AskUserQuestion";
        check(
            asked,
            r#"User has answered your questions: "Which?"="No, use pnpm instead of npm, always". You can now continue."#,
            &["No, use pnpm instead of npm, always"],
        );
        check(
            asked,
            r#"Your questions have been answered: "Which?"="Use npm"."#,
            &[],
        );
        check(
            asked,
            r#""A?"="Use npm", "B?"="the "old" one". Go on."#,
            &["the \"old\" one"],
        );
        check(
            "request_user_input",
            r#"{"answers":{"q":{"answers":["Use npm","never on Fridays"]}}}"#,
            &["never on Fridays"],
        );
        check(
            asked,
            r#""A?"="Never, tag it first, Use npm", "B?"="Use npm, never on Fridays", "C?"="No, use pnpm". Go on."#,
            &["never on Fridays", "No, use pnpm"],
        );
        check("Bash", r#""Which?"="No, never". Go on."#, &[]);
    }
}
