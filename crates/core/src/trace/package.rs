//! Tells which packages of a monorepo a lesson and a call are about, by the folders they name.
//!
//! Only folders below one that usually holds packages count; a folder of any other name may be part of one.

use std::collections::BTreeSet;

use crate::LessonContent;
use crate::ParsedCall;

/// Folders of which each entry is a package.
const HOLDERS: [&str; 4] = ["packages", "apps", "crates", "services"];

/// Returns whether a lesson is about one package, and a call made in a folder of the repository works in others.
///
/// One that names none is about any, and one that names several is about how they go together.
pub fn is_about_others(content: &LessonContent, call: &ParsedCall, folder: &str) -> bool {
    let args = call.args_text();
    let mut works_in = named_packages(&args);
    // Where a path that leaves the folder leads is not known here.
    if works_in.is_empty() && !args.contains("..") {
        works_in = named_packages(folder);
    }
    is_about_none_of(content, &works_in)
}

/// Returns whether a lesson is about one package, and a folder of the repository belongs to another.
pub fn is_about_other_folder(content: &LessonContent, folder: &str) -> bool {
    is_about_none_of(content, &named_packages(folder))
}

/// Returns whether a path has a folder that may be a package.
pub fn names_package(path: &str) -> bool {
    !named_packages(path).is_empty()
}

fn is_about_none_of(content: &LessonContent, packages: &BTreeSet<(&str, &str)>) -> bool {
    if packages.is_empty() {
        return false;
    }
    let mut about = named_packages(content.signature.as_str());
    about.append(&mut named_packages(content.text.as_str()));
    about.len() == 1 && about.is_disjoint(packages)
}

/// Returns the packages that a text names, each with the folder above it.
fn named_packages(text: &str) -> BTreeSet<(&str, &str)> {
    let is_end = |c: char| !c.is_alphanumeric() && !"/._-@".contains(c);
    let paths = text.split(is_end);
    let package = |path| {
        let mut parts = str::split(path, '/');
        let holder = parts.find(|part| HOLDERS.contains(part))?;
        let name = parts.next()?.trim_end_matches('.');
        (!name.is_empty()).then_some((holder, name))
    };
    paths.filter_map(package).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CallStatus, CleanText, ToolCall, trace::call::parse_call};

    #[test]
    fn a_lesson_of_one_package_is_about_no_other() {
        let clean = |text: &str| CleanText::from_stored(text.to_owned());
        let check = |signature: &str, text: &str, tool: &str, args: &str, expected: bool| {
            let content = LessonContent::new(clean(signature), clean(text));
            let call = parse_call(&ToolCall {
                turn: 0,
                tool: clean(tool),
                args: clean(args),
                status: CallStatus::Ok,
                outside: None,
            });
            let found = is_about_others(&content, &call, "");
            assert_eq!(found, expected, "{signature} {text} {args}");
        };
        let rule = "In `packages/web/` run `pnpm test:unit`.";
        check(
            "pnpm test",
            rule,
            "Bash",
            "cd packages/api && pnpm test",
            true,
        );
        check(
            "pnpm test",
            rule,
            "Bash",
            "cd /w/packages/web && pnpm test",
            false,
        );
        check("pnpm test", rule, "Bash", "pnpm test", false);
        check("pnpm test", rule, "Bash", "cd apps/api && pnpm test", true);
        check(
            "pnpm test",
            rule,
            "Bash",
            "pnpm test packages/api packages/web",
            false,
        );
        check(
            "pnpm test",
            "Run `pnpm test:unit`.",
            "Bash",
            "cd packages/api && pnpm test",
            false,
        );
        check(
            "crates/core/src/limits.rs",
            "Bounds live there.",
            "Edit",
            r#"{"file_path":"crates/cli/src/limits.rs"}"#,
            true,
        );
        check(
            "crates/core/src/limits.rs",
            "Bounds live there.",
            "Edit",
            r#"{"file_path":"/w/crates/core/src/limits.rs"}"#,
            false,
        );
        check(
            "ls",
            "All packages/. Each of them.",
            "Bash",
            "ls packages/",
            false,
        );
        check(
            "pnpm test",
            "Mind packages/web.",
            "Bash",
            "pnpm test packages/web/src/a.ts",
            false,
        );
        check(
            "import",
            "packages/web imports nothing of packages/core.",
            "Edit",
            r#"{"file_path":"packages/api/a.ts"}"#,
            false,
        );
    }

    #[test]
    fn a_call_that_names_no_package_works_in_its_folder() {
        let clean = |text: &str| CleanText::from_stored(text.to_owned());
        let content = LessonContent::new(
            CleanText::default(),
            clean("`jest -u` breaks snapshots in `packages/a/src`."),
        );
        let check = |folder: &str, args: &str, expected: bool| {
            let call = parse_call(&ToolCall {
                turn: 0,
                tool: clean("Bash"),
                args: clean(args),
                status: CallStatus::Ok,
                outside: None,
            });
            let found = is_about_others(&content, &call, folder);
            assert_eq!(found, expected, "{folder} {args}");
        };
        check("packages/b", "jest -u", true);
        check("packages/b/src", "jest -u", true);
        check("packages/a", "jest -u", false);
        check("", "jest -u", false);
        check("tools", "jest -u", false);
        check("packages/b", "cd /w/packages/a && jest -u", false);
        check("packages/b", "cd ../a && jest -u", false);
        check("packages/a", "cd /w/packages/b && jest -u", true);
        assert!(is_about_other_folder(&content, "packages/b"));
        assert!(!is_about_other_folder(&content, "packages/a/src"));
        assert!(!is_about_other_folder(&content, ""));
    }
}
