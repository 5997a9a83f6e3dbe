//! `hardwon upgrade`: says how this hardwon was installed, and the command that upgrades it.

use std::{env, process::ExitCode};

use crate::{
    ExitReason, Result,
    installation::{Installation, find_installation},
    output,
};

pub(super) fn run() -> Result<ExitCode> {
    let program = env::current_exe()?;
    // A link may stand elsewhere than what it leads to.
    let program = dunce::canonicalize(&program).unwrap_or(program);
    let installation = find_installation(&program);
    let place = output::replace_controls(&program.display().to_string());
    output::print(&render_upgrade(&place, installation.as_ref()))?;
    Ok(ExitReason::Negative.exit_code_if(installation.is_none()))
}

fn render_upgrade(place: &str, installation: Option<&Installation>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let Some(installation) = installation else {
        return format!(
            "hardwon {version} is {place}, installed in a way that left no mark\n\
             install the newest one in one of the ways of docs/install.md, and remove this one\n"
        );
    };
    let note = installation
        .note
        .map_or(String::new(), |note| format!(", {note}"));
    let command = output::replace_controls(&installation.upgrade);
    let method = installation.how;
    format!(
        "hardwon {version} is {place}, {method}\nto upgrade it{note}:\n  {command}\n{AFTERWARDS}"
    )
}

const AFTERWARDS: &str = "\
hardwon asks no network, so it does not know whether there is a newer one. Agents that are running go on, and start the new one
from their next call. It copies the database before it brings it up to date; `hardwon doctor` says whether all is well.
";

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    #[test]
    fn it_says_where_how_and_what_to_do() {
        let told = |installation: Option<&Installation>| {
            render_upgrade("/usr/bin/hardwon", installation)
                .replace(env!("CARGO_PKG_VERSION"), "[VERSION]")
                .replace(AFTERWARDS, "[AFTERWARDS]")
        };
        let npm = "/usr/lib/node_modules/@hardwon/linux-x64/bin/hardwon";
        let npm = find_installation(npm.as_ref()).unwrap();
        let debian = Installation {
            how: "installed as a Debian package",
            upgrade: "sudo apt-get install ./hardwon_*.deb".to_owned(),
            note: Some("with the package of the newest release in the current folder"),
            ..npm.clone()
        };
        assert_snapshot!(told(Some(&npm)), @"
        hardwon [VERSION] is /usr/bin/hardwon, installed by npm
        to upgrade it:
          npm install --global hardwon@latest
        [AFTERWARDS]
        ");
        assert_snapshot!(told(Some(&debian)), @"
        hardwon [VERSION] is /usr/bin/hardwon, installed as a Debian package
        to upgrade it, with the package of the newest release in the current folder:
          sudo apt-get install ./hardwon_*.deb
        [AFTERWARDS]
        ");
        assert_snapshot!(told(None), @"
        hardwon [VERSION] is /usr/bin/hardwon, installed in a way that left no mark
        install the newest one in one of the ways of docs/install.md, and remove this one
        ");
    }
}
