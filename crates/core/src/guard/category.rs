//! What a text can be suspected of. What makes it suspect, and how much, is for the rules and for
//! [`inspect`](super::inspect).

use crate::named_enum::named_enum;

named_enum! {
    /// What a text is suspected of.
    Category {
        /// It contains markers that divide a prompt.
        Marker = "marker",
        /// It tampers with the reader's instructions.
        Override = "instruction-override",
        /// It gives the reader a role without rules.
        Persona = "persona",
        /// It makes a request, as a prompt does, instead of advising.
        Request = "request",
        /// It sends data out.
        Exfiltration = "exfiltration",
        /// It makes the reader use somebody's accounts.
        Errand = "errand",
        /// It does damage or removes protection.
        Destruction = "destruction",
        /// It conceals something from the user.
        Concealment = "concealment",
        /// It names a command that has grave effects.
        Command = "command",
        /// It is encoded.
        Encoded = "encoded",
    }
}
