//! What can be typed about a PostgreSQL database.

use clap::{Args, Subcommand};

use super::StoreArgs;

/// Set up a PostgreSQL database for servers.
#[derive(Debug, Args)]
pub struct DbArgs {
    /// The database.
    #[command(flatten)]
    pub store: StoreArgs,
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
    /// What is done.
    #[command(subcommand)]
    pub command: DbCommand,
}

/// What is done with a database.
#[derive(Debug, Subcommand)]
pub enum DbCommand {
    /// Make the tables in a database, or change those of an older version.
    ///
    /// Servers never do so themselves, because several of two versions may use one database while a new one is
    /// rolled out. Run it as the role that owns the tables, or may make them; it does nothing where nothing is to be
    /// done.
    Migrate,
}
