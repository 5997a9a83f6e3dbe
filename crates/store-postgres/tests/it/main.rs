//! Tests of the store on a real server, which they start themselves.

#[cfg(test)]
mod contract;
#[cfg(unix)]
#[cfg(test)]
mod faults;
#[cfg(test)]
mod fleet;
#[cfg(test)]
mod migrations;
#[cfg(test)]
mod pooler;
#[cfg(test)]
mod portable;
#[cfg(test)]
mod search;
#[cfg(test)]
mod server;
#[cfg(test)]
mod wall;
