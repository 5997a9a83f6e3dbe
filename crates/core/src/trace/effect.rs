//! Classifies what a call may have changed, so that a later success is not ascribed to the wrong cause.
//!
//! `cargo test` that fails, then passes after an edit, passed because of the edit. Whether anything was edited
//! between two calls is therefore the first question about them. In doubt a call is [`CallEffect::Acts`]: something
//! may have changed.

use serde_json::Value;

use crate::{
    CallArgs, ParsedCall, ShellCommand,
    shell::{self, is_listed},
};

/// What a call may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallEffect {
    /// The call only looked and changed nothing.
    Reads,
    /// It changed something outside the files, or its effect is unknown.
    Acts,
    /// It changed files of the work tree.
    Edits,
}

const READING_TOOLS: &str = "read view open cat grep glob ls list search find think todowrite todoread task \
    webfetch web_fetch websearch web_search fetch lookup read_file read_many_files list_directory list_dir \
    search_file_content search_file search_dir find_file goto scroll_up scroll_down describe calculate \
    update_plan notebookread exitplanmode toolsearch";
const EDITING_TOOLS: &str = "edit write multiedit notebookedit str_replace str_replace_editor \
    str_replace_based_edit_tool apply_patch create create_file insert replace write_file edit_file delete \
    delete_file move rename undo_edit patch search_replace write_to_file replace_in_file insert_content";
const READING_PROGRAMS: &str = "ls cat head tail less more grep egrep fgrep rg ag find fd file stat wc pwd which \
    whereis type echo printf date whoami id printenv uname hostname df du ps top free nvidia-smi tree diff cmp sort uniq \
    cut awk gawk sed tr jq yq xxd od hexdump strings md5sum sha1sum sha256sum cksum true false test [ history man \
    nl rev fold column basename dirname realpath readlink seq sleep locale uptime nproc lsof ss netstat command help exit \
    base64 lsusb lspci lsblk lscpu lsmod dmesg";
const EDITING_PROGRAMS: &str =
    "patch cp mv rm touch tee ed ex truncate dd install ln unzip tar git-apply";
/// Verbs that only look, whichever program they are given to, and how others of them begin.
const LOOKING: &str = "list ls show view status info inspect describe log logs tree search version versions outdated ps images current \
    freeze metadata is-active can-i";
const LOOKING_STARTS: [&str; 7] = [
    "get-",
    "list-",
    "describe-",
    "show-",
    "current-",
    "capture-",
    "display-",
];
const READING_VERBS: &[(&str, &str)] = &[
    (
        "git",
        "diff rev-parse ls-files blame grep shortlog reflog ls-remote ls-tree cat-file",
    ),
    ("kubectl", "get"),
];
const EDITING_VERBS: &[(&str, &str)] = &[(
    "git",
    "apply checkout restore revert reset stash merge rebase pull cherry-pick switch clean mv rm am",
)];

/// Returns what a call may have changed.
pub fn classify_call(call: &ParsedCall) -> CallEffect {
    match &call.args {
        CallArgs::Shell(_, line) => {
            let effects = line.commands.iter().map(classify_command);
            effects.max().unwrap_or(CallEffect::Reads)
        }
        CallArgs::Named(named) if is_edit(named) && !is_listed(READING_TOOLS, &call.tool) => {
            CallEffect::Edits
        }
        CallArgs::Named(named) => {
            classify_tool(&call.tool, named.get("command").and_then(Value::as_str))
        }
        CallArgs::Text(text) if is_sql(text) => classify_sql(text),
        CallArgs::Text(_) => classify_tool(&call.tool, None),
    }
}

/// Returns whether a call has a file and its new content as arguments, whatever the tool's name.
fn is_edit(named: &serde_json::Map<String, Value>) -> bool {
    const FILES: &str =
        "path file file_path filePath filename target_file relative_path absolute_path";
    const TEXTS: &str = "old_string old_str old_text oldText oldString new_string new_str new_text newText newString content \
        contents file_text patch diff edits replacement insert_text code_edit";
    let has = |list: &str| named.keys().any(|key| is_listed(list, key));
    has(FILES) && has(TEXTS)
}

fn classify_tool(tool: &str, command: Option<&str>) -> CallEffect {
    const READING: [&str; 6] = ["get_", "list_", "search_", "find_", "read_", "describe_"];
    let begins = |start: &&str| tool.starts_with(start);
    let reads = is_listed(READING_TOOLS, tool) || READING.iter().any(begins);
    if command == Some("view") || (reads && !is_listed(EDITING_TOOLS, tool)) {
        CallEffect::Reads
    } else if is_listed(EDITING_TOOLS, tool) {
        CallEffect::Edits
    } else {
        CallEffect::Acts
    }
}

pub(crate) fn classify_command(command: &ShellCommand) -> CallEffect {
    let program = command.program();
    let has_flag = |is_it: fn(&str) -> bool| command.flags().into_iter().any(is_it);
    let in_place = matches!(program, "sed" | "perl" | "ruby" | "yq")
        && has_flag(|flag| flag.starts_with("-i") || flag == "--in-place");
    if command.output.is_some()
        || in_place
        || is_listed(EDITING_PROGRAMS, program)
        || has_verb(EDITING_VERBS, command)
    {
        return CallEffect::Edits;
    }
    let acting_find =
        program == "find" && has_flag(|flag| is_listed("-exec -delete -execdir", flag));
    let asks_version = command.args().len() == 1 && is_probe_flag(&command.args()[0].text);
    if asks_version
        || (is_listed(READING_PROGRAMS, program) && !acting_find)
        || has_verb(READING_VERBS, command)
        || looks_by_verb(command)
    {
        return CallEffect::Reads;
    }
    CallEffect::Acts
}

/// Returns whether an option only asks about the program itself.
fn is_probe_flag(text: &str) -> bool {
    is_listed("--version -v -V version --help -h -help help", text)
}

fn has_verb(table: &[(&str, &str)], command: &ShellCommand) -> bool {
    let indexes = command.subcommand_indexes();
    let verb = indexes.first().map_or("", |at| &command.words[*at].text);
    let mut rows = table.iter();
    rows.any(|(program, verbs)| *program == command.program() && is_listed(verbs, verb))
}

fn looks_by_verb(command: &ShellCommand) -> bool {
    let verb = command.subcommand_indexes().last().copied();
    verb.is_some_and(|at| is_looking(&command.words[at].text))
}

fn is_looking(verb: &str) -> bool {
    is_listed(LOOKING, verb) || LOOKING_STARTS.iter().any(|start| verb.starts_with(start))
}

/// Returns whether a command only looks as far as its words tell: the one behind an unknown program, or what it runs.
pub(crate) fn seems_to_look(command: &ShellCommand) -> bool {
    let runs_look = || {
        let inner = command.wrapped_command();
        inner.is_some_and(|inner| classify_command(&inner) == CallEffect::Reads)
    };
    classify_command(command) == CallEffect::Reads
        || (command.texts().get(1)).is_some_and(|verb| is_looking(verb))
        || runs_look()
}

/// Returns whether a text is an SQL statement.
fn is_sql(text: &str) -> bool {
    const VERBS: &str = "select insert update delete create drop alter show describe desc explain with pragma use truncate";
    is_listed(VERBS, &first_word(text)) && text.split_whitespace().nth(1).is_some()
}

fn first_word(text: &str) -> String {
    let first = text.split_whitespace().next();
    first.unwrap_or_default().to_lowercase()
}

fn classify_sql(text: &str) -> CallEffect {
    if is_listed(
        "select show describe desc explain pragma with",
        &first_word(text),
    ) {
        CallEffect::Reads
    } else {
        CallEffect::Acts
    }
}

/// Returns the folder that a call changes into, if it does nothing else.
pub fn entered_folder(call: &ParsedCall) -> Option<&str> {
    match call.line()?.commands.as_slice() {
        [only] if only.program() == "cd" => only.words.get(1).map(|word| word.text.as_str()),
        _ => None,
    }
}

/// Returns whether a line only asks whether something exists, so that its failure means nothing.
pub fn is_probe(line: &shell::ShellLine) -> bool {
    let asks = |command: &ShellCommand| {
        let program = command.program();
        is_listed("which whereis type test [ command hash pgrep", program)
            || (!command.args().is_empty() && command.arg_texts().all(is_probe_flag))
    };
    let mut commands = line.commands.iter();
    let falls_back = commands.any(|command| command.join == shell::Join::Or);
    falls_back || (!line.commands.is_empty() && line.commands.iter().all(asks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CallStatus, CleanText, ToolCall, trace::call};

    #[test]
    fn what_a_call_may_have_changed() {
        let effect = |tool: &str, args: &str| {
            classify_call(&call::parse_call(&ToolCall {
                turn: 0,
                tool: CleanText::from_stored(tool.to_owned()),
                args: CleanText::from_stored(args.to_owned()),
                status: CallStatus::Ok,
                outside: None,
            }))
        };
        for (tool, args, expected) in [
            ("Bash", "ls -la | head", CallEffect::Reads),
            ("Bash", "cat a > b", CallEffect::Edits),
            ("Bash", "cat a 2>/dev/null", CallEffect::Reads),
            ("Bash", "sed -n 1,5p a", CallEffect::Reads),
            ("Bash", "sed -i s/a/b/ a", CallEffect::Edits),
            ("Bash", "git status && git diff", CallEffect::Reads),
            ("Bash", "git stash", CallEffect::Edits),
            ("Bash", "python --version", CallEffect::Reads),
            ("Bash", "python a.py", CallEffect::Acts),
            ("Bash", "npm install", CallEffect::Acts),
            ("Bash", "go get a.example/b", CallEffect::Acts),
            ("Bash", "gh pr list", CallEffect::Reads),
            ("Bash", "kubectl config get-contexts", CallEffect::Reads),
            ("Bash", "kubectl config use-context a", CallEffect::Acts),
            ("Read", "{\"file_path\":\"a\"}", CallEffect::Reads),
            ("Edit", "{\"file_path\":\"a\"}", CallEffect::Edits),
            (
                "str_replace_editor",
                "{\"command\":\"view\",\"path\":\"a\"}",
                CallEffect::Reads,
            ),
            (
                "str_replace_editor",
                "{\"command\":\"create\",\"path\":\"a\"}",
                CallEffect::Edits,
            ),
            (
                "mcp__files__put",
                "{\"path\":\"a\",\"content\":\"b\"}",
                CallEffect::Edits,
            ),
            ("get_user_details", "{\"id\":\"a\"}", CallEffect::Reads),
            ("sql", "SHOW TABLES", CallEffect::Reads),
            ("sql", "DROP TABLE x", CallEffect::Acts),
        ] {
            assert_eq!(effect(tool, args), expected, "{tool} {args}");
        }
    }
}
