//! Classifies tools that run no command line: whether their results were written elsewhere, by the words of their
//! names and by their arguments.

use serde_json::Value;

use super::{code, host, places};
use crate::{
    ResultOrigin, ShellCommand,
    shell::{self, is_listed},
    tokens::split_name_words,
};

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
    symbol symbols diagnostics lint lints memory think thinking ask question skill skills agent agents kill output wait \
    update apply submit finish undo insert open goto scroll cat tree move copy rename mkdir stdin exit enter worktree \
    schedule command terminal process log logs image checkpoint complete attempt switch mode run test tests execute build \
    note lesson lessons history stage commit cell python ipython repl sql query explore send spawn close message user \
    report background monitor get set";
/// Words that stand beside those in such names, and say nothing of where a tool works.
const JOINING_WORDS: &str = "a all and ask based by changed cmd commands completion content contents definition definitions \
    delegate developer diff errors for from functions fs in info input internal intent into line lines local many multi names \
    new of on or output parallel project range request save search semantic setup show stop store str text to tool tools \
    unified up usages use with write";
/// MCP servers that are known to work on this machine, and to answer of the project's own files.
const LOCAL_SERVERS: &str =
    "filesystem serena ide sequentialthinking sequential memory lessons hardwon desktop git sqlite";

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
    let targets = find_target_hosts(args);
    let mut is_target_local = targets.iter().map(|host| is_local_target(host));
    if is_network {
        let is_local = is_target_local.len() > 0 && is_target_local.all(|is_local| is_local);
        return if is_local {
            ResultOrigin::Local
        } else {
            ResultOrigin::Outside
        };
    }
    if runs_fetching_code(&words, args) {
        return ResultOrigin::Outside;
    }
    let reaches_out = is_local_server && is_target_local.any(|is_local| !is_local);
    if reaches_out && !writes_files(tool, args) || reads_dependency_file(&words, args) {
        return ResultOrigin::Outside;
    }
    // The service that a tool asks is part of its name: `asana_get_task`.
    let is_plain = |word: &String| is_listed(LOCAL_WORDS, word) || is_listed(JOINING_WORDS, word);
    if is_local_server || !is_mcp && has(LOCAL_WORDS) && words.iter().all(is_plain) {
        ResultOrigin::Local
    } else if is_mcp {
        ResultOrigin::Outside
    } else {
        ResultOrigin::Unknown
    }
}

/// Returns whether a tool runs code that fetches.
fn runs_fetching_code(words: &[String], args: &str) -> bool {
    const RUNNING: &str = "execute python ipython repl evaluate";
    let mut texts = find_target_texts(args).into_iter();
    words.iter().any(|word| is_listed(RUNNING, word)) && texts.any(|text| code::code_fetches(&text))
}

/// Words in names of tools that write files.
const WRITING_WORDS: &str =
    "write edit multiedit create delete insert replace patch applypatch move rename mkdir add";
/// Returns the name of what keeps the texts that a tool is given under other names than those of files: the server of a
/// memory, a list of tasks.
pub(super) fn store_name(tool: &str) -> String {
    let words = split_name_words(tool);
    let is_mcp = words.first().is_some_and(|word| word == "mcp");
    words.into_iter().take(if is_mcp { 2 } else { 1 }).collect()
}

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

/// Returns whether a tool prints all files that fit a pattern.
pub(super) fn reads_by_pattern(tool: &str) -> bool {
    let words = split_name_words(tool);
    ["read", "files"]
        .iter()
        .all(|word| words.iter().any(|part| part == word))
}

/// Returns whether a call has another agent work, whose last words are its result: by a tool, or by the agent's program.
pub fn is_delegating_call(tool: &str, args: &str) -> bool {
    const STARTERS: &str = "task agent spawn_agent subagent wait wait_agent teammate";
    const AGENTS: &str = "claude codex gemini opencode qwen goose copilot cursor-agent aider";
    let runs_one = || {
        let line = places::extract_command_line(tool, args).unwrap_or_default();
        let commands = shell::parse_line(&line).commands;
        commands
            .iter()
            .any(|command| is_listed(AGENTS, command.program()) && gives_prompt(command))
    };
    is_listed(STARTERS, &tool.to_ascii_lowercase())
        || AGENTS.split(' ').any(|agent| args.contains(agent)) && runs_one()
}

/// Returns whether a command hands an agent's program a prompt: by an option or a subcommand, as the sentence that it ends
/// in, or on its input. Other programs have such names too, and an agent's does more than work.
fn gives_prompt(command: &ShellCommand) -> bool {
    const BEFORE_PROMPT: &str = "-p --print --prompt -m --message --message-file exec run";
    let is_before = |text: &str| is_listed(BEFORE_PROMPT, text.split('=').next().unwrap_or(text));
    let last = command.arg_texts().last();
    command.has_arg(is_before) || last.is_none_or(|last| last.contains(char::is_whitespace))
}

/// Returns the paths and the text that a call writes, given its arguments as JSON.
pub(super) fn find_written_text(args: &str) -> Option<(Vec<String>, String)> {
    let Ok(Value::Object(named)) = serde_json::from_str::<Value>(args) else {
        return None;
    };
    let is_path = |key: &str| is_listed(PATH_KEYS, key);
    let path = named
        .iter()
        .find_map(|(key, value)| value.as_str().filter(|_| is_path(key)));
    let mut texts = Vec::new();
    named
        .iter()
        .filter(|(key, _)| !is_path(key))
        .for_each(|(_, value)| collect_texts(value, "", &mut texts));
    let text = texts.join("\n");
    let paths = path.into_iter().chain(find_patched_files(&text));
    Some((paths.map(str::to_owned).collect(), text))
}

/// Returns the files that a patch in the form of Codex writes.
pub(super) fn find_patched_files(text: &str) -> impl Iterator<Item = &str> {
    const HEADS: [&str; 3] = ["*** Add File: ", "*** Update File: ", "*** Move to: "];
    text.lines()
        .filter_map(|line| HEADS.iter().find_map(|head| line.strip_prefix(head)))
}

/// Keys of arguments that name a file.
const PATH_KEYS: &str = "file_path path filePath notebook_path file filename output output_path outputPath output_file dest \
    destination save_path target";
/// Words at the end of keys under which a call names the file that it writes.
const TARGET_WORDS: &str = "path file filename output dest destination target";

/// Returns whether a call from outside may write its result to the value under a key that ends in a word.
pub(super) fn introduces_target(word: &str) -> bool {
    is_listed(TARGET_WORDS, word)
}

/// Returns the arguments whose key ends in a word that passes the test.
pub(super) fn find_values(args: &str, is_meant: fn(&str) -> bool) -> Vec<Value> {
    let Ok(Value::Object(named)) = serde_json::from_str(args) else {
        return Vec::new();
    };
    let is_key = |key: &str| is_meant(split_name_words(key).last().map_or("", |word| word));
    let values = named.into_iter().filter(|(key, _)| is_key(key));
    values.map(|(_, value)| value).collect()
}

/// Collects the texts in a value, but for those under some keys.
fn collect_texts(value: &Value, without: &str, texts: &mut Vec<String>) {
    match value {
        Value::String(found) => texts.push(found.clone()),
        Value::Array(list) => list
            .iter()
            .for_each(|value| collect_texts(value, without, texts)),
        Value::Object(named) => named
            .iter()
            .filter(|(key, _)| !is_listed(without, key))
            .for_each(|(_, value)| collect_texts(value, without, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Keys of arguments that are text to a tool, not its target.
const TEXT_KEYS: &str =
    "pattern glob include exclude query regex content prompt description question header label";

/// Returns the arguments that are no text to a tool.
fn find_target_texts(args: &str) -> Vec<String> {
    let mut texts = Vec::new();
    match serde_json::from_str(args) {
        Ok(named @ Value::Object(_)) => collect_texts(&named, TEXT_KEYS, &mut texts),
        _ => texts.push(args.trim().to_owned()),
    }
    texts
}

/// Returns the hosts of the addresses that a call is given as its targets: arguments that are an address and nothing
/// else. One within a text is none.
pub(super) fn find_target_hosts(args: &str) -> Vec<String> {
    let texts = find_target_texts(args).into_iter();
    let words = texts.filter(|text| !text.contains(char::is_whitespace));
    words
        .filter_map(|word| host::parse_host(&word).map(str::to_owned))
        .collect()
}

/// Returns whether a tool's target is this machine. Without a host it is a name that only the tool's server knows.
pub(super) fn is_local_target(host: &str) -> bool {
    !host.is_empty() && host::is_local_host(host)
}

/// Returns whether a tool is called to print files of a dependency.
fn reads_dependency_file(words: &[String], args: &str) -> bool {
    const WRITING: &str = "write edit create delete insert replace patch move rename mkdir list ls";
    if words.iter().any(|word| is_listed(WRITING, word)) {
        return false;
    }
    let texts = find_target_texts(args);
    texts
        .iter()
        .flat_map(|text| text.lines())
        .any(places::is_dependency_path)
}
