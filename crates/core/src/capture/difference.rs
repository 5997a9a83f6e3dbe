//! What differs between a call that failed and the similar call that worked.

/// The difference between the two calls. Commands in it are already rendered for readers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// A missing program was replaced by another.
    Program {
        /// The missing program.
        missing: String,
        /// The program, with its subcommand, that worked in its place.
        used: String,
        /// The whole command that worked.
        shown: String,
    },
    /// The same words worked with another runner in front (`pytest` and `python -m pytest`), or by another name.
    Runner {
        /// The form that failed.
        from: String,
        /// The form that worked.
        to: String,
    },
    /// The program is not on PATH, but it is installed.
    Elsewhere {
        /// The program.
        program: String,
        /// Its path.
        path: String,
    },
    /// The same words worked without the program in front of them.
    Wrapper {
        /// The program that was in front.
        wrapper: String,
        /// The command that worked without it.
        command: String,
    },
    /// Another command did the work.
    Instead {
        /// The command that worked.
        command: String,
    },
    /// The same command worked with other options.
    Options {
        /// The command without the options in question.
        command: String,
        /// Options of the failed call that the working one lacks.
        removed: Vec<String>,
        /// Options that only the working call has.
        added: Vec<String>,
    },
    /// The same words worked in another order.
    Order {
        /// The words behind which the option had to stand.
        behind: String,
        /// The option, without its value.
        option: String,
    },
    /// The same command worked in another folder.
    Folder {
        /// The command.
        command: String,
        /// The folder that it worked in.
        folder: String,
    },
    /// The same command worked with environment variables set.
    Env {
        /// The command.
        command: String,
        /// The variables, with their values where these are harmless.
        variables: Vec<String>,
    },
    /// The same command worked after another one was run.
    First {
        /// The command.
        command: String,
        /// The command that had to be run first.
        first: String,
    },
    /// The same command worked after a line was written into a file.
    Edit {
        /// The command.
        command: String,
        /// The name of the file.
        file: String,
        /// The line.
        line: String,
    },
    /// The tool accepted the call with other argument names.
    Keys {
        /// Names that only the failed call has.
        removed: Vec<String>,
        /// Names that only the working call has.
        added: Vec<String>,
    },
    /// The tool accepted the call when one argument had another value.
    Value {
        /// The name of the argument.
        key: String,
        /// The failed and the working value, when both are harmless words.
        values: Option<(String, String)>,
    },
    /// The edit applied when only the white space of its text was changed.
    Indentation,
}
