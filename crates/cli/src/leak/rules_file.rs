//! `.hardwonleaks.toml`: what a repository allows, and what else it keeps private.
//!
//! A file that is not understood is an error, since a mistyped rule would let things pass, or stop them, unseen.

use hardwon_gates::leak::{AllowRule, LeakRule};
use hardwon_redact::secret_kinds;
use toml_edit::{DocumentMut, Item, Table};

use crate::{CliError, Result};

/// The name of the file, at the root of the repository.
pub const FILE_NAME: &str = ".hardwonleaks.toml";

/// What the file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LeakRules {
    /// Names that must not ship.
    pub names: Vec<String>,
    /// Finds that may.
    pub allowed: Vec<AllowRule>,
}

/// Parses the file.
///
/// # Errors
/// If it is not TOML, or has a key or a value that has no meaning here.
pub fn parse_rules(text: &str) -> Result<LeakRules> {
    let fail = |what: String| {
        let message = format!("{FILE_NAME}: {what}");
        CliError::bad_input(message).with_hint("docs/leak.md describes the file")
    };
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.unwrap_or_default().matches('\n').count() + 1;
        fail(format!("line {line}: {}", error.message()))
    })?;
    let mut rules = LeakRules::default();
    for (key, item) in document.iter() {
        match key {
            "names" => {
                let names = read_texts(item);
                rules.names =
                    names.ok_or_else(|| fail("`names` is no list of texts".to_owned()))?;
            }
            "allow" => {
                let tables = item.as_array_of_tables();
                let tables =
                    tables.ok_or_else(|| fail("write each rule below `[[allow]]`".to_owned()))?;
                for table in tables {
                    rules.allowed.push(read_allow_rule(table).map_err(fail)?);
                }
            }
            other => return Err(fail(format!("there is no key `{other}`"))),
        }
    }
    Ok(rules)
}

fn read_allow_rule(table: &Table) -> Result<AllowRule, String> {
    let mut rule = AllowRule::default();
    for (key, item) in table {
        let texts = || read_texts(item).ok_or(format!("`{key}` is no list of texts"));
        match key {
            "paths" => rule.paths = texts()?,
            "rules" => rule.rules = check_rules(texts()?)?,
            // For whoever reads the file.
            "reason" => {}
            other => return Err(format!("`[[allow]]` has no key `{other}`")),
        }
    }
    if rule.paths.is_empty() && rule.rules.is_empty() {
        Err("`[[allow]]` needs `paths`, `rules` or both".to_owned())
    } else {
        Ok(rule)
    }
}

/// Refuses the name of a rule that does not exist: it would allow nothing, or not what was meant.
fn check_rules(names: Vec<String>) -> Result<Vec<String>, String> {
    let kinds = secret_kinds();
    let is_known = |name: &String| LeakRule::from_name(name).is_some() || kinds.contains(&&**name);
    match names.iter().find(|name| !is_known(name)) {
        Some(name) => Err(format!(
            "there is no rule `{name}`; name it as it is printed, or `secret`"
        )),
        None => Ok(names),
    }
}

fn read_texts(item: &Item) -> Option<Vec<String>> {
    let texts = item
        .as_array()?
        .iter()
        .map(|items| items.as_str().map(str::to_owned));
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_may_say() {
        let text = "names = [\"Bluebird\"]\n[[allow]]\npaths = [\"a\"]\nrules = [\"jwt\"]\nreason = \"x\"\n";
        let rules = parse_rules(text).unwrap();
        let texts = |text: &str| vec![text.to_owned()];
        assert_eq!(rules.names, texts("Bluebird"));
        let (paths, rule) = (texts("a"), texts("jwt"));
        assert_eq!(rules.allowed, [AllowRule { paths, rules: rule }]);
        assert_eq!(parse_rules("").unwrap(), LeakRules::default());
        for wrong in [
            "names = 3",
            "names = [3]",
            "name = []",
            "allow = []",
            "[[allow]]",
            "[[allow]]\npath = [\"a\"]",
            "[[allow]]\npaths = \"a\"",
            "[[allow]]\nrules = [\"jvt\"]",
            "[",
        ] {
            assert!(parse_rules(wrong).is_err(), "{wrong}");
        }
    }
}
