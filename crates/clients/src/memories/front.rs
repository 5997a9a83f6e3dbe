//! The front matter of a Markdown file as programs and people write it: names with values between two lines `---`.
//!
//! It is not read as YAML, because much of it is none: Cursor writes `globs: *.ts`, which YAML takes for an alias, and
//! agents write titles with colons. A line is a name and a value, a name with a list below or behind it, or a name one
//! step deeper (`metadata.type`). Anchors, aliases and tags are words like any others, so nothing grows; what is not
//! understood is left out.

/// Most bytes of a front matter.
const FRONT_BYTES: usize = 32 * 1024;
/// Most values in it.
const FRONT_VALUES: usize = 256;

/// The front matter of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FrontMatter {
    /// The values of each name, in the order in which they stand there.
    fields: Vec<(String, Vec<String>)>,
    /// Where the text behind it begins, in bytes.
    pub(super) body: usize,
    /// The line on which it begins, from 1.
    pub(super) body_line: usize,
}

impl FrontMatter {
    /// Reads the front matter of a file; `None` if there is none, or it does not end.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let mark = text.len() - text.trim_start_matches('\u{feff}').len();
        let mut at = mark;
        let mut reader = FrontReader::default();
        for (index, line) in text[mark..].split_inclusive('\n').enumerate() {
            at += line.len();
            let line = line.trim_end();
            match (index, line) {
                (0, "---") => {}
                (0, _) => return None,
                (_, "---" | "...") => {
                    return Some(Self {
                        fields: reader.fields,
                        body: at,
                        body_line: index + 2,
                    });
                }
                _ if at - mark > FRONT_BYTES => return None,
                _ => reader.read_line(line),
            }
        }
        None
    }

    /// Returns the first value of a name that is not blank.
    pub(super) fn find_value(&self, name: &str) -> Option<&str> {
        self.list_values(name).next()
    }

    /// Returns all values of a name that are not blank.
    pub(super) fn list_values(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = self.fields.iter().filter(move |(it, _)| it == name);
        let values = named.flat_map(|(_, values)| values.iter().map(String::as_str));
        values.filter(|it| !it.is_empty())
    }

    /// Returns whether it has one of these names.
    pub(super) fn has_any(&self, names: &[&str]) -> bool {
        self.fields.iter().any(|(it, _)| names.contains(&&**it))
    }
}

/// Reads line by line.
#[derive(Debug, Default)]
struct FrontReader {
    fields: Vec<(String, Vec<String>)>,
    /// The name at the beginning of a line under which deeper ones stand.
    parent: String,
    count: usize,
}

impl FrontReader {
    fn read_line(&mut self, line: &str) {
        let words = line.trim_start();
        if words.is_empty() || words.starts_with('#') || self.count >= FRONT_VALUES {
            return;
        }
        self.count += 1;
        let is_deeper = words.len() < line.len();
        if let Some(item) = words.strip_prefix("- ") {
            self.add_value(&unquote(item));
        } else if let Some((name, value)) = split_field(words) {
            let name = match is_deeper && !self.parent.is_empty() {
                true => format!("{}.{name}", self.parent),
                false => name.to_owned(),
            };
            if !is_deeper {
                self.parent.clone_from(&name);
            }
            self.fields.push((name, read_values(value)));
        } else if is_deeper {
            self.continue_value(words);
        }
    }

    fn add_value(&mut self, value: &str) {
        if let Some((_, values)) = self.fields.last_mut() {
            values.push(value.to_owned());
        }
    }

    /// Adds a line to the value that began above.
    fn continue_value(&mut self, words: &str) {
        let Some((_, values)) = self.fields.last_mut() else {
            return;
        };
        let words = words.trim_end_matches(['"', '\'']);
        match values.last_mut() {
            Some(value) if !value.is_empty() => {
                value.push(' ');
                value.push_str(words);
            }
            _ => values.push(words.to_owned()),
        }
    }
}

/// Splits a line into a name and what follows; `None` if it has no name.
fn split_field(words: &str) -> Option<(&str, &str)> {
    let (name, value) = words.split_once(':')?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"');
    let is_apart = value.is_empty() || value.starts_with([' ', '\t']);
    (is_apart && !name.is_empty() && name.chars().all(is_name))
        .then(|| (name.trim_matches('"'), value.trim()))
}

fn read_values(value: &str) -> Vec<String> {
    // What follows `|` and `>` stands on the lines below.
    if value.starts_with(['|', '>']) && value.len() <= 3 {
        return Vec::new();
    }
    let inside = value.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    match inside {
        Some(list) => split_list(list).iter().map(|it| unquote(it)).collect(),
        None => vec![unquote(value)],
    }
}

/// Splits a list in brackets at its commas, but for those in quotes and braces.
fn split_list(list: &str) -> Vec<&str> {
    let (mut quote, mut depth) = (None, 0_u32);
    let parts = list.split(move |c: char| {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && quote.is_none() && depth == 0
    });
    parts.collect()
}

/// Returns a value without its quotes, or without a comment behind it.
fn unquote(value: &str) -> String {
    let value = value.trim();
    if let Some(inside) = value.strip_prefix('"') {
        let end = find_quote(inside).unwrap_or(inside.len());
        return inside[..end].replace("\\\"", "\"").replace("\\\\", "\\");
    }
    if let Some(inside) = value.strip_prefix('\'') {
        let inside = inside.strip_suffix('\'').unwrap_or(inside);
        return inside.replace("''", "'");
    }
    let end = value.find(" #").unwrap_or(value.len());
    let value = value[..end].trim_end();
    match value {
        "~" | "null" => String::new(),
        _ => value.to_owned(),
    }
}

/// Finds the quotation mark that no backslash stands before.
fn find_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    fn show(text: &str) -> String {
        let Some(front) = FrontMatter::from_text(text) else {
            return "none".to_owned();
        };
        let row = |(name, values): &(String, Vec<String>)| format!("{name} = {values:?}\n");
        let rows: String = front.fields.iter().map(row).collect();
        format!(
            "{rows}then line {}: {}",
            front.body_line,
            &text[front.body..]
        )
    }

    #[test]
    fn names_with_values_as_they_are_written() {
        assert_snapshot!(show("\u{feff}---\r\ntitle: \"A \\\"b\\\": c\" # d\r\ndate: 2026-09-11 # e\r\nsymptoms:\r\n  - 'It''s red'\r\n  - exits: 7\r\ntags: [ci, \"a, b\", {x, y}]\r\n---\r\nBody"), @r#"
        title = ["A \"b\": c"]
        date = ["2026-09-11"]
        symptoms = ["", "It's red", "exits: 7"]
        tags = ["ci", "a, b", "{x, y}"]
        then line 9: Body
        "#);
        assert_snapshot!(show("---\nname: x\ndescription: |\n  one\n  two\nmetadata:\n  node_type: memory\n  type: feedback\n---\n"), @r#"
        name = ["x"]
        description = ["one two"]
        metadata = [""]
        metadata.node_type = ["memory"]
        metadata.type = ["feedback"]
        then line 10:
        "#);
    }

    #[test]
    fn what_yaml_would_refuse() {
        assert_snapshot!(show("---\ndescription: When: always\nglobs: *.ts,**/*.tsx\nalwaysApply: false\n---\n"), @r#"
        description = ["When: always"]
        globs = ["*.ts,**/*.tsx"]
        alwaysApply = ["false"]
        then line 6:
        "#);
    }

    #[test]
    fn no_front_matter() {
        for text in ["", "# A", "---\na: b\n", "--- x\na: b\n---\n"] {
            assert_eq!(show(text), "none", "{text}");
        }
        let long = format!("---\n{}---\n", "a: b\n".repeat(10_000));
        assert_eq!(show(&long), "none");
    }

    #[test]
    fn nothing_grows() {
        let mut bomb = "---\na0: &a0 [x, x, x, x, x]\n".to_owned();
        for level in 1..40 {
            let before = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{before}]\n"));
        }
        bomb.push_str("---\n");
        assert!(show(&bomb).len() < 2 * bomb.len());
    }
}
