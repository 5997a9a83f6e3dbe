//! Settings: from the file, the environment and the command line, into typed values.
//!
//! The only reader of the environment. Each setting is one row of [`SETTING_KEYS`]; a later layer wins: default, file,
//! environment, flag. An invalid value is rejected with its origin.

mod caller;
pub mod embedding;
mod folders;
mod keys;
pub mod leak;
pub mod model;
pub mod review;
pub mod server;

use std::{
    borrow::Cow,
    env,
    ffi::OsString,
    ops::RangeBounds,
    path::{Path, PathBuf},
    str::FromStr,
};

use hardwon_core::{
    AgentId, CaptureMode, CapturePolicy, EntryState, GuardPolicy, PreambleBudget, PreambleFormat,
    ProjectId, RankPolicy, Requester, Scope, Silence, TenantId, limits,
};
use hardwon_engine::{
    BeforeCall, Policy, ShowAt, StartLessons, SweepGate, SweepPolicy, regular_file,
};
use hardwon_redact::redact;
use hardwon_store::ScopeFilter;
use toml_edit::{DocumentMut, TomlError, Value};

pub use self::keys::{SETTING_GROUPS, SETTING_KEYS, SettingKey, find_instead};
use self::{
    embedding::EmbeddingSettings,
    folders::{CACHE, CONFIG, DATA, OwnFolder, STATE},
    model::ModelSettings,
    server::RemotePlace,
};
use crate::{CliError, ExitReason, GlobalArgs, Result, checkout::Checkout, project};

/// The environment variable that pauses hooks and background work, in a process and all it starts.
pub const PAUSED_VARIABLE: &str = "HARDWON_PAUSED";

hardwon_core::named_enum! {
    /// Where a setting's value comes from.
    SettingOrigin {
        /// The default, as no layer sets it.
        Default = "default",
        /// The settings file.
        File = "file",
        /// An environment variable.
        Environment = "environment",
        /// The command line.
        Flag = "flag",
    }
}

hardwon_core::named_enum! {
    /// When an agent is asked, at the end of a turn, what a later session should know.
    AskPolicy {
        /// Never.
        Off = "off",
        /// In sessions that a person surely types into.
        On = "on",
        /// In every session.
        Always = "always",
    }
}

/// The value of every setting, in the order of [`SETTING_KEYS`].
#[derive(Debug)]
pub struct SettingValues(Vec<(Cow<'static, str>, SettingOrigin)>);

impl SettingValues {
    /// Gathers the values from all layers.
    pub fn gather(global: &GlobalArgs) -> Result<Self> {
        Ok(Self::gather_from(global, &read_file()?))
    }

    /// Gathers the values from all layers, with this as the file.
    pub fn gather_from(global: &GlobalArgs, file: &DocumentMut) -> Self {
        let set = set_variables();
        let mut values = Vec::with_capacity(SETTING_KEYS.len());
        for key in SETTING_KEYS {
            values.push(if let Some(value) = flag_value(global, key.name) {
                (value.into(), SettingOrigin::Flag)
            } else if let Some(value) = environment_value(&set, key.name) {
                (value.into(), SettingOrigin::Environment)
            } else if let Some(value) = file.get(key.name) {
                (plain_value(value).into(), SettingOrigin::File)
            } else {
                (key.default.into(), SettingOrigin::Default)
            });
        }
        Self(values)
    }

    /// Pairs every setting with its value and origin.
    pub fn rows(&self) -> impl Iterator<Item = (&'static SettingKey, &str, SettingOrigin)> {
        let rows = SETTING_KEYS.iter().zip(&self.0);
        rows.map(|(key, (value, origin))| (key, &**value, *origin))
    }

    /// Returns the value of a setting and its origin.
    pub fn get(&self, name: &str) -> (&str, SettingOrigin) {
        let row = self.rows().find(|(key, ..)| key.name == name);
        let row = row.map(|(_, value, origin)| (value, origin));
        row.unwrap_or(("", SettingOrigin::Default))
    }

    /// Parses a whole number in a range.
    fn number<T: FromStr + PartialOrd>(&self, name: &str, range: impl RangeBounds<T>) -> Result<T> {
        let read = |text: &str| text.parse().ok().filter(|number| range.contains(number));
        self.parse(name, read)
    }

    fn parse<T>(&self, name: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T> {
        let (value, origin) = self.get(name);
        read(value).ok_or_else(|| {
            let key = SETTING_KEYS.iter().find(|key| key.name == name);
            let help = key.map_or("", |key| key.help);
            let (value, origin_name) = (redact(value), origin.name());
            let mut failure = internal!("{value:?} is not a valid value of the setting {name}");
            // Else nobody typed it just now, and a hook must not fail because of it.
            if origin == SettingOrigin::Flag {
                failure.reason = ExitReason::BadInput;
            }
            failure.with_hint(format!(
                "the value comes from the {origin_name}; the setting is: {help}"
            ))
        })
    }
}

/// Parses the word of a setting that is on or off; a file may also have a truth of TOML.
fn parse_switch(word: &str) -> Option<bool> {
    match word {
        "on" | "true" => Some(true),
        "off" | "false" => Some(false),
        _ => None,
    }
}

hardwon_core::named_enum! {
    /// How far work goes that nobody attends.
    Autonomy {
        /// It shows what it would do.
        Propose = "propose",
        /// It changes what is on this machine.
        Local = "local",
        /// It also drafts what others are to see.
        Draft = "draft",
    }
}

/// Settings as the program uses them.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The database file.
    pub db: PathBuf,
    /// The scope in which lessons are recorded and recalled.
    pub scope: Scope,
    /// Whether an option or the environment names the project.
    pub is_project_named: bool,
    /// The repository whose project this is, where its lessons are on this machine.
    pub checkout: Option<Checkout>,
    /// How the engine behaves. Lessons that the agent reads in the project's files are found by a hook, and none elsewhere.
    pub policy: Policy,
    /// Whether an option or the environment names the agent for this call, rather than the owner's settings file.
    pub is_agent_named: bool,
    /// Whether a sub-agent's task brings up lessons, as its parent's prompt did.
    pub subagents: bool,
    /// When an agent is asked, at the end of a turn, what a later session should know.
    pub ask: AskPolicy,
    /// Most such questions in a day.
    pub asks_per_day: usize,
    /// Whether what runs teach is only logged.
    pub logs_only: bool,
    /// Whether a project's lesson files are synced after lessons changed.
    pub sync: bool,
    /// How far work goes that nobody attends.
    pub autonomy: Autonomy,
    /// When an unattended sweep is due.
    pub sweep_gate: SweepGate,
    /// What sweeps go by.
    pub sweeps: SweepPolicy,
    /// The model to ask, about what, and its budget.
    pub model: ModelSettings,
    /// The provider of embeddings.
    pub embedding: EmbeddingSettings,
    /// The server that keeps the lessons; `None` if this machine does.
    pub server: Option<RemotePlace>,
}

impl Settings {
    /// Loads the settings from all layers.
    pub fn load(global: &GlobalArgs) -> Result<Self> {
        Self::load_in(global, None)
    }

    /// Loads the settings from all layers, for work in another folder than this process's.
    pub fn load_in(global: &GlobalArgs, folder: Option<&Path>) -> Result<Self> {
        Self::from_layers(&SettingValues::gather(global)?, global, folder)
    }

    /// Parses the values into typed settings.
    pub fn from_values(values: &SettingValues, global: &GlobalArgs) -> Result<Self> {
        Self::from_layers(values, global, None)
    }

    /// Returns the part of the tenant to work on: one agent's or one project's, if named.
    pub fn requested_within(&self) -> ScopeFilter {
        ScopeFilter::same_as(&self.scope, self.is_agent_named, self.is_project_named)
    }

    /// Returns whether this scope is selected: any agent and project, unless one is named.
    pub fn is_requested(&self, scope: &Scope) -> bool {
        self.requested_within().includes(scope)
    }

    fn from_layers(
        values: &SettingValues,
        global: &GlobalArgs,
        folder: Option<&Path>,
    ) -> Result<Self> {
        let scope = Scope {
            tenant: values.parse("tenant", |name| TenantId::parse(name).ok())?,
            agent: values.parse("agent", |name| AgentId::parse(name).ok())?,
            project: resolve_project(global, folder)?,
        };
        let db = database_path(values.get("db").0)?;
        let server = RemotePlace::from_values(values, &scope)?;
        let checkout = Checkout::find(&folder.map_or_else(current_folder, Path::to_owned), &db);
        let is_project_named =
            global.everywhere || global.project.is_some() || project_variable().is_some();
        // Without a name the project is that of the repository, and its settings were read for it.
        let is_its =
            |repository: &Checkout| !is_project_named || scope.project == Some(repository.name());
        let mut settings = Self {
            checkout: checkout.filter(|repository| server.is_none() && is_its(repository)),
            db,
            server,
            scope,
            is_project_named,
            policy: read_policy(values)?,
            is_agent_named: matches!(
                values.get("agent").1,
                SettingOrigin::Environment | SettingOrigin::Flag
            ),
            subagents: values.parse("subagents", parse_switch)?,
            ask: values.parse("ask", AskPolicy::from_name)?,
            asks_per_day: values.number("asks_per_day", ..)?,
            logs_only: values.parse("learning", |word| match word {
                "keep" => Some(false),
                "log" => Some(true),
                _ => None,
            })?,
            sync: values.parse("sync", parse_switch)?,
            autonomy: values.parse("autonomy", Autonomy::from_name)?,
            sweep_gate: SweepGate {
                min_hours: values.number("sweep_min_hours", 0..)?,
                min_lessons: values.number("sweep_min_lessons", ..)?,
            },
            sweeps: SweepPolicy {
                prune_days: values.number("sweep_prune_days", 1..)?,
            },
            model: ModelSettings::from_values(values)?,
            embedding: EmbeddingSettings::from_values(values)?,
        };
        let model = &settings.model;
        settings.policy.inquiries = model.is_on().then_some(model.inquiry);
        Ok(settings)
    }
}

/// Reads how the engine is to behave, but for the questions to a model.
fn read_policy(values: &SettingValues) -> Result<Policy> {
    let (operator, role) = (values.get("operator").0, values.get("role").0);
    let skills = values.get("skills").0.split(',');
    Ok(Policy {
        default_identities: Requester::from_names(operator, role, skills).identities,
        capture: CapturePolicy {
            mode: values.parse("capture", CaptureMode::from_name)?,
            ..CapturePolicy::default()
        },
        capacity: values.number("capacity", 1..)?,
        max_shown: values.number("shown", 1..=limits::SHOWN_MAX)?,
        rank: RankPolicy {
            floor: values.parse("silence", Silence::from_name)?.floor(),
            ..RankPolicy::default()
        },
        format: values.parse("form", PreambleFormat::from_name)?,
        budget: PreambleBudget {
            tokens: values.number("tokens", 1..)?,
            ..PreambleBudget::default()
        },
        holdout: values.parse("holdout", parse_switch)?,
        show_at: values.parse("show_at", ShowAt::from_name)?,
        start: values.parse("start", StartLessons::from_name)?,
        before_call: values.parse("before_call", BeforeCall::from_name)?,
        keep_prompts: values.parse("keep_prompts", parse_switch)?,
        guard: GuardPolicy {
            distilled: values.parse("distilled", EntryState::from_name)?,
            imported: values.parse("imported", EntryState::from_name)?,
        },
        ..Policy::default()
    })
}

/// The prefix of the settings' environment variables.
const VARIABLE_PREFIX: &str = "HARDWON_";

/// Returns the name of a setting's environment variable.
pub fn variable_name(name: &str) -> String {
    format!("{VARIABLE_PREFIX}{}", name.to_uppercase())
}

/// Returns the variables that may be settings, without the prefix.
///
/// There are few of them and many settings: one pass over the environment is faster than one look-up for each.
fn set_variables() -> Vec<String> {
    let rest = |name: OsString| {
        let (prefix, rest) = name.to_str()?.split_at_checked(VARIABLE_PREFIX.len())?;
        let is_own = prefix.eq_ignore_ascii_case(VARIABLE_PREFIX);
        is_own.then(|| rest.to_owned())
    };
    env::vars_os().filter_map(|(name, _)| rest(name)).collect()
}

/// Returns the value of a setting's environment variable, if it is set.
fn environment_value(set: &[String], name: &str) -> Option<String> {
    set.iter().find(|set| set.eq_ignore_ascii_case(name))?;
    let value = env::var_os(variable_name(name)).filter(|value| !value.is_empty())?;
    Some(value.to_string_lossy().into_owned())
}

/// Returns whether the environment asks this process to pause.
pub fn is_pause_requested() -> bool {
    env::var_os(PAUSED_VARIABLE).is_some_and(|value| !value.is_empty() && value != "0")
}

/// Returns the path of the settings file: `$HARDWON_CONFIG`, else in the user's configuration folder.
pub fn file_path() -> Result<PathBuf> {
    if let Some(path) = env::var_os("HARDWON_CONFIG").filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    Ok(config_folder()?.join("config.toml"))
}

/// Returns the folder of the settings file, unless `$HARDWON_CONFIG` names another file: `$XDG_CONFIG_HOME/hardwon`.
pub fn config_folder() -> Result<PathBuf> {
    find_folder(&CONFIG, "HARDWON_CONFIG to a file")
}

/// Returns the folder of permanent data: `$XDG_DATA_HOME/hardwon`.
pub fn data_folder() -> Result<PathBuf> {
    find_folder(&DATA, "XDG_DATA_HOME to a folder")
}

/// Returns the folder of state that outlasts a restart and is no lesson: `$XDG_STATE_HOME/hardwon`.
pub fn state_folder() -> Result<PathBuf> {
    find_folder(&STATE, "XDG_STATE_HOME to a folder")
}

/// Returns the folder of the copies that are made at night.
pub fn backups_folder() -> Result<PathBuf> {
    Ok(state_folder()?.join("backups"))
}

/// Returns the folder of what can be fetched again: `$XDG_CACHE_HOME/hardwon`.
pub fn cache_folder() -> Result<PathBuf> {
    find_folder(&CACHE, "XDG_CACHE_HOME to a folder")
}

/// Reads the settings file; a missing file is empty. A name that is no setting, nor was one, is an error.
pub fn read_file() -> Result<DocumentMut> {
    let document = parse_file()?;
    let is_unknown = |name: &str| find_key(name).is_none() && find_instead(name).is_none();
    if let Some((name, _)) = document.iter().find(|(name, _)| is_unknown(name)) {
        let (path, instead) = (file_path()?, suggest_setting(name));
        let hint = format!("{instead}; `hardwon config unset {name}` removes it");
        let failure = internal!("{}: there is no setting {name:?}", path.display());
        return Err(failure.with_hint(hint));
    }
    Ok(document)
}

/// Says of each setting in the file that this version has no more what there is instead.
pub fn describe_former_settings(document: &DocumentMut) -> Vec<String> {
    let former = document.iter().filter_map(|(name, _)| {
        let instead = find_instead(name)?;
        Some(format!(
            "the setting {name} is passed over: {instead}; `hardwon config unset {name}` removes it"
        ))
    });
    former.collect()
}

/// Reads the settings file, with whatever names it has; empty if there is none.
///
/// # Errors
/// If it cannot be read, or is not TOML.
pub fn parse_file() -> Result<DocumentMut> {
    // Without a home there is no file, and the other layers may hold all that is needed.
    let Ok(path) = file_path() else {
        return Ok(DocumentMut::new());
    };
    let text = regular_file::if_there(regular_file::read_to_string(&path));
    let text = text.map_err(CliError::own_file("reading", &path))?;
    let text = text.unwrap_or_default();
    text.parse().map_err(|error: TomlError| {
        // The error's own text quotes the line, where a stray quotation mark may turn a password into code.
        let read = error.span().and_then(|span| text.get(..span.start));
        let line = read.unwrap_or_default().matches('\n').count() + 1;
        let (path, what) = (path.display(), error.message());
        internal!("{path} is not valid TOML: line {line}: {what}")
            .with_hint("fix the file, or remove it")
    })
}

/// Finds a setting by its name.
pub fn find_key(name: &str) -> Option<&'static SettingKey> {
    SETTING_KEYS.iter().find(|key| key.name == name)
}

/// Suggests the setting that was probably meant by an unknown name, and where they are listed.
pub fn suggest_setting(name: &str) -> String {
    if let Some(instead) = find_instead(name) {
        return instead.to_owned();
    }
    let list = "`hardwon config` lists the settings";
    match find_nearest(name, SETTING_KEYS.iter().map(|key| key.name)) {
        Some(near) => format!("did you mean {near}? {list}"),
        None => list.to_owned(),
    }
}

/// Finds the name that was probably meant by another one; with more than a third of its letters changed it is another word.
pub fn find_nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let rows = names.map(|other| (strsim::osa_distance(name, other), other));
    let (letters, near) = rows.min_by_key(|(letters, _)| *letters)?;
    (letters <= name.len().div_ceil(3)).then_some(near)
}

/// Returns the user's home folder.
pub fn home_folder() -> Option<PathBuf> {
    env::home_dir().filter(|home| home.is_absolute())
}

/// Returns a value without the blanks and the comment around it.
fn plain_value(item: &toml_edit::Item) -> String {
    match item.as_value().cloned() {
        Some(Value::String(text)) => text.into_value(),
        Some(value) => value.decorated("", "").to_string(),
        None => item.to_string(),
    }
}

fn flag_value(global: &GlobalArgs, name: &str) -> Option<String> {
    match name {
        "db" => (global.db.as_ref()).map(|path| path.to_string_lossy().into_owned()),
        "agent" => global.agent.clone(),
        _ => None,
    }
}

fn database_path(value: &str) -> Result<PathBuf> {
    if value.is_empty() {
        return find_folder(&DATA, "HARDWON_DB to a file").map(|folder| folder.join("hardwon.db"));
    }
    let below_home = value.strip_prefix("~/").or(value.strip_prefix("~\\"));
    Ok(match (below_home, home_folder()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(value),
    })
}

/// Returns where the sentence model is, if there is one.
pub fn model_file() -> Result<PathBuf> {
    find_folder(&DATA, "XDG_DATA_HOME").map(|folder| folder.join("meaning.hwmodel"))
}

/// Finds our folder of a kind; `instead` is what else may be set where there is no home.
fn find_folder(kind: &OwnFolder, instead: &str) -> Result<PathBuf> {
    let variable = |name: &str| env::var_os(name).map(PathBuf::from);
    let folder = kind.locate(cfg!(windows), &variable, home_folder());
    folder.ok_or_else(|| {
        internal!("cannot find your home folder, where the database and settings are kept")
            .with_hint(format!("set HOME, or set {instead}"))
    })
}

/// Resolves the project to work on; `None` for `--everywhere`. `folder` is the working folder, when it is not this
/// process's.
pub fn resolve_project(global: &GlobalArgs, folder: Option<&Path>) -> Result<Option<ProjectId>> {
    if global.everywhere {
        return Ok(None);
    }
    // The option without a name means the project of the current folder, as no option does.
    if let Some(name) = global.project.as_ref().filter(|name| !name.is_empty()) {
        let id = project::parse_project(name).map_err(CliError::bad_input)?;
        return Ok(Some(id));
    }
    if let Some(name) = project_variable() {
        let id = project::parse_project(&name).map_err(CliError::internal)?;
        return Ok(Some(id));
    }
    let folder = folder.map_or_else(current_folder, Path::to_owned);
    Ok(Some(project::project_of_folder(&folder)))
}

fn project_variable() -> Option<String> {
    env::var("HARDWON_PROJECT")
        .ok()
        .filter(|name| !name.is_empty())
}

/// Returns the current folder, even if it was deleted.
fn current_folder() -> PathBuf {
    let shell_folder = || env::var_os("PWD").map(PathBuf::from);
    env::current_dir()
        .ok()
        .or_else(shell_folder)
        .unwrap_or_else(|| PathBuf::from("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_none_is_near_one_or_not() {
        for (name, expected) in [
            ("shwon", Some("shown")),
            ("holdouts", Some("holdout")),
            ("model-name", Some("model_name")),
            ("colour", None),
            ("", None),
            ("a-name-of-something-else", None),
        ] {
            let said = suggest_setting(name);
            let meant = said.strip_prefix("did you mean ");
            let meant = meant.and_then(|it| it.split_once('?')).map(|it| it.0);
            assert_eq!(meant, expected, "{name}");
        }
    }
}
