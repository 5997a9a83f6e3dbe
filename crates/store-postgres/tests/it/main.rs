//! Tests of the store on a real server, which they start themselves.

#[cfg(test)]
mod contract;
#[cfg(test)]
mod server;
