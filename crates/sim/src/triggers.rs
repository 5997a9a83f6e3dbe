//! Counts at how many of the calls that rules are about they come up, and at how many near misses.
//!
//! Each rule stands alone and is read by the core: what a store finds and a hook shows is measured elsewhere.

use std::path::PathBuf;

use hardwon_core::{
    CallActs, CallFailure, CallStatus, CleanText, LessonContent, ParsedCall, RawText, ToolCall,
    Triggers, limits, trace::call::parse_call,
};
use hardwon_redact::clean_to_bytes;
use serde::Deserialize;
use serde_json::Value;

/// Counts the calls at which rules come up: those that they are about, and near misses.
#[derive(Debug, clap::Args)]
pub(crate) struct TriggersArgs {
    /// Rules: JSON lines with `rule`, `signature`, `calls` and `near`, each call with `tool`, `input` and perhaps `error`.
    rules: PathBuf,
    /// Bind each rule to its signature too.
    #[arg(long)]
    signed: bool,
    /// Print each call that was missed, and each near miss that was not.
    #[arg(long)]
    list: bool,
}

#[derive(Debug, Deserialize)]
struct Rule {
    rule: String,
    #[serde(default)]
    signature: Option<String>,
    #[serde(default)]
    calls: Vec<RuleCall>,
    #[serde(default)]
    near: Vec<RuleCall>,
}

#[derive(Debug, Deserialize)]
struct RuleCall {
    tool: String,
    input: Value,
    /// What it printed, if it failed.
    #[serde(default)]
    error: Option<String>,
}

#[expect(clippy::print_stdout, reason = "the figures are this command's output")]
pub(crate) fn run(args: &TriggersArgs) -> anyhow::Result<()> {
    let rules: Vec<Rule> = crate::samples::read_rows(&args.rules)?;
    let (mut right, mut calls, mut shown, mut near) = (0, 0, 0, 0);
    for rule in &rules {
        let signature = rule.signature.as_deref().filter(|_| args.signed);
        let content = LessonContent::new(clean(signature.unwrap_or_default()), clean(&rule.rule));
        for (all, expected) in [(&rule.calls, true), (&rule.near, false)] {
            for call in all {
                let comes_up = comes_up(&content, call);
                let (count, of) = if expected {
                    (&mut right, &mut calls)
                } else {
                    (&mut shown, &mut near)
                };
                *of += 1;
                *count += usize::from(comes_up);
                if args.list && comes_up != expected {
                    let fault = if expected { "missed" } else { "near miss" };
                    println!("{fault}\t{}\t{} {}", rule.rule, call.tool, call.input);
                }
            }
        }
    }
    println!("right calls {right} of {calls}, near misses {shown} of {near}");
    Ok(())
}

fn clean(text: &str) -> CleanText {
    clean_to_bytes(&RawText::from(text), limits::PROMPT_BYTES)
}

fn comes_up(content: &LessonContent, call: &RuleCall) -> bool {
    let status = match &call.error {
        Some(error) => CallStatus::Error(clean(error)),
        None => CallStatus::Ok,
    };
    let called = ToolCall {
        turn: 0,
        tool: clean(&call.tool),
        args: clean(&call.input.to_string().replace("{root}", "/w")),
        status,
        outside: None,
    };
    let parsed: ParsedCall = parse_call(&called);
    let triggers = Triggers::from_content(content);
    let failures = CallFailure::all_from_call(&parsed, &called.status);
    let errors = called.status.errors();
    let is_about = |(failure, error): (&CallFailure, &CleanText)| {
        triggers.is_about_failure(content, &parsed, failure, error.as_str())
    };
    let mut failed = failures.iter().zip(errors);
    match call.error {
        Some(_) => failed.any(is_about),
        None => triggers
            .occasion(&CallActs::from_call(&parsed), &parsed, false)
            .is_due(),
    }
}
