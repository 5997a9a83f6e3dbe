//! `hardwon config`: settings, shown with where they come from, and changed in the file.

use std::{collections::BTreeMap, fs, process::ExitCode};

use hardwon_core::redact::redact;
use hardwon_engine::private;
use serde::Serialize;

use crate::{
    args::{ConfigArgs, ConfigCommand, Global},
    config::{self, GROUPS, Key, Origin, Settings, Values},
    error::Failure,
    output,
};

pub(super) fn run(global: &Global, args: &ConfigArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        None => show(global, args.json)?,
        Some(ConfigCommand::Path) => output::line(&config::file_path()?.display().to_string())?,
        Some(ConfigCommand::Get { key }) => get(global, key)?,
        Some(ConfigCommand::Set { key, value }) => {
            set(global, key, Some(value))?;
            tell_changed(global, key)?;
        }
        Some(ConfigCommand::Unset { key }) => {
            set(global, key, None)?;
            tell_changed(global, key)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A setting as JSON shows it.
#[derive(Debug, Serialize)]
struct SettingDto {
    value: String,
    origin: &'static str,
}

fn show(global: &Global, as_json: bool) -> Result<(), Failure> {
    let values = Values::gather(global)?;
    let settings = Settings::from_values(&values, global)?;
    if as_json {
        let rows = values.rows().map(|(key, value, origin)| {
            let row = SettingDto {
                value: effective(&settings, key, value),
                origin: origin.name(),
            };
            (key.name, row)
        });
        return output::json(&rows.collect::<BTreeMap<_, _>>());
    }
    output::print(&listed(&values, &settings))
}

/// Columns before what a setting is for.
const NAME: usize = 23;
const VALUE: usize = 11;
/// Columns of a line, where the terminal has as many.
const COLUMNS: usize = 100;
/// Fewest columns of what a setting is for.
const NARROWEST: usize = 20;

/// Writes every setting in its group, with where it comes from unless that is the default.
fn listed(values: &Values, settings: &Settings) -> String {
    let mut text = String::new();
    for (key, value, origin) in values.rows() {
        if let Some((_, title)) = GROUPS.iter().find(|(first, _)| *first == key.name) {
            let gap = if text.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{gap}{}\n", output::bold(title)));
        }
        text.push_str(&row(key, &effective(settings, key, value), origin));
    }
    text.push_str(
        "\n`hardwon config set NAME VALUE` writes one to the settings file.\n\
         An environment variable comes before the file: HARDWON_ and the name in upper case, as in HARDWON_SHOWN=5.\n",
    );
    text
}

/// Writes a setting, what it is for in a column of its own.
fn row(key: &Key, value: &str, origin: Origin) -> String {
    let indent = " ".repeat(2 + NAME + VALUE);
    let source = source(key, origin).map(|it| format!(" [{it}]"));
    let help = format!("{}{}", key.help, source.unwrap_or_default());
    let help = textwrap::wrap(
        &help,
        (output::columns(COLUMNS) - indent.len()).max(NARROWEST),
    );
    let help = help.join(&format!("\n{indent}"));
    // What does not fit its column has the line for itself.
    let gap = match value.chars().count() < VALUE {
        true => " ".repeat(VALUE - value.chars().count()),
        false => format!("\n{indent}"),
    };
    format!("  {:<NAME$}{value}{gap}{help}\n", key.name)
}

/// Says where a value comes from that is not the default.
fn source(key: &Key, origin: Origin) -> Option<String> {
    match origin {
        Origin::Default => None,
        Origin::File => Some("settings file".to_owned()),
        Origin::Environment => Some(config::variable(key.name)),
        Origin::Flag => Some(format!("--{}", key.name)),
    }
}

/// Prints what a setting is now that the file was changed, and what hides that.
fn tell_changed(global: &Global, name: &str) -> Result<(), Failure> {
    let values = Values::gather(global)?;
    let settings = Settings::from_values(&values, global)?;
    let Some((key, value, origin)) = values.rows().find(|(key, ..)| key.name == name) else {
        return output::line(&format!("{name} is no longer in the settings file"));
    };
    let value = effective(&settings, key, value);
    let source = match origin {
        Origin::File => None,
        Origin::Default => Some("the default".to_owned()),
        _ => source(key, origin).map(|it| format!("{it} comes before the settings file")),
    };
    let source = source.map(|it| format!(" ({it})")).unwrap_or_default();
    output::line(&format!("{name} = {value}{source}"))
}

fn get(global: &Global, name: &str) -> Result<(), Failure> {
    let wanted = known(name)?;
    let values = Values::gather(global)?;
    let settings = Settings::from_values(&values, global)?;
    let row = values.rows().find(|(key, ..)| key.name == wanted.name);
    let (key, value, _) = row.expect("every setting has a row");
    output::line(&effective(&settings, key, value))
}

/// Returns what a setting comes to: where the database is says more than that nobody named one. A
/// password in a command or an address stays in the file.
fn effective(settings: &Settings, key: &Key, value: &str) -> String {
    match key.name {
        "db" => settings.db.display().to_string(),
        _ => redact(value).into_owned(),
    }
}

/// Writes a setting into the file, or takes it out, if the settings are sound then.
pub(super) fn set(global: &Global, name: &str, value: Option<&str>) -> Result<(), Failure> {
    let help = match (config::is_retired(name, value.unwrap_or_default()), value) {
        (true, Some(value)) => {
            let message = format!("{name} = {value:?} is no longer possible");
            return Err(
                Failure::input(message).hint("docs/semantic.md says which embeddings there are")
            );
        }
        (true, None) => "",
        (false, _) => known(name)?.help,
    };
    let mut document = config::read_file()?;
    match value {
        Some(value) => document[name] = toml_edit::value(value),
        None => drop(document.remove(name)),
    }
    let values = Values::gather_from(global, &document);
    if let Err(failure) = Settings::from_values(&values, global) {
        return Err(Failure::input(failure.message()).hint(help));
    }
    let path = config::file_path()?;
    let fresh = path.with_extension("toml.new");
    private::write(&fresh, document.to_string().as_bytes())
        .and_then(|()| fs::rename(&fresh, &path))
        .map_err(|error| Failure::fault(format!("writing {}: {error}", path.display())))
}

fn known(name: &str) -> Result<&'static Key, Failure> {
    config::key(name).ok_or_else(|| {
        Failure::input(format!("there is no setting {name:?}")).hint(config::suggestion(name))
    })
}
