//! One lesson on one line of Markdown that holds nothing but words, code and one bold name.
//!
//! The line is read by agents as it stands and by people rendered, and a file of Markdown is also read by programs that
//! look for comments and imports. So the line is neutralised as in a preamble, and what is Markdown in the words of a
//! lesson is escaped, except code: a command must come through as it is typed.

use std::ops::Range;

use hardwon_core::{
    Lesson,
    guard::{neutralise, sentences::sentence_ends},
    limits,
};

/// Renders a lesson as one line; `None` if it has nothing to say.
pub(super) fn render_line(lesson: &Lesson) -> Option<String> {
    let text = neutralise(lesson.content.text.as_str());
    let signature = neutralise(lesson.content.signature.as_str());
    let end = format!(" ({})", lesson.id);
    let room = limits::PLACED_LINE_BYTES - end.len();
    let signature = match signature.trim() {
        "" => String::new(),
        said => format!("{}: ", quote_signature(said)),
    };
    let body = fit_sentences(text.trim(), room.saturating_sub(signature.len()))?;
    let line = neutralise(&format!("{signature}{body}")).into_owned();
    Some(format!("- {}{end}", escape_markdown(line.trim())))
}

/// Returns a signature as it stands in a line: as code if it can be.
fn quote_signature(signature: &str) -> String {
    if signature.contains('`') {
        signature.to_owned()
    } else {
        format!("`{signature}`")
    }
}

/// Returns as many whole sentences as fit; the first one cut at a word if it alone is too long.
fn fit_sentences(text: &str, room: usize) -> Option<String> {
    if text.is_empty() || room < limits::PLACED_LINE_BYTES / 4 {
        return None;
    }
    let fits = sentence_ends(text).take_while(|&end| end <= room).last();
    if let Some(end) = fits {
        return Some(text[..end].trim_end().to_owned());
    }
    let head =
        &text[..hardwon_core::text::floor_char_boundary(text, room.saturating_sub("…".len() + 1))];
    let head = head
        .rfind(char::is_whitespace)
        .map_or(head, |end| &head[..end]);
    Some(format!("{} …", head.trim_end()))
}

/// Escapes what is Markdown outside of code, and breaks comments anywhere.
fn escape_markdown(line: &str) -> String {
    let line = line.replace("<!--", "<! --").replace("-->", "-- >");
    let spans = find_code_spans(&line);
    let is_code = |at: usize| spans.iter().any(|span| span.contains(&at));
    let mut out = String::with_capacity(line.len() + 8);
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        let next = line[at + c.len_utf8()..].chars().next();
        if !is_code(at) && needs_escape(c, before, next, at == 0) {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
    escape_number(out)
}

/// Returns whether a character outside of code could begin something in Markdown.
fn needs_escape(c: char, before: char, next: Option<char>, is_first: bool) -> bool {
    match c {
        '[' | ']' | '<' => true,
        '\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
        // An import of a file, where an agent's client reads it.
        '@' => before.is_whitespace() || matches!(before, '(' | '"' | '\''),
        '#' | '>' | '-' | '+' | '*' | '_' | '=' | '|' | '~' => is_first,
        _ => false,
    }
}

/// Escapes a number at the beginning that would begin a list.
fn escape_number(line: String) -> String {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if line[digits..].starts_with(['.', ')']) && digits > 0 {
        format!("{}\\{}", &line[..digits], &line[digits..])
    } else {
        line
    }
}

/// Finds the code in a line: what stands between two runs of as many backticks. A run without another one is no code.
fn find_code_spans(line: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match runs.last_mut() {
            Some(last) if last.end == at => last.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    let mut spans = Vec::new();
    let mut at = 0;
    while at < runs.len() {
        let open = &runs[at];
        let close = runs[at + 1..]
            .iter()
            .position(|run| run.len() == open.len());
        match close {
            Some(close) => {
                spans.push(open.start..runs[at + 1 + close].end);
                at += close + 2;
            }
            None => at += 1,
        }
    }
    spans
}
