//! Where npm keeps the program, behind a wrapper of its own.

use std::path::{Path, PathBuf};

/// Returns whether a program is to be started by its path, where this one has its name on the search path: a wrapper of npm,
/// which starts Node.js first and takes many times as long.
///
/// Only npm keeps the path through upgrades; others have the version in it.
pub fn is_behind_wrapper(program: &Path, on_path: &Path) -> bool {
    // On Windows npm puts a file for `cmd` on the search path, which starts the wrapper.
    let is_wrapper =
        (on_path.file_name()).is_some_and(|name| name == "hardwon.js" || name == "hardwon.cmd");
    let mut parts = program.components();
    is_wrapper && parts.any(|part| part.as_os_str() == "node_modules") && is_npm_global(program)
}

/// Returns whether the `node_modules` of a program is npm's for the whole machine: not that of a project, of one run, or of
/// another package manager of Node.js.
fn is_npm_global(program: &Path) -> bool {
    let names = program.components().map(|part| part.as_os_str());
    let folder: PathBuf = names.take_while(|name| *name != "node_modules").collect();
    let path = program.to_string_lossy().replace('\\', "/");
    let of_others = [
        "/_npx/",
        "/pnpm/global/",
        "/.bun/install/global/",
        "/yarn/global/",
    ];
    !of_others.iter().any(|part| path.contains(part)) && !folder.join("package.json").is_file()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn only_what_npm_keeps_in_its_place_is_started_by_its_path() {
        let shop = TempDir::new().unwrap();
        fs::write(shop.path().join("package.json"), "{}").unwrap();
        let script = Path::new("/usr/lib/node_modules/hardwon/bin/hardwon.js");
        let program = "node_modules/@hardwon/linux-x64/bin/hardwon";
        let npm = Path::new("/usr/lib").join(program);
        let below = format!("/usr/lib/node_modules/hardwon/{program}");
        let of = |folder: &str| Path::new(folder).join(program);
        for (program, on_path, expected) in [
            (&*npm, script, true),
            (Path::new(&below), script, true),
            (&npm, Path::new("/usr/lib/hardwon.cmd"), true),
            (&npm, &npm, false),
            (&of("/home/.bun/install/global"), script, false),
            (&of("/home/.config/yarn/global"), script, false),
            (&of("/p/pnpm/global/5/.pnpm/x"), script, false),
            (&of("/home/.npm/_npx/8f"), script, false),
            (&shop.path().join(program), script, false),
            (Path::new("/no/such/bin/hardwon"), script, false),
        ] {
            assert_eq!(is_behind_wrapper(program, on_path), expected, "{program:?}");
        }
    }
}
