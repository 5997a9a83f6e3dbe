//! Checks how a client is set up: which of our entries its files hold, and whether the programs exist.

use std::path::{Path, PathBuf};

use super::{
    FileContent, Machine, Result, SetupOptions, SetupProblem, SetupRow, SetupScope, content::MARK,
    file, json, own_entries::hook_program, plugin, toml,
};

/// Our entries in a client's files.
#[derive(Debug, Default, PartialEq)]
pub struct SetupState {
    /// How many events have a hook of ours.
    pub hooks: usize,
    /// The events that should have a hook of ours and have none.
    pub missing_events: Vec<&'static str>,
    /// Whether a file of our own differs from what this version writes.
    pub is_outdated: bool,
    /// Whether the MCP server is registered.
    pub has_server: bool,
    /// The programs that our entries start and that do not exist, by name or by path.
    pub missing_programs: Vec<String>,
    /// Files that could not be parsed, and why.
    pub problems: Vec<(PathBuf, SetupProblem)>,
}

impl SetupState {
    /// Returns whether anything of ours is set up.
    pub fn is_any(&self) -> bool {
        self.hooks > 0 || self.has_server
    }
}

/// Checks a client's files, for the user or for one project.
pub fn inspect_setup(machine: &Machine<'_>, setup: &SetupRow, reach: &SetupScope) -> SetupState {
    let wish = SetupOptions {
        program: "hardwon".to_owned(),
        has_server: true,
    };
    let mut state = SetupState::default();
    let mut programs = Vec::new();
    for target in setup.files(machine, reach, &wish) {
        let result = file::read_settings(&target.path).and_then(|text| {
            let text = text.unwrap_or_default();
            programs.extend(state.add_file(setup, &target.path, &target.content, &text)?);
            Ok(())
        });
        if let Err(trouble) = result {
            state.problems.push((target.path, trouble));
        }
    }
    programs.sort();
    programs.dedup();
    programs.retain(|program| !program_exists(machine, program));
    state.missing_programs = programs;
    state
}

impl SetupState {
    /// Adds the entries of one file, and returns the programs that they start.
    fn add_file(
        &mut self,
        setup: &SetupRow,
        path: &Path,
        content: &FileContent,
        text: &str,
    ) -> Result<Vec<String>> {
        match content {
            FileContent::Json(part) => {
                let entries = json::find_own_entries(text)?;
                let events = part.hooks.iter().map(|hook| hook.event);
                let hooks = entries.hooks.iter();
                self.count_events(events, |event| hooks.clone().any(|(name, _)| name == event));
                self.has_server |= entries.server.is_some();
                let programs = hooks.filter_map(|(_, command)| hook_program(command));
                let server = entries.server.into_iter().flatten().take(1);
                Ok(programs.chain(server).collect())
            }
            FileContent::Toml { .. } => {
                let server = toml::find_server(text)?;
                self.has_server |= server.is_some();
                Ok(server.into_iter().flatten().take(1).collect())
            }
            FileContent::Whole {
                is_program: true, ..
            } => {
                let name = path.file_name().and_then(|name| name.to_str());
                let mut events = setup.hooks.events.iter();
                let event = events.find(|event| Some(event.name) == name);
                self.count_events(event.map(|event| event.name), |_| text.contains(MARK));
                let command = text.lines().find_map(|line| line.strip_prefix("exec "));
                Ok(command.and_then(hook_program).into_iter().collect())
            }
            FileContent::Whole { .. } => Ok(self.add_plugin(setup, text)),
        }
    }

    fn add_plugin(&mut self, setup: &SetupRow, text: &str) -> Vec<String> {
        // goose's manifest holds no hooks.
        let Some(write) = setup.plugin else {
            return Vec::new();
        };
        let events = setup.hooks.events.iter().map(|event| event.name);
        self.count_events(events, |_| text.contains(MARK));
        let program = plugin::find_program_in(text);
        let is_outdated = |program: &String| write(program) != text;
        self.is_outdated |= program.as_ref().is_some_and(is_outdated);
        program.into_iter().collect()
    }

    fn count_events(
        &mut self,
        events: impl IntoIterator<Item = &'static str>,
        is_held: impl Fn(&str) -> bool,
    ) {
        for event in events {
            if is_held(event) {
                self.hooks += 1;
            } else {
                self.missing_events.push(event);
            }
        }
    }
}

/// Returns whether a program exists, by its path or on the search path.
fn program_exists(machine: &Machine<'_>, program: &str) -> bool {
    match Path::new(program) {
        path if path.is_absolute() => path.is_file(),
        _ => machine.find_program(program).is_some(),
    }
}
