//! `hardwon init --git` and `hardwon uninstall --git`: the leak gate before every push of a repository.
//!
//! A hook that is there already is never overwritten: git's own folder keeps it beside ours, which runs it first; in a
//! folder that another program configured nothing is changed. Only a hook that is ours to the last byte is removed.

use std::{
    env,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use hardwon_clients::setup::own_entries::quote_program;
use hardwon_engine::regular_file;
use hardwon_repo::Repository;

use super::change;
use crate::{CliError, Result, output};

const HOOK_NAME: &str = "pre-push";
/// What a hook is called that was there before.
const FORMER_NAME: &str = "pre-push.before-hardwon";

const HEAD: &str = "\
#!/bin/sh
# The leak gate of hardwon: `hardwon init --git` wrote this file, `hardwon uninstall --git` removes it.
";

/// Writes the hook; `program` is quoted for a shell.
fn render_hook(program: &str, has_former: bool) -> String {
    if has_former {
        format!(
            "{HEAD}refs=$(cat; echo x)\nrefs=${{refs%x}}\nformer=$(dirname \"$0\")/{FORMER_NAME}\n\
             if [ -x \"$former\" ]; then\n  printf %s \"$refs\" | \"$former\" \"$@\" || exit\nfi\n\
             printf %s \"$refs\" | {program} leak --pre-push=\"$1\"\n"
        )
    } else {
        format!("{HEAD}exec {program} leak --pre-push=\"$1\"\n")
    }
}

/// Returns whether a hook is one that this program wrote, and nobody changed.
fn is_own_hook(text: &str) -> bool {
    let call = text
        .lines()
        .find_map(|line| line.strip_suffix(" leak --pre-push=\"$1\""));
    let program = call.map(|call| {
        let starts = ["exec ", "printf %s \"$refs\" | "];
        let program = starts.iter().find_map(|start| call.strip_prefix(start));
        program.unwrap_or(call)
    });
    program.is_some_and(|program| {
        [false, true]
            .iter()
            .any(|former| text == render_hook(program, *former))
    })
}

/// The hook of a repository, and what is there now.
struct HookPlace {
    hook: PathBuf,
    former: PathBuf,
    /// Whether git's own folder is used, and not one that is configured.
    is_plain: bool,
}

impl HookPlace {
    fn find() -> Result<Self> {
        let repository = Repository::find(&env::current_dir()?)?;
        let hooks = repository.hooks_folder()?;
        let git = repository.git_folder()?;
        if !hooks.starts_with(&git) && !hooks.starts_with(repository.root()) {
            return Err(bad_input!(
                "core.hooksPath is {}, which other repositories may use too",
                hooks.display()
            )
            .with_hint(MANUAL_HINT));
        }
        Ok(Self {
            hook: hooks.join(HOOK_NAME),
            former: hooks.join(FORMER_NAME),
            is_plain: hooks == git.join("hooks"),
        })
    }

    /// Reads the hook; `None` if there is none.
    fn read(&self) -> Result<Option<String>> {
        if fs::symlink_metadata(&self.hook).is_ok_and(|found| !found.is_file()) {
            return Ok(Some(String::new()));
        }
        let bytes = regular_file::if_there(fs::read(&self.hook)).map_err(self.fail("reading"))?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn fail(&self, doing: &str) -> impl Fn(io::Error) -> CliError {
        CliError::bad_file(doing, &self.hook)
    }
}

const MANUAL_HINT: &str =
    "to have the gate there, add this line to your pre-push hook: hardwon leak --pre-push=\"$1\"";

/// Installs the hook in the repository of the current folder.
pub(super) fn install(is_dry_run: bool) -> Result<()> {
    let machine = change::current_machine()?;
    let program = quote_program(&change::find_own_program(&machine)?);
    let place = HookPlace::find()?;
    let hook_path = place.hook.display().to_string();
    let present = place.read()?;
    let has_former = match &present {
        Some(text) if is_own_hook(text) => place.former.exists(),
        Some(_) if !place.is_plain => {
            let message =
                format!("{hook_path} is there already, in a folder that core.hooksPath names");
            return Err(CliError::bad_input(message).with_hint(MANUAL_HINT));
        }
        Some(_) if place.former.exists() => {
            return Err(bad_input!(
                "{} is there already, from an earlier hook",
                place.former.display()
            )
            .with_hint("put it away, and run this again"));
        }
        Some(_) => true,
        None => false,
    };
    let text = render_hook(&program, has_former);
    if present.as_ref() == Some(&text) {
        return print_line!("{hook_path} is hardwon's already: nothing to change");
    }
    let former_note = match &present {
        Some(old) if !is_own_hook(old) => {
            format!(", which runs the one that is there first ({FORMER_NAME})")
        }
        _ => String::new(),
    };
    if is_dry_run {
        return print_line!("would write {hook_path}{former_note}");
    }
    match &present {
        Some(old) if is_own_hook(old) => fs::remove_file(&place.hook),
        Some(_) => fs::rename(&place.hook, &place.former),
        None => Ok(()),
    }
    .map_err(place.fail("moving"))?;
    write_hook(&place.hook, &text).map_err(place.fail("writing"))?;
    print_line!("wrote {hook_path}{former_note}")?;
    output::print_line(
        "every push from this repository is searched first; `hardwon leak` searches it now, and `git push --no-verify` \
         passes the gate by",
    )
}

/// Removes the hook from the repository of the current folder, and puts back the one that was there before.
pub(super) fn remove(is_dry_run: bool) -> Result<()> {
    let place = HookPlace::find()?;
    let hook_path = place.hook.display();
    match place.read()? {
        Some(text) if is_own_hook(&text) => {}
        Some(text) if text.contains("hardwon") => {
            let message =
                format!("{hook_path} was changed since hardwon wrote it, and is left alone");
            return Err(CliError::bad_input(message)
                .with_hint("remove the line with `hardwon leak` by hand"));
        }
        _ => {
            return output::print_line("hardwon has no hook in this repository: nothing to remove");
        }
    }
    let has_former = fs::symlink_metadata(&place.former).is_ok();
    let message = if has_former {
        format!("the hook that was there before is {hook_path} again")
    } else {
        format!("removed {hook_path}")
    };
    if is_dry_run {
        return print_line!("would be done: {message}");
    }
    // A rename replaces ours in one step.
    if has_former {
        fs::rename(&place.former, &place.hook)
    } else {
        fs::remove_file(&place.hook)
    }
    .map_err(place.fail("removing"))?;
    output::print_line(&message)
}

/// Writes a hook that is not there yet, so that it may run.
fn write_hook(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o755);
    options.open(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_ours_to_the_last_byte() {
        for (program, former) in [("hardwon", false), ("'/a b/hardwon'", true)] {
            let hook = render_hook(program, former);
            assert!(is_own_hook(&hook), "{hook}");
            assert!(!is_own_hook(&format!("{hook}echo more\n")), "{hook}");
            assert!(!is_own_hook(hook.trim_end()), "{hook}");
        }
        assert!(!is_own_hook("#!/bin/sh\nhardwon leak --pre-push=\"$1\"\n"));
    }
}
