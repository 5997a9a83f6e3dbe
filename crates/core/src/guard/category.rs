//! What a text can be suspected of. What makes it suspect, and how much, is for the rules and for
//! [`inspect`](super::inspect).

/// What a text is suspected of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// It contains markers that divide a prompt.
    Marker,
    /// It tampers with the reader's instructions.
    Override,
    /// It gives the reader a role without rules.
    Persona,
    /// It makes a request, as a prompt does, instead of advising.
    Request,
    /// It sends data out.
    Exfiltration,
    /// It makes the reader use somebody's accounts.
    Errand,
    /// It does damage or removes protection.
    Destruction,
    /// It conceals something from the user.
    Concealment,
    /// It is encoded.
    Encoded,
    /// It would apply almost everywhere.
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
