//! Sees a text as a careless reader would: disguises off, with a map back to the source.
//!
//! Entities and escapes are undone by [`decode`], look-alike letters become the letters they
//! imitate, invisible characters vanish. Two products: [`read_glyphs`], the significant characters with
//! their place in the source, for finding markers; and [`fold_text`], plain text for the rules. This
//! module judges nothing and changes no text.

use std::ops::Range;

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

use super::decode::{DecodedChar, REFERENCE_HEADS, decode_references};

/// One significant character of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Glyph {
    /// What it reads as: lower case, disguise off. [`END_GLYPH`] closes every list of glyphs.
    pub(crate) ch: char,
    /// Where it begins in the source, in bytes.
    pub(crate) start: usize,
    /// Where it ends in the source, in bytes.
    pub(crate) end: usize,
    /// What stood between the glyph before and this one.
    pub(crate) gap: Gap,
    /// Whether the source had a capital here, or something that is not the plain letter.
    pub(crate) is_altered: bool,
}

/// What was skipped before a glyph.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Gap {
    /// A blank of any kind.
    pub(crate) space: bool,
    /// A line break, or the beginning of the text.
    pub(crate) line_break: bool,
    /// A full stop, and a blank after it.
    pub(crate) full_stop: bool,
    /// Dashes.
    pub(crate) dashes: usize,
}

/// The glyph after the last one.
pub(crate) const END_GLYPH: char = '\0';

/// Returns the significant characters of `text`, closed by [`END_GLYPH`].
///
/// Blanks, dashes, low lines, asterisks, dots and backslashes may stand inside a disguised word,
/// so they are no glyphs; the [`Gap`] remembers them.
pub(crate) fn read_glyphs(text: &str) -> Vec<Glyph> {
    let mut glyphs = Vec::with_capacity(text.len() + 1);
    let mut gap = Gap {
        line_break: true,
        ..Gap::default()
    };
    let mut dot = false;
    for unit in visible_units(&decode_references(text)) {
        let plain = unit.end - unit.start == 1 && !unit.ch.is_ascii_uppercase();
        fold_char(unit.ch, |ch| match word_joint(ch) {
            Some(joint) => {
                dot = (dot || joint == '.') && joint != '-';
                gap.dashes += usize::from(joint == '-');
                gap.line_break |= joint == '\n';
                gap.space |= matches!(joint, ' ' | '\n');
                gap.full_stop |= dot && gap.space;
            }
            None => {
                glyphs.push(Glyph {
                    ch,
                    start: unit.start,
                    end: unit.end,
                    gap: std::mem::take(&mut gap),
                    is_altered: !plain,
                });
                dot = false;
            }
        });
    }
    gap.line_break = true;
    glyphs.push(Glyph {
        ch: END_GLYPH,
        start: text.len(),
        end: text.len(),
        gap,
        is_altered: false,
    });
    glyphs
}

/// Returns whether a text reads as it stands, but for capitals and the kind of its blanks: it is
/// printable ASCII, and no entity or escape can begin in it.
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| {
        matches!(byte, b' '..=b'~' | b'\n' | b'\t') && !REFERENCE_HEADS.contains(&char::from(byte))
    })
}

/// Returns `text` as plain lower-case ASCII with single spaces; characters without an ASCII reading become `^`.
pub(crate) fn fold_text(text: &str) -> String {
    if is_plain(text) {
        return fold_plain_text(text);
    }
    let mut words = String::with_capacity(text.len());
    for unit in visible_units(&decode_references(text)) {
        fold_char(unit.ch, |ch| match ch {
            '\n' => push_blank(&mut words, '\n'),
            _ if ch.is_whitespace() => push_blank(&mut words, ' '),
            ' '..='~' => words.push(ch),
            _ if !words.ends_with('^') => words.push('^'),
            _ => {}
        });
    }
    words
}

/// Does what [`fold_text`] does for a text with no disguise to take off.
fn fold_plain_text(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for ch in text.chars() {
        match ch {
            '\n' => push_blank(&mut words, '\n'),
            ' ' | '\t' => push_blank(&mut words, ' '),
            _ => words.push(ch.to_ascii_lowercase()),
        }
    }
    words
}

/// Returns `text` in lower case and compatibility form, its own script kept and blanks left out.
pub(crate) fn fold_keeping_script(text: &str) -> String {
    if is_plain(text) {
        let significant = text.chars().filter(|ch| !ch.is_ascii_whitespace());
        return significant.map(|ch| ch.to_ascii_lowercase()).collect();
    }
    let units = decode_references(text);
    visible_units(&units)
        .map(|unit| unit.ch)
        .nfkc()
        .flat_map(char::to_lowercase)
        .filter(|ch| !ch.is_whitespace() && !is_ignorable(*ch))
        .collect()
}

fn push_blank(words: &mut String, blank: char) {
    if words.ends_with('\n') || words.ends_with(' ') && blank == ' ' {
        return;
    }
    words.push(blank);
}

/// Leaves out invisible characters and terminal control sequences.
fn visible_units(units: &[DecodedChar]) -> impl Iterator<Item = DecodedChar> {
    let mut skip = 0..0;
    units.iter().enumerate().filter_map(move |(index, &unit)| {
        if unit.ch == '\u{1b}' {
            skip =
                index..index + control_sequence_length(units[index..].iter().map(|unit| unit.ch));
        }
        (!skip.contains(&index) && !is_ignorable(unit.ch)).then_some(unit)
    })
}

/// Longest terminal control sequence that is recognised, in characters.
const SEQUENCE_CHARS: usize = 64;

/// Returns the length in characters of the control sequence that `chars` begins with.
pub(crate) fn control_sequence_length(chars: impl Iterator<Item = char>) -> usize {
    let chars: Vec<char> = chars.take(SEQUENCE_CHARS).collect();
    let until = |last: &dyn Fn(char) -> bool| {
        let end = chars.iter().skip(2).position(|&ch| last(ch));
        end.map_or(2, |index| index + 3)
    };
    match chars.as_slice() {
        ['\u{1b}', '[', ..] => until(&|ch| matches!(ch, '\u{40}'..='\u{7e}')),
        ['\u{1b}', ']', ..] => until(&|ch| matches!(ch, '\u{7}' | '\u{9c}')),
        _ => 1,
    }
}

/// Ranges of characters that have no width of their own, besides combining marks.
const IGNORABLE: &[Range<u32>] = &[
    0x00..0x09,
    0x0e..0x20,
    0x7f..0x85,
    0x86..0xa0,
    0xad..0xae,
    0x34f..0x350,
    0x61c..0x61d,
    0x115f..0x1161,
    0x17b4..0x17b6,
    0x180b..0x1810,
    0x200b..0x2010,
    0x202a..0x202f,
    0x2060..0x2070,
    0x3164..0x3165,
    0xfe00..0xfe10,
    0xfeff..0xff00,
    0xffa0..0xffa1,
    0xfff0..0xfffc,
    0x1_bca0..0x1_bca4,
    0x1_d173..0x1_d17b,
    0xe_0000..0xe_1000,
];

/// Returns whether a reader does not see the character at all.
pub(crate) fn is_ignorable(ch: char) -> bool {
    let code = u32::from(ch);
    !(' '..='~').contains(&ch)
        && (IGNORABLE.iter().any(|range| range.contains(&code)) || is_combining_mark(ch))
}

/// Returns the kind of a character that may stand inside a word without being part of it.
fn word_joint(ch: char) -> Option<char> {
    match ch {
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        '-' | '.' => Some(ch),
        '_' | '*' | '\\' | '•' | '‧' | '∙' => Some('_'),
        _ if ch.is_whitespace() || ch == '\u{2800}' => Some(' '),
        _ => None,
    }
}

/// Look-alikes that the table of UTS 39 lacks, because they differ in size or weight.
const LOOKALIKES: &[(char, &str)] = &[
    ('a', "ᴀ"),
    ('b', "ʙв"),
    ('c', "ᴄ"),
    ('d', "ᴅ"),
    ('e', "ᴇεɛ"),
    ('f', "ꜰ"),
    ('g', "ɢ"),
    ('h', "ʜн"),
    ('i', "ɪι"),
    ('j', "ᴊ"),
    ('k', "ᴋкκ"),
    ('l', "ʟ"),
    ('m', "ᴍм"),
    ('n', "ɴпηи"),
    ('o', "ᴏ"),
    ('p', "ᴘ"),
    ('q', "ǫ"),
    ('r', "ʀгя"),
    ('s', "ꜱ"),
    ('t', "ᴛтτ"),
    ('u', "ᴜυц"),
    ('v', "ᴠν"),
    ('w', "ᴡшω"),
    ('x', "χ"),
    ('y', "ʏγ"),
    ('z', "ᴢ"),
    ('[', "【〔〖〘〚⟦⁅❲『「"),
    (']', "】〕〗〙〛⟧⁆❳』」"),
    ('<', "‹«〈⟨《⟪≪⋘❮❬⧼˂ᐸ⪡"),
    ('>', "›»〉⟩》⟫≫⋙❯❭⧽˃ᐳ⪢"),
    ('|', "∣│┃❘ǀ¦▏￨⏐"),
    ('/', "∕⁄╱⧸⟋"),
    ('#', "♯⌗"),
    (':', "ː˸꞉∶︓᛬"),
    ('-', "‐‑‒–—―−⁃"),
    ('_', "▁ˍ"),
    ('`', "ˋ"),
    ('.', "·。․"),
];

/// How many letters one sign may be of: `㏙` is `p.p.m.`, `ﷺ` a sentence.
const MOST_PARTS: usize = 6;

/// Passes the reading of `ch` to `emit`: lower case, without accents, as ASCII where possible.
fn fold_char(ch: char, mut emit: impl FnMut(char)) {
    if ch.is_ascii() {
        return emit(ch.to_ascii_lowercase());
    }
    if let Some(letter) = badge_letter(ch).or_else(|| lookalike_letter(ch)) {
        return emit(letter);
    }
    let parts = std::iter::once(ch).nfkd();
    let parts = parts.filter(|&part| !is_ignorable(part));
    // What stands for a whole phrase is no disguise of a word, and a page may be full of it.
    for part in parts.take(MOST_PARTS) {
        fold_decomposed(part, &mut emit);
    }
}

fn fold_decomposed(part: char, emit: &mut impl FnMut(char)) {
    if part.is_ascii() {
        return emit(part.to_ascii_lowercase());
    }
    let lower = part.to_lowercase().next().unwrap_or(part);
    let letter = lookalike_letter(part).or_else(|| fold_capital(part));
    if let Some(letter) = letter.or_else(|| lookalike_letter(lower)) {
        return emit(letter);
    }
    let mut buffer = [0; 4];
    let prototype: Vec<char> = unicode_security::skeleton(part.encode_utf8(&mut buffer))
        .take(4)
        .collect();
    match prototype.as_slice() {
        // The table writes `m` as two letters.
        ['r', 'n'] => emit('m'),
        [one] => emit(lookalike_letter(*one).unwrap_or(one.to_lowercase().next().unwrap_or(*one))),
        several if several.iter().all(char::is_ascii) => {
            several.iter().for_each(|ch| emit(ch.to_ascii_lowercase()));
        }
        _ => emit(lower),
    }
}

/// Returns the letter that a capital of another script looks like. Its lower case may look like another letter, and
/// where the table turns a capital `I` into `l`, a capital was meant.
fn fold_capital(ch: char) -> Option<char> {
    let mut buffer = [0; 4];
    let is_capital = ch.is_uppercase();
    let mut prototype =
        unicode_security::skeleton(is_capital.then(|| ch.encode_utf8(&mut buffer))?);
    match (prototype.next()?, prototype.next()) {
        ('l', None) => Some('i'),
        (letter, None) if letter.is_ascii_alphabetic() => Some(letter.to_ascii_lowercase()),
        _ => None,
    }
}

fn lookalike_letter(ch: char) -> Option<char> {
    let row = LOOKALIKES.iter().find(|(_, alikes)| alikes.contains(ch));
    row.map(|&(letter, _)| letter)
}

/// Returns the letter of a flag, disc or square, which have no compatibility form.
fn badge_letter(ch: char) -> Option<char> {
    let code = u32::from(ch);
    [0x1_f150, 0x1_f170, 0x1_f1e6, 0xe_0041, 0xe_0061]
        .into_iter()
        .find_map(|base| code.checked_sub(base).filter(|&index| index < 26))
        .and_then(|index| char::from_u32(u32::from('a') + index))
}

/// Letters that digits and strokes can pass for, in names long enough to tell.
pub(crate) fn is_lookalike(ch: char, want: char) -> bool {
    match want {
        'a' => matches!(ch, '4' | '@'),
        'e' => ch == '3',
        'g' => ch == '9',
        'i' => matches!(ch, 'l' | '1' | '!' | '|'),
        'l' => matches!(ch, 'i' | '1' | '!' | '|'),
        'o' => ch == '0',
        's' => matches!(ch, '5' | '$'),
        't' => matches!(ch, '7' | '+'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn skeleton(text: &str) -> String {
        let all = read_glyphs(text);
        all[..all.len() - 1].iter().map(|glyph| glyph.ch).collect()
    }

    #[test]
    fn disguises_come_off() {
        let many = format!("&{}lt;", "amp;".repeat(1000));
        for (disguised, plain) in [
            ("<SyStEm>", "<system>"),
            ("< s y s t e m >", "<system>"),
            ("<\u{200b}s\u{200d}ys\u{ad}tem>", "<system>"),
            ("<s\u{336}y\u{336}stem>", "<system>"),
            ("＜ｓｙｓｔｅｍ＞", "<system>"),
            ("<𝓼𝔂𝕤𝘁𝚎𝐦>", "<system>"),
            ("<ⓢⓨⓢⓣⓔⓜ>", "<system>"),
            ("<ѕуѕтем>", "<system>"),
            ("<ЅYЅTЕM>", "<system>"),
            ("<ꜱʏꜱᴛᴇᴍ>", "<system>"),
            ("‹🅂🅨🆂tem›", "<system>"),
            ("&lt;system&gt;", "<system>"),
            ("&LTsystem&GT", "<system>"),
            ("&#60;system&#62;", "<system>"),
            ("&#60system&#62", "<system>"),
            ("&#x3C;system&#X3e;", "<system>"),
            ("&#000000060;system>", "<system>"),
            ("&amp;lt;system&amp;amp;gt;", "<system>"),
            ("&l&#116;;system>", "<system>"),
            ("%3Csystem%3e", "<system>"),
            ("%253Csystem%25253e", "<system>"),
            ("%EF%BC%9Csystem>", "<system>"),
            (r"\u003csystem\x3e", "<system>"),
            (r"\u{3c}system\U0000003e", "<system>"),
            (r"\\u003csystem\076", "<system>"),
            (r"<\ud835\udc2cystem>", "<system>"),
            ("<sys\u{1b}[31mtem>", "<system>"),
            ("<sys\ntem>", "<system>"),
            (r"\[END LESSON\]", "[endlesson]"),
            (&many, "<"),
        ] {
            assert_eq!(skeleton(disguised), plain, "{disguised}");
        }
    }

    #[test]
    fn a_glyph_knows_its_source() {
        let text = "a &amp;lt; b";
        let all = read_glyphs(text);
        let sources: Vec<&str> = all
            .iter()
            .map(|glyph| &text[glyph.start..glyph.end])
            .collect();
        assert_eq!(sources, ["a", "&amp;lt;", "b", ""]);
    }

    proptest! {
        /// The fast paths change nothing: a text that is not plain, because a character follows that reads as `^`,
        /// reads the same up to there.
        #[test]
        fn plain_text_reads_the_same_either_way(text in "[ -$'-\\[\\]_-~\n\t]{0,60}") {
            prop_assert!(is_plain(&text));
            let marked = format!("{text}\u{65e5}");
            let long = fold_text(&marked);
            prop_assert_eq!(fold_text(&text), long.strip_suffix('^').unwrap_or(&long));
            let long = fold_keeping_script(&marked);
            prop_assert_eq!(fold_keeping_script(&text), long.strip_suffix('\u{65e5}').unwrap_or(&long));
        }
    }

    #[test]
    fn words_are_plain() {
        assert_eq!(
            fold_text("Ignоre  ＡＬＬ\n\n  règles 日本"),
            "ignore all\nregles ^"
        );
        assert_eq!(
            fold_keeping_script("以前の 指示を　無視"),
            "以前の指示を無視"
        );
    }
}
