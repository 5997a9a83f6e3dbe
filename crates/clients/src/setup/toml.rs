//! Adds the MCP server to Codex's `config.toml`, and removes it together with Codex's notes about our hooks.
//!
//! The text is edited by lines: `toml_edit` keeps comments and order, but not the line ends of other systems. It parses
//! every result again, and a result with an unexpected difference is not used.

use serde_json::Value as Json;
use toml_edit::{DocumentMut, Item, Key, TableLike, Value};

use super::{
    SetupProblem,
    own_entries::{SERVER_NAME, server_command},
};

const SERVERS_TABLE: &str = "mcp_servers";
/// The table in which Codex keeps the trust in hooks.
const TRUST_PATH: [&str; 2] = ["hooks", "state"];
/// Most lines that are tried as a table's header.
const HEADS_MAX: usize = 8;

/// Returns the text with our server added. The command is its program and arguments.
pub fn insert_server(text: &str, command: &[&str]) -> Result<String, SetupProblem> {
    if find_server(text)?.is_some_and(|found| found == command) {
        return Ok(text.to_owned());
    }
    let text_without = remove_server(text, &[], text)?;
    let before = document_to_json(&parse_document(&text_without)?);
    if !before[SERVERS_TABLE][SERVER_NAME].is_null() {
        return Err(SetupProblem::new(
            format!("{SERVERS_TABLE} has another server named {SERVER_NAME}"),
            "rename that one, then run `hardwon init` again",
        ));
    }
    let text_with = append_lines(&text_without, &server_lines(command));
    let is_right = parse_document(&text_with).is_ok_and(|read| {
        let read = document_to_json(&read);
        registered_command(&read).is_some_and(|found| found == command)
            && remove_path(read, &[SERVERS_TABLE, SERVER_NAME]) == remove_path(before, &[])
    });
    if is_right {
        return Ok(text_with);
    }
    Err(SetupProblem::new(
        format!("{SERVERS_TABLE} in it is written in a way that cannot be added to"),
        "add the server by hand, as docs/clients/codex.md says",
    ))
}

/// Returns the text without our server, and without the trust in hooks of these keys. `before` is the text before
/// anything was added.
pub fn remove_server(text: &str, trusted: &[String], before: &str) -> Result<String, SetupProblem> {
    let mut left = text.to_owned();
    if find_server(text)?.is_some() {
        left = remove_table(&left, &[SERVERS_TABLE, SERVER_NAME])?;
    }
    for key in trusted {
        left = remove_table(&left, &[TRUST_PATH[0], TRUST_PATH[1], key])?;
    }
    let before = parse_document(before).ok();
    let was_there = before.map_or(Json::Null, |before| document_to_json(&before));
    let is_bare = |text: &str| -> Result<bool, SetupProblem> {
        let trust = &document_to_json(&parse_document(text)?)["hooks"]["state"];
        Ok(trust.as_object().is_some_and(serde_json::Map::is_empty))
    };
    if left != text && was_there["hooks"]["state"].is_null() && is_bare(&left)? {
        left = remove_table(&left, &TRUST_PATH)?;
    }
    Ok(left)
}

/// Returns the command of our server; `None` if it is not registered.
pub fn find_server(text: &str) -> Result<Option<Vec<String>>, SetupProblem> {
    let document = parse_document(text)?;
    Ok(registered_command(&document_to_json(&document)))
}

/// Returns the keys of trusted hooks that begin with `begin`.
pub fn trusted_hooks(text: &str, begin: &str) -> Vec<String> {
    let document = parse_document(text).ok();
    let document = document.map_or(Json::Null, |document| document_to_json(&document));
    let state = document[TRUST_PATH[0]][TRUST_PATH[1]].as_object();
    let names = state.into_iter().flatten().map(|(name, _)| name.clone());
    names.filter(|name| name.starts_with(begin)).collect()
}

/// Returns whether a text is blank.
pub fn is_bare(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}

/// Removes the table at a path from a text.
fn remove_table(text: &str, path: &[&str]) -> Result<String, SetupProblem> {
    let mut document = parse_document(text)?;
    let before = document_to_json(&document);
    let mut names = path.iter();
    if names
        .try_fold(&before, |value, name| value.get(*name))
        .is_none()
    {
        return Ok(text.to_owned());
    }
    let tree_without = remove_path(before, path);
    let is_right = |cut: &String| {
        let cut = parse_document(cut);
        cut.is_ok_and(|cut| remove_path(document_to_json(&cut), &[]) == tree_without)
    };
    // A multi-line string may hold a line that looks like the header.
    let heads = text.lines().filter(|line| is_table_header(line, path));
    let heads = 0..heads.count().min(HEADS_MAX);
    let mut by_lines = heads.map(|head| cut_table_lines(text, path, head));
    if let Some(cut) = by_lines.find(is_right) {
        return Ok(cut);
    }
    // It is not written as a table of its own: `toml_edit` can remove it.
    let (last, parents) = path.split_last().expect("a path has a name at its end");
    let mut parents = parents.iter();
    let table = parents.try_fold(document.as_item_mut(), |item, name| item.get_mut(name));
    if let Some(table) = table.and_then(Item::as_table_like_mut) {
        table.remove(last);
    }
    Ok(document.to_string())
}

/// Cuts out the lines from a table's header to its last member, and the blank lines before it. `head` is the index of
/// the header among the lines that look like it.
fn cut_table_lines(text: &str, path: &[&str], head: usize) -> String {
    let is_blank = |line: &str| line.trim().is_empty();
    let mut lines: Vec<&str> = Vec::new();
    let mut in_table = false;
    let mut heads = 0..;
    for line in text.split_inclusive('\n') {
        let begins = line.trim_start().starts_with('[');
        let ends = begins || is_blank(line) || line.trim_start().starts_with('#');
        if begins && is_table_header(line, path) && heads.next() == Some(head) {
            in_table = true;
            while lines.last().is_some_and(|line| is_blank(line)) {
                lines.pop();
            }
        } else if !in_table || ends {
            in_table = false;
            lines.push(line);
        }
    }
    lines.concat()
}

fn is_table_header(line: &str, path: &[&str]) -> bool {
    let inner = line.trim().strip_prefix('[');
    let inner = inner.and_then(|rest| rest.strip_suffix(']'));
    let keys = inner.and_then(|inner| Key::parse(inner).ok());
    let keys = keys.unwrap_or_default();
    keys.iter().map(Key::get).eq(path.iter().copied())
}

fn append_lines(text: &str, lines: &[String]) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = match text {
        "" => 0,
        text => 1 + usize::from(!text.ends_with('\n')),
    };
    let lines: String = lines
        .iter()
        .map(|line| format!("{line}{newline}"))
        .collect();
    format!("{text}{}{lines}", newline.repeat(gap))
}

/// Returns the lines that register our server.
pub fn server_lines(command: &[&str]) -> Vec<String> {
    let (program, args) = command.split_first().expect("a command has a program");
    let args: toml_edit::Array = args.iter().copied().collect();
    vec![
        format!("[{SERVERS_TABLE}.{SERVER_NAME}]"),
        format!("command = {}", Value::from(*program)),
        format!("args = {args}"),
    ]
}

fn registered_command(document: &Json) -> Option<Vec<String>> {
    server_command(&document[SERVERS_TABLE][SERVER_NAME])
}

fn parse_document(text: &str) -> Result<DocumentMut, SetupProblem> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let error = error.to_string();
        let first = error.lines().next().unwrap_or_default();
        SetupProblem::new(
            format!("it is not valid TOML: {first}"),
            "fix it, then run `hardwon init` again",
        )
    })
}

/// Converts a document to JSON, without its formatting.
fn document_to_json(document: &DocumentMut) -> Json {
    item_to_json(document.as_item())
}

fn item_to_json(from: &Item) -> Json {
    let table_to_json = |table: &dyn TableLike| {
        let members = table.iter();
        members
            .map(|(name, from)| (name.to_owned(), item_to_json(from)))
            .collect()
    };
    match from {
        Item::None => Json::Null,
        Item::Value(Value::InlineTable(table)) => table_to_json(table),
        Item::Value(from) => value_to_json(from),
        Item::Table(table) => table_to_json(table),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table_to_json(table)).collect(),
    }
}

fn value_to_json(from: &Value) -> Json {
    match from {
        Value::String(text) => Json::from(text.value().as_str()),
        Value::Array(items) => items.iter().map(value_to_json).collect(),
        table @ Value::InlineTable(_) => item_to_json(&Item::Value(table.clone())),
        other => Json::from(other.clone().decorated("", "").to_string()),
    }
}

/// Returns a value without the member at a path, and without empty tables.
fn remove_path(mut value: Json, path: &[&str]) -> Json {
    if let Some((last, parents)) = path.split_last() {
        let mut parents = parents.iter();
        let parent = parents.try_fold(&mut value, |value, name| value.get_mut(*name));
        if let Some(members) = parent.and_then(Json::as_object_mut) {
            members.remove(*last);
        }
    }
    remove_empty(&mut value);
    value
}

fn remove_empty(value: &mut Json) {
    if let Json::Object(members) = value {
        members.values_mut().for_each(remove_empty);
        members.retain(|_, value| value.as_object().is_none_or(|inner| !inner.is_empty()));
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    const COMMAND: [&str; 2] = ["hardwon", "mcp"];

    #[test]
    fn a_server_is_added_at_the_end() {
        assert_snapshot!(insert_server("# mine\nmodel = \"x\"", &COMMAND).unwrap(), @r#"
        # mine
        model = "x"

        [mcp_servers.lessons]
        command = "hardwon"
        args = ["mcp"]
        "#);
        assert_snapshot!(insert_server("mcp_servers = { a = { url = \"u\" } }\n", &COMMAND).unwrap_err().message,
            @"mcp_servers in it is written in a way that cannot be added to");
        assert_snapshot!(insert_server("[mcp_servers.lessons]\nurl = \"u\"\n", &COMMAND).unwrap_err().message,
            @"mcp_servers has another server named lessons");
        assert_snapshot!(insert_server("a = [\n", &COMMAND).unwrap_err().message,
            @"it is not valid TOML: TOML parse error at line 1, column 6");
    }

    #[test]
    fn what_was_put_in_comes_out() {
        for text in [
            "",
            "a = 1\n",
            "a = 1\r\n# c\r\n[x]\r\nb = \"\"\"q\r\n[mcp_servers.lessons]\r\n\"\"\"\r\n",
            "[mcp_servers.foo]\ncommand = \"x\"\n\n[z]\nq = 1\n",
            "[mcp_servers]\n",
            "\u{feff}a = 1\n",
            "mcp_servers.a.command = 'x'\n[k]\nv = 1\n",
            "[[t]]\nd = 2026-03-02\n\n[[t]]\nf = 1.5\n",
        ] {
            let with = insert_server(text, &COMMAND).unwrap();
            assert_eq!(find_server(&with).unwrap().unwrap(), COMMAND, "{with}");
            assert_eq!(insert_server(&with, &COMMAND).unwrap(), with);
            assert_eq!(remove_server(&with, &[], text).unwrap(), text);
            assert_eq!(remove_server(text, &[], text).unwrap(), text);
            let moved = insert_server(&with, &["/opt/hardwon", "mcp"]).unwrap();
            assert_eq!(remove_server(&moved, &[], text).unwrap(), text);
        }
    }

    #[test]
    fn what_others_wrote_around_it_stays() {
        let text = "[mcp_servers.lessons] \ncommand = \"hardwon\"\nargs = [\n  \"mcp\",\n]\nenv = { A = \"1\" }\n# c\n[z]\nq = 1";
        assert_snapshot!(remove_server(text, &[], "").unwrap(), @"
        # c
        [z]
        q = 1
        ");
        let inline = "mcp_servers = { a = { url = \"u\" }, lessons = { command = \"hardwon\", args = [\"mcp\"] } } # c\n";
        assert_snapshot!(remove_server(inline, &[], "").unwrap(), @r#"mcp_servers = { a = { url = "u" }} # c"#);
    }

    #[test]
    fn trust_in_our_hooks_comes_out() {
        let text = "a = 1\n";
        let with = insert_server(text, &COMMAND).unwrap();
        let noted = "\n[hooks.state]\n\n[hooks.state.\"/h/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n";
        let other = "\n[hooks.state.\"/h/hooks.json:stop:1:0\"]\ntrusted_hash = \"sha256:2\"\n";
        let keys = ["/h/hooks.json:stop:0:0".to_owned()];
        assert_eq!(
            remove_server(&format!("{with}{noted}"), &keys, text).unwrap(),
            text
        );
        assert_eq!(
            remove_server(&format!("{with}{noted}{other}"), &keys, text).unwrap(),
            format!("{text}\n[hooks.state]\n{other}")
        );
    }
}
