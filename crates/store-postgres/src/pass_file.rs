//! The password file of PostgreSQL's own clients: `host:port:database:user:password`, a line each.
//!
//! Where it is, and who may read it, is the business of whoever reads it.

use std::fmt;

use tokio_postgres::{Config, config::Host};

/// The port of a server, where none is named.
const USUAL_PORT: u16 = 5432;

/// The text of a password file, which nothing prints.
#[derive(Clone, PartialEq, Eq)]
pub struct PassFile(String);

impl PassFile {
    /// Takes the text of a file.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// Finds the password for a connection: that of the first line that fits.
    pub(crate) fn find_password(&self, config: &Config) -> Option<String> {
        let host = match config.get_hosts().first()? {
            Host::Tcp(name) => name.as_str(),
            #[cfg(unix)]
            Host::Unix(_) => "localhost",
        };
        let port = config.get_ports().first().copied().unwrap_or(USUAL_PORT);
        let user = config.get_user()?;
        let database = config.get_dbname().unwrap_or(user);
        let parts = [host, &port.to_string(), database, user];
        let mut lines = self.0.lines().filter(|line| !line.starts_with('#'));
        lines.find_map(|line| {
            let (fields, password) = split_line(line)?;
            let fits = |(field, parts): (&String, &str)| field == "*" || field == parts;
            fields.iter().zip(parts).all(fits).then_some(password)
        })
    }
}

impl fmt::Debug for PassFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PassFile")
    }
}

/// Splits a line into what it is for and the password. A backslash stands before a colon or a backslash of a field.
fn split_line(line: &str) -> Option<(Vec<String>, String)> {
    let mut fields = vec![String::new()];
    let mut chars = line.trim_end_matches('\r').chars();
    while let Some(char) = chars.next() {
        match char {
            ':' if fields.len() < 5 => fields.push(String::new()),
            '\\' => fields.last_mut()?.extend(chars.next()),
            other => fields.last_mut()?.push(other),
        }
    }
    let password = (fields.len() == 5).then(|| fields.pop())??;
    Some((fields, password))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let file = PassFile::new(
            "# a comment\n\
             db:5432:lessons:fleet:first\n\
             db:*:lessons:fleet:any port\n\
             *:*:*:oth\\:er:a\\\\b\\:c:d\r\n\
             localhost:5432:*:*:here\n\
             too:few:fields\n\
             *:*:*:empty:\n"
                .to_owned(),
        );
        let check = |url: &str, expected: Option<&str>| {
            let found = file.find_password(&url.parse().unwrap());
            assert_eq!(found.as_deref(), expected, "{url}");
        };
        check("postgres://fleet@db/lessons", Some("first"));
        check("postgres://fleet@db:6432/lessons", Some("any port"));
        check("postgres://fleet@other/lessons", None);
        check("postgres://oth%3Aer@db/x", Some("a\\b:c:d"));
        check("host=/run/postgresql user=me", Some("here"));
        check("postgres://fleet@localhost/fleet", Some("here"));
        check("postgres://empty@db/x", Some(""));
        assert_eq!(format!("{file:?}"), "PassFile");
    }
}
