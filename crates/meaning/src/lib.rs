//! A small sentence model that runs inside a hook: texts in, vectors of their meaning out.
//!
//! It reads one file, made by [`install`] from the published weights of a BERT encoder, and needs nothing else: no
//! network, no service, no library of tensors. The file is read piece by piece, so that a process needs a few megabytes.
//!
//! What it does not do: train, download, decide which lessons are shown (`hardwon_core::rank`) or keep vectors.

mod arithmetic;
mod convert;
mod error;
mod file;
mod network;
mod safetensors;
mod tokenizer;
mod weights;

pub use convert::install;
pub use error::MeaningError;
pub use file::{ModelFile, ModelShape};
pub use network::Deadline;
