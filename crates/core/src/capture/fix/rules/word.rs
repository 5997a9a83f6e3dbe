//! Matches the same line with one word replaced.

use super::{
    super::{alike, has_same_words, is_success_certain},
    FixContext, is_interpreter,
};
use crate::{
    Difference, ShellLine, ShellWord,
    capture::show,
    trace::{family::FailureFamily, normalize},
};

/// Matches the same line with one other word, if the error is about that word.
pub(super) fn match_word(context: &FixContext<'_>, line: &ShellLine) -> Option<Difference> {
    if is_interpreter(context.command.program())
        || line.commands.len() < context.line.commands.len()
    {
        return None;
    }
    let commands = context.line.commands.iter().zip(&line.commands);
    let mut differing = commands.filter(|(one, two)| !has_same_words(one, two));
    let (Some((failed, worked)), None) = (differing.next(), differing.next()) else {
        return None;
    };
    let place = line.commands.iter().position(|known| known == worked)?;
    if !is_success_certain(line, place)
        || failed != context.command
        || failed.words.len() != worked.words.len()
    {
        return None;
    }
    let words = failed.words.iter().zip(&worked.words).enumerate();
    let mut words = words.filter(|(_, (one, two))| one.text != two.text);
    let (Some((index, (from, to))), None) = (words.next(), words.next()) else {
        return None;
    };
    let plain = show::is_plain_word(from)
        && show::is_plain_word(to)
        && !differs_in_data(&from.text, &to.text);
    let is_slip =
        context.failure.family == FailureFamily::Other && alike::is_typo(&from.text, &to.text);
    if index == 0 || !plain || from.text.starts_with('-') || is_slip {
        return None;
    }
    let option = Some(failed.words[index - 1].text.as_str());
    let option = option.filter(|text| text.starts_with('-'));
    let is_option_value = option.is_some() || from.text.contains('=');
    let with_option = |word: &ShellWord| match option {
        Some(option) => format!("{option} {}", word.raw),
        None => word.raw.clone(),
    };
    is_about_word(context, &from.text, is_option_value).then(|| Difference::Word {
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
    let speaker = format!("{}:", context.command.program());
    let speaks = context.failure.gist.starts_with(&speaker);
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
    let is_data =
        |text: &str| normalize::is_identifier(text) || text.chars().count() > 40 || is_file(text);
    letters(one) == letters(two) || is_data(one) || is_data(two)
}
