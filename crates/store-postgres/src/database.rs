//! One database that stores share: its connections, and the runtime that serves them.
//!
//! Lessons, keys and sessions are in the same database. What opens a transaction is here; what is in one is in the
//! modules of each.

use std::{fmt, path::Path};

use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
};
use hardwon_store::{Result, StoreError, StoreErrorKind};
use tokio_postgres::{
    Config, Error, NoTls, Row, Socket,
    config::{Host, SslMode},
    tls::{MakeTlsConnect, TlsConnect},
    types::{ToSql, Type},
};

use crate::{
    bridge::Bridge,
    errors::{Interruption, convert_error, convert_pool_error},
    options::PostgresOptions,
    session::{Session, TransactionMode},
    tls::RustlsMaker,
    values::SqlValue,
};

/// A database, with its connections.
pub(crate) struct Database {
    pub(crate) bridge: Bridge,
    pub(crate) pool: Pool,
    pub(crate) options: PostgresOptions,
    /// Where it is, without a password.
    pub(crate) server: String,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

impl Database {
    /// Connects to a server, encrypted if its URL asks for that.
    pub(crate) fn open(url: &str, options: PostgresOptions, bridge: Bridge) -> Result<Self> {
        match make_config(url, &options)?.get_ssl_mode() {
            SslMode::Disable | SslMode::Prefer => Self::connect(url, options, bridge, NoTls),
            _ => {
                let tls = RustlsMaker::new(options.tls_roots.as_deref())?;
                Self::connect(url, options, bridge, tls)
            }
        }
    }

    fn connect<T>(url: &str, options: PostgresOptions, bridge: Bridge, tls: T) -> Result<Self>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + Sync,
        T::TlsConnect: Send + Sync,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let config = make_config(url, &options)?;
        let server = describe_server(&config);
        let recycling_method = RecyclingMethod::Fast;
        let manager = Manager::from_config(config, tls, ManagerConfig { recycling_method });
        let pool = Pool::builder(manager)
            .max_size(options.connections.max(1))
            .wait_timeout(Some(options.patience))
            .create_timeout(Some(options.patience))
            .runtime(Runtime::Tokio1)
            .build()
            .expect("a runtime is given, so there can be time limits");
        Ok(Self {
            bridge,
            pool,
            options,
            server,
        })
    }

    /// Says in an error what was being done, and where.
    pub(crate) fn add_context(&self, error: StoreError, action: &'static str) -> StoreError {
        error.with_action(action).with_path(Path::new(&self.server))
    }

    /// Takes a connection for a transaction.
    pub(crate) fn open_session(
        &self,
        mode: TransactionMode,
    ) -> Result<Session<'_>, (StoreError, Option<Interruption>)> {
        let client = self.bridge.wait(self.pool.get());
        let client = client.map_err(|error| {
            let interruption = match &error {
                PoolError::Backend(error) => Interruption::from_error(error),
                _ => None,
            };
            (convert_pool_error(error), interruption)
        })?;
        Ok(Session::new(&self.bridge, client, mode, &self.options))
    }

    /// Runs one statement that stands for itself, of no tenant: one wait, no transaction around it. It only reads, so
    /// it is sent once more where the connection turns out to be gone.
    pub(crate) fn read(&self, sql: &str, values: &[SqlValue]) -> Result<Vec<Row>> {
        self.bridge.wait(async {
            let mut is_second = false;
            loop {
                let client = self.pool.get().await.map_err(convert_pool_error)?;
                match query_once(&client, sql, values).await {
                    Ok(rows) => return Ok(rows),
                    Err(error) => {
                        let is_lost =
                            Interruption::from_error(&error) == Some(Interruption::Disconnected);
                        if !is_lost || is_second {
                            return Err(convert_error(error));
                        }
                        drop(Object::take(client));
                        is_second = true;
                    }
                }
            }
        })
    }
}

async fn query_once(client: &Object, sql: &str, values: &[SqlValue]) -> Result<Vec<Row>, Error> {
    let parameters = values
        .iter()
        .map(|value| -> (&(dyn ToSql + Sync), Type) { (value, value.sql_type()) });
    let parameters: Vec<_> = parameters.collect();
    client.query_typed(sql, &parameters).await
}

pub(crate) fn start_bridge() -> Result<Bridge> {
    Bridge::start().map_err(|error| {
        let message = format!("no thread can be started ({error})");
        StoreError::new(StoreErrorKind::Io, "opening the database", message)
    })
}

/// Makes of a URL, and of what it does not say, how to connect.
fn make_config(url: &str, options: &PostgresOptions) -> Result<Config> {
    let mut config = parse_url(url)?;
    if config.get_application_name().is_none() {
        config.application_name("hardwon");
    }
    let has_network = config
        .get_hosts()
        .iter()
        .any(|get_host| matches!(get_host, Host::Tcp(_)));
    if options.demands_tls && has_network && !url.contains("sslmode=") {
        config.ssl_mode(SslMode::Require);
    }
    if config.get_password().is_none()
        && let Some(password) = &options.password
    {
        config.password(password.expose());
    }
    Ok(config)
}

fn parse_url(url: &str) -> Result<Config> {
    // The client knows no stricter words; the certificate is verified in any case.
    let url = url.replace("sslmode=verify-full", "sslmode=require");
    let url = url.replace("sslmode=verify-ca", "sslmode=require");
    url.parse().map_err(|error: tokio_postgres::Error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        let message = format!("its URL is none ({error}{})", cause.unwrap_or_default());
        StoreError::new(StoreErrorKind::Invalid, "opening the database", message)
            .with_hint("write it as postgres://USER@HOST:PORT/DATABASE")
    })
}

/// Says where a database is, without user and password.
fn describe_server(config: &Config) -> String {
    let hosts = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    });
    let hosts: Vec<String> = hosts.collect();
    format!(
        "database {} at {}",
        config.get_dbname().unwrap_or("by default"),
        hosts.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::DatabasePassword;

    #[test]
    fn what_the_url_does_not_say_is_taken_from_the_options() {
        let options = PostgresOptions {
            demands_tls: true,
            ..PostgresOptions::default()
        };
        let given = PostgresOptions {
            demands_tls: false,
            password: Some(DatabasePassword::new("given".to_owned())),
            ..options.clone()
        };
        let check = |url: &str, options: &PostgresOptions, ssl: SslMode, password: &str| {
            let config = make_config(url, options).unwrap();
            assert_eq!(config.get_ssl_mode(), ssl, "{url}");
            let found = config.get_password().unwrap_or_default();
            assert_eq!(found, password.as_bytes(), "{url}");
        };
        let (must, may) = (SslMode::Require, SslMode::Prefer);
        check("postgres://u@h/d", &options, must, "");
        check("postgres://u:own@h/d", &options, must, "own");
        check("postgres://u@h/d", &given, may, "given");
        for mode in ["require", "verify-ca", "verify-full"] {
            check(
                &format!("postgres://u@h/d?sslmode={mode}"),
                &given,
                must,
                "given",
            );
        }
        let off = "postgres://u@h/d?sslmode=disable";
        check(off, &options, SslMode::Disable, "");
        // Nobody listens between two processes of one machine.
        check("host=/run/postgresql user=u", &options, may, "");
    }
}
