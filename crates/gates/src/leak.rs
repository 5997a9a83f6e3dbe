//! The leak gate: what in a file must not be published.
//!
//! Secrets are what [`redact`](hardwon_redact::redact) finds; there is no second set of rules. Beside them count the home folders
//! of people, the names of this account and machine, names that somebody configured, and those of other private projects.
//! Everything here is a pure function of a path and a text: what ships is listed, and read, elsewhere. No finding holds
//! the value that was found.

mod allow;
mod common_words;
mod credential_file;
mod excerpt;
mod home;
mod names;
mod path_class;
mod scan;
mod secrets;
mod stream;

pub use allow::AllowRule;
pub use credential_file::keeps_credentials;
pub use names::{PrivateName, PrivateNames};
pub(crate) use names::{build_finder, find_words};
pub use path_class::PathClass;
pub use scan::{LeakFinding, LeakScan, LeakScanner, ValueDigest};
pub use stream::FileScan;

hardwon_core::named_enum! {
    /// What kind of thing leaks.
    LeakRule {
        /// A secret; its kind says which.
        Secret = "secret",
        /// The home folder of a person.
        HomePath = "home-path",
        /// The name of the account on this machine.
        UserName = "user-name",
        /// The name of this machine.
        HostName = "host-name",
        /// A name that somebody configured.
        PrivateName = "private-name",
        /// The name of another project.
        PrivateProject = "private-project",
    }
}

impl LeakRule {
    /// Describes what was found, without the value.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Secret => "looks like a secret",
            Self::HomePath => "names somebody's home folder",
            Self::UserName => "is the name of your account on this machine",
            Self::HostName => "is the name of this machine",
            Self::PrivateName => "is a name that you keep private",
            Self::PrivateProject => "is the name of another project of yours",
        }
    }
}
