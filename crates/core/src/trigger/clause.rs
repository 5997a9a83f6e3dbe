//! Splits a rule into names and the words around them.
//!
//! A name is what could stand in a call: a code span, a path, an option, a command in plain prose. The rest are words,
//! and marks that end a clause or a sentence. What a name is of is read in [`span`](super::span), what the words say of
//! it in [`cue`](super::cue).

use super::{
    common_act::{aim_act, read_act},
    cue::{is_unspaced, joins_names, strip_marks},
    prose,
    span::{self, Named},
};
use crate::{
    limits,
    shell::{self, is_listed},
    text::floor_char_boundary,
    trace::client_refusal::is_client_tool,
};

/// A part of a rule.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    /// A word of prose, in lower case.
    Word(String),
    /// Something that could stand in a call.
    Name(Named),
    /// The end of a clause: a comma, a bracket.
    ClauseEnd,
    /// A colon: what was named before it is what the rest is about.
    Colon,
    /// The end of a question, which names an occasion.
    Question,
    /// The end of a sentence.
    SentenceEnd,
}

/// Splits a text into its parts.
pub(super) fn split_parts(text: &str) -> Vec<Part> {
    let has_option = text.split([' ', '`', '(']).any(span::is_option);
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() && parts.len() < limits::TRIGGER_PARTS {
        rest = match take_code(rest) {
            Some((code, after)) => {
                let whole = read_shortened(code, &parts);
                parts.extend(span::read_code(code).map(Part::Name));
                parts.extend(whole.map(Part::Name));
                after
            }
            None => {
                let first = rest.chars().next().map_or(0, char::len_utf8);
                let end = rest[first..].find('`').map_or(rest.len(), |at| first + at);
                split_prose(&rest[..end], has_option, &mut parts);
                &rest[end..]
            }
        };
    }
    parts
}

/// Reads code as a subcommand of the program that is named before it in a list: "`terraform plan` or `apply`".
fn read_shortened(code: &str, parts: &[Part]) -> Option<Named> {
    let before = match parts {
        [.., Part::Name(before), Part::Word(word)] if joins_names(word) => before,
        [.., Part::Name(before), Part::ClauseEnd] => before,
        _ => return None,
    };
    let Named::Command(form) = before else {
        return None;
    };
    let first = code.split_whitespace().next()?;
    let is_word = first
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let is_program = shell::is_known_program(first) || shell::has_subcommands(first);
    let is_short = shell::has_subcommands(&form.program) && is_word && !is_program;
    (is_short && !first.starts_with('-'))
        .then(|| span::read_command(&format!("{} {code}", form.program)))?
        .map(Named::Command)
}

/// Returns the code at the beginning of a text, and what follows it.
fn take_code(text: &str) -> Option<(&str, &str)> {
    let marks = text.bytes().take_while(|byte| *byte == b'`').count();
    if !(1..=3).contains(&marks) {
        return None;
    }
    let (fence, rest) = text.split_at(marks);
    let end = rest[..floor_char_boundary(rest, limits::SPAN_BYTES)].find(fence)?;
    Some((rest[..end].trim(), &rest[end + marks..]))
}

/// Splits prose, in a rule that perhaps names an option: that is one of a program, which then is no mere mention.
fn split_prose(text: &str, has_option: bool, parts: &mut Vec<Part>) {
    let plain = space_scripts(text);
    let words: Vec<&str> = plain.split_whitespace().collect();
    let (start, mut at) = (parts.len(), 0);
    while at < words.len() && parts.len() < limits::TRIGGER_PARTS {
        at += take_name(&words, at, has_option, parts).unwrap_or_else(|| {
            push_word(words[at], parts);
            1
        });
    }
    for part in &mut parts[start..] {
        if let Part::Name(Named::Act(act)) = part {
            *act = aim_act(*act, &words);
        }
    }
}

fn begins_sentence(parts: &[Part]) -> bool {
    matches!(parts.last(), None | Some(Part::SentenceEnd))
}

/// Puts spaces between Latin words and those of a script that is written without spaces, and around its marks.
fn space_scripts(text: &str) -> String {
    let is_wide =
        |c: char| is_unspaced(c) || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff65}');
    let mut plain = String::with_capacity(text.len());
    let mut before = None;
    for c in text.chars() {
        if before.is_some_and(|it: char| {
            is_wide(it) != is_wide(c) && !it.is_whitespace() && !c.is_whitespace()
        }) {
            plain.push(' ');
        }
        plain.push(c);
        before = Some(c);
    }
    plain
}

/// Takes a name that begins at this word, and returns how many words it has.
fn take_name(all: &[&str], at: usize, has_option: bool, parts: &mut Vec<Part>) -> Option<usize> {
    let (words, previous) = (&all[at..], at.checked_sub(1).map_or("", |at| all[at]));
    if let Some((act, count)) = read_act(&all[..at], words) {
        parts.push(Part::Name(Named::Act(act)));
        push_marks(strip_marks(words[count - 1]).2, parts);
        return Some(count);
    }
    let (before, bare, _) = strip_marks(words[0]);
    let bare = bare.trim_end_matches("'s").trim_end_matches("’s");
    if bare.is_empty() {
        return None;
    }
    let next = words.get(1).map(|word| strip_marks(word).1);
    let is_server = next.is_some_and(|next| next.eq_ignore_ascii_case("mcp"));
    if is_server && span::is_content(&bare.to_lowercase()) {
        push_marks(before, parts);
        push_server(&all[..at], bare, parts);
        return Some(1);
    }
    if bare.eq_ignore_ascii_case("mcp") && !matches!(parts.last(), Some(Part::Name(Named::Tool(_))))
    {
        take_deed(&all[..at], parts).then_some(())?;
        return Some(1);
    }
    if next.is_some_and(|next| is_listed("tool tools", next))
        && is_client_tool(&bare.to_lowercase())
    {
        push_marks(before, parts);
        parts.push(Part::Name(Named::Tool(bare.to_owned())));
        return Some(1);
    }
    let folder = read_folder(bare, next.unwrap_or_default());
    if let Some(folder) = folder.filter(|_| !follows_command(parts)) {
        push_marks(before, parts);
        parts.push(Part::Name(Named::Path(folder)));
        push_marks(strip_marks(words[1]).2, parts);
        return Some(2);
    }
    let word = || match span::read_word(bare)? {
        // What something is in is a folder, also that of the programs: `in tools/legacy`.
        Named::Command(_) if span::is_place_word(previous) => {
            Some((Named::Path(bare.to_owned()), 1))
        }
        named => Some((named, 1)),
    };
    let (named, count) = match word() {
        Some(found) => found,
        None => {
            let program = has_option.then(|| prose::read_program_in_prose(bare));
            let program = program.flatten().map(|named| (named, 1));
            let is_joined =
                joins_names(previous) && matches!(parts[..], [.., Part::Name(_), Part::Word(_)]);
            match prose::read_command_in_prose(&all[..at], words, is_joined) {
                mention @ (None | Some((Named::Program(_), _))) => program.or(mention)?,
                Some(command) => command,
            }
        }
    };
    push_marks(before, parts);
    let says_more = matches!(named, Named::Act(_)) && bare.contains(is_unspaced);
    parts.push(Part::Name(named));
    // What else such a word says: `提交之前先跑`.
    parts.extend(says_more.then(|| Part::Word(bare.to_owned())));
    push_marks(strip_marks(words[count - 1]).2, parts);
    Some(count)
}

/// Returns whether a command stands in the clause that has come so far: what follows is what that is done to.
fn follows_command(parts: &[Part]) -> bool {
    let is_of_clause = |part: &&Part| matches!(part, Part::Word(_) | Part::Name(_));
    let mut clause = parts.iter().rev().take_while(is_of_clause);
    clause.any(|part| matches!(part, Part::Name(Named::Command(_))))
}

/// Reads two words as the name of a folder: `the vendor folder`, `le dossier vendor`.
fn read_folder(word: &str, next: &str) -> Option<String> {
    const BEHIND: &str = "folder directory dir";
    const BEFORE: &str = "ordner verzeichnis dossier répertoire carpeta directorio pasta diretório папке папку каталоге каталог";
    /// They say which of the folders that everybody has.
    const KINDS: &str = "working current new same root home own other whole parent source temp temporary output project different separate dedicated empty repo";
    let name = match (word, next) {
        (name, noun) if is_listed(BEHIND, noun) => name,
        (noun, name) if is_listed(BEFORE, &noun.to_lowercase()) => name,
        _ => return None,
    };
    let is_name = name.len() > 2
        && (name.bytes()).all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_'));
    (is_name && span::is_content(name) && !is_listed(KINDS, name)).then(|| format!("{name}/"))
}

/// Adds a server, or what is done through it: `send emails through the Gmail MCP` names a tool, and so does code before it.
fn push_server(before: &[&str], server: &str, parts: &mut Vec<Part>) {
    let is_after_code = before.len() <= 2
        && before.first().is_some_and(|word| is_means(word))
        && matches!(
            parts
                .iter()
                .rev()
                .find(|part| !matches!(part, Part::Word(_))),
            Some(Part::Name(_))
        );
    if !is_after_code && !take_deed(before, parts) {
        parts.push(Part::Name(Named::Tool(server.to_lowercase())));
    }
}

/// Puts the tool that does what two words before a preposition say in the place of that: `delete records with`.
fn take_deed(before: &[&str], parts: &mut Vec<Part>) -> bool {
    const NEAR: usize = 3;
    let bare = |word: &&&str| strip_marks(word).1.to_lowercase();
    let from = before.len().saturating_sub(NEAR);
    let Some(at) = before[from..].iter().rposition(|word| is_means(word)) else {
        return false;
    };
    let words = before[..from + at].iter().rev();
    let deed: Vec<String> = words.take(2).map(|word| bare(&word)).collect();
    let [object, verb] = deed.as_slice() else {
        return false;
    };
    if !span::is_content(verb) || !span::is_content(object) {
        return false;
    }
    // The preposition would say that the tool is advised.
    for _ in from + at..before.len() {
        parts.pop_if(|part| matches!(part, Part::Word(_)));
    }
    parts.push(Part::Name(Named::Tool(format!("{verb}_{object}"))));
    true
}

/// Returns whether a word says by what something is done.
fn is_means(word: &str) -> bool {
    is_listed(
        "through via with using over on in by from mit über par con com",
        &word.to_lowercase(),
    )
}

fn push_marks(marks: &str, parts: &mut Vec<Part>) {
    for c in marks.chars() {
        match c {
            '?' | '？' => parts.push(Part::Question),
            '.' | ';' | '!' | '。' | '；' | '！' | '—' | '–' => {
                parts.push(Part::SentenceEnd);
            }
            ':' | '：' => parts.push(Part::Colon),
            ',' | '，' | '、' => parts.push(Part::ClauseEnd),
            _ => {}
        }
    }
}

/// Adds a word of prose with the marks around it. In a language without spaces a word may be a sentence.
fn push_word(word: &str, parts: &mut Vec<Part>) {
    for piece in word.split_inclusive([
        '。', '，', '、', '；', '：', '！', '？', '（', '）', '「', '」',
    ]) {
        let (before, bare, after) = strip_marks(piece);
        push_marks(before, parts);
        // The language, and not the verb.
        let is_language = bare == "Go" && !begins_sentence(parts);
        if !bare.is_empty() && !is_language {
            parts.push(Part::Word(bare.replace('’', "'").to_lowercase()));
        }
        push_marks(after, parts);
    }
}
