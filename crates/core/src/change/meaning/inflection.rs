//! Removes the inflection of an English word: plural, `-ing`, `-ed`.
//!
//! Not a stemmer: `operator` and `operation` stay two words. A word that looks like a name (with a digit, a sign, or
//! a capital after the first letter) is left as it is.

/// Returns a form that a plain word shares with its inflections.
pub(super) fn normalize_inflection(word: &str) -> String {
    if is_name(word) {
        return word.to_owned();
    }
    let word = word.to_lowercase();
    if word.len() <= 3 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word;
    }
    let bare = match without_participle(&word) {
        Some(bare) => bare,
        None => without_plural(&word),
    };
    match bare.strip_suffix('e') {
        Some(rest) if rest.len() > 3 => rest.to_owned(),
        _ => bare,
    }
}

fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|c| !c.is_alphabetic())
        || letters
            .any(|c| c.is_uppercase() || !(c.is_alphabetic() || matches!(c, '\'' | '’' | '-')))
}

/// Removes `-ing` or `-ed`, and restores the spelling of the word's end.
fn without_participle(word: &str) -> Option<String> {
    let bare = word.strip_suffix("ing").or_else(|| {
        word.strip_suffix("ed")
            .filter(|rest| !rest.ends_with(['e', 'i']))
    })?;
    let is_vowel = |c: &u8| b"aeiouy".contains(c);
    if bare.len() < 3 || !bare.bytes().any(|c| is_vowel(&c)) {
        return None;
    }
    match bare.as_bytes() {
        [.., a, b] if a == b && !is_vowel(a) && !b"lsz".contains(a) => {
            Some(bare[..bare.len() - 1].to_owned())
        }
        [a, b, c] if !is_vowel(a) && is_vowel(b) && !is_vowel(c) && !b"wx".contains(c) => {
            Some(format!("{bare}e"))
        }
        _ => Some(bare.to_owned()),
    }
}

fn without_plural(word: &str) -> String {
    if let Some(bare) = word.strip_suffix("ies").filter(|bare| bare.len() > 1) {
        return format!("{bare}y");
    }
    let hissing = |bare: &&str| {
        bare.ends_with('x') || bare.ends_with("ch") || bare.ends_with("sh") || bare.ends_with("ss")
    };
    if let Some(bare) = word.strip_suffix("es").filter(hissing) {
        return bare.to_owned();
    }
    match word.strip_suffix('s') {
        Some(bare) if !bare.ends_with(['s', 'u', 'i']) => bare.to_owned(),
        _ => word.to_owned(),
    }
}
