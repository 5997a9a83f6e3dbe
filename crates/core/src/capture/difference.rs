//! What differs between a call that failed and the like call that worked.

/// The difference, ready to be worded. Commands in it are written for readers already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// A program that is missing was replaced by another.
    Program {
        /// The missing program.
        missing: String,
        /// The program, with its subcommand, that worked in its place.
        used: String,
        /// The command that worked.
        shown: String,
    },
    /// The same words worked behind another runner (`pytest` and `python -m pytest`).
    Runner {
        /// How it failed.
        from: String,
        /// How it worked.
        to: String,
    },
    /// The same words worked without the program that was put before them.
    Wrapper {
        /// What was put before them.
        wrapper: String,
        /// The command that worked without it.
        command: String,
    },
    /// Another command did the work.
    Instead {
        /// The command that worked.
        command: String,
    },
    /// A script, target or subcommand that is missing was replaced by another.
    Script {
        /// How it failed.
        from: String,
        /// How it worked.
        to: String,
    },
    /// The same command worked with other options.
    Options {
        /// The command without the options in question.
        command: String,
        /// Options that it failed with and worked without.
        removed: Vec<String>,
        /// Options that it worked with.
        added: Vec<String>,
    },
    /// The same line worked with one other word.
    Word {
        /// The command.
        command: String,
        /// The word as it failed, with the option it belongs to.
        from: String,
        /// The word as it worked, with the option it belongs to.
        to: String,
    },
    /// The same command worked in another folder.
    Folder {
        /// The command.
        command: String,
        /// The folder.
        folder: String,
    },
    /// The same command worked with variables set.
    Env {
        /// The command.
        command: String,
        /// The variables, with their values where these are harmless.
        variables: Vec<String>,
    },
    /// The same command worked as root.
    SudoAdded {
        /// The command.
        command: String,
    },
    /// The same command worked without `sudo`.
    SudoDropped {
        /// The command.
        command: String,
    },
    /// The same words worked with other quotes.
    Quoting {
        /// The word as it failed.
        from: String,
        /// The word as it worked.
        to: String,
    },
    /// The same command worked after another.
    First {
        /// The command.
        command: String,
        /// What had to come first.
        first: String,
    },
    /// The repository's branch has another name.
    Branch {
        /// The name that is not there.
        from: String,
        /// The name that is.
        to: String,
    },
    /// The tool took the call with other argument names.
    Keys {
        /// Names that it failed with and worked without.
        removed: Vec<String>,
        /// Names that it worked with.
        added: Vec<String>,
    },
    /// The tool took the call when this argument alone was another.
    Value {
        /// The argument.
        key: String,
        /// The values as they failed and worked, when both are harmless words.
        values: Option<(String, String)>,
    },
    /// The database does not know a word of the statement, and ran one without it.
    Dialect {
        /// The word.
        word: String,
        /// What the statement that ran used instead, when that is plain.
        instead: Option<&'static str>,
    },
    /// The database wants every selected column grouped or aggregated.
    FullGroupBy,
    /// The edit was taken when only the white space of its text was another.
    Indentation,
}
