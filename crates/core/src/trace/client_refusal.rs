//! Recognises errors in which a client's own tool states what to do.
//!
//! "File has not been read yet. Read it first before writing to it." needs no similar call that worked to be
//! understood, and sessions have it again and again. Only errors of the clients' own tools are read so: the text of
//! any other program may come from anybody, and its advice with it. The rows contain facts; the wording for readers
//! is the job of [`distil`](crate::distil).

use crate::named_enum::named_enum;
use crate::shell::is_listed;

named_enum! {
    /// A kind of refusal that a client's own tool explains.
    ///
    /// The name is part of the failure's key.
    ClientRefusal {
        /// A file must be read before it is edited or written.
        Unread = "unread",
        /// A file changed since it was read.
        Stale = "stale",
        /// The text to replace is not in the file.
        Mismatch = "mismatch",
        /// The text to replace is there more than once.
        Ambiguous = "ambiguous",
        /// A file is too large to be read at once.
        TooLarge = "too-large",
        /// No skill, agent or tool has this name.
        UnknownName = "unknown-name",
        /// An argument is missing or of the wrong kind.
        Argument = "argument",
    }
}

/// For each kind the lower-case texts of which the error contains one.
const RULES: &[(ClientRefusal, &str)] = &[
    (
        ClientRefusal::Unread,
        "has not been read yet; must read the file before; must be read before; file must be read first",
    ),
    (
        ClientRefusal::Stale,
        "modified since; unexpectedly modified; changed since it was last read; has changed on disk",
    ),
    (
        ClientRefusal::Mismatch,
        "string to replace not found; string to replace was not found; failed to exactly match; \
            searchreplacenoexactmatch; no match found for the string; no exact match; could not find the string; \
            could not find oldstring; oldstring not found; could not find the exact text; could not find an \
            exact match; oldtext must match exactly; failed to find expected lines; failed to find context; did \
            not appear verbatim; 0 occurrences found for old_string",
    ),
    (
        ClientRefusal::Ambiguous,
        "matches of the string; occurrences of the string; occurrences of edits[; multiple occurrences of; \
            found multiple matches; is not unique in the file",
    ),
    (
        ClientRefusal::TooLarge,
        "exceeds maximum allowed tokens; exceeds maximum allowed size; file content exceeds",
    ),
    (
        ClientRefusal::UnknownName,
        "unknown skill; agent type '; agent type \"; no such tool available; tool not found; unknown agent; \
            unknown subagent",
    ),
    (
        ClientRefusal::Argument,
        "inputvalidationerror; required parameter; unexpected parameter; must have required property",
    ),
];

impl ClientRefusal {
    /// Returns whether it is a fixed rule of the client, not a mistake in a single call.
    pub fn is_rule(self) -> bool {
        !matches!(self, Self::Mismatch | Self::Ambiguous | Self::Argument)
    }

    /// Returns whether the error is about a file's text, and so the same for every editing tool.
    pub fn applies_to_any_editor(self) -> bool {
        matches!(
            self,
            Self::Unread | Self::Stale | Self::Mismatch | Self::Ambiguous
        )
    }
}

/// Returns the refusal that an error of a client's own tool states, if any.
pub fn find_refusal(tool: &str, error: &str) -> Option<ClientRefusal> {
    if !is_client_tool(tool) {
        return None;
    }
    let error = error.to_ascii_lowercase();
    let holds = |texts: &str| texts.split("; ").any(|text| error.contains(text));
    let rule = RULES.iter().find(|(_, texts)| holds(texts));
    rule.map(|(stated, _)| *stated)
}

/// Returns whether a tool is one of the clients' own; `tool` is in lower case.
pub fn is_client_tool(tool: &str) -> bool {
    const TOOLS: &str = "edit multiedit write read notebookedit notebookread skill task agent glob grep todowrite \
        apply_patch str_replace str_replace_editor str_replace_based_edit_tool replace write_file read_file \
        edit_file search_replace replace_in_file write_to_file read_many_files view create insert patch \
        taskupdate taskcreate askuserquestion exitplanmode webfetch websearch";
    is_listed(TOOLS, tool)
}

/// Returns the name in an error about an unknown name.
pub fn parse_unknown_name(error: &str) -> Option<&str> {
    let quotation = error.split(['\'', '"', '`']).nth(1);
    let after_colon = || error.split_once(": ")?.1.split_whitespace().next();
    let name = quotation.or_else(after_colon)?;
    let name = name.trim_matches(['.', ',']);
    is_identifier(name).then_some(name)
}

/// Returns the known names that an error lists.
pub fn parse_known_names(error: &str) -> Vec<&str> {
    const NAMES: usize = 12;
    let lower = error.to_ascii_lowercase();
    let marks = [
        "available agents: ",
        "available skills: ",
        "available tools: ",
        "available: ",
        "known ones: ",
    ];
    let Some(at) = marks
        .iter()
        .find_map(|mark| Some(lower.find(mark)? + mark.len()))
    else {
        return Vec::new();
    };
    let names = error[at..].lines().next().unwrap_or_default().split(',');
    let names = names.map(|name| name.trim().trim_end_matches(['.', '…']));
    names
        .take_while(|name| is_identifier(name))
        .take(NAMES)
        .collect()
}

fn is_identifier(name: &str) -> bool {
    (1..=60).contains(&name.len())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_states() {
        for (tool, error, expected) in [
            (
                "edit",
                "File has not been read yet. Read it first before writing to it.",
                Some(ClientRefusal::Unread),
            ),
            (
                "edit",
                "Could not find edits[1] in a.go. The oldText must match exactly including all whitespace and newlines.",
                Some(ClientRefusal::Mismatch),
            ),
            (
                "edit",
                "String to replace not found in file.\nString: x",
                Some(ClientRefusal::Mismatch),
            ),
            (
                "edit",
                "Found 3 matches of the string to replace, but replace_all is false.",
                Some(ClientRefusal::Ambiguous),
            ),
            (
                "write",
                "File has been modified since read, either by the user or by a linter.",
                Some(ClientRefusal::Stale),
            ),
            (
                "read",
                "File content (31441 tokens) exceeds maximum allowed tokens (25000).",
                Some(ClientRefusal::TooLarge),
            ),
            (
                "skill",
                "Unknown skill: commit",
                Some(ClientRefusal::UnknownName),
            ),
            (
                "task",
                "Agent type 'x' not found. Available agents: a, b",
                Some(ClientRefusal::UnknownName),
            ),
            (
                "replace",
                "Failed to edit, 0 occurrences found for old_string.",
                Some(ClientRefusal::Mismatch),
            ),
            ("bash", "File has not been read yet.", None),
            ("get_user", "Unknown skill: commit", None),
            ("edit", "EACCES: permission denied", None),
        ] {
            assert_eq!(find_refusal(tool, error), expected, "{tool} {error}");
        }
    }

    #[test]
    fn names_that_are_not_there_and_that_are() {
        for (error, unknown, known) in [
            ("Unknown skill: commit", Some("commit"), &[][..]),
            (
                "Agent type 'Plan2' not found. Available agents: Bash, general-purpose",
                Some("Plan2"),
                &["Bash", "general-purpose"],
            ),
            ("No such tool available: Foo bar", Some("Foo"), &[]),
            ("Unknown skill: <a b>; rm", None, &[]),
            (
                "Agent type 'x' not found. Available agents: a, $(rm -rf), b",
                Some("x"),
                &["a"],
            ),
        ] {
            assert_eq!(parse_unknown_name(error), unknown, "{error}");
            assert_eq!(parse_known_names(error), known, "{error}");
        }
    }
}
