//! Tests of the contract on every store, and of the file.

#[cfg(test)]
mod contract;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod file;
#[cfg(test)]
mod replica;
#[cfg(test)]
mod sessions;
