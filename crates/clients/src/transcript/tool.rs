//! The form of a call's arguments in an event, and whether its result was written elsewhere.
//!
//! A shell's argument is its command line. Every other tool's is compact JSON in which long strings (file contents,
//! patches) are shortened value by value, so that the path and the option that mattered survive. A cut leaves a
//! fingerprint: two edits that begin alike stay different.

use std::{borrow::Cow, fmt};

use hardwon_core::{ResultOrigin, limits, outside, shell};
use serde::{
    Deserializer,
    de::{DeserializeSeed, MapAccess, SeqAccess, Visitor},
};

use super::{Text, json_text::mend_pairs, text::shorten};

/// Returns the argument text of a call whose arguments are JSON, or JSON inside a string.
pub(crate) fn args_from_json(tool: &str, json: &str) -> String {
    if json.starts_with('"')
        && let Ok(inner) = serde_json::from_str::<Text<'_>>(json)
    {
        return args_from_any(tool, &mend_pairs(inner.as_str()));
    }
    args_from_any(tool, json)
}

/// Returns the argument text of a call whose arguments are JSON or plain text.
pub(crate) fn args_from_any(tool: &str, text: &str) -> String {
    if is_shell(tool)
        && let Some(command) = command_from_json(text)
    {
        return shorten_marked(&command, LINE_BYTES);
    }
    // A tool of another name keeps its JSON, but the line is whole.
    if let Some(line) = shell::parse_command_line(tool, text).filter(|_| !is_shell(tool)) {
        let line = shorten_marked(&line, LINE_BYTES);
        return serde_json::json!({ "command": line }).to_string();
    }
    compact_json(text).unwrap_or_else(|| args_from_text(text))
}

/// Returns the argument text of a call whose argument is plain text.
pub(crate) fn args_from_text(text: &str) -> String {
    shorten_marked(text.trim(), LINE_BYTES)
}

/// Longest text of arguments, in bytes: with the mark of a cut it is still read whole.
const LINE_BYTES: usize = limits::INTAKE_BYTES - 2 * limits::ARG_VALUE_BYTES;

/// Shortens a text as [`shorten`] does, and appends a fingerprint of the whole.
fn shorten_marked(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        text.to_owned()
    } else {
        shorten(text, bytes) + &hardwon_redact::fingerprint_text(text)
    }
}

/// Returns whether a tool runs command lines, by its name.
pub(crate) fn is_shell(tool: &str) -> bool {
    shell::is_shell_name(tool)
}

/// Returns the command line of a call, given its argument text.
pub(crate) fn find_command_line<'a>(tool: &str, args: &'a str) -> Option<Cow<'a, str>> {
    if is_shell(tool) {
        Some(Cow::Borrowed(args))
    } else {
        shell::parse_command_line(tool, args).map(Cow::Owned)
    }
}

/// Returns whether a tool's result was written elsewhere. A client's tool that is not known to be local counts; a
/// runtime says so of its own tools.
pub(crate) fn is_outside_tool(tool: &str, args: &str, is_client: bool) -> bool {
    match outside::classify_call(tool, args) {
        ResultOrigin::Outside => true,
        ResultOrigin::Unknown => is_client,
        ResultOrigin::Local => false,
    }
}

/// The keys under which clients put a command line.
#[derive(serde::Deserialize)]
struct CommandArgs<'a> {
    #[serde(borrow, default)]
    command: Option<CommandArg<'a>>,
    #[serde(borrow, default)]
    cmd: Option<CommandArg<'a>>,
    #[serde(borrow, default)]
    script: Option<CommandArg<'a>>,
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum CommandArg<'a> {
    #[serde(borrow)]
    Line(Cow<'a, str>),
    #[serde(borrow)]
    Words(Vec<Cow<'a, str>>),
}

fn command_from_json(json: &str) -> Option<String> {
    if !json.trim_start().starts_with('{') {
        return None;
    }
    let args: CommandArgs<'_> = serde_json::from_str(json).ok()?;
    Some(match args.command.or(args.cmd).or(args.script)? {
        CommandArg::Line(line) => line.into_owned(),
        CommandArg::Words(words) => script_of_shell(&words),
    })
}

/// Returns the script of `["bash","-lc","script"]`, or the words joined.
fn script_of_shell(words: &[Cow<'_, str>]) -> String {
    match words {
        [shell, flag, script] if flag.starts_with('-') && is_shell_program(shell) => {
            script.clone().into_owned()
        }
        _ => words.join(" "),
    }
}

fn is_shell_program(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    matches!(
        name,
        "bash" | "sh" | "zsh" | "dash" | "ash" | "fish" | "pwsh" | "powershell" | "powershell.exe"
    )
}

/// Rewrites JSON without blanks and with long strings shortened; `None` if it is invalid.
fn compact_json(json: &str) -> Option<String> {
    let mut out = String::with_capacity(json.len().min(limits::ARGS_BYTES));
    let mut deserializer = serde_json::Deserializer::from_str(json);
    CompactWriter(&mut out)
        .deserialize(&mut deserializer)
        .ok()?;
    deserializer.end().ok()?;
    if CompactWriter(&mut out).is_full() {
        out += &hardwon_redact::fingerprint_text(json);
    }
    Some(out)
}

/// Writes the visited value to a string, as compact JSON.
///
/// Past [`LINE_BYTES`] the rest is read but no longer written; the text then ends in the middle of the JSON, at a `…`.
struct CompactWriter<'o>(&'o mut String);

impl CompactWriter<'_> {
    fn is_full(&self) -> bool {
        self.0.len() > LINE_BYTES
    }

    fn write(self, text: &str) {
        if !self.is_full() {
            *self.0 += text;
            if self.is_full() {
                self.0.push('…');
            }
        }
    }

    fn write_string(self, text: &str) {
        let short = shorten_marked(text, limits::ARG_VALUE_BYTES);
        let json = serde_json::to_string(&short).expect("a string is JSON");
        self.write(&json);
    }
}

impl<'de> DeserializeSeed<'de> for CompactWriter<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CompactWriter<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.write(if value { "true" } else { "false" });
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.write(&value.to_string());
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.write(&value.to_string());
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.write(&value.to_string());
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.write("null");
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.write_string(value);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let out = self.0;
        let mut separator = "[";
        loop {
            let before = out.len();
            CompactWriter(out).write(separator);
            if seq.next_element_seed(CompactWriter(out))?.is_none() {
                out.truncate(before);
                break;
            }
            separator = ",";
        }
        CompactWriter(out).write(if separator == "[" { "[]" } else { "]" });
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let out = self.0;
        let mut separator = "{";
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            CompactWriter(out).write(separator);
            CompactWriter(out).write_string(&key);
            CompactWriter(out).write(":");
            map.next_value_seed(CompactWriter(out))?;
            separator = ",";
        }
        CompactWriter(out).write(if separator == "{" { "{}" } else { "}" });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_a_command_line_or_compact_json() {
        let long = "word ".repeat(200);
        for (tool, json, expected) in [
            (
                "Bash",
                r#"{"command":"npm test","description":"Run"}"#,
                "npm test",
            ),
            (
                "shell",
                r#"{"command":["bash","-lc","cd x && ls"]}"#,
                "cd x && ls",
            ),
            ("shell", r#"{"command":["/bin/zsh","-c","ls"]}"#, "ls"),
            (
                "shell",
                r#"{"command":["git","status"],"workdir":"/x"}"#,
                "git status",
            ),
            (
                "functions.exec_command",
                r#""{\"cmd\":\"echo hi\"}""#,
                "echo hi",
            ),
            ("exec_command", "echo plain", "echo plain"),
            ("Bash", r#"{"bash_id":"b1"}"#, r#"{"bash_id":"b1"}"#),
            (
                "Edit",
                r#"{ "file_path" : "/a b", "n": [1, 2.5, -3, true, null, {}, []] }"#,
                r#"{"file_path":"/a b","n":[1,2.5,-3,true,null,{},[]]}"#,
            ),
            (
                "str_replace_editor",
                r#"{"command":"create"}"#,
                r#"{"command":"create"}"#,
            ),
            (
                "mcp__box__do",
                r#"{"cmd":"npm  test","cwd":"/w"}"#,
                r#"{"command":"npm  test"}"#,
            ),
            ("x", "[]", "[]"),
            ("x", "", ""),
            ("x", r#"{"a":"#, r#"{"a":"#),
        ] {
            assert_eq!(args_from_json(tool, json), expected, "{tool} {json}");
        }
        let written = args_from_json(
            "Write",
            &format!(r#"{{"file_path":"/f","content":"{long}"}}"#),
        );
        assert!(written.len() < 350, "{}", written.len());
        assert!(written.starts_with(r#"{"file_path":"/f","content":"word word"#));
        let (_, mark) = written.rsplit_once("word…").unwrap();
        assert_eq!(mark.len(), r#"1234"}"#.len(), "{mark}");
    }

    #[test]
    fn calls_that_differ_only_behind_a_cut_are_two() {
        let word = "word ".repeat(80);
        let line = "word ".repeat(4000);
        let edit =
            |end: &str| args_from_json("Edit", &format!(r#"{{"path":"/f","text":"{word}{end}"}}"#));
        let shell = |end: &str| args_from_json("Bash", &format!(r#"{{"command":"{line}{end}"}}"#));
        let many = |end: &str| {
            let values = vec![r#""some words here""#; 10_000].join(",");
            args_from_json("x", &format!(r#"[{values},"{end}"]"#))
        };
        for args in [&edit as &dyn Fn(&str) -> String, &shell, &many] {
            assert_eq!(args("one"), args("one"));
            assert_ne!(args("one"), args("two"));
            assert!(args("one").len() <= limits::INTAKE_BYTES);
        }
    }

    #[test]
    fn many_arguments_are_cut_off() {
        let many = format!("[{}]", vec![r#""some words here""#; 10_000].join(","));
        let written = args_from_json("x", &many);
        assert!(written.len() <= limits::INTAKE_BYTES + limits::ARG_VALUE_BYTES);
        let (_, mark) = written.rsplit_once('…').unwrap();
        assert_eq!(mark.len(), 4, "{mark}");
    }

    #[test]
    fn only_a_clients_unknown_tool_is_from_outside() {
        for (tool, is_client, expected) in [
            ("WebFetch", false, true),
            ("book_flight", true, true),
            ("book_flight", false, false),
            ("Read", true, false),
        ] {
            assert_eq!(is_outside_tool(tool, "{}", is_client), expected, "{tool}");
        }
    }
}
