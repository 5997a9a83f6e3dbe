//! `hardwon config`: settings, shown with where they come from, and changed in the file.

use std::{collections::BTreeMap, fs};

use hardwon_engine::private_file;
use hardwon_redact::redact;
use serde::Serialize;
use toml_edit::DocumentMut;

use crate::{
    CliError, GlobalArgs, Result, SettingValues, Settings,
    args::{ConfigArgs, ConfigCommand},
    config::{self, SETTING_GROUPS, SettingKey, SettingOrigin},
    output,
};

pub(super) fn run(global: &GlobalArgs, args: &ConfigArgs) -> Result<()> {
    match &args.command {
        None => print_settings(global, args.json)?,
        Some(ConfigCommand::Path) => {
            output::print_line(&config::file_path()?.display().to_string())?;
        }
        Some(ConfigCommand::Get { key }) => print_setting(global, key)?,
        Some(ConfigCommand::Set { key, value }) => {
            write_setting(global, key, value)?;
            print_changed(global, key)?;
        }
        Some(ConfigCommand::Unset { key }) => {
            remove_setting(key)?;
            if let Err(left) = print_changed(global, key) {
                print_removed(key)?;
                return Err(left);
            }
        }
    }
    Ok(())
}

/// A setting as JSON shows it.
#[derive(Debug, Serialize)]
struct SettingDto {
    value: String,
    origin: &'static str,
}

fn print_settings(global: &GlobalArgs, as_json: bool) -> Result<()> {
    let values = SettingValues::gather(global)?;
    let settings = Settings::from_values(&values, global)?;
    let row = |(key, value, origin): (&'static SettingKey, &str, SettingOrigin)| {
        let row = SettingDto {
            value: effective_value(&settings, key, value),
            origin: origin.name(),
        };
        (key.name, row)
    };
    let rows: BTreeMap<_, _> = values.rows().map(row).collect();
    output::print_answer(as_json, &rows, || render_settings(&values, &settings))
}

/// Columns before what a setting is for.
const NAME_WIDTH: usize = 23;
const VALUE_WIDTH: usize = 11;
/// Columns of a line, where the terminal has as many.
const MAX_COLUMNS: usize = 100;
/// Fewest columns of what a setting is for.
const MIN_HELP_WIDTH: usize = 20;

/// Writes every setting in its group, with where it comes from unless that is the default.
fn render_settings(values: &SettingValues, settings: &Settings) -> String {
    let mut text = String::new();
    for (key, value, origin) in values.rows() {
        if let Some((_, title)) = SETTING_GROUPS.iter().find(|(first, _)| *first == key.name) {
            let gap = if text.is_empty() { "" } else { "\n" };
            text += &format!("{gap}{}\n", output::bold(title));
        }
        text += &render_setting(key, &effective_value(settings, key, value), origin);
    }
    text += "\n`hardwon config set NAME VALUE` writes one to the settings file.\n\
         An environment variable comes before the file: HARDWON_ and the name in upper case, as in HARDWON_SHOWN=5.\n";
    text
}

/// Writes a setting, what it is for in a column of its own.
fn render_setting(key: &SettingKey, value: &str, origin: SettingOrigin) -> String {
    let indent = " ".repeat(2 + NAME_WIDTH + VALUE_WIDTH);
    let source = describe_source(key, origin).map(|source| format!(" [{source}]"));
    let help = format!("{}{}", key.help, source.unwrap_or_default());
    let help = textwrap::wrap(
        &help,
        (output::layout_width(MAX_COLUMNS) - indent.len()).max(MIN_HELP_WIDTH),
    );
    let help = help.join(&format!("\n{indent}"));
    // What does not fit its column has the line for itself.
    let gap = if value.chars().count() < VALUE_WIDTH {
        " ".repeat(VALUE_WIDTH - value.chars().count())
    } else {
        format!("\n{indent}")
    };
    format!("  {:<NAME_WIDTH$}{value}{gap}{help}\n", key.name)
}

/// Says where a value comes from that is not the default.
fn describe_source(key: &SettingKey, origin: SettingOrigin) -> Option<String> {
    match origin {
        SettingOrigin::Default => None,
        SettingOrigin::File => Some("settings file".to_owned()),
        SettingOrigin::Environment => Some(config::variable_name(key.name)),
        SettingOrigin::Flag => Some(format!("--{}", key.name)),
    }
}

/// Prints what a setting is now that the file was changed, and what hides that.
fn print_changed(global: &GlobalArgs, name: &str) -> Result<()> {
    let values = SettingValues::gather(global)?;
    let settings = Settings::from_values(&values, global)?;
    let Some((key, value, origin)) = values.rows().find(|(key, ..)| key.name == name) else {
        return print_removed(name);
    };
    let value = effective_value(&settings, key, value);
    let source = match origin {
        SettingOrigin::File => None,
        SettingOrigin::Default => Some("the default".to_owned()),
        _ => describe_source(key, origin)
            .map(|source| format!("{source} comes before the settings file")),
    };
    let source = source
        .map(|source| format!(" ({source})"))
        .unwrap_or_default();
    print_line!("{name} = {value}{source}")
}

fn print_removed(name: &str) -> Result<()> {
    print_line!("{name} is no longer in the settings file")
}

fn print_setting(global: &GlobalArgs, name: &str) -> Result<()> {
    let setting = require_key(name)?;
    let values = SettingValues::gather(global)?;
    let settings = Settings::from_values(&values, global)?;
    let row = values.rows().find(|(key, ..)| key.name == setting.name);
    let (key, value, _) = row.expect("every setting has a row");
    output::print_line(&effective_value(&settings, key, value))
}

/// Returns what a setting comes to: where the database is says more than that nobody named one. A
/// password in a command or an address stays in the file.
fn effective_value(settings: &Settings, key: &SettingKey, value: &str) -> String {
    match key.name {
        "db" => settings.db.display().to_string(),
        _ => redact(value).into_owned(),
    }
}

/// Writes a setting into the file, if the settings are valid then.
pub(super) fn write_setting(global: &GlobalArgs, name: &str, value: &str) -> Result<()> {
    let help = require_key(name)?.help;
    let mut document = config::read_file()?;
    document[name] = toml_edit::value(value);
    let values = SettingValues::gather_from(global, &document);
    if let Err(failure) = Settings::from_values(&values, global) {
        return Err(CliError::bad_input(failure.message()).with_hint(help));
    }
    write_file(&document)
}

/// Takes a setting out of the file, also one that this version does not have, and whatever else is wrong with the file.
pub(super) fn remove_setting(name: &str) -> Result<()> {
    let mut document = config::parse_file()?;
    if document.remove(name).is_none() {
        require_key(name)?;
    }
    write_file(&document)
}

fn write_file(document: &DocumentMut) -> Result<()> {
    let path = config::file_path()?;
    let fresh = path.with_extension("toml.new");
    private_file::write(&fresh, document.to_string().as_bytes())
        .and_then(|()| fs::rename(&fresh, &path))
        .map_err(CliError::own_file("writing", &path))
}

fn require_key(name: &str) -> Result<&'static SettingKey> {
    config::find_key(name).ok_or_else(|| {
        bad_input!("there is no setting {name:?}").with_hint(config::suggest_setting(name))
    })
}
