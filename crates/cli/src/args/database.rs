//! What can be typed about a PostgreSQL database.

use clap::{Args, Subcommand};

use super::StoreArgs;

/// Set up a PostgreSQL database for servers, and see how busy it is.
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
    /// Print the form of the tables, and how busy the database is.
    ///
    /// Exits with 1 if the tables have to be migrated first.
    Status {
        /// Count commits for so many seconds, and print how many there were in one.
        #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
        watch: Option<u64>,
    },
}
