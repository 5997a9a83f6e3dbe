//! Models and embeddings for the engine, over HTTP or by a command; and a client of hardwon's own server.
//!
//! A [`ModelService`] and a [`CommandModel`] are the engine's [`Model`](hardwon_engine::model::Model), an
//! [`EmbeddingService`] is its [`Embedder`](hardwon_engine::embed::Embedder). Each is made of plain values that the
//! caller gathered. Nothing here reads settings or the environment, decides when a model is called, or prints.

mod process;
mod command;
mod task;
mod embedding;
mod http;
mod model;
mod server;
mod service;

pub use command::CommandModel;
pub use embedding::{EmbeddingService, UnusableEmbedder};
pub use model::{ModelApi, ModelService};
pub use server::{BadAddress, NoRoots, ServerAddress, ServerClient, ServerTrouble};
pub use service::{ServiceConfig, SettingNames};
pub use task::{CommandTask, TaskEnd};

#[cfg(test)]
mod tests;
