//! A digest in a row that nothing else says what it should be: by it an audit sees that the row was edited.
//!
//! It is a member of the row's JSON, over the rest of it and the columns beside it. It holds no key: who knows how it is
//! made can make it anew, as they can the journal. Rows of earlier versions have none.

use hardwon_core::digest;

use super::{Serialize, to_json};
use crate::Result;

/// What stands between a value and its digest.
const SEAL: &str = ",\"seal\":\"";

/// Writes a value as JSON, with a digest of it and of the columns beside it, each as text and empty for nothing.
pub fn to_sealed_json<T: Serialize>(value: &T, beside: &[String]) -> Result<String> {
    let mut text = to_json(value)?;
    let seal = make_seal(&text, beside);
    text.pop();
    Ok(format!("{text}{SEAL}{seal}\"}}"))
}

/// Returns whether a row is as it was written, as far as it says.
pub(crate) fn is_unedited(text: &str, beside: &[String]) -> bool {
    match text.rsplit_once(SEAL) {
        Some((value, end)) => {
            let seal = make_seal(&format!("{value}}}"), beside);
            end.strip_suffix("\"}") == Some(&seal)
        }
        None => !text.contains("\"seal\":"),
    }
}

fn make_seal(text: &str, beside: &[String]) -> String {
    let fields = beside.iter().map(String::as_str).chain([text]);
    // The length stands before each, so that no two rows have the same parts.
    let parts: String = fields
        .map(|field| format!("{}:{field}", field.len()))
        .collect();
    let hash = digest::hash_parts(["hardwon row 1".as_bytes(), parts.as_bytes()]);
    digest::to_hex(&hash[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_row_is_known() {
        let beside = ["7".to_owned(), String::new()];
        let value = serde_json::json!({"said": "a \"seal\": b"});
        let row = to_sealed_json(&value, &beside).unwrap();
        assert!(is_unedited(&row, &beside));
        assert!(is_unedited(r#"{"said":"a row of before"}"#, &beside));
        assert!(!is_unedited(&row, &[String::new(), "7".to_owned()]));
        for (word, other) in [
            ("said", "says"),
            (" b", " c"),
            ("\"seal\":\"", "\"seal\":\"0"),
        ] {
            assert!(!is_unedited(&row.replace(word, other), &beside), "{word}");
        }
    }
}
