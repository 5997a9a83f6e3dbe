//! Writes texts into the query of an address.

use std::fmt::Write as _;

/// Writes a text so that it can stand in a query, as the value of a name.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                quoted.push(char::from(byte));
            }
            _ => write!(quoted, "%{byte:02X}").expect("writing to a text does not fail"),
        }
    }
    quoted
}
