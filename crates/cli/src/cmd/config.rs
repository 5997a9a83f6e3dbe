//! `hardwon config`: settings, shown with where they come from, and changed in the file.

use std::{fs, process::ExitCode};

use serde_json::{Value, json};

use crate::{
    args::{ConfigArgs, ConfigCommand, Global},
    config::{self, KEYS, Key, Settings, Values},
    error::Failure,
    output,
};

pub(super) fn run(global: &Global, args: &ConfigArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        None => show(global, args.json)?,
        Some(ConfigCommand::Path) => output::line(&config::file_path()?.display().to_string())?,
        Some(ConfigCommand::Get { key }) => get(global, key)?,
        Some(ConfigCommand::Set { key, value }) => set(global, key, Some(value))?,
        Some(ConfigCommand::Unset { key }) => set(global, key, None)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn show(global: &Global, as_json: bool) -> Result<(), Failure> {
    let values = Values::gather(global)?;
    let settings = Settings::from_values(&values, global)?;
    let shown = |name: &str, value: &str| match name {
        "db" => settings.db.display().to_string(),
        _ => value.to_owned(),
    };
    if as_json {
        let rows = values.rows().map(|(key, value, origin)| {
            let row = json!({"value": shown(key.name, value), "origin": origin.name()});
            (key.name.to_owned(), row)
        });
        return output::json(&Value::Object(rows.collect()));
    }
    for (key, value, origin) in values.rows() {
        let value = shown(key.name, value);
        output::line(&format!(
            "{:<10} {value:<20} # {} ({})",
            key.name,
            key.help,
            origin.name()
        ))?;
    }
    Ok(())
}

fn get(global: &Global, name: &str) -> Result<(), Failure> {
    let wanted = known(name)?;
    let values = Values::gather(global)?;
    let row = values.rows().find(|(key, ..)| key.name == wanted.name);
    output::line(row.map_or("", |(_, value, _)| value))
}

/// Writes the file anew only once the settings that it would give have been read back.
fn set(global: &Global, name: &str, value: Option<&str>) -> Result<(), Failure> {
    let key = known(name)?;
    let mut document = config::read_file()?;
    match value {
        Some(value) => document[key.name] = toml_edit::value(value),
        None => drop(document.remove(key.name)),
    }
    let values = Values::gather_from(global, &document);
    Settings::from_values(&values, global)?;
    let path = config::file_path()?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let fresh = path.with_extension("toml.new");
    fs::write(&fresh, document.to_string())
        .and_then(|()| fs::rename(&fresh, &path))
        .map_err(|error| Failure::fault(format!("writing {}: {error}", path.display())))
}

fn known(name: &str) -> Result<&'static Key, Failure> {
    KEYS.iter().find(|key| key.name == name).ok_or_else(|| {
        let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        Failure::input(format!("there is no setting {name:?}"))
            .hint(format!("the settings are {}", names.join(", ")))
    })
}
