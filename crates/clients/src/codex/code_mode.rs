//! Tells the steps of a script of Codex's code mode from what it printed.
//!
//! A rollout has the script and what it printed. How a call in it ended is known where the script printed the result, or
//! where the client says that the script failed, and at which tool. Newer rollouts also record each command with its
//! status, and then only the other tools are looked for here. What cannot be told gives no step.

use serde::Deserialize;

use super::script::{Script, ScriptCall, parse_script};
use crate::transcript::{ReportedOutcome, Text, call_report::judge_text, tool};

/// A call in a script, and how it ended.
pub(super) struct ScriptStep {
    pub(super) tool: String,
    /// Its arguments, as a step of a run has them.
    pub(super) args: String,
    pub(super) outcome: ReportedOutcome<'static>,
}

/// What a script printed until it ended, or until its agent was told that it goes on.
#[derive(Debug, PartialEq)]
pub(super) struct ScriptReport {
    pub(super) state: ScriptState,
    /// What it printed, one each time.
    items: Vec<String>,
    /// The error that ended it.
    error: Option<String>,
}

/// How a script stands.
#[derive(Debug, PartialEq)]
pub(super) enum ScriptState {
    /// It goes on, under this name.
    Running(String),
    Completed,
    Failed,
    /// It was stopped.
    Terminated,
}

impl ScriptReport {
    /// Parses a call's result; `None` if it is not a script's.
    pub(super) fn parse(output: &str) -> Option<Self> {
        let mut texts = read_texts(output)?.into_iter();
        let head = texts.next()?;
        let (state, printed) = split_head(&head)?;
        let first_item = (!printed.is_empty()).then(|| printed.to_owned());
        let mut items: Vec<String> = first_item.into_iter().chain(texts).collect();
        let is_error = |item: &mut String| item.starts_with(ERROR);
        let error = items
            .pop_if(is_error)
            .map(|item| item[ERROR.len()..].trim().to_owned());
        Some(Self {
            state,
            items,
            error,
        })
    }

    /// Returns the failure that ended the script: what it printed, and the error.
    pub(super) fn judge_error(&self) -> ReportedOutcome<'static> {
        let error = self.error.as_deref().unwrap_or_default();
        let message = error.strip_prefix("Error: ").unwrap_or(error);
        let is_of_client = |line: &&str| !line.trim_start().starts_with("at exec_main");
        let items = self.items.iter().map(String::as_str);
        let lines: Vec<&str> = items.chain(message.lines().filter(is_of_client)).collect();
        judge_text(None, Some(true), &lines.join("\n")).into_owned()
    }
}

/// Returns the texts of a result. An image among its parts has none, while an empty one was printed.
fn read_texts(output: &str) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Part {
        text: Option<String>,
    }
    if output.starts_with('[') {
        let parts: Vec<Part> = serde_json::from_str(output).ok()?;
        return Some(parts.into_iter().filter_map(|part| part.text).collect());
    }
    serde_json::from_str(output).ok().map(|text| vec![text])
}

/// Begins the last text of a script that failed.
const ERROR: &str = "Script error:";

/// Splits the lines that the client puts before what was printed.
fn split_head(text: &str) -> Option<(ScriptState, &str)> {
    let (head, printed) = text
        .split_once("Output:")
        .filter(|(head, _)| head.starts_with("Script "))?;
    let state = match head.lines().next()? {
        "Script completed" => ScriptState::Completed,
        "Script failed" => ScriptState::Failed,
        "Script terminated" => ScriptState::Terminated,
        line => ScriptState::Running(
            line.strip_prefix("Script running with cell ID ")?
                .to_owned(),
        ),
    };
    Some((state, printed.trim_start_matches('\n')))
}

/// Returns the steps of a script that ended. `has_commands` tells that its commands are recorded apart.
pub(super) fn find_steps(
    source: &str,
    report: &ScriptReport,
    has_commands: bool,
) -> Vec<ScriptStep> {
    let script = parse_script(source).unwrap_or_default();
    let error_items = assign_items(&script, &report.items);
    let mut steps = Vec::new();
    for (index, call) in script.calls.iter().enumerate() {
        let is_told = has_commands && tool::is_shell(&call.tool);
        if is_told || !call.is_certain || is_poll(call) {
            continue;
        }
        let Some(args) = call.args.as_deref() else {
            continue;
        };
        let outcome = match failed_call(&script, report) {
            Some(failed) if failed == index => Some(report.judge_error()),
            _ => judge_printed(call, error_items[index].as_deref(), &script, report),
        };
        steps.extend(outcome.map(|outcome| ScriptStep {
            tool: call.tool.clone(),
            args: tool::args_from_json(&call.tool, args),
            outcome,
        }));
    }
    steps
}

/// Returns whether a call only looks at what runs already.
fn is_poll(call: &ScriptCall) -> bool {
    matches!(call.tool.as_str(), "write_stdin" | "wait")
}

/// Returns the text that shows each call's result, where it is known which one does; with the status that a text of its own
/// states.
fn assign_items(script: &Script, items: &[String]) -> Vec<Option<String>> {
    if script.prints_more || script.prints.len() != items.len() {
        return assign_outputs(script, &script.prints, items);
    }
    let mut statuses = vec![None; script.calls.len()];
    let (mut prints, mut outputs) = (Vec::new(), Vec::new());
    for ((calls, item), is_status) in script.prints.iter().zip(items).zip(&script.are_statuses) {
        match (&calls[..], read_status(item).filter(|_| *is_status)) {
            ([call], Some(status)) => statuses[*call] = Some(status),
            _ => {
                prints.push(calls.clone());
                outputs.push(item.clone());
            }
        }
    }
    let shown = assign_outputs(script, &prints, &outputs).into_iter();
    let shown = shown.zip(statuses).map(|(output, status)| match status {
        Some(exit_code) => {
            let output = output.unwrap_or_default();
            let result = serde_json::json!({ "output": output, "exit_code": exit_code });
            Some(result.to_string())
        }
        None => output,
    });
    shown.collect()
}

/// Returns the number that a text ends with: `exit=1`.
fn read_status(item: &str) -> Option<i64> {
    let item = item.trim_end();
    let start = item.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    item[start..].parse().ok()
}

/// Returns the text that shows each call's result, where it is known which one does.
fn assign_outputs(script: &Script, prints: &[Vec<usize>], items: &[String]) -> Vec<Option<String>> {
    let mut items_of_calls = vec![None; script.calls.len()];
    let commands: Vec<usize> = (0..script.calls.len())
        .filter(|at| !is_poll(&script.calls[*at]))
        .collect();
    if let [only] = commands[..] {
        items_of_calls[only] = (!items.is_empty()).then(|| items.join("\n"));
        return items_of_calls;
    }
    if !script.prints_more && prints.len() == items.len() {
        for (calls, item) in prints.iter().zip(items) {
            assign_item(calls, item, &mut items_of_calls);
        }
        return items_of_calls;
    }
    // `for (const r of results) text(r.output)` prints them in order.
    let is_loop = prints.is_empty() && commands.len() == items.len();
    if is_loop {
        for (call, item) in commands.into_iter().zip(items) {
            items_of_calls[call] = Some(item.clone());
        }
    }
    items_of_calls
}

/// Assigns one text to the calls whose results it holds: several are told apart if it is a list with one for each.
fn assign_item(calls: &[usize], item: &str, shown: &mut [Option<String>]) {
    if let [call] = calls {
        shown[*call].get_or_insert_default().push_str(item);
        return;
    }
    let list: Vec<Box<serde_json::value::RawValue>> =
        serde_json::from_str(item).unwrap_or_default();
    if list.len() == calls.len() {
        for (call, result) in calls.iter().zip(list) {
            shown[*call] = Some(result.get().to_owned());
        }
    }
}

/// Returns the call at which a script failed, if that is clear.
fn failed_call(script: &Script, report: &ScriptReport) -> Option<usize> {
    let error = report.error.as_deref()?;
    if is_of_script(error) {
        return None;
    }
    let mut candidates =
        (0..script.calls.len()).filter(|at| error.starts_with(&script.calls[*at].tool));
    match (candidates.next(), candidates.next()) {
        (Some(only), None) => Some(only),
        // The script itself threw what it was told.
        (None, _) if script.calls.len() == 1 => Some(0),
        _ => None,
    }
}

/// Returns whether an error is one of the script's own: the tools are not to blame.
fn is_of_script(error: &str) -> bool {
    const OWN: [&str; 4] = ["TypeError", "ReferenceError", "SyntaxError", "RangeError"];
    OWN.iter().any(|name| error.starts_with(name))
}

/// A command's result, as a script gets it.
#[derive(Deserialize)]
struct CommandResult<'a> {
    #[serde(borrow)]
    output: Text<'a>,
    exit_code: Option<i64>,
}

/// Decides how a call ended that did not end the script; `None` if nothing tells it.
fn judge_printed(
    call: &ScriptCall,
    shown: Option<&str>,
    script: &Script,
    report: &ScriptReport,
) -> Option<ReportedOutcome<'static>> {
    if tool::is_shell(&call.tool) {
        return Some(judge_command(shown?));
    }
    // A tool that fails ends the script, unless it is caught.
    let has_passed = report.state == ScriptState::Completed && !script.catches;
    has_passed.then(|| judge_text(None, Some(false), shown.unwrap_or_default()).into_owned())
}

fn judge_command(shown: &str) -> ReportedOutcome<'static> {
    let result: Option<CommandResult<'_>> = serde_json::from_str(shown).ok();
    let (exit, text) = match &result {
        Some(result) => (result.exit_code, result.output.as_str()),
        None => (None, shown),
    };
    judge_text(exit, None, text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_that_a_script_prints_apart_tells_how_the_call_ended() {
        const RUN: &str = r#"const r = await tools.exec_command({cmd:"npm test"});"#;
        for (prints, items, expected) in [
            (
                r#"text(r.output); text("exit=" + r.exit_code);"#,
                &["npm error Missing script: test", "exit=1"][..],
                "failed: npm error Missing script: test",
            ),
            (
                "text(r.output); text(String(r.exit_code))",
                &["npm error Missing script: test", "1"],
                "failed: npm error Missing script: test",
            ),
            (
                "text(r.exit_code); text(r.output)",
                &["0", "error: none left\nall passed"],
                "worked",
            ),
            ("text(r.output)", &["all passed"], "worked"),
        ] {
            let items = items.iter().map(|item| (*item).to_owned()).collect();
            let report = ScriptReport {
                state: ScriptState::Completed,
                items,
                error: None,
            };
            let steps = find_steps(&format!("{RUN} {prints}"), &report, false);
            let shown: Vec<String> = steps
                .iter()
                .map(|step| match &step.outcome {
                    ReportedOutcome::Failed(head, _) => format!("failed: {head}"),
                    ReportedOutcome::Ok(_) => "worked".to_owned(),
                    _ => "other".to_owned(),
                })
                .collect();
            assert_eq!(shown, [expected], "{prints}");
        }
    }
}
