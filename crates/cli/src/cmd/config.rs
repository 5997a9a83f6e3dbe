//! `hardwon config`: settings, shown with where they come from, and changed in the file.

use std::{collections::BTreeMap, fs, process::ExitCode};

use hardwon_core::redact::redact;
use hardwon_engine::private;
use serde::Serialize;

use crate::{
    args::{ConfigArgs, ConfigCommand, Global},
    config::{self, Key, Settings, Values},
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
    let width = |rows: &mut dyn Iterator<Item = usize>| rows.max().unwrap_or_default();
    let names = width(&mut values.rows().map(|(key, ..)| key.name.len()));
    for (key, value, origin) in values.rows() {
        let value = effective(&settings, key, value);
        output::line(&format!(
            "{:<names$} {value:<20} # {} ({})",
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
    let key = known(name)?;
    let mut document = config::read_file()?;
    match value {
        Some(value) => document[key.name] = toml_edit::value(value),
        None => drop(document.remove(key.name)),
    }
    let values = Values::gather_from(global, &document);
    if let Err(failure) = Settings::from_values(&values, global) {
        return Err(Failure::input(failure.message()).hint(key.help));
    }
    let path = config::file_path()?;
    let fresh = path.with_extension("toml.new");
    private::write(&fresh, document.to_string().as_bytes())
        .and_then(|()| fs::rename(&fresh, &path))
        .map_err(|error| Failure::fault(format!("writing {}: {error}", path.display())))
}

fn known(name: &str) -> Result<&'static Key, Failure> {
    config::key(name).ok_or_else(|| {
        Failure::input(format!("there is no setting {name:?}")).hint(config::names())
    })
}
