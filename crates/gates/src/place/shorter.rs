//! An entry of a memory in other words, where it stands in its file.
//!
//! Only what is words gets other words: what leads elsewhere, what is drawn with characters and what is to be copied as
//! it is typed would be lost on a line. Whether the words may take the place is decided in `rewording` of the engine.

use hardwon_core::{advice::find_list_mark, text::CleanText};

use super::line::clean_line;

/// Returns the lines of an entry with other words for its own: behind the same mark of a list, before the same end.
///
/// `None` if the entry has more than words: code on lines of its own, a table, a comment, a link or an import.
pub fn replace_words(entry: &str, words: &CleanText) -> Option<String> {
    let line = clean_line(words.as_str());
    if line.is_empty() || !has_only_words(entry) {
        return None;
    }
    let indent = entry.len() - entry.trim_start().len();
    let mark = find_list_mark(&entry[indent..]).len();
    let end = &entry[entry.trim_end().len()..];
    Some(format!("{}{line}{end}", &entry[..indent + mark]))
}

fn has_only_words(entry: &str) -> bool {
    let is_drawn = |line: &str| line.trim_start().starts_with(['|', '<', '>']);
    let has_import = || entry.split_whitespace().any(|word| word.starts_with('@'));
    !["```", "~~~", "<!--", "]("]
        .iter()
        .any(|mark| entry.contains(mark))
        && !entry.lines().any(is_drawn)
        && !has_import()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(entry: &str, words: &str, expected: Option<&str>) {
        let words = CleanText::from_stored(words.to_owned());
        assert_eq!(replace_words(entry, &words).as_deref(), expected, "{entry}");
    }

    #[test]
    fn words_take_the_place_of_words() {
        check("- Long\n  words.\n", "Short.", Some("- Short.\n"));
        check(
            "  3.  Long.\r\n\r\n",
            "Short.",
            Some("  3.  Short.\r\n\r\n"),
        );
        check("Long.", "Short.", Some("Short."));
        check("-Long.\n", "Short.", Some("Short.\n"));
        check("Long.\n", " ", None);
    }

    #[test]
    fn what_is_more_than_words_stays() {
        for entry in [
            "- Run:\n  ```\n  make\n  ```\n",
            "- See [the page](x.md).\n",
            "@style.md\n",
            "- As in @style.md.\n",
            "a | b\n| - | - |\n",
            "Text <!-- note -->\n",
        ] {
            check(entry, "Short.", None);
        }
    }

    #[test]
    fn words_stay_words() {
        check(
            "- Long.\n",
            "# A\nheading @x",
            Some("- \\# A heading \\@x\n"),
        );
    }
}
