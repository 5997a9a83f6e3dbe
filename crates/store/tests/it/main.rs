//! The contract on every store, and what only a file can show.

#[cfg(test)]
mod contract;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod file;
