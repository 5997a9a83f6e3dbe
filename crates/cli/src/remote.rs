//! Hooks whose lessons are kept by a server.
//!
//! A hook never waits for the network. It recalls from a [replica](hardwon_store::replica) of what the server
//! lets its key recall, and puts what it did into a [`spool`]. A process in the background ([`follow`]) keeps the
//! replica up ([`pull`]) and sends what is spooled ([`send`]); a hook starts it, and it ends some time after the last
//! hook. Without a server in the settings nothing here runs.
//!
//! ```text
//! STATE/remote/SERVER/SCOPE/    scope.json     what the background process needs to know; its age is the last hook's
//!                               background.lock  held by that process
//!                               spool/         what waits to be sent
//!                               set-aside/     what the server does not take in, with the reason
//!                               pulled         its age is the last answer's
//!                               trouble        what went wrong last, in a line
//! CACHE/remote/SERVER+KEY/SCOPE-copy.db        the replica
//! ```

pub mod follow;
mod place;
pub mod pull;
pub mod send;
pub mod spool;
pub mod verb;
