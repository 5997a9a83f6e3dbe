//! Property lists, the settings files of macOS: `<key>NAME</key>` and, as the next element, `<string>VALUE</string>`.
//!
//! There `<key>` holds a name and no secret, and the secret stands in another element, often on another line. In any other
//! XML `<key>` holds a key. Whether a value is secret is not decided here.

use std::ops::Range;

/// How far a key and the space behind it are read, in bytes.
const KEY_BYTES: usize = 256;

/// The elements that hold the value of a key.
#[rustfmt::skip]
const VALUE_ELEMENTS: [&[u8]; 9] = [
    b"string>", b"integer>", b"real>", b"date>", b"data>", b"array>", b"dict>", b"true/>", b"false/>",
];

/// Returns where the value begins that belongs to a name; `None` if the name is not the whole key of a property list, or
/// its value is no text.
pub(super) fn find_value(text: &[u8], name: &Range<usize>) -> Option<usize> {
    if !text[..name.start].ends_with(b"<key>") {
        return None;
    }
    let value = find_value_element(text, name.end)?;
    let holds_text = |element: &&[u8]| text[value..].starts_with(element);
    let element = VALUE_ELEMENTS[..2].iter().find(|name| holds_text(name))?;
    Some(value + element.len())
}

/// Returns whether the element of a name, which ends at `name_end`, is a key of a property list.
pub(super) fn is_key(text: &[u8], name: &Range<usize>) -> bool {
    if &text[name.clone()] != b"key" || !text[name.end..].starts_with(b">") {
        return false;
    }
    let rest = &text[name.end..text.len().min(name.end + KEY_BYTES)];
    let closes = rest.windows(2).position(|window| window == b"</");
    closes.is_some_and(|at| find_value_element(text, name.end + at).is_some())
}

/// Returns where the name of the element begins that holds the value of the key that closes at `at`.
fn find_value_element(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..text.len().min(at + KEY_BYTES)];
    let after = rest.strip_prefix(b"</key>")?;
    let element = after.trim_ascii_start().strip_prefix(b"<")?;
    let is_value = VALUE_ELEMENTS.iter().any(|mark| element.starts_with(mark));
    is_value.then_some(at + rest.len() - element.len())
}
