//! What a text can be suspected of. What makes it suspect, and how much, is for the rules and for
//! [`inspect`](super::inspect).

use crate::named_enum::named_enum;

named_enum! {
    /// What a text is suspected of.
    Category {
        /// It holds the marks that divide a prompt.
        Marker = "marker",
        /// It meddles with the reader's instructions.
        Override = "instruction-override",
        /// It makes the reader somebody without rules.
        Persona = "persona",
        /// It asks, as a prompt does, instead of advising.
        Request = "request",
        /// It carries data off.
        Exfiltration = "exfiltration",
        /// It sends the reader on an errand to somebody's accounts.
        Errand = "errand",
        /// It does damage or takes protection away.
        Destruction = "destruction",
        /// It keeps something from the user.
        Concealment = "concealment",
        /// It hides what it says.
        Encoded = "encoded",
        /// It would fire almost anywhere.
        Broad = "over-broad",
    }
}
