//! What a text can be suspected of. What makes it suspect, and how much, is for the rules and for
//! [`inspect`](super::inspect).

/// What a text is suspected of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// It holds the marks that divide a prompt.
    Marker,
    /// It meddles with the reader's instructions.
    Override,
    /// It makes the reader somebody without rules.
    Persona,
    /// It asks, as a prompt does, instead of advising.
    Request,
    /// It carries data off.
    Exfiltration,
    /// It sends the reader on an errand to somebody's accounts.
    Errand,
    /// It does damage or takes protection away.
    Destruction,
    /// It keeps something from the user.
    Concealment,
    /// It hides what it says.
    Encoded,
    /// It would fire almost anywhere.
    Broad,
}

impl Category {
    /// Returns the name used in JSON and on the screen.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Marker => "marker",
            Self::Override => "instruction-override",
            Self::Persona => "persona",
            Self::Request => "request",
            Self::Exfiltration => "exfiltration",
            Self::Errand => "errand",
            Self::Destruction => "destruction",
            Self::Concealment => "concealment",
            Self::Encoded => "encoded",
            Self::Broad => "over-broad",
        }
    }
}
