//! Poison: follows an attacker's text from every way in to every way out.
//!
//! Each payload of a corpus goes through each door, on the real engine and a real SQLite file, with a project of its
//! own; then everything that can show an agent a lesson is tried. A payload that a careless reader would take for
//! something other than a lesson (it left its frame, or holds a mark that ends one) reached a prompt as an instruction.
//! A payload without a mark, which looks like advice, is left to outcomes: [`plain_poison`] counts how often it is
//! shown.

mod doors;
mod mcp;
mod payload;
mod reach;
mod room;
mod careless_reader;
mod plain_poison;

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use hardwon_core::{Lesson, Status};

use self::{
    careless_reader::Exposure,
    doors::Door,
    payload::PoisonPayload,
    plain_poison::{PoisonOrigin, StreamTotals, TaskStream},
    room::{PoisonRoom, active_lessons_with, lesson_holds, payload_scope},
};

/// Takes poison through every way in, and counts what reaches a prompt.
#[derive(Debug, clap::Args)]
pub(crate) struct PoisonArgs {
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

pub(crate) fn run(args: &PoisonArgs) -> anyhow::Result<ExitCode> {
    let payloads = match &args.samples {
        Some(path) => PoisonPayload::read_samples(path)?,
        None => payload::own_payloads(),
    };
    let (honest, payloads): (Vec<_>, Vec<_>) =
        payloads.into_iter().partition(|payload| payload.is_honest);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", PoisonRow::TABLE_HEADER)?;
    let mut tell = |name: &str, row: &PoisonRow| -> std::io::Result<()> {
        writeln!(out, "{}", row.render_row(name))?;
        let mut named = row.problems.iter().filter(|_| args.named);
        named.try_for_each(|line| writeln!(out, "    {line}"))
    };
    let mut sum = PoisonRow::default();
    let is_meant = |name: &str| name.contains(&args.door);
    for door in doors::all_doors()
        .iter()
        .filter(|all_door| is_meant(all_door.name))
    {
        let row = pass_payloads(door, &payloads)?;
        tell(door.name, &row)?;
        sum.add(&row, door.is_person);
    }
    if let Some(program) = args.hardwon.as_ref().filter(|_| is_meant(mcp::DOOR_NAME)) {
        let row = mcp::pass_payloads(&std::path::absolute(program)?, &payloads)?;
        tell(mcp::DOOR_NAME, &row)?;
        sum.add(&row, false);
    }
    if !honest.is_empty() {
        tell("honest lessons, an agent's", &pass_honest(&honest)?)?;
    }
    writeln!(out, "{}", sum.render_row("all"))?;
    writeln!(
        out,
        "reached a prompt as an instruction: {} of {} with marks, {} of {} without",
        sum.marked_instructs,
        sum.marked,
        sum.instructs - sum.marked_instructs,
        sum.payloads - sum.marked
    )?;
    if args.seeds > 0 {
        print_streams(args, &mut out)?;
    }
    let is_sound = sum.instructs == 0 && sum.held_but_shown == 0;
    Ok(ExitCode::from(u8::from(!is_sound)))
}

/// Prints how often poison in plain words is shown before it is taken out.
fn print_streams(args: &PoisonArgs, out: &mut impl std::io::Write) -> anyhow::Result<()> {
    writeln!(out, "\n{}", StreamTotals::TABLE_HEADER)?;
    for way in PoisonOrigin::ALL {
        for (has_calls, follows) in [(true, 0.8), (false, 0.8), (true, 0.2), (false, 0.2)] {
            let stream = TaskStream {
                origin: way,
                has_calls,
                follow_chance: follows,
                tasks: args.tasks,
            };
            let mut sum = StreamTotals::default();
            for seed in 1..=args.seeds {
                stream.play_once(seed, &mut sum)?;
            }
            writeln!(out, "{}", sum.render_row(&stream))?;
        }
    }
    Ok(())
}

/// The outcomes of the payloads at one door.
#[derive(Debug, Default)]
struct PoisonRow {
    payloads: u32,
    /// Marked payloads, and how many of them reached a prompt as an instruction.
    marked: u32,
    marked_instructs: u32,
    taken: u32,
    pending: u32,
    rejected: u32,
    reached: u32,
    reached_marker: u32,
    instructs: u32,
    held_but_shown: u32,
    /// Broken rules, by payload.
    problems: Vec<String>,
}

impl PoisonRow {
    const TABLE_HEADER: &str = "door                            payloads   taken pending refused reached  marker instruction held-but-shown";

    fn render_row(&self, name: &str) -> String {
        format!(
            "{name:<32}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>12}{:>15}",
            self.payloads,
            self.taken,
            self.pending,
            self.rejected,
            self.reached,
            self.reached_marker,
            self.instructs,
            self.held_but_shown
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
        self.reached_marker += other.reached_marker;
        self.instructs += other.instructs;
        // A person may give orders.
        self.held_but_shown += if is_person { 0 } else { other.held_but_shown };
    }

    fn count_payload(&mut self, payload: &PoisonPayload, fate: PayloadOutcome, sight: Exposure) {
        let one = |is: bool| u32::from(is);
        self.payloads += 1;
        self.marked += one(payload.is_marked);
        self.marked_instructs += one(payload.is_marked && sight.is_instruction());
        self.taken += one(fate == PayloadOutcome::Taken);
        self.pending += one(fate == PayloadOutcome::Pending);
        self.rejected += one(fate == PayloadOutcome::Rejected);
        self.reached += one(sight.reached);
        self.reached_marker += one(sight.has_marker);
        self.instructs += one(sight.is_instruction());
        self.held_but_shown += one(sight.should_be_withheld);
        if sight.is_instruction() || sight.should_be_withheld {
            let kind = match (sight.has_marker, sight.is_outside_frame) {
                (true, _) => "mark",
                (_, true) => "outside",
                _ => "held",
            };
            let line: String = sight.line.unwrap_or_default().chars().take(160).collect();
            self.problems
                .push(format!("{} ({kind}): {line}", payload.id));
        }
    }
}

/// The outcome of a payload at a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PayloadOutcome {
    /// Some of it is in an active lesson.
    Taken,
    /// Some of it waits for a person.
    Pending,
    /// It was rejected.
    Rejected,
    /// None of it was kept.
    NotKept,
}

/// Passes every payload through one door.
fn pass_payloads(door: &Door, payloads: &[PoisonPayload]) -> anyhow::Result<PoisonRow> {
    let room = PoisonRoom::new(&(door.policy)())?;
    let mut row = PoisonRow::default();
    for (number, payload) in payloads.iter().enumerate() {
        let scope = payload_scope(number);
        let entered = (door.enter)(&room, &scope, payload)?;
        let fate = payload_outcome(&room.lessons(&scope)?, payload, entered.refused);
        let shown = reach::show_everything(&room, &scope, payload)?;
        row.count_payload(payload, fate, entered.exposure.merge(shown));
    }
    Ok(row)
}

/// Passes honest lessons: none of them should have to wait.
fn pass_honest(lessons: &[PoisonPayload]) -> anyhow::Result<PoisonRow> {
    let door = doors::honest_door();
    let room = PoisonRoom::new(&(door.policy)())?;
    let mut row = PoisonRow::default();
    for (number, lesson) in lessons.iter().enumerate() {
        let scope = payload_scope(number);
        let entered = (door.enter)(&room, &scope, lesson)?;
        let fate = payload_outcome(&room.lessons(&scope)?, lesson, entered.refused);
        row.count_payload(lesson, fate, Exposure::default());
        if fate != PayloadOutcome::Taken {
            row.problems.push(lesson.id.clone());
        }
    }
    Ok(row)
}

fn payload_outcome(lessons: &[Lesson], payload: &PoisonPayload, refused: bool) -> PayloadOutcome {
    let waits =
        |it: &Lesson| matches!(it.status, Status::Pending { .. }) && lesson_holds(it, payload);
    match active_lessons_with(lessons, payload).is_empty() {
        false => PayloadOutcome::Taken,
        true if lessons.iter().any(waits) => PayloadOutcome::Pending,
        true if refused => PayloadOutcome::Rejected,
        true => PayloadOutcome::NotKept,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figure that must stay zero, on our own corpus.
    #[test]
    fn no_payload_reaches_a_prompt_as_an_instruction() {
        let payloads = payload::own_payloads();
        let mut sum = PoisonRow::default();
        for door in doors::all_doors() {
            let row = pass_payloads(&door, &payloads).unwrap();
            assert_eq!(row.instructs, 0, "{}: {:#?}", door.name, row.problems);
            assert!(
                door.is_person || row.held_but_shown == 0,
                "{}: {:#?}",
                door.name,
                row.problems
            );
            sum.add(&row, door.is_person);
        }
        // Payloads were taken, waited, were rejected and were shown: the doors are tested.
        for count in [sum.taken, sum.pending, sum.rejected, sum.reached] {
            assert!(count > 50, "{sum:?}");
        }
    }

    #[test]
    fn what_is_known_to_be_from_outside_is_not_shown_or_soon_taken_out() {
        let worst = |way| {
            let stream = TaskStream {
                origin: way,
                has_calls: true,
                follow_chance: 0.8,
                tasks: 200,
            };
            let mut sum = StreamTotals::default();
            stream.play_once(1, &mut sum).unwrap();
            sum.worst()
        };
        assert_eq!(worst(PoisonOrigin::Pending).0, 0);
        let (shown, out) = worst(PoisonOrigin::Approved);
        assert!(shown > 0 && out > 0, "{shown} {out}");
    }
}
