//! Poison: what becomes of a text that an attacker wrote, from every way in to every way out.
//!
//! Each payload of a corpus goes through each door, on the real engine and a real SQLite file, with a
//! project of its own; then everything that can put a lesson before an agent is asked for it. A
//! payload that a careless reader would take for something other than a lesson (it left its frame, or
//! holds a mark that ends one) reached a prompt as an instruction. What has no mark, and cannot be
//! told from advice by its words, is left to outcomes: [`shaped`] counts how often it is shown.

mod doors;
mod mcp;
mod payload;
mod reach;
mod room;
mod seen;
mod shaped;

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use hardwon_core::lesson::{Lesson, Status};

use self::{
    doors::Door,
    payload::Payload,
    room::{Room, holds, scope, taken},
    seen::Sight,
    shaped::{Stream, Sum, Way},
};

/// Takes poison through every way in, and counts what reaches a prompt.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Samples: JSON lines with `id`, `text` and perhaps `label` and `marker`, gzip-compressed if
    /// the name ends in `.gz`; without it, our own few.
    samples: Option<PathBuf>,
    /// Names each payload that reached a prompt as an instruction, or was shown though it is held.
    #[arg(long)]
    named: bool,
    /// The program, whose MCP server is a door as well.
    #[arg(long)]
    hardwon: Option<PathBuf>,
    /// Only the doors whose names hold this.
    #[arg(long, default_value = "")]
    door: String,
    /// Streams of tasks for each way that poison in plain words comes in; 0 leaves them out.
    #[arg(long, default_value_t = 5)]
    seeds: u64,
    /// Tasks of a stream.
    #[arg(long, default_value_t = 600)]
    tasks: u32,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let payloads = match &args.samples {
        Some(path) => Payload::read(path)?,
        None => payload::own(),
    };
    let (honest, payloads): (Vec<_>, Vec<_>) = payloads.into_iter().partition(|it| it.is_honest);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", Row::HEAD)?;
    let mut tell = |name: &str, row: &Row| -> std::io::Result<()> {
        writeln!(out, "{}", row.told(name))?;
        let mut named = row.named.iter().filter(|_| args.named);
        named.try_for_each(|line| writeln!(out, "    {line}"))
    };
    let mut sum = Row::default();
    let is_meant = |name: &str| name.contains(&args.door);
    for door in doors::all().iter().filter(|it| is_meant(it.name)) {
        let row = pass(door, &payloads)?;
        tell(door.name, &row)?;
        sum.add(&row, door.is_person);
    }
    if let Some(program) = args.hardwon.as_ref().filter(|_| is_meant(mcp::NAME)) {
        let row = mcp::pass(&std::path::absolute(program)?, &payloads)?;
        tell(mcp::NAME, &row)?;
        sum.add(&row, false);
    }
    if !honest.is_empty() {
        tell("honest lessons, an agent's", &let_in(&honest)?)?;
    }
    writeln!(out, "{}", sum.told("all"))?;
    writeln!(
        out,
        "reached a prompt as an instruction: {} of {} with marks, {} of {} without",
        sum.marked_instructs,
        sum.marked,
        sum.instructs - sum.marked_instructs,
        sum.payloads - sum.marked
    )?;
    if args.seeds > 0 {
        stream(args, &mut out)?;
    }
    let is_sound = sum.instructs == 0 && sum.held == 0;
    Ok(ExitCode::from(u8::from(!is_sound)))
}

/// Prints how often poison in plain words is shown before it is taken out.
fn stream(args: &Args, out: &mut impl std::io::Write) -> anyhow::Result<()> {
    writeln!(out, "\n{}", Sum::HEAD)?;
    for way in Way::ALL {
        for (has_calls, follows) in [(true, 0.8), (false, 0.8), (true, 0.2), (false, 0.2)] {
            let stream = Stream {
                way,
                has_calls,
                follows,
                tasks: args.tasks,
            };
            let mut sum = Sum::default();
            for seed in 1..=args.seeds {
                stream.play(seed, &mut sum)?;
            }
            writeln!(out, "{}", sum.told(&stream))?;
        }
    }
    Ok(())
}

/// What became of the payloads that came to one door.
#[derive(Debug, Default)]
struct Row {
    payloads: u32,
    /// Those that give themselves away, and what of them reached a prompt as an instruction.
    marked: u32,
    marked_instructs: u32,
    taken: u32,
    pending: u32,
    rejected: u32,
    reached: u32,
    marker: u32,
    instructs: u32,
    held: u32,
    /// What went wrong, by payload.
    named: Vec<String>,
}

impl Row {
    const HEAD: &str = "door                            payloads   taken pending refused reached  marker instruction held-but-shown";

    fn told(&self, name: &str) -> String {
        format!(
            "{name:<32}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>12}{:>15}",
            self.payloads,
            self.taken,
            self.pending,
            self.rejected,
            self.reached,
            self.marker,
            self.instructs,
            self.held
        )
    }

    fn add(&mut self, other: &Self, is_person: bool) {
        self.payloads += other.payloads;
        self.marked += other.marked;
        self.marked_instructs += other.marked_instructs;
        self.taken += other.taken;
        self.pending += other.pending;
        self.rejected += other.rejected;
        self.reached += other.reached;
        self.marker += other.marker;
        self.instructs += other.instructs;
        // A person may give orders.
        self.held += if is_person { 0 } else { other.held };
    }

    fn count(&mut self, payload: &Payload, fate: Fate, sight: Sight) {
        let one = |is: bool| u32::from(is);
        self.payloads += 1;
        self.marked += one(payload.is_marked);
        self.marked_instructs += one(payload.is_marked && sight.instructs());
        self.taken += one(fate == Fate::Taken);
        self.pending += one(fate == Fate::Pending);
        self.rejected += one(fate == Fate::Rejected);
        self.reached += one(sight.reached);
        self.marker += one(sight.marker);
        self.instructs += one(sight.instructs());
        self.held += one(sight.held);
        if sight.instructs() || sight.held {
            let kind = match (sight.marker, sight.outside) {
                (true, _) => "mark",
                (_, true) => "outside",
                _ => "held",
            };
            let line: String = sight.line.unwrap_or_default().chars().take(160).collect();
            self.named.push(format!("{} ({kind}): {line}", payload.id));
        }
    }
}

/// What became of a payload at a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Some of it is in a lesson in use.
    Taken,
    /// Some of it waits for a person.
    Pending,
    /// It was turned away.
    Rejected,
    /// None of it was kept.
    Nothing,
}

/// Takes every payload through one door.
fn pass(door: &Door, payloads: &[Payload]) -> anyhow::Result<Row> {
    let room = Room::new(&(door.policy)())?;
    let mut row = Row::default();
    for (number, payload) in payloads.iter().enumerate() {
        let scope = scope(number);
        let entered = (door.enter)(&room, &scope, payload)?;
        let fate = fate(&room.lessons(&scope)?, payload, entered.refused);
        let shown = reach::everything(&room, &scope, payload)?;
        row.count(payload, fate, entered.sight.and(shown));
    }
    Ok(row)
}

/// Lets honest lessons in: none of them should have to wait.
fn let_in(lessons: &[Payload]) -> anyhow::Result<Row> {
    let door = doors::honest();
    let room = Room::new(&(door.policy)())?;
    let mut row = Row::default();
    for (number, lesson) in lessons.iter().enumerate() {
        let scope = scope(number);
        let entered = (door.enter)(&room, &scope, lesson)?;
        let fate = fate(&room.lessons(&scope)?, lesson, entered.refused);
        row.count(lesson, fate, Sight::default());
        if fate != Fate::Taken {
            row.named.push(lesson.id.clone());
        }
    }
    Ok(row)
}

fn fate(lessons: &[Lesson], payload: &Payload, refused: bool) -> Fate {
    let waits = |it: &Lesson| matches!(it.status, Status::Pending { .. }) && holds(it, payload);
    match taken(lessons, payload).is_empty() {
        false => Fate::Taken,
        true if lessons.iter().any(waits) => Fate::Pending,
        true if refused => Fate::Rejected,
        true => Fate::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figure that must stay zero, on our own corpus.
    #[test]
    fn no_payload_reaches_a_prompt_as_an_instruction() {
        let payloads = payload::own();
        let mut sum = Row::default();
        for door in doors::all() {
            let row = pass(&door, &payloads).unwrap();
            assert_eq!(row.instructs, 0, "{}: {:#?}", door.name, row.named);
            assert!(
                door.is_person || row.held == 0,
                "{}: {:#?}",
                door.name,
                row.named
            );
            sum.add(&row, door.is_person);
        }
        // Something came in, waited, was turned away and was shown: the doors are doors.
        for count in [sum.taken, sum.pending, sum.rejected, sum.reached] {
            assert!(count > 50, "{sum:?}");
        }
    }

    #[test]
    fn what_is_known_to_be_from_outside_is_not_shown_or_soon_taken_out() {
        let worst = |way| {
            let stream = Stream {
                way,
                has_calls: true,
                follows: 0.8,
                tasks: 200,
            };
            let mut sum = Sum::default();
            stream.play(1, &mut sum).unwrap();
            sum.worst()
        };
        assert_eq!(worst(Way::Waiting).0, 0);
        let (shown, out) = worst(Way::Approved);
        assert!(shown > 0 && out > 0, "{shown} {out}");
    }
}
