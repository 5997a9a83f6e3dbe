//! Plans in files: the one that was shown last is kept for `--apply`, and any other is read from where it was written.
//!
//! A look may ask a model, which costs, and answers otherwise the next time: what is applied must be what was shown. Whether
//! a plan may still be carried out is decided by who applies it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use hardwon_core::{limits, named_enum};
use hardwon_engine::{PlanId, private_file, regular_file};

use crate::{CliError, Result, config, input};

named_enum! {
    /// The command that shows a plan and applies it.
    PlanningCommand {
        /// `hardwon sweep`.
        Sweep = "sweep",
        /// `hardwon place`, with `--audit` or without.
        Place = "place",
    }
}

impl PlanningCommand {
    /// Returns where the plan is kept that was shown last.
    fn kept_path(self) -> Result<PathBuf> {
        Ok(config::state_folder()?.join(format!("{}-plan.json", self.name())))
    }

    /// Keeps a plan that is shown to a person, and says how `what` it would do is done; none where there is nothing to do.
    ///
    /// # Errors
    ///
    /// If the file cannot be written or removed.
    pub fn offer_shown(self, json: Option<&str>, what: &str) -> Result<()> {
        self.keep_shown(json)?;
        if json.is_some() {
            let name = self.name();
            print_note!(
                "nothing was changed; `hardwon {name} --apply` does {what}, and --undo takes it back"
            );
        }
        Ok(())
    }

    /// Parses the id of a plan.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub fn parse_id(self, id: &str) -> Result<PlanId> {
        PlanId::parse(id).ok_or_else(|| {
            CliError::bad_input("the id of a plan has 12 digits, 0 to 9 and a to f")
                .with_hint(format!("`hardwon {} --list` shows them", self.name()))
        })
    }

    /// Keeps a plan, or none where there is nothing to do.
    ///
    /// # Errors
    ///
    /// If the file cannot be written or removed.
    pub fn keep_shown(self, json: Option<&str>) -> Result<()> {
        let path = self.kept_path()?;
        let result = match json {
            Some(json) => private_file::write(&path, json.as_bytes()),
            None => regular_file::if_there(fs::remove_file(&path)).map(drop),
        };
        result.map_err(CliError::bad_file("keeping the plan in", &path))
    }

    /// Reads the plan in a file, on stdin (`-`), or the one that was shown last.
    ///
    /// # Errors
    ///
    /// If there is none, or it is too long.
    pub fn read_plan(self, file: Option<&Path>) -> Result<PlanText> {
        let is_kept = file.is_none();
        let path = file.map_or_else(|| self.kept_path(), |file| Ok(file.to_owned()))?;
        if path == Path::new("-") {
            let text = input::read_text(None, "the plan")?;
            return PlanText::new(self, path, text);
        }
        match regular_file::read_to_string(&path) {
            Ok(text) => PlanText::new(self, path, text),
            Err(error) if is_kept && error.kind() == io::ErrorKind::NotFound => {
                let name = self.name();
                let message =
                    "no plan waits to be applied: none was shown, or there was nothing to do";
                Err(CliError::bad_input(message).with_hint(format!(
                    "`hardwon {name}` looks, and shows what it would do"
                )))
            }
            Err(error) => Err(self.describe_fault(&path, &error.to_string())),
        }
    }

    fn describe_fault(self, path: &Path, why: &str) -> CliError {
        bad_input!("reading the plan {}: {why}", path.display())
            .with_hint(format!("`hardwon {} --json` prints one", self.name()))
    }
}

/// The text of a plan, with where it comes from.
#[derive(Debug)]
pub struct PlanText {
    command: PlanningCommand,
    path: PathBuf,
    text: String,
}

impl PlanText {
    fn new(command: PlanningCommand, path: PathBuf, text: String) -> Result<Self> {
        if text.len() <= limits::PLAN_BYTES {
            Ok(Self {
                command,
                path,
                text,
            })
        } else {
            Err(command.describe_fault(&path, "it is too long"))
        }
    }

    /// Reads it as what the command expects.
    ///
    /// # Errors
    ///
    /// What is wrong with it, with the name of its file.
    pub fn parse<T, E: ToString>(&self, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<T> {
        parse(&self.text).map_err(|why| self.command.describe_fault(&self.path, &why.to_string()))
    }
}
