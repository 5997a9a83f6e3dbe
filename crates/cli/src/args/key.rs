//! What can be typed about the keys and tenants of a server.

use clap::{Args, Subcommand, builder::PossibleValuesParser};
use hardwon_server::Role;
use jiff::SignedDuration;

use super::StoreArgs;
use crate::time::parse_span;

/// Add, list, rotate and revoke the API keys of a server.
#[derive(Debug, Args)]
pub struct KeyArgs {
    /// Where the keys are.
    #[command(flatten)]
    pub store: StoreArgs,
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
    /// What is done.
    #[command(subcommand)]
    pub command: KeyCommand,
}

/// What is done with keys.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a key and print it, once.
    ///
    /// An agent's key, a viewer's or a curator's can be tied with `--agent` and `--project` to one agent
    /// or one project; it then reaches no lesson of another. See docs/keys.md for what each role may do.
    Add(KeyAddArgs),
    /// List the keys, without their secrets.
    List {
        /// Only keys of this tenant.
        #[arg(long, value_name = "NAME")]
        tenant: Option<String>,
        /// Also keys that were revoked or have expired, and browser sessions.
        #[arg(long)]
        all: bool,
    },
    /// Give a key a new secret and print it, once.
    Rotate {
        /// The key's id, as in `key list`.
        #[arg(value_name = "ID")]
        key: String,
        /// How long the secret before is accepted as well, as in `2h` or `3d` [default: not at all].
        #[arg(long, value_name = "TIME", value_parser = parse_span)]
        keep: Option<SignedDuration>,
    },
    /// Revoke a key, and the browser sessions that it opened.
    Revoke {
        /// The key's id, as in `key list`.
        #[arg(value_name = "ID")]
        key: String,
    },
    /// Forget keys that were revoked or have expired. What was done to them stays in the log.
    Prune {
        /// Those that ended at least so long ago, as in `12h` or `30d`.
        #[arg(long, value_name = "TIME", value_parser = parse_span, default_value = "90d")]
        ended: SignedDuration,
    },
    /// Print what was done to keys and tenants, and verify that log.
    Log,
}

/// Make a key and print it, once.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hardwon key add --role agent --agent builder --project shop --expires 30d
  hardwon key add --role owner --tenant acme --name \"their admin\"
  hardwon key add --role operator")]
pub struct KeyAddArgs {
    /// What the key is for.
    #[arg(long, value_parser = PossibleValuesParser::new(Role::ALL.map(Role::name)))]
    pub role: String,
    /// The tenant, which `tenant add` made [default: setting `tenant`].
    #[arg(long, value_name = "NAME")]
    pub tenant: Option<String>,
    /// What you call the key [default: its role].
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    /// When the key ends, counted from now, as in `12h` or `30d` [default: never].
    #[arg(long, value_name = "TIME", value_parser = parse_span)]
    pub expires: Option<SignedDuration>,
}

/// Add, list and erase the tenants of a server.
#[derive(Debug, Args)]
pub struct TenantArgs {
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
    /// What is done.
    #[command(subcommand)]
    pub command: TenantCommand,
}

/// What is done with tenants.
#[derive(Debug, Subcommand)]
pub enum TenantCommand {
    /// Add a tenant, so that it can have keys.
    Add {
        /// Where the keys are.
        #[command(flatten)]
        store: StoreArgs,
        /// Its name.
        name: String,
    },
    /// List the tenants.
    List(StoreArgs),
    /// Erase a tenant: everything that is stored for it, for good.
    ///
    /// Revokes its keys first, then erases lessons, journal, recalls, judgements,
    /// questions for a model and the state of its sessions, and prints a receipt. The log of keys and tenants
    /// keeps its name, and backups that were made before are not touched. While servers run over the
    /// store, erase it again after half a minute: what one of them had let in meanwhile is erased then.
    Erase(TenantEraseArgs),
}

/// Erase a tenant: everything that is stored for it, for good.
#[derive(Debug, Args)]
pub struct TenantEraseArgs {
    /// Where it is.
    #[command(flatten)]
    pub store: StoreArgs,
    /// Its name.
    pub name: String,
    /// Do not ask for the name once more.
    #[arg(long)]
    pub yes: bool,
}
