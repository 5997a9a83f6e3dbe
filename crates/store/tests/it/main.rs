//! The contract on every store.

#[cfg(test)]
mod contract;
