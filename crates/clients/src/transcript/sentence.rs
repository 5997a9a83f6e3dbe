//! Parses one line of output as the sentence with which a shell, a client or a program reports its end.
//!
//! Other modules decide which lines of an output are parsed so, and what follows.

use super::text::{starts_with_any, strip_prefix_ci};

/// Parses `Exit code 7`, `Process exited with code 7`, `[exit 1]` and the like.
///
/// The line must be that sentence: a line of output that merely mentions an exit code begins differently.
pub(super) fn parse_exit_code(line: &str) -> Option<i64> {
    const LONGEST: usize = 300;
    const BEGINNINGS: &str = "exit|process |command |the command |shell |script |program |finished|completed|failed with|\
        subprocess|the process |error executing|bash |returned|shellid:";
    const PHRASES: &str = "exit code|exit_code|exitcode|exit status|exited with code|exited with status|exited with|\
        non-zero code|returned code|exit ";
    let line = line.trim_start_matches(['[', '(', '<', '*', '{', ' ', '"', '-']);
    let line = strip_prefix_ci(line, "error: ").unwrap_or(line);
    if line.len() > LONGEST || !starts_with_any(line, BEGINNINGS) {
        return None;
    }
    let lower = line.to_ascii_lowercase();
    PHRASES.split('|').find_map(|phrase| {
        let at = lower.find(phrase)? + phrase.len();
        number_at(&lower[at..])
    })
}

/// Parses the number after `:`, `=`, quotes, blanks or `of`, and nothing else.
fn number_at(text: &str) -> Option<i64> {
    let text = text.trim_start_matches([' ', ':', '=', '"', '\'', '`']);
    let text = text.strip_prefix("of ").unwrap_or(text);
    let sign = usize::from(text.starts_with('-'));
    let digits = text[sign..].bytes().take_while(u8::is_ascii_digit).count();
    let after = text[sign + digits..].chars().next();
    if digits == 0 || after.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    text[..sign + digits].parse().ok()
}

/// Returns whether a line has the shape `package.SomeError: message`.
pub(super) fn names_exception(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or(line);
    let is_name = !name.is_empty()
        && name.len() <= 100
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '.' || c == '_');
    is_name
        && [
            "Error",
            "Exception",
            "Interrupt",
            "NotFound",
            "Refused",
            "Exit",
            "Timeout",
        ]
        .iter()
        .any(|end| name.ends_with(end))
        && name.chars().any(char::is_uppercase)
        && (name.len() == line.len() || line[name.len()..].starts_with(": "))
        && !matches!(name, "Error" | "Exit" | "Exception")
        || line.starts_with("Error: ")
        || line.starts_with("Exception: ")
}
