//! What can be typed about the sentence model.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Print which sentence model is in place, what it costs on this machine, and what it changed.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct MeaningArgs {
    /// What to change.
    #[command(subcommand)]
    pub command: Option<MeaningCommand>,
}

/// What can be changed about the sentence model.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum MeaningCommand {
    /// Put a model in place that you have: a published archive (.whl, .zip), or a folder.
    ///
    /// It is a package `hardwon-model`, or holds `config.json`, `vocab.txt` and `model.safetensors` of a BERT encoder such as all-MiniLM-L6-v2. The weights are
    /// rounded to four bits; no code of a package is run, and nothing is downloaded. See docs/meaning.md.
    Add {
        /// The archive or folder.
        path: PathBuf,
    },
    /// Remove the model; lessons are found by their words.
    Remove,
}
