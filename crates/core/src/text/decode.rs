//! Decodes entities and escapes, however deeply nested, with a map back to the source.
//!
//! `&lt;`, `&#60;`, `%3C`, `\u003c` and the like, nested in one another or in themselves, become the character that
//! they stand for. Characters that look like others are handled by [`fold`](super::fold).

/// A decoded character and its place in the source.
#[derive(Debug, Clone, Copy)]
pub(super) struct DecodedChar {
    pub(super) ch: char,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it was an entity whose semicolon may still follow.
    is_open_number: bool,
    /// How many references were decoded to get it.
    depth: u8,
}

/// The characters that references begin with.
pub(super) const REFERENCE_HEADS: [char; 3] = ['&', '%', '\\'];

/// How far back a reference may begin, in characters: `&#x` and plenty of leading zeros.
const REFERENCE_CHARS: usize = 40;

/// How often numbers without a semicolon are searched for; each round decodes one more layer.
const OPEN_LAYERS: usize = 8;

/// Decodes entities and escapes, nested ones too.
///
/// Each character is pushed on a stack, and as soon as the top of the stack is a complete reference it is replaced by
/// the character that it stands for, which may complete another one. Every replacement shortens the stack, so the
/// work is linear. Only a number without a semicolon has to wait for the end, because more digits may follow in
/// references of their own.
pub(super) fn decode_references(text: &str) -> Vec<DecodedChar> {
    let mut units: Vec<DecodedChar> = text
        .char_indices()
        .map(|(start, ch)| DecodedChar {
            ch,
            start,
            end: start + ch.len_utf8(),
            is_open_number: false,
            depth: 0,
        })
        .collect();
    if !text.contains(REFERENCE_HEADS) {
        return units;
    }
    for _ in 0..OPEN_LAYERS {
        let length = units.len();
        units = close_open_numbers(
            units
                .into_iter()
                .fold(Vec::with_capacity(length), push_reduced),
        );
        if units.len() == length {
            break;
        }
    }
    units
}

fn push_reduced(mut stack: Vec<DecodedChar>, unit: DecodedChar) -> Vec<DecodedChar> {
    let mut next = Some(unit);
    while let Some(unit) = next {
        if unit.ch == ';'
            && let Some(entity) = stack.last_mut()
            && entity.is_open_number
        {
            entity.is_open_number = false;
            entity.end = unit.end;
            break;
        }
        stack.push(unit);
        next = reduce_top(&mut stack);
    }
    stack
}

/// Replaces `&#60` where no semicolon follows. Its digits must be as deeply encoded as its head.
fn close_open_numbers(units: Vec<DecodedChar>) -> Vec<DecodedChar> {
    let mut out = Vec::with_capacity(units.len());
    let mut at = 0;
    while at < units.len() {
        let ahead = &units[at..units.len().min(at + REFERENCE_CHARS)];
        let (unit, length) = parse_open_number(ahead).unwrap_or((units[at], 1));
        out.push(unit);
        at += length;
    }
    out
}

fn parse_open_number(units: &[DecodedChar]) -> Option<(DecodedChar, usize)> {
    let [amp, hash, rest @ ..] = units else {
        return None;
    };
    (amp.ch == '&' && hash.ch == '#').then_some(())?;
    let (radix, mark) = match rest.first()?.ch {
        'x' | 'X' => (16, 3),
        _ => (10, 2),
    };
    let same = |unit: &&DecodedChar| unit.ch.is_digit(radix) && unit.depth == amp.depth;
    let length = mark + units[mark..].iter().take_while(same).count();
    let unit = DecodedChar {
        ch: parse_char(&units[mark..length], radix)?,
        start: amp.start,
        end: units[length - 1].end,
        is_open_number: true,
        depth: amp.depth.saturating_add(1),
    };
    Some((unit, length))
}

/// Removes a complete reference from the top of the stack and returns the character that it stands for.
fn reduce_top(stack: &mut Vec<DecodedChar>) -> Option<DecodedChar> {
    let last = stack.last()?.ch;
    let (length, ch, open) = match last {
        ';' => parse_numeric_entity(&stack[..stack.len() - 1])
            .map(|(length, ch)| (length + 1, ch, false)),
        '}' => parse_braced_escape(stack),
        _ if last.is_ascii_alphanumeric() => {
            parse_named_entity(stack).or_else(|| parse_escape(stack))
        }
        _ => None,
    }?;
    let from = stack.len() - length;
    let unit = DecodedChar {
        ch,
        start: stack[from].start,
        end: stack[stack.len() - 1].end,
        is_open_number: open,
        depth: stack[from].depth.saturating_add(1),
    };
    stack.truncate(from);
    Some(unit)
}

/// Parses `&#60` or `&#x3c` at the end of `stack`: its length and its character.
fn parse_numeric_entity(stack: &[DecodedChar]) -> Option<(usize, char)> {
    let tail = last_chars(stack, REFERENCE_CHARS);
    let digits = tail
        .iter()
        .rev()
        .take_while(|unit| unit.ch.is_ascii_hexdigit())
        .count();
    let (head, digits) = tail.split_at(tail.len() - digits);
    let (radix, mark) = match head {
        [.., amp, hash, x] if amp.ch == '&' && hash.ch == '#' && matches!(x.ch, 'x' | 'X') => {
            (16, 3)
        }
        [.., amp, hash] if amp.ch == '&' && hash.ch == '#' => (10, 2),
        _ => return None,
    };
    let ch = parse_char(digits, radix)?;
    Some((mark + digits.len(), ch))
}

/// Entities for characters that markers can consist of, or for invisible ones.
const ENTITIES: &[(&str, char)] = &[
    ("lt", '<'),
    ("gt", '>'),
    ("amp", '&'),
    ("quot", '"'),
    ("apos", '\''),
    ("lsqb", '['),
    ("lbrack", '['),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("lbrace", '{'),
    ("rbrace", '}'),
    ("num", '#'),
    ("sol", '/'),
    ("bsol", '\\'),
    ("colon", ':'),
    ("semi", ';'),
    ("lowbar", '_'),
    ("hyphen", '-'),
    ("dash", '-'),
    ("vert", '|'),
    ("verbar", '|'),
    ("grave", '`'),
    ("percnt", '%'),
    ("period", '.'),
    ("excl", '!'),
    ("nbsp", ' '),
    ("ensp", ' '),
    ("emsp", ' '),
    ("thinsp", ' '),
    ("tab", ' '),
    ("newline", '\n'),
    ("shy", '\u{ad}'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
    ("lang", '<'),
    ("rang", '>'),
    ("laquo", '<'),
    ("raquo", '>'),
];

/// Longest name in [`ENTITIES`], in characters.
const ENTITY_CHARS: usize = 7;

fn parse_named_entity(stack: &[DecodedChar]) -> Option<(usize, char, bool)> {
    let tail = last_chars(stack, ENTITY_CHARS + 1);
    let amp = tail.iter().rposition(|unit| unit.ch == '&')?;
    let name = &tail[amp + 1..];
    ENTITIES
        .iter()
        .find(|(entity, _)| {
            entity.len() == name.len()
                && entity
                    .chars()
                    .zip(name)
                    .all(|(ch, unit)| unit.ch.eq_ignore_ascii_case(&ch))
        })
        .map(|&(entity, ch)| (entity.len() + 1, ch, true))
}

/// Parses `\u{3c}` at the end of the stack.
fn parse_braced_escape(stack: &[DecodedChar]) -> Option<(usize, char, bool)> {
    let tail = last_chars(stack, 12);
    let open = tail.iter().rposition(|unit| unit.ch == '{')?;
    let (head, digits) = (&tail[..open], &tail[open + 1..tail.len() - 1]);
    let [.., slash, u] = head else { return None };
    (slash.ch == '\\' && u.ch == 'u').then_some(())?;
    Some((digits.len() + 4, parse_char(digits, 16)?, false))
}

/// Parses `%3c`, `\x3c`, `\u003c`, `\U0000003c`, `\074` or `\n` at the end of the stack.
fn parse_escape(stack: &[DecodedChar]) -> Option<(usize, char, bool)> {
    let at = |back: usize| stack.len().checked_sub(back).map(|index| stack[index].ch);
    let digits = |count: usize, radix| parse_char(last_chars(stack, count), radix);
    if at(3) == Some('%') {
        return parse_percent_escape(stack).map(|(length, ch)| (length, ch, false));
    }
    let (length, ch) = match (at(2), at(1)) {
        (Some('\\'), Some('n' | 'r')) => (2, '\n'),
        (Some('\\'), Some('t')) => (2, ' '),
        _ if at(4) == Some('\\') && at(3) == Some('x') => (4, digits(2, 16)?),
        _ if at(4) == Some('\\') && at(3).is_some_and(|ch| ch.is_digit(8)) => (4, digits(3, 8)?),
        _ if at(6) == Some('\\') && at(5) == Some('u') => return parse_unicode_escape(stack),
        _ if at(10) == Some('\\') && at(9) == Some('U') => (10, digits(8, 16)?),
        _ => return None,
    };
    Some((length, ch, false))
}

/// Parses `\u003c`, or the two halves of a character beyond the basic plane.
fn parse_unicode_escape(stack: &[DecodedChar]) -> Option<(usize, char, bool)> {
    let low = parse_code_point(last_chars(stack, 4), 16)?;
    if let Some(ch) = char::from_u32(low) {
        return Some((6, ch, false));
    }
    let before = &stack[..stack.len() - 6];
    let [slash, u, digits @ ..] = last_chars(before, 6) else {
        return None;
    };
    (slash.ch == '\\' && u.ch == 'u').then_some(())?;
    let high = parse_code_point(digits, 16)?;
    let is_pair = (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(&low);
    let ch = 0x10000 + (high.wrapping_sub(0xd800) << 10) + low.wrapping_sub(0xdc00);
    is_pair
        .then(|| char::from_u32(ch))
        .flatten()
        .map(|ch| (12, ch, false))
}

/// Parses `%3c`, or the two to four bytes of a longer character.
fn parse_percent_escape(stack: &[DecodedChar]) -> Option<(usize, char)> {
    let mut bytes = Vec::with_capacity(4);
    for count in 1..=4 {
        let end = stack.len().checked_sub(3 * (count - 1))?;
        let [mark, digits @ ..] = last_chars(&stack[..end], 3) else {
            return None;
        };
        (mark.ch == '%').then_some(())?;
        bytes.insert(0, u8::try_from(parse_code_point(digits, 16)?).ok()?);
        if let Ok(text) = std::str::from_utf8(&bytes) {
            return text.chars().next().map(|ch| (3 * count, ch));
        }
    }
    None
}

fn last_chars(stack: &[DecodedChar], count: usize) -> &[DecodedChar] {
    &stack[stack.len().saturating_sub(count)..]
}

fn parse_code_point(digits: &[DecodedChar], radix: u32) -> Option<u32> {
    (!digits.is_empty()).then_some(())?;
    digits.iter().try_fold(0_u32, |value, unit| {
        value
            .checked_mul(radix)?
            .checked_add(unit.ch.to_digit(radix)?)
    })
}

fn parse_char(digits: &[DecodedChar], radix: u32) -> Option<char> {
    parse_code_point(digits, radix).and_then(char::from_u32)
}
