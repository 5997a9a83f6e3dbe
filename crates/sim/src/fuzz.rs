//! Fuzzes hook payloads: by the million on the parser and by the hundred on the program.
//!
//! Each round takes a recorded payload of a client, damages it and parses it; a reply to it must be JSON of that
//! client's form. Every so often the real program gets it on stdin and must exit with 0, without a panic, printing
//! nothing or a reply of that form. The first payload that breaks a rule is written to a file, and the round's seed is
//! printed.

mod damage;

use std::{
    collections::BTreeSet,
    fs,
    io::Write as _,
    panic,
    path::{Path, PathBuf},
    process::{ExitCode, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use hardwon_clients::{
    Client,
    hook::{self, envelope},
};
use hardwon_engine::HookReply;
use serde_json::Value;

use crate::processes::ProgramHome;

/// Damages recorded hook payloads and checks that the hook door survives every one.
#[derive(Debug, clap::Args)]
pub(crate) struct FuzzArgs {
    /// How long to go on for each client, in minutes.
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// The folders of recorded payloads, each named after its client.
    #[arg(long, default_value = "crates/clients/tests/hooks")]
    payloads: PathBuf,
    /// Only this client.
    #[arg(long)]
    client: Option<String>,
    /// The program, to be given some of the payloads too.
    #[arg(long)]
    hardwon: Option<PathBuf>,
    /// Payloads parsed for each that the program is given.
    #[arg(long, default_value_t = 20_000)]
    every: u64,
    /// Where the rounds begin.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where a payload that broke a rule is written.
    #[arg(long, default_value = "fuzz-hooks.broken")]
    broken: PathBuf,
}

/// A recorded payload with the event that the hook was registered for.
struct RecordedPayload {
    event: String,
    bytes: Vec<u8>,
}

/// Counts of one client's payloads.
#[derive(Default)]
struct FuzzCounts {
    parsed: u64,
    /// Payloads with an event.
    understood: u64,
    /// Valid payloads without an event.
    idle: u64,
    refused: u64,
    processes: u64,
    answers: u64,
}

pub(crate) fn run(args: &FuzzArgs) -> anyhow::Result<ExitCode> {
    let home = args.hardwon.as_deref().map(ProgramHome::new).transpose()?;
    let clients: Vec<Client> = Client::ALL
        .into_iter()
        .filter(|client| {
            args.client
                .as_deref()
                .is_none_or(|name| name == client.name())
        })
        .collect();
    ensure!(!clients.is_empty(), "there is no such client");
    for client in clients {
        let payloads = read_payloads(&args.payloads, client)?;
        let counts = fuzz_client(args, client, &payloads, home.as_ref())?;
        writeln!(
            std::io::stdout(),
            "{client}: {} parsed, {} understood, {} idle, {} refused; {} processes, {} answers",
            counts.parsed,
            counts.understood,
            counts.idle,
            counts.refused,
            counts.processes,
            counts.answers
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn read_payloads(folder: &Path, client: Client) -> anyhow::Result<Vec<RecordedPayload>> {
    let mut payloads = Vec::new();
    let listing = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in listing {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !path.is_dir() || !name.starts_with(client.name()) {
            continue;
        }
        for file in fs::read_dir(&path)? {
            let file = file?.path();
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            let event = stem.split_once('-').map_or("", |(_, event)| event);
            payloads.push(RecordedPayload {
                event: event.to_owned(),
                bytes: fs::read(&file)?,
            });
        }
    }
    ensure!(!payloads.is_empty(), "no payloads of {client}");
    payloads.sort_by(|a, b| (&a.event, &a.bytes).cmp(&(&b.event, &b.bytes)));
    Ok(payloads)
}

fn fuzz_client(
    args: &FuzzArgs,
    client: Client,
    payloads: &[RecordedPayload],
    home: Option<&ProgramHome>,
) -> anyhow::Result<FuzzCounts> {
    let until = Instant::now() + Duration::from_secs_f64(args.minutes * 60.0);
    let mut counts = FuzzCounts::default();
    for seed in args.seed.. {
        if Instant::now() >= until {
            break;
        }
        let mut rng = fastrand::Rng::with_seed(seed);
        let payload = &payloads[rng.usize(..payloads.len())];
        let other = &payloads[rng.usize(..payloads.len())];
        let stdin = damage::damage_payload(&payload.bytes, &other.bytes, &mut rng);
        let survived =
            check_parse(client, &payload.event, &stdin, &mut counts).and_then(|()| match home {
                Some(home) if seed % args.every == 0 => {
                    run_program(home, client, &payload.event, &stdin, &mut counts)
                }
                _ => Ok(()),
            });
        if let Err(error) = survived {
            fs::write(&args.broken, &stdin)?;
            let place = args.broken.display();
            return Err(error.context(format!(
                "{client} {}, seed {seed}: the payload is in {place}",
                payload.event
            )));
        }
    }
    Ok(counts)
}

/// Parses a payload, and renders a reply with a piece of it.
fn check_parse(
    client: Client,
    event: &str,
    stdin: &[u8],
    counts: &mut FuzzCounts,
) -> anyhow::Result<()> {
    let parsed = panic::catch_unwind(|| hook::parse_payload(client.hook_row(), Some(event), stdin));
    let Ok(parsed) = parsed else {
        anyhow::bail!("the parser panicked");
    };
    counts.parsed += 1;
    match parsed {
        Ok(incoming) if incoming.events.is_empty() => counts.idle += 1,
        Ok(_) => counts.understood += 1,
        Err(_) => counts.refused += 1,
    }
    let text = String::from_utf8_lossy(stdin);
    for reply in sample_replies(&text) {
        let printed =
            panic::catch_unwind(|| envelope::render_reply(client.hook_row(), event, &reply));
        let Ok(printed) = printed else {
            anyhow::bail!("printing an answer panicked");
        };
        if let Some(json) = printed {
            check_answer(client, event, &json)?;
        }
    }
    Ok(())
}

fn sample_replies(text: &str) -> [HookReply; 3] {
    [
        HookReply::Context(text.to_owned()),
        HookReply::Continue(text.to_owned()),
        HookReply::Hold(text.to_owned()),
    ]
}

/// Gives a payload to the program.
fn run_program(
    home: &ProgramHome,
    client: Client,
    event: &str,
    stdin: &[u8],
    counts: &mut FuzzCounts,
) -> anyhow::Result<()> {
    let mut child = home
        .command(&["hook", "--client", client.name(), "--event", event])
        .stdin(Stdio::piped())
        .spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        // A program that has read enough may close its end.
        drop(pipe.write_all(stdin));
    }
    let output = child.wait_with_output()?;
    counts.processes += 1;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.code() == Some(0) && !said.contains("panicked"),
        "the program ended with {}: {said}",
        output.status
    );
    let answer = String::from_utf8(output.stdout)?;
    if answer.is_empty() {
        return Ok(());
    }
    counts.answers += 1;
    // A piece of another payload may have brought the name of another event with it.
    let named = hook::find_event(client.hook_row(), Some(event), stdin);
    let named = named.context("an event that is not registered was answered")?;
    check_answer(client, named.name, answer.trim_end())
}

/// Checks that a reply is one line of JSON with the keys that this client takes at this event.
fn check_answer(client: Client, event: &str, json: &str) -> anyhow::Result<()> {
    let keys_of = |json: &str| -> anyhow::Result<BTreeSet<String>> {
        let value: Value = serde_json::from_str(json)?;
        let members = value.as_object().context("the answer is no object")?;
        Ok(members.keys().cloned().collect())
    };
    let keys = keys_of(json)?;
    ensure!(!json.contains('\n'), "the answer has several lines");
    for reply in sample_replies("x") {
        if let Some(form) = envelope::render_reply(client.hook_row(), event, &reply)
            && keys_of(&form)? == keys
        {
            return Ok(());
        }
    }
    anyhow::bail!("{client} does not take this at {event}: {json}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_the_keys_that_the_client_takes() {
        let takes = |client, event, json| check_answer(client, event, json).is_ok();
        assert!(takes(Client::Pi, "prompt", r#"{"context":"x"}"#));
        assert!(takes(Client::Pi, "stop", r#"{"goOn":"x"}"#));
        assert!(!takes(Client::Pi, "stop", r#"{"context":"x"}"#));
        assert!(!takes(Client::Pi, "prompt", r#"{"context":"x","more":1}"#));
        assert!(!takes(
            Client::Goose,
            "UserPromptSubmit",
            r#"{"context":"x"}"#
        ));
        assert!(!takes(Client::Pi, "prompt", "a word"));
        assert!(!takes(Client::Pi, "prompt", "{\"context\":\n\"x\"}"));
    }

    #[test]
    fn the_same_seed_damages_the_same() {
        let payload = br#"{"session_id":"s","tool_input":{"command":"make"}}"#;
        let damaged = |seed| {
            let mut rng = fastrand::Rng::with_seed(seed);
            damage::damage_payload(payload, payload, &mut rng)
        };
        assert!((0..100).all(|seed| damaged(seed) == damaged(seed)));
        assert!((0..100).any(|seed| damaged(seed) != payload));
    }
}
