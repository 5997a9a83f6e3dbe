//! The files that hardwon writes whole: plugins for clients that load programs.
//!
//! What they say is kept beside this module in the form in which it is written.

use serde_json::json;

use super::content::MARK;

/// What the plugins call the program before it is known where it lies.
const PROGRAM: &str = "const PROGRAM = \"hardwon\"";

/// Returns the plugin for opencode.
#[must_use]
pub fn opencode(program: &str) -> String {
    starting(program, include_str!("plugin/opencode.js"))
}

/// Returns the extension for pi.
#[must_use]
pub fn pi(program: &str) -> String {
    starting(program, include_str!("plugin/pi.ts"))
}

/// Returns what goose reads about the plugin that holds its hooks.
#[must_use]
pub fn goose_manifest() -> String {
    let manifest = json!({
        "description": format!("Lessons your agents learn once. {MARK}."),
        "name": "hardwon",
        "version": env!("CARGO_PKG_VERSION"),
    });
    format!("{manifest:#}\n")
}

/// Returns the program that a plugin of ours starts.
#[must_use]
pub fn program_in(text: &str) -> Option<String> {
    let (start, _) = PROGRAM.split_once('"')?;
    let line = text.lines().find_map(|line| line.strip_prefix(start))?;
    serde_json::from_str(line).ok()
}

/// Puts the program's place into a plugin.
fn starting(program: &str, text: &str) -> String {
    let line = format!("const PROGRAM = {}", json!(program));
    text.replacen(PROGRAM, &line, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

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
