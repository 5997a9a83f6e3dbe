//! The `hardwon` program: parse, run, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    hardwon_cli::main()
}
