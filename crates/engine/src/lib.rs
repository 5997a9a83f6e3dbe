//! The crate people embed: it watches what agents did, learns from it and recalls.
//!
//! The engine carries out what [`hardwon_core`] decides on what [`hardwon_store`] keeps.

pub mod transcript;
