//! Classifies tools that run no command line: whether their results were written elsewhere, by the words of their
//! names and by their arguments.

use serde_json::Value;

use super::{ResultOrigin, host, places};
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
            || server == "plugin" && words.iter().any(|it| it == "hardwon"));
    let name = tool.to_ascii_lowercase();
    let is_network = NETWORK_PARTS.iter().any(|part| name.contains(part))
        // The tools of ReAct agents, which read an encyclopedia.
        || matches!(tool, "Search" | "Lookup")
        || has(NETWORK_WORDS) && !is_local_server;
    if is_network {
        return match targets_local_hosts(args) {
            true => ResultOrigin::Local,
            false => ResultOrigin::Outside,
        };
    }
    if reads_dependency_file(&words, args) {
        return ResultOrigin::Outside;
    }
    match is_local_server || !is_mcp && has(LOCAL_WORDS) {
        true => ResultOrigin::Local,
        false if is_mcp => ResultOrigin::Outside,
        false => ResultOrigin::Unknown,
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
