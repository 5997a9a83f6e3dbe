//! Reads examples of messages: a ticket's number, `PAY-123`, and a type before a colon, `feat(api): …`.
//!
//! A rule that shows how a message is to look shows one of many, so a call is compared by the form of the example: other digits
//! in the number, another word before the colon. What else a message says is not compared.

/// Returns whether a text is an example of a form.
pub(super) fn is_form(text: &str) -> bool {
    has_type(text) || tickets(text).next().is_some()
}

/// Returns whether a text has all that makes the form of an example; false if the example has none.
pub(super) fn is_of_form(text: &str, example: &str) -> bool {
    let has_ticket = |prefix: &str| tickets(text).any(|other| other == prefix);
    let has_type_too = || {
        let mut starts = text.split(['"', '\'', '\n']);
        !has_type(example) || starts.any(|start| has_type(start.trim_start()))
    };
    is_form(example) && tickets(example).all(has_ticket) && has_type_too()
}

/// Returns the letters of each ticket's number in a text, `PAY-` of `PAY-123`.
fn tickets(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter_map(|word| {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_prefix = letters.len() > 2
            && letters.ends_with('-')
            && letters[..letters.len() - 1]
                .bytes()
                .all(|byte| byte.is_ascii_uppercase());
        (is_prefix && letters.len() < word.len()).then_some(letters)
    })
}

/// Returns whether a text begins with a type and a colon, perhaps with a part of the project: `fix: `, `feat(api): `.
fn has_type(text: &str) -> bool {
    let Some((head, rest)) = text.split_once(':') else {
        return false;
    };
    let kind = head.trim_end_matches('!');
    let kind = match kind.split_once('(') {
        Some((kind, part)) if part.ends_with(')') => kind,
        Some(_) => return false,
        None => kind,
    };
    let is_word =
        (2..=12).contains(&kind.len()) && kind.bytes().all(|byte| byte.is_ascii_lowercase());
    is_word && rest.starts_with(' ')
}
