//! The files that hardwon writes whole: plugins for clients that load programs.
//!
//! Their texts are in the clients' folders.

use serde_json::json;

/// The line of a plugin that names the program, before its path is filled in.
const PROGRAM: &str = "const PROGRAM = \"hardwon\"";

/// Returns the program that a plugin of ours starts; `None` if the text is no such plugin.
pub fn find_program_in(text: &str) -> Option<String> {
    let (start, _) = PROGRAM.split_once('"')?;
    let line = text.lines().find_map(|line| line.strip_prefix(start))?;
    serde_json::from_str(line).ok()
}

/// Fills the program's path into a plugin.
pub(crate) fn with_program(program: &str, text: &str) -> String {
    let line = format!("const PROGRAM = {}", json!(program));
    text.replacen(PROGRAM, &line, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        opencode::setup::write_plugin as opencode, pi::setup::write_extension as pi,
        setup::content::MARK,
    };

    #[test]
    fn a_plugin_starts_the_program_where_it_lies() {
        for plugin in [opencode, pi] {
            assert!(plugin("hardwon").contains(PROGRAM));
            assert!(plugin("hardwon").contains(MARK));
            let elsewhere = plugin("/a \"b\"/hardwon");
            assert!(
                elsewhere.contains(r#"const PROGRAM = "/a \"b\"/hardwon""#),
                "{elsewhere}"
            );
        }
    }
}
