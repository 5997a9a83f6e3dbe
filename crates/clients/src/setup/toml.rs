//! Adds the MCP server to Codex's `config.toml`, and removes it.
//!
//! What is added is text at the end. What is removed is cut out of the text too, where `toml_edit` finds it: written again,
//! it keeps comments and order, but not the line ends of other systems.

use serde_json::{Value as Json, json};
use toml_edit::{Document, Item, Table, Value};

use super::{
    Result, SetupProblem,
    own_entries::{SERVER_NAME, server_command},
};

const SERVERS_TABLE: &str = "mcp_servers";
const SERVER_PATH: [&str; 2] = [SERVERS_TABLE, SERVER_NAME];

/// Returns the text with our server added. The command is its program and arguments.
pub fn insert_server(text: &str, command: &[&str]) -> Result<String> {
    let has_server =
        |text: &str| find_server(text).map(|found| found.is_some_and(|found| found == command));
    if has_server(text)? {
        return Ok(text.to_owned());
    }
    let text_without = remove_server(text)?;
    if find_item(&parse_document(&text_without)?, &SERVER_PATH).is_some() {
        return Err(SetupProblem::new(
            format!("{SERVERS_TABLE} has another server named {SERVER_NAME}"),
            "rename that one, then run `hardwon init` again",
        ));
    }
    let text_with = append_lines(&text_without, &server_lines(command));
    if has_server(&text_with).is_ok_and(|has_it| has_it) {
        return Ok(text_with);
    }
    Err(SetupProblem::new(
        format!("{SERVERS_TABLE} in it is written in a way that cannot be added to"),
        "add the server by hand, as docs/clients/codex.md says",
    ))
}

/// Returns the text without our server.
pub fn remove_server(text: &str) -> Result<String> {
    if find_server(text)?.is_some() {
        remove_item(text, &SERVER_PATH)
    } else {
        Ok(text.to_owned())
    }
}

/// Returns the command of our server; `None` if it is not registered.
pub fn find_server(text: &str) -> Result<Option<Vec<String>>> {
    Ok(registered_command(&parse_document(text)?))
}

/// Returns whether a text is blank.
pub fn is_bare(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}

fn find_item<'d>(document: &'d Document<&str>, path: &[&str]) -> Option<&'d Item> {
    let mut names = path.iter();
    names.try_fold(document.as_item(), |item, name| item.get(name))
}

/// Removes what stands at a path, if anything does.
fn remove_item(text: &str, path: &[&str]) -> Result<String> {
    let document = parse_document(text)?;
    let Some(item) = find_item(&document, path) else {
        return Ok(text.to_owned());
    };
    if let Some(cut) = item.as_table().and_then(|table| cut_table(text, table)) {
        return Ok(cut);
    }
    let mut document = document.into_mut();
    let (last, parents) = path.split_last().expect("a path has a name at its end");
    let mut parents = parents.iter();
    let table = parents.try_fold(document.as_item_mut(), |item, name| item.get_mut(name));
    if let Some(table) = table.and_then(Item::as_table_like_mut) {
        table.remove(last);
    }
    Ok(document.to_string())
}

/// Cuts out the lines from a table's header to its last member, and the blank lines before it; `None` if it has no header,
/// or another table inside it.
fn cut_table(text: &str, table: &Table) -> Option<String> {
    let is_whole =
        !table.is_implicit() && !table.is_dotted() && table.iter().all(|(_, item)| item.is_value());
    let header = table.span().filter(|_| is_whole)?;
    let ends = table.iter().filter_map(|(_, item)| item.span());
    let last = ends.map(|value| value.end).fold(header.end, usize::max);
    let after = text[last..].split_once('\n').map_or("", |(_, after)| after);
    let lines = text[..header.start].split_inclusive('\n');
    let lines: Vec<&str> = lines.collect();
    let is_blank = |line: &&str| line.trim().is_empty();
    let blank_lines = lines.iter().rev().take_while(|line| is_blank(line)).count();
    Some(lines[..lines.len() - blank_lines].concat() + after)
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

fn registered_command(document: &Document<&str>) -> Option<Vec<String>> {
    let server = find_item(document, &SERVER_PATH)?;
    let words = |name: &str| -> Json {
        let value = server.get(name).and_then(Item::as_value);
        match value {
            Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
            word => word.and_then(Value::as_str).into(),
        }
    };
    server_command(&json!({ "command": words("command"), "args": words("args") }))
}

fn parse_document(text: &str) -> Result<Document<&str>> {
    Document::parse(text).map_err(|error| {
        let error = error.to_string();
        let first = error.lines().next().unwrap_or_default();
        SetupProblem::new(
            format!("it is not valid TOML: {first}"),
            "fix it, then run `hardwon init` again",
        )
    })
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
            "a = 1\n# the last word\n",
        ] {
            let with = insert_server(text, &COMMAND).unwrap();
            assert_eq!(find_server(&with).unwrap().unwrap(), COMMAND, "{with}");
            assert_eq!(insert_server(&with, &COMMAND).unwrap(), with);
            assert_eq!(remove_server(&with).unwrap(), text);
            assert_eq!(remove_server(text).unwrap(), text);
            let moved = insert_server(&with, &["/opt/hardwon", "mcp"]).unwrap();
            assert_eq!(remove_server(&moved).unwrap(), text);
        }
    }

    #[test]
    fn what_others_wrote_around_it_stays() {
        let text = "[mcp_servers.lessons] \ncommand = \"hardwon\"\nargs = [\n  \"mcp\",\n]\nenv = { A = \"1\" }\n# c\n[z]\nq = 1";
        assert_snapshot!(remove_server(text).unwrap(), @"
        # c
        [z]
        q = 1
        ");
        let inline = "mcp_servers = { a = { url = \"u\" }, lessons = { command = \"hardwon\", args = [\"mcp\"] } } # c\n";
        assert_snapshot!(remove_server(inline).unwrap(), @r#"mcp_servers = { a = { url = "u" }} # c"#);
    }
}
