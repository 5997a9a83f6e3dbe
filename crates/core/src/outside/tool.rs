//! Classifies tools that run no command line: whether their results were written elsewhere, by the words of their
//! names and by their arguments.

use serde_json::Value;

use super::{host, places};
use crate::ResultOrigin;
use crate::{shell::is_listed, tokens::split_name_words};

/// Parts of names of tools that read a network.
const NETWORK_PARTS: &[&str] = &[
    "fetch", "web", "browser", "browse", "http", "crawl", "scrape", "url", "internet", "download",
];
/// Words in such names, and for things that other people write.
const NETWORK_WORDS: &str = "google bing duckduckgo mail email gmail inbox slack discord teams jira linear ticket tickets issue \
    issues pull pr prs mr github gitlab bitbucket notion confluence sentry rss feed news wiki wikipedia arxiv \
    stackoverflow mcp resource resources connector remote api calendar drive figma context7";
/// Words of names of tools that work on this machine.
const LOCAL_WORDS: &str = "read write edit editor multiedit file files notebook grep glob ls dir directory directories list todo todos \
    todowrite todoread task tasks plan bash shell exec patch applypatch replace str view create delete find codebase code \
    symbol symbols lsp diagnostics lint lints memory think thinking ask question skill skills agent agents kill output wait \
    update apply submit finish undo insert open goto scroll cat tree move copy rename mkdir stdin exit enter worktree \
    schedule command terminal process log logs image checkpoint complete attempt switch mode run test tests execute build \
    note lesson lessons history stage commit cell python ipython repl sql query explore send spawn close message user \
    report background monitor get set";
/// MCP servers that are known to work on this machine.
const LOCAL_SERVERS: &str = "filesystem serena ide sequentialthinking sequential memory lsp lessons hardwon desktop git sqlite";

/// Returns where the result of a tool was written.
pub(super) fn classify_tool(tool: &str, args: &str) -> ResultOrigin {
    let words = split_name_words(tool);
    let has = |list: &str| words.iter().any(|word| is_listed(list, word));
    let server = words.get(1).map(String::as_str).unwrap_or_default();
    let is_mcp = words.first().is_some_and(|word| word == "mcp");
    let is_local_server = is_mcp
        && (is_listed(LOCAL_SERVERS, server)
            || server == "plugin" && words.iter().any(|word| word == "hardwon"));
    let name = tool.to_ascii_lowercase();
    let is_network = NETWORK_PARTS.iter().any(|part| name.contains(part))
        // The tools of ReAct agents, which read an encyclopedia.
        || matches!(tool, "Search" | "Lookup")
        || has(NETWORK_WORDS) && !is_local_server;
    if is_network {
        return if targets_local_hosts(args) {
            ResultOrigin::Local
        } else {
            ResultOrigin::Outside
        };
    }
    if reads_dependency_file(&words, args) {
        return ResultOrigin::Outside;
    }
    if is_local_server || !is_mcp && has(LOCAL_WORDS) {
        ResultOrigin::Local
    } else if is_mcp {
        ResultOrigin::Outside
    } else {
        ResultOrigin::Unknown
    }
}

/// Words in names of tools that write files.
const WRITING_WORDS: &str =
    "write edit multiedit create delete insert replace patch applypatch move rename mkdir";
/// Words in names of tools that print what files hold.
const READING_WORDS: &str =
    "read view open cat grep glob search find codebase file files str notebook";

/// Returns whether a call of a tool writes to a file instead of reading one.
pub fn writes_files(tool: &str, args: &str) -> bool {
    let words = split_name_words(tool);
    let views = args.contains("\"command\":\"view\"");
    !views && words.iter().any(|word| is_listed(WRITING_WORDS, word))
}

/// Returns whether a tool prints what files hold.
pub(super) fn reads_files(tool: &str) -> bool {
    let words = split_name_words(tool);
    words.iter().any(|word| is_listed(READING_WORDS, word))
}

/// Returns whether a tool has another agent work, whose last words are its result.
pub fn is_delegating_tool(tool: &str) -> bool {
    const STARTERS: [&str; 4] = ["task", "agent", "spawn_agent", "subagent"];
    STARTERS.iter().any(|name| name.eq_ignore_ascii_case(tool))
}

/// Returns the path and the text that a call writes, given its arguments as JSON.
pub(super) fn find_written_text(args: &str) -> Option<(String, String)> {
    let Ok(Value::Object(named)) = serde_json::from_str::<Value>(args) else {
        return None;
    };
    let is_path = |key: &str| is_listed(PATH_KEYS, key);
    let path = named
        .iter()
        .find(|(key, value)| is_path(key) && value.is_string());
    let path = path?.1.as_str()?.to_owned();
    let mut text = String::new();
    named
        .iter()
        .filter(|(key, _)| !is_path(key))
        .for_each(|(_, value)| collect_texts(value, &mut text));
    Some((path, text))
}

/// Keys of arguments that name a file.
const PATH_KEYS: &str = "file_path path filePath notebook_path file filename output output_path outputPath output_file dest \
    destination save_path target";

/// Returns the files that a call from outside may write its result to.
pub(super) fn find_target_paths(args: &str) -> Vec<String> {
    let Ok(Value::Object(named)) = serde_json::from_str::<Value>(args) else {
        return Vec::new();
    };
    let paths = named.iter().filter(|(key, _)| is_listed(PATH_KEYS, key));
    paths
        .filter_map(|(_, value)| value.as_str().map(str::to_owned))
        .collect()
}

/// Collects the texts in a value, one a line.
fn collect_texts(value: &Value, text: &mut String) {
    match value {
        Value::String(found) => {
            text.push_str(found);
            text.push('\n');
        }
        Value::Array(list) => list.iter().for_each(|value| collect_texts(value, text)),
        Value::Object(named) => named.values().for_each(|value| collect_texts(value, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns whether a call names addresses, and all of them are this machine's.
fn targets_local_hosts(args: &str) -> bool {
    let mut hosts = host::find_hosts(args).peekable();
    hosts.peek().is_some() && hosts.all(host::is_local_host)
}

/// Returns whether a tool is called to print files of a dependency.
fn reads_dependency_file(words: &[String], args: &str) -> bool {
    const WRITING: &str = "write edit create delete insert replace patch move rename mkdir list ls";
    const OTHER_THAN_FILES: &str =
        "pattern glob include exclude query regex content prompt description";
    if words.iter().any(|word| is_listed(WRITING, word)) {
        return false;
    }
    match serde_json::from_str::<Value>(args) {
        Ok(Value::Object(named)) => named.iter().any(|(key, value)| {
            let texts = match value {
                Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
                value => value.as_str().into_iter().collect::<Vec<_>>(),
            };
            !is_listed(OTHER_THAN_FILES, key) && texts.into_iter().any(places::is_dependency_path)
        }),
        _ => !args.contains(char::is_whitespace) && places::is_dependency_path(args),
    }
}
