//! Matches the same line with one word replaced.

use super::{
    super::{alike, has_same_words, is_success_certain},
    FixContext, is_interpreter,
};
use crate::{
    capture::{Difference, show},
    shell::{ShellLine, ShellWord},
    trace::{family::FailureFamily, normalize},
};

/// Matches the same line with one other word, if the error is about that word.
pub(super) fn match_word(context: &FixContext<'_>, line: &ShellLine) -> Option<Difference> {
    if is_interpreter(context.command.program())
        || line.commands.len() < context.line.commands.len()
    {
        return None;
    }
    let mut differing = context
        .line
        .commands
        .iter()
        .zip(&line.commands)
        .filter(|(one, two)| !has_same_words(one, two));
    let (failed, worked) = differing.next()?;
    let place = line.commands.iter().position(|known| known == worked)?;
    if !is_success_certain(line, place) {
        return None;
    }
    if differing.next().is_some()
        || failed != context.command
        || failed.words.len() != worked.words.len()
    {
        return None;
    }
    let mut words = failed
        .words
        .iter()
        .zip(&worked.words)
        .enumerate()
        .filter(|(_, (one, two))| one.text != two.text);
    let (index, (from, to)) = words.next()?;
    let plain = show::is_plain_word(from)
        && show::is_plain_word(to)
        && !differs_in_data(&from.text, &to.text);
    if words.next().is_some() || index == 0 || !plain {
        return None;
    }
    let is_slip =
        context.failure.family == FailureFamily::Other && alike::is_typo(&from.text, &to.text);
    if from.text.starts_with('-') || is_slip {
        return None;
    }
    let option = failed
        .words
        .get(index - 1)
        .map(|word| word.text.as_str())
        .filter(|text| text.starts_with('-'));
    if !is_about_word(
        context,
        &from.text,
        option.is_some() || from.text.contains('='),
    ) {
        return None;
    }
    let with_option = |word: &ShellWord| {
        option.map_or_else(
            || word.raw.clone(),
            |option| format!("{option} {}", word.raw),
        )
    };
    Some(Difference::Word {
        command: failed.label(),
        from: with_option(from),
        to: with_option(to),
    })
}

/// Returns whether the program itself complains about the form of this word. The value of an option may also simply
/// be unknown to it; a missing operand is only a guess.
fn is_about_word(context: &FixContext<'_>, word: &str, is_option_value: bool) -> bool {
    let value = word.rsplit('=').next().unwrap_or(word);
    let names = context.error().contains(value);
    let speaks = context
        .failure
        .gist
        .starts_with(&format!("{}:", context.command.program()));
    match context.failure.family {
        FailureFamily::Usage => names || speaks,
        FailureFamily::OptionUnknown | FailureFamily::Rule => names,
        FailureFamily::Other => names && is_option_value,
        _ => false,
    }
}

/// Returns whether two words differ as data, not as usage: in digits only, long ones, or files.
fn differs_in_data(one: &str, two: &str) -> bool {
    let letters = |text: &str| -> String { text.chars().filter(|c| !c.is_ascii_digit()).collect() };
    let is_file = |text: &str| text.contains('/') && !text.starts_with('/') || text.contains('@');
    letters(one) == letters(two)
        || normalize::is_identifier(one)
        || normalize::is_identifier(two)
        || one.chars().count() > 40
        || two.chars().count() > 40
        || is_file(one)
        || is_file(two)
}
