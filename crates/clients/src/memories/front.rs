//! The front matter of a Markdown file as programs and people write it: names with values between two lines `---`.
//!
//! It is not read as YAML, because much of it is none: Cursor writes `globs: *.ts`, which YAML takes for an alias, and
//! agents write titles with colons. A line is a name and a value, a name with a list below or behind it, or a name one
//! step deeper (`metadata.type`). Anchors, aliases and tags are words like any others, so nothing grows; what is not
//! understood is left out.

/// Most bytes of a front matter.
const FRONT_BYTES: usize = 32 * 1024;

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
        let start = text.len() - text.trim_start_matches('\u{feff}').len();
        let mut front = Self {
            body: start,
            ..Self::default()
        };
        for (index, line) in text[start..].split_inclusive('\n').enumerate() {
            front.body += line.len();
            let line = line.trim_end();
            match (index, line) {
                (0, "---") => {}
                (0, _) => return None,
                (_, "---" | "...") => {
                    front.body_line = index + 2;
                    return Some(front);
                }
                _ if front.body - start > FRONT_BYTES => return None,
                _ => front.read_line(line),
            }
        }
        None
    }

    /// Returns the first value that is not blank, of the first of these names that has one.
    pub(super) fn find_value(&self, names: &[&str]) -> Option<&str> {
        self.list_values(names).next()
    }

    /// Returns all values of these names that are not blank, name by name.
    pub(super) fn list_values(&self, names: &[&str]) -> impl Iterator<Item = &str> {
        let fields = names.iter().flat_map(|name| {
            let fields = self.fields.iter();
            fields.filter(move |(other, _)| other == name)
        });
        let values = fields.flat_map(|(_, values)| values.iter().map(String::as_str));
        values.filter(|value| !value.is_empty())
    }

    /// Returns whether it has one of these names.
    pub(super) fn has_any(&self, names: &[&str]) -> bool {
        let mut own = self.fields.iter();
        own.any(|(name, _)| names.contains(&&**name))
    }

    fn read_line(&mut self, line: &str) {
        let words = line.trim_start();
        let is_deeper = words.len() < line.len();
        if words.is_empty() || words.starts_with('#') {
            return;
        }
        if let Some(item) = words.strip_prefix("- ") {
            if let Some((_, values)) = self.fields.last_mut() {
                values.push(unquote(item));
            }
        } else if let Some((name, value)) = split_field(words) {
            let parent = self.fields.last().map_or("", |(name, _)| name);
            let parent = parent.split('.').next().unwrap_or_default();
            let name = if is_deeper && !parent.is_empty() {
                format!("{parent}.{name}")
            } else {
                name.to_owned()
            };
            self.fields.push((name, read_values(value)));
        } else if is_deeper {
            self.continue_value(words);
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
                *value += words;
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
    let list = value.strip_prefix('[');
    match list.and_then(|list| list.strip_suffix(']')) {
        Some(list) => split_list(list).map(unquote).collect(),
        None => vec![unquote(value)],
    }
}

/// Splits a list at its commas, but for those in quotes and braces.
fn split_list(list: &str) -> impl Iterator<Item = &str> {
    let (mut quote, mut depth) = (None, 0_u32);
    list.split(move |c: char| {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && quote.is_none() && depth == 0
    })
}

/// Returns a value without its quotes, or without a comment behind it.
fn unquote(value: &str) -> String {
    let value = value.trim();
    if let Some(inside) = value.strip_prefix('"') {
        let end = inside.rfind('"').unwrap_or(inside.len());
        return inside[..end].replace("\\\"", "\"").replace("\\\\", "\\");
    }
    if let Some(inside) = value.strip_prefix('\'') {
        let inside = inside.strip_suffix('\'').unwrap_or(inside);
        return inside.replace("''", "'");
    }
    let end = value.find(" #").unwrap_or(value.len());
    match value[..end].trim_end() {
        "~" | "null" => String::new(),
        value => value.to_owned(),
    }
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
            bomb += &format!("a{level}: &a{level} [{before}]\n");
        }
        bomb += "---\n";
        assert!(show(&bomb).len() < 2 * bomb.len());
    }
}
