//! The measuring bench and the simulator: what CI and people run to see whether a claim holds.
//!
//! Nothing here ships. Each subcommand drives the real crates on data given on the command line
//! and prints figures, or writes a file that an outside scorer reads.

mod bench;
mod crash;
mod desk;
mod engine;
mod events;
mod fuzz;
mod guard;
#[cfg(feature = "mcp")]
mod mcp_http;
mod hooks;
mod lesson_md;
mod holdout;
mod mine;
mod poison;
mod processes;
mod queue_crash;
mod redaction;
mod retrieval;
mod samples;
mod sessions;
mod simulate;
mod storm;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measures hardwon on data given on the command line.
#[derive(Debug, Parser)]
#[command(name = "hardwon-sim")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Prints the episodes and drafts that transcripts give, and why the rest gave none.
    Mine(mine::Args),
    /// Speaks the engine's side of a simulated stream of learning, in JSON lines.
    Engine(engine::Args),
    /// Prints the events of transcripts, one a line, and how fast they were read.
    Events(events::Args),
    /// Writes what redaction makes of each sample.
    Redaction(redaction::Args),
    /// Counts how often the measured effect of a lesson is told from none.
    Holdout(holdout::Args),
    /// Writes the guard's verdict on each sample.
    Guard(guard::Args),
    /// Takes poison through every way in, and counts what reaches a prompt.
    Poison(poison::Args),
    /// Writes the ranking of a query set over its corpus as one scope, without a floor.
    Retrieval(retrieval::RetrievalArgs),
    /// Prints every speed budget next to its floor, measured in the same run.
    Bench(bench::Args),
    /// Writes a folder of many short sessions to learn from.
    Sessions(sessions::Args),
    /// Plays agents, faults and time from a seed, and checks what must hold.
    Simulate(simulate::Args),
    /// Kills writers at random moments and checks that nothing acknowledged is lost.
    Crash(crash::Args),
    /// Kills processes that ask a model, in every state, and checks that each job is done once.
    QueueCrash(queue_crash::Args),
    /// Adds lessons from many processes at once and checks that all are there, none twice.
    Storm(storm::Args),
    /// Damages recorded hook payloads and checks that the hook door survives every one.
    FuzzHooks(fuzz::Args),
    /// Serves the MCP server over HTTP on this machine, for the protocol's conformance suite.
    #[cfg(feature = "mcp")]
    McpHttp(mcp_http::Args),
    /// Runs hooks of many sessions at once and checks that no event is lost.
    Hooks(hooks::Args),
    /// Checks that lessons come out of files as they went in.
    LessonMd(lesson_md::Args),
    /// Measures when recall stays silent: right hits kept, other topics' prompts passed over.
    Silence(retrieval::SilenceArgs),
}

fn main() -> anyhow::Result<ExitCode> {
    let done = match Args::parse().command {
        Command::Simulate(args) => return simulate::run(&args),
        Command::Crash(args) => return crash::run(&args),
        Command::QueueCrash(args) => return queue_crash::run(&args),
        Command::Storm(args) => return storm::run(&args),
        Command::FuzzHooks(args) => return fuzz::run(&args),
        Command::Hooks(args) => return hooks::run(&args),
        Command::LessonMd(args) => return lesson_md::run(&args),
        Command::Poison(args) => return poison::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Sessions(args) => sessions::run(&args),
        Command::Mine(args) => mine::run(&args),
        Command::Engine(args) => engine::run(&args),
        Command::Events(args) => events::run(&args),
        Command::Redaction(args) => redaction::run(&args),
        Command::Guard(args) => guard::run(&args),
        Command::Holdout(args) => holdout::run(&args),
        Command::Retrieval(args) => retrieval::retrieval(&args),
        #[cfg(feature = "mcp")]
        Command::McpHttp(args) => mcp_http::run(&args),
        Command::Silence(args) => retrieval::silence(&args),
    };
    done.map(|()| ExitCode::SUCCESS)
}
