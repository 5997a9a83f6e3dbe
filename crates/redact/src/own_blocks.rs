//! Removes our own blocks from what an agent says, so that memory never feeds on itself.
//!
//! What this product shows to an agent comes back in the next transcript. Each form of it has an opening that nobody
//! else writes; from there to its closing the block is removed, together with a wrapper that contained nothing else.
//! Text that merely looks like a lesson stays.

use std::{borrow::Cow, ops::Range};

/// Opens a preamble in Markdown or plain prose, which has no other marker.
pub const PREAMBLE_OPEN: &str = "<!-- hardwon:preamble -->";
/// Closes what [`PREAMBLE_OPEN`] opened.
pub const PREAMBLE_CLOSE: &str = "<!-- /hardwon:preamble -->";

/// Closes a block on one line; alone it names nothing of ours.
const SHORT_CLOSE: &str = "[END]";

/// The opening and closing of each kind of block; an opening without its own end ends at its line's `]`.
const BLOCK_FORMS: &[(&str, &str)] = &[
    ("[KNOWN PITFALLS", "[END KNOWN PITFALLS]"),
    ("[PITFALLS]", SHORT_CLOSE),
    ("[LOOP DETECTED]", "[END LOOP DETECTED]"),
    ("[/lesson ", "[END LESSON]"),
    ("[/lesson]", "[END LESSON]"),
    ("[/reflect ", "[END LESSON]"),
    ("[/reflect]", "[END LESSON]"),
    ("[LESSONS KEPT", "[END LESSONS]"),
    ("[TURN QUESTION]", "[END TURN QUESTION]"),
    ("[CALL HELD", "[END CALL HELD]"),
    (PREAMBLE_OPEN, PREAMBLE_CLOSE),
];

/// The beginnings of a block's lines, for a block whose closing is missing.
const BLOCK_LINE_STARTS: &[&str] = &[
    "- ",
    "  ",
    "#",
    "OK: ",
    "ERR: ",
    "ERROR: ",
    "Lessons from past experience:",
    "The following tool calls have failed",
    "Change argument, change tool",
    "To keep a new one",
    "By hardwon (off:",
    "This turn got past trouble:",
    "Would a later session in this project",
    "Otherwise write none;",
];

/// The longest rest of an opening, in bytes: the reply to a writ repeats its signature there.
const HEADER_BYTES: usize = 1024;
/// The longest line that a client puts between its wrapper and our block, in bytes.
const LEAD_BYTES: usize = 120;

/// Returns the closing of the block that a line opens; `None` if it opens none.
pub fn closing_for(line: &str) -> Option<&'static str> {
    let mut forms = BLOCK_FORMS
        .iter()
        .filter(|(open, _)| line.starts_with(open));
    forms.next().map(|(_, close)| *close)
}

/// Returns whether a text may contain one of our blocks, or one end of it.
pub fn may_hold_own_block(text: &str) -> bool {
    text.match_indices(['[', '<']).any(|(at, _)| {
        let rest = &text[at..];
        let mut forms = BLOCK_FORMS.iter();
        let is_closing = |close: &str| close != SHORT_CLOSE && rest.starts_with(close);
        forms.any(|(open, close)| rest.starts_with(open) || is_closing(close))
    })
}

/// Removes our own preambles, nudges and replies.
///
/// A block that is never closed ends with the last of its own lines, not at the end of the text.
pub fn strip_own_blocks(text: &str) -> Cow<'_, str> {
    let mut others_text = String::new();
    let mut rest = 0;
    while let Some(block) = find_next_block(text, rest) {
        let block = widen_by_wrappers(text, rest, block);
        others_text.push_str(text[rest..block.start].trim_end_matches([' ', '\t']));
        rest = block.end;
        let is_joined =
            others_text.is_empty() || others_text.ends_with('\n') || text[rest..].starts_with('\n');
        if !is_joined && rest < text.len() {
            // Parts that were separate must not join into a new opening.
            others_text.push('\n');
        }
        if others_text.ends_with('\n') || others_text.is_empty() {
            rest += usize::from(text[rest..].starts_with('\n'));
        }
    }
    if rest == 0 {
        return Cow::Borrowed(text);
    }
    others_text.push_str(&text[rest..]);
    Cow::Owned(others_text)
}

/// Returns the next block at or after `from`.
fn find_next_block(text: &str, from: usize) -> Option<Range<usize>> {
    let mut at = from;
    loop {
        at += text[at..].find(['[', '<'])?;
        let form = BLOCK_FORMS
            .iter()
            .find(|(open, _)| text[at..].starts_with(open))
            .and_then(|(open, close)| Some((open, close, find_header_end(text, at, open)?)));
        if let Some((open, close, header_end)) = form {
            let body = &text[header_end..];
            // A closing after the next opening is not ours.
            let body = body.find(open).map_or(body, |next| &body[..next]);
            let closing = body.find(close).map(|at| header_end + at + close.len());
            return Some(at..closing.unwrap_or_else(|| find_lines_end(text, header_end)));
        }
        at += 1;
    }
}

/// Returns where the opening ends: by itself, or at the `]` of its line.
fn find_header_end(text: &str, at: usize, open: &str) -> Option<usize> {
    let end = at + open.len();
    if open.ends_with([']', '>']) {
        return Some(end);
    }
    let header = text[end..].bytes().take(HEADER_BYTES);
    let length = header
        .take_while(|&byte| byte != b']' && byte != b'\n')
        .count();
    (text.as_bytes().get(end + length) == Some(&b']')).then_some(end + length + 1)
}

/// Returns the end of the lines of a block whose closing is missing.
fn find_lines_end(text: &str, header_end: usize) -> usize {
    let mut end = header_end;
    let blank = text[end..].trim_start_matches([' ', '\t']);
    if blank.starts_with('\n') {
        end = text.len() - blank.len() + 1;
    }
    while BLOCK_LINE_STARTS
        .iter()
        .any(|start| text[end..].starts_with(start))
    {
        end = text[end..]
            .find('\n')
            .map_or(text.len(), |length| end + length + 1);
    }
    if text[..end].ends_with('\n') {
        end - 1
    } else {
        end
    }
}

/// Extends a block by every wrapper that contains nothing else.
fn widen_by_wrappers(text: &str, from: usize, mut block: Range<usize>) -> Range<usize> {
    while let Some(wrapped) = find_wrapper(text, from, &block) {
        block = wrapped;
    }
    block
}

/// Returns the range of the wrapper around a block: `<name>`, at most a line that ends in a colon, the block,
/// `</name>`.
fn find_wrapper(text: &str, from: usize, block: &Range<usize>) -> Option<Range<usize>> {
    let after = text[block.end..].trim_start();
    let name = after.strip_prefix("</")?.split('>').next()?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_name = !name.is_empty() && name.len() <= 64 && name.chars().all(is_name);
    let end = text.len() - after.len() + "</>".len() + name.len();
    let before = text[from..block.start].trim_end();
    let open = before.rfind('<')?;
    let tag = before[open + 1..].strip_prefix(name)?;
    let (attributes, lead) = tag.split_once('>')?;
    let lead = lead.trim();
    let bare = lead.is_empty() || (lead.ends_with(':') && lead.len() <= LEAD_BYTES);
    let whole = attributes.is_empty() || attributes.starts_with(' ');
    (is_name && bare && whole && text[..end].ends_with('>')).then_some(from + open..end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(strip_own_blocks(text), expected, "{text:?}");
    }

    const PITFALLS: &str = "[KNOWN PITFALLS — your prior lessons; reference, not instructions]\n\
        - [fetch behind a proxy] send the header (#14)\n\
        [END KNOWN PITFALLS]";

    #[test]
    fn every_form_goes() {
        check(PITFALLS, "");
        check(&format!("before\n{PITFALLS}\nafter"), "before\nafter");
        check(&format!("before {PITFALLS} after"), "before\n after");
        check(
            "[LOOP DETECTED]\nThe following…\n  /fetch x\n[END LOOP DETECTED]\nresult",
            "result",
        );
        check(
            "a\n[/lesson create x]\nOK: recorded lesson #14\n[END LESSON]\nb",
            "a\nb",
        );
        for head in ["[/lesson]", "[/reflect look first]", "[/reflect]"] {
            check(&format!("a\n{head}\nERR: no\n[END LESSON]\nb"), "a\nb");
        }
        check(
            &format!("a\n{PREAMBLE_OPEN}\n## Past Experience\n- x (#1)\n{PREAMBLE_CLOSE}\nb"),
            "a\nb",
        );
        check(&format!("{PITFALLS}\n{PITFALLS}\nx"), "x");
    }

    #[test]
    fn wrappers_that_hold_only_ours_go_with_it() {
        check(
            &format!("a\n<hook_context>\n{PITFALLS}\n</hook_context>\nb"),
            "a\nb",
        );
        check(
            &format!(
                "<system-reminder>\nUserPromptSubmit hook additional context: {PITFALLS}\n\
                 </system-reminder>\nb"
            ),
            "b",
        );
        check(&format!("<a><b kind=\"x\">{PITFALLS}</b></a>b"), "b");
        check(
            &format!("<hook_context>\nmine\n{PITFALLS}\n</hook_context>"),
            "<hook_context>\nmine\n</hook_context>",
        );
    }

    #[test]
    fn a_block_that_is_not_closed_ends_with_its_lines() {
        check(
            "[KNOWN PITFALLS — x]\n- one (#1)\n- two (#2)\n\nmy task",
            "\nmy task",
        );
        check("[KNOWN PITFALLS]\nmy task", "my task");
        check(
            "[PITFALLS] a (#1)\n- b (#2) [END]\nmy task [END]",
            "my task [END]",
        );
        check(
            &format!("[KNOWN PITFALLS]\n- a\nmy task\n{PITFALLS}"),
            "my task\n",
        );
        check(
            "[LOOP DETECTED]\nThe following tool calls have failed twice\n  /fetch x\nresult",
            "result",
        );
        check("[/lesson show 3]\n#3 text\nthen", "then");
    }

    #[test]
    fn what_others_wrote_stays() {
        for text in [
            "",
            "[KNOWN PITFALLS and no end of the line\n",
            "## Past Experience\n- mine",
            "/lesson a: b",
            "[known pitfalls]",
            "<system-reminder>x</system-reminder>",
        ] {
            assert!(matches!(strip_own_blocks(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn either_end_names_ours() {
        for text in [PITFALLS, "x\n[END KNOWN PITFALLS]", "a [LOOP DETECTED]"] {
            assert!(may_hold_own_block(text), "{text}");
        }
        for text in ["", "[KNOWN", "[END]", "<hook_context>x</hook_context>"] {
            assert!(!may_hold_own_block(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_of_ours_is_left_however_it_is_put_together(
            pieces in proptest::collection::vec(
                proptest::sample::select(vec![
                    "[KNOWN PITFALLS", " x]", "[END KNOWN PITFALLS]", "[LOOP DETECTED]",
                    "[PITFALLS]", "[END]", "[END LOOP DETECTED]", "[/lesson ", "[END LESSON]", "\n", PREAMBLE_OPEN,
                    "[LESSONS KEPT", "[END LESSONS]", "To keep a new one",
                    PREAMBLE_CLOSE, "<a>", "</a>", "- é", "[KNOWN", " PITFALLS", " ",
                ]),
                0..24,
            )
        ) {
            let once = strip_own_blocks(&pieces.concat()).into_owned();
            prop_assert_eq!(strip_own_blocks(&once), once.as_str());
        }
    }
}
