//! Which lessons an agent reads in the project's files, so that it is not shown them besides.
//!
//! A lesson of the block is not shown again at a session's start, at a prompt or before a call, if the block is still in
//! the file of this work tree and the client reads that file. At its failure it is: the words in the file did not help.
//! A hook waits for this, so it is one small record of the project and at most two files; what cannot be read counts as
//! not there, and the lesson is shown.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use hardwon_clients::Client;
use hardwon_core::{LessonId, ProjectId, limits};
use hardwon_engine::{private_file, regular_file};
use serde::{Deserialize, Serialize};

use super::{hash_text, work_text::SHARED_FILE};
use crate::{PlacePlan, Settings, config, project};

/// The line by which a client that reads no `AGENTS.md` by itself does.
const INCLUDE_LINE: &str = "@AGENTS.md";

/// The block of a project that was placed last; an older program noted one of each file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PlacedBlocks {
    blocks: Vec<PlacedBlock>,
}

/// A block that was placed.
#[derive(Debug, Serialize, Deserialize)]
struct PlacedBlock {
    hash: String,
    lessons: Vec<i64>,
}

/// Notes what agents read from now on; without the note they are shown it besides.
pub fn note_placed(settings: &Settings, plan: &PlacePlan) {
    let Some(project) = &settings.scope.project else {
        return;
    };
    let result = config::state_folder().and_then(|state| Ok(note_block(&state, project, plan)?));
    if let Err(error) = result {
        print_note!("noting what was placed: {error}");
    }
}

/// Notes which lessons a plan placed.
fn note_block(state: &Path, project: &ProjectId, plan: &PlacePlan) -> io::Result<()> {
    let path = note_path(state, project);
    let block = PlacedBlock {
        hash: plan.block_hash(),
        lessons: plan.choice.placed.iter().map(|(id, _)| id.0).collect(),
    };
    let note = PlacedBlocks {
        blocks: vec![block],
    };
    private_file::write(&path, &serde_json::to_vec(&note)?)
}

/// Finds the lessons that a client's agent reads in the files of the project around a folder.
pub fn find_read_lessons(
    state: &Path,
    project: &ProjectId,
    folder: &Path,
    client: Client,
) -> BTreeSet<LessonId> {
    let note = read_note(&note_path(state, project));
    let root = if note.blocks.is_empty() {
        None
    } else {
        project::find_root(folder)
    };
    let Some(root) = root else {
        return BTreeSet::new();
    };
    let is_read = |it: &&PlacedBlock| {
        let mark = format!("<!-- BEGIN:hardwon {} -->", it.hash);
        holds(&root.join(SHARED_FILE), &mark) && reads_file(client, &root)
    };
    let read = note.blocks.iter().filter(is_read);
    read.flat_map(|read| read.lessons.iter().copied().map(LessonId))
        .collect()
}

/// Returns whether a client gives its agent the file of the project, as it is unless it is set up otherwise.
fn reads_file(client: Client, root: &Path) -> bool {
    let own = match client {
        Client::ClaudeCode => "CLAUDE.md",
        Client::GeminiCli => "GEMINI.md",
        Client::QwenCode => "QWEN.md",
        _ => return true,
    };
    let is_linked = || {
        let real = |name: &str| dunce::canonicalize(root.join(name)).ok();
        real(own).is_some_and(|path| Some(path) == real(SHARED_FILE))
    };
    holds(&root.join(own), INCLUDE_LINE) || is_linked()
}

/// Returns whether a file has a line that is just this.
fn holds(path: &Path, line: &str) -> bool {
    let is_short =
        fs::metadata(path).is_ok_and(|metadata| metadata.len() <= limits::PLACED_FILE_BYTES);
    let text = is_short
        .then(|| regular_file::read_to_string(path).ok())
        .flatten();
    text.is_some_and(|text| text.lines().any(|text_line| text_line.trim() == line))
}

fn read_note(path: &Path) -> PlacedBlocks {
    let read = regular_file::read_to_string(path).ok();
    let note = read.and_then(|text| serde_json::from_str(&text).ok());
    note.unwrap_or_default()
}

fn note_path(state: &Path, project: &ProjectId) -> PathBuf {
    let name = &hash_text(project.as_str().as_bytes())[..16];
    state.join("place/blocks").join(format!("{name}.json"))
}
