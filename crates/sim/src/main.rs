//! Measurements and simulations that show whether a claim holds.
//!
//! Nothing here ships. Each subcommand drives the real crates on data given on the command line and prints figures, or
//! writes a file that an outside scorer reads.

mod bench;
mod corpus;
mod crash;
mod desk;
mod engine;
mod events;
mod fuzz;
mod guard;
#[cfg(feature = "mcp")]
mod mcp_http;
mod hooks;
mod leak;
mod lesson_md;
#[cfg(feature = "load")]
mod load;
mod holdout;
mod mine;
mod poison;
mod processes;
mod redaction;
mod retrieval;
mod samples;
mod sessions;
mod simulate;
mod storm;
mod struggles;
mod sweep;
mod triggers;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measures hardwon on data given on the command line.
#[derive(Debug, Parser)]
#[command(name = "hardwon-sim")]
struct SimArgs {
    #[command(subcommand)]
    command: SimCommand,
}

#[derive(Debug, Subcommand)]
enum SimCommand {
    /// Prints the episodes and drafts that transcripts give, and why the rest gave none.
    Mine(mine::MineArgs),
    /// Speaks the engine's side of a simulated stream of learning, in JSON lines.
    Engine(engine::EngineArgs),
    /// Prints the events of transcripts, one a line, and how fast they were read.
    Events(events::EventsArgs),
    /// Writes what redaction makes of each sample.
    Redaction(redaction::RedactionArgs),
    /// Counts how often the measured effect of a lesson is told from none.
    Holdout(holdout::HoldoutArgs),
    /// Writes the guard's verdict on each sample.
    Guard(guard::GuardArgs),
    /// Takes poison through every way in, and counts what reaches a prompt.
    Poison(poison::PoisonArgs),
    /// Writes the ranking of a query set over its corpus as one scope, without a floor.
    Retrieval(retrieval::RetrievalArgs),
    /// Puts a server under requests that come by the clock.
    #[cfg(feature = "load")]
    Load(load::LoadArgs),
    /// Prints every speed budget next to its floor, measured in the same run.
    Bench(bench::BenchArgs),
    /// Writes a folder of many short sessions to learn from.
    Sessions(sessions::SessionsArgs),
    /// Plays agents, faults and time from a seed, and checks what must hold.
    Simulate(simulate::SimulateArgs),
    /// Has tenants share a store, and compares what each is answered with what it is answered alone.
    Isolation(simulate::isolation::IsolationArgs),
    /// Kills writers, sweeps, reviews and others at random moments, and checks what must hold then.
    Crash(crash::CrashArgs),
    /// Measures what a sweep groups, merges and replaces, on planted lessons.
    Sweep(sweep::SweepBenchArgs),
    /// Adds lessons from many processes at once and checks that all are there, none twice.
    Storm(storm::StormArgs),
    /// Counts the struggles of two sessions that teach the right lesson, and look-alikes that teach one.
    Struggles(struggles::StrugglesArgs),
    /// Damages recorded hook payloads and checks that the hook door survives every one.
    FuzzHooks(fuzz::FuzzArgs),
    /// Serves the MCP server over HTTP on this machine, for the protocol's conformance suite.
    #[cfg(feature = "mcp")]
    McpHttp(mcp_http::McpHttpArgs),
    /// Plants secrets and names in a large tree, and counts what the leak gate misses; or counts its alarms in clean trees.
    Leak(leak::LeakBenchArgs),
    /// Runs hooks of many sessions at once and checks that no event is lost.
    Hooks(hooks::HooksArgs),
    /// Checks that lessons come out of files as they went in.
    LessonMd(lesson_md::LessonMdArgs),
    /// Counts the calls at which rules in words come up: those that they are about, and near misses.
    Triggers(triggers::TriggersArgs),
    /// Measures when recall stays silent: right hits kept, other topics' prompts passed over.
    Silence(retrieval::SilenceArgs),
}

fn main() -> anyhow::Result<ExitCode> {
    let done = match SimArgs::parse().command {
        SimCommand::Isolation(args) => simulate::isolation::run(&args),
        SimCommand::Simulate(args) => return simulate::run(&args),
        SimCommand::Crash(args) => return crash::run(&args),
        SimCommand::Storm(args) => return storm::run(&args),
        SimCommand::FuzzHooks(args) => return fuzz::run(&args),
        SimCommand::Hooks(args) => return hooks::run(&args),
        SimCommand::LessonMd(args) => return lesson_md::run(&args),
        SimCommand::Poison(args) => return poison::run(&args),
        SimCommand::Leak(args) => return leak::run(&args),
        #[cfg(feature = "load")]
        SimCommand::Load(args) => load::run(&args),
        SimCommand::Bench(args) => bench::run(&args),
        SimCommand::Sessions(args) => sessions::run(&args),
        SimCommand::Struggles(args) => struggles::run(&args),
        SimCommand::Sweep(args) => sweep::run(&args),
        SimCommand::Mine(args) => mine::run(&args),
        SimCommand::Engine(args) => engine::run(&args),
        SimCommand::Events(args) => events::run(&args),
        SimCommand::Redaction(args) => redaction::run(&args),
        SimCommand::Guard(args) => guard::run(&args),
        SimCommand::Holdout(args) => holdout::run(&args),
        SimCommand::Retrieval(args) => retrieval::run_retrieval(&args),
        #[cfg(feature = "mcp")]
        SimCommand::McpHttp(args) => mcp_http::run(&args),
        SimCommand::Triggers(args) => triggers::run(&args),
        SimCommand::Silence(args) => retrieval::run_silence(&args),
    };
    done.map(|()| ExitCode::SUCCESS)
}
