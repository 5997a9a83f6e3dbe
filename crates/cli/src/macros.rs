//! Errors and output that are worded by a format and its values.

/// Makes an error for a search or check with a negative result.
macro_rules! negative {
    ($($words:tt)*) => { $crate::error::CliError::negative(format_args!($($words)*)) };
}

/// Makes an error for an invalid request.
macro_rules! bad_input {
    ($($words:tt)*) => { $crate::error::CliError::bad_input(format_args!($($words)*)) };
}

/// Makes an error for an internal failure.
macro_rules! internal {
    ($($words:tt)*) => { $crate::error::CliError::internal(format_args!($($words)*)) };
}

/// Prints a line on stdout and flushes it.
macro_rules! print_line {
    ($($words:tt)*) => { $crate::output::print_line(&format!($($words)*)) };
}

/// Prints a note on stderr.
macro_rules! print_note {
    ($($words:tt)*) => { $crate::output::print_note(&format!($($words)*)) };
}
