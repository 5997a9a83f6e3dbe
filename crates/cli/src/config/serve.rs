//! The settings of `hardwon serve`, typed.

use std::{
    num::{NonZeroU32, NonZeroUsize},
    path::PathBuf,
};

use super::SettingValues;
use crate::{args::ServeArgs, error::CliError};

/// Whom a server answers, how often and how many at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServeSettings {
    /// The files of the certificate and of its key; `None` for a server without TLS.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// The names under which clients reach it; without any, those of this machine.
    pub hosts: Vec<String>,
    /// The origins of pages that may call it; without any, none may.
    pub origins: Vec<String>,
    /// How many requests a second a key may send on average, and how many at once; `None` for any number.
    pub key_rate: Option<(NonZeroU32, NonZeroU32)>,
    /// Most connections.
    pub max_connections: NonZeroUsize,
    /// The hour of the day, in UTC, from which on tenants are swept; `None` for no hour.
    pub sweep_hour: Option<u8>,
}

impl ServeSettings {
    /// Parses the values, over which what was typed wins.
    pub fn from_values(values: &SettingValues, args: &ServeArgs) -> Result<Self, CliError> {
        let number = |typed: Option<u32>, name: &str| match typed {
            Some(number) => Ok(number),
            None => values.parse(name, |text| text.parse().ok()),
        };
        let list = |typed: &[String], name: &str| match typed {
            [] => split_list(values.get(name).0),
            typed => typed.to_vec(),
        };
        let per_second = number(args.requests_per_second, "serve_per_second")?;
        let at_once = number(args.requests_at_once, "serve_at_once")?;
        let connections = match args.max_connections {
            Some(number) => number,
            None => values.parse("serve_connections", |text| text.parse().ok())?,
        };
        Ok(Self {
            tls: find_tls(values, args)?,
            hosts: list(&args.hosts, "serve_hosts"),
            origins: list(&args.origins, "serve_origins"),
            key_rate: NonZeroU32::new(per_second).zip(NonZeroU32::new(at_once)),
            max_connections: connections,
            sweep_hour: match (args.sweep_hour, values.get("serve_sweep_hour").0) {
                (Some(hour), _) => Some(hour),
                (None, "off") => None,
                _ => Some(values.parse("serve_sweep_hour", |word| {
                    word.parse().ok().filter(|hour: &u8| *hour < 24)
                })?),
            },
        })
    }
}

/// Finds the certificate and its key; one without the other is a mistake.
fn find_tls(
    values: &SettingValues,
    args: &ServeArgs,
) -> Result<Option<(PathBuf, PathBuf)>, CliError> {
    let find = |typed: &Option<PathBuf>, name: &str| match (typed, values.get(name).0) {
        (Some(path), _) => Some(path.clone()),
        (None, "") => None,
        (None, path) => Some(PathBuf::from(path)),
    };
    let certificate = find(&args.tls_cert, "serve_tls_cert");
    let key = find(&args.tls_key, "serve_tls_key");
    match (certificate, key) {
        (Some(certificate), Some(key)) => Ok(Some((certificate, key))),
        (None, None) => Ok(None),
        (Some(_), None) => Err(missing_half("the key of the certificate", "--tls-key")),
        (None, Some(_)) => Err(missing_half("the certificate of the key", "--tls-cert")),
    }
}

fn missing_half(what: &str, option: &str) -> CliError {
    CliError::bad_input(format!("{what} is not named"))
        .with_hint(format!("name it with {option} FILE"))
}

fn split_list(text: &str) -> Vec<String> {
    let names = text
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty());
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command, FromArgMatches as _};

    use super::*;
    use crate::args::GlobalArgs;

    /// Reads a settings file and what was typed.
    fn read(file: &str, typed: &[&str]) -> Result<ServeSettings, String> {
        let command = ServeArgs::augment_args(Command::new("serve").no_binary_name(true));
        let args = command.try_get_matches_from(typed).unwrap();
        let args = ServeArgs::from_arg_matches(&args).unwrap();
        let values = SettingValues::gather_from(&GlobalArgs::default(), &file.parse().unwrap());
        ServeSettings::from_values(&values, &args).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_typed_wins_over_the_file() {
        let file = "serve_hosts = \"a.example, b.example\"\nserve_connections = 9";
        let settings = read(file, &["--requests-per-second=7"]).unwrap();
        assert_eq!(settings.hosts, ["a.example", "b.example"]);
        assert_eq!(settings.max_connections.get(), 9);
        assert_eq!(
            settings.key_rate,
            NonZeroU32::new(7).zip(NonZeroU32::new(400))
        );
        let typed = read(
            file,
            &["--hosts=c.example,d.example", "--max-connections=8"],
        )
        .unwrap();
        assert_eq!(typed.hosts, ["c.example", "d.example"]);
        assert_eq!(typed.max_connections.get(), 8);
        for no_limit in ["--requests-per-second=0", "--requests-at-once=0"] {
            assert_eq!(read("", &[no_limit]).unwrap().key_rate, None, "{no_limit}");
        }
        for (file, typed, expected) in [
            ("", "--max-connections=8", None),
            ("serve_sweep_hour = 3", "--max-connections=8", Some(3)),
            ("serve_sweep_hour = 3", "--sweep-hour=0", Some(0)),
        ] {
            assert_eq!(read(file, &[typed]).unwrap().sweep_hour, expected, "{file}");
        }
        assert!(read("serve_sweep_hour = 24", &[]).is_err());
        let both = "serve_tls_cert = \"a.pem\"\nserve_tls_key = \"b.pem\"";
        let files = |file, typed: &[&str]| read(file, typed).map(|it| it.tls);
        assert_eq!(
            files(both, &["--tls-cert=c.pem"]),
            Ok(Some(("c.pem".into(), "b.pem".into())))
        );
        assert_eq!(files("", &[]), Ok(None));
        assert_eq!(
            files("", &["--tls-cert=c.pem"]),
            Err(
                "the key of the certificate is not named\nhint: name it with --tls-key FILE"
                    .to_owned()
            )
        );
        let wrong = read("serve_connections = 0", &[]).unwrap_err();
        assert!(wrong.contains("setting serve_connections"), "{wrong}");
    }
}
