//! Carrying out what an audit found, and taking it back.
//!
//! First everything is stored where it belongs, then it is cut out of where it was, so whenever the process is killed an
//! entry is in both places or in one, and in none never. What a step takes away is on record before the step is done. A
//! file that is not as the plan knows it is not touched.

use std::{collections::BTreeMap, fs, ops::Range, path::Path};

use hardwon_core::{
    id::{LessonId, ProjectId},
    text::{CleanText, RawText},
};
use hardwon_engine::{Clock as _, Desk, Engine, LessonEdit, SystemClock, regular_file};
use hardwon_gates::json::place::{AuditedDto, PlaceOptions};
use hardwon_gates::leak::LeakScanner;
use hardwon_repo::{Repository, replace_whole};

use super::{
    FileEdit,
    apply::{apply_plan, undo_plan},
    audit_plan::{AuditPlan, AuditStep, MovedEntry, settings_of},
    audit_record::{AuditRecord, ShortenedLesson},
    audit_try::{TAKEN_BACK, approve_entry},
    look,
    reading::note_placed,
    record::{OriginalFile, refuse_changed},
};
use crate::{config::Settings, error::CliError, open};

/// The bytes of an entry in its file, and the lines that take their place.
type EntryEdit<'a> = (Range<usize>, &'a str);
/// Entries that go to one repository, with the index of the file of each.
type Arrivals<'a> = Vec<(usize, &'a MovedEntry)>;

/// Carries out what a plan moves.
pub fn apply_audit(
    settings: &Settings,
    plan: &AuditPlan,
    scan: &dyn Fn(&Repository) -> Result<LeakScanner, CliError>,
) -> Result<AuditedDto, CliError> {
    let engine = open::open_writer(settings)?;
    let desk = engine.acting_as(settings.person());
    let mut record = AuditRecord {
        id: plan.id().to_string(),
        at: Some(SystemClock.now()),
        ..AuditRecord::default()
    };
    record.save()?;
    let mut outcome = AuditedDto {
        id: record.id.clone(),
        ..AuditedDto::default()
    };
    let mut arrivals: BTreeMap<(&Path, &ProjectId), Arrivals<'_>> = BTreeMap::new();
    let mut edits: BTreeMap<usize, Vec<EntryEdit<'_>>> = BTreeMap::new();
    for row in &plan.rows {
        match (&row.step, row.file) {
            (AuditStep::MoveLesson(id, project), _) => {
                record.moved.push(id.0);
                record.save()?;
                desk.relocate_lesson(*id, Some(project))?;
                outcome.lessons.push(id.0);
            }
            (AuditStep::ShortenLesson(id, words), _) => {
                shorten_lesson(&desk, *id, words, &mut record)?;
                outcome.lessons.push(id.0);
            }
            (AuditStep::MoveEntry(entry), Some(file)) => {
                let place = (&*entry.root, &entry.project);
                arrivals.entry(place).or_default().push((file, entry));
            }
            (AuditStep::ShortenEntry(range, lines), Some(file)) => {
                edits.entry(file).or_default().push((range.clone(), lines));
            }
            _ => {}
        }
    }
    for ((root, project), entries) in arrivals {
        let settings = settings_of(settings, Some(project));
        match settle(
            &engine,
            &settings,
            root,
            &entries,
            scan,
            &mut record,
            &mut outcome,
        ) {
            Ok(()) => {
                for (file, entry) in entries {
                    edits
                        .entry(file)
                        .or_default()
                        .push((entry.range.clone(), ""));
                }
            }
            Err(error) => outcome
                .left
                .push(format!("{}: {}", root.display(), error.message())),
        }
        record.save()?;
    }
    for (file, edits) in edits {
        edit_file(plan, file, edits, &mut record, &mut outcome)?;
    }
    Ok(outcome)
}

/// Gives a lesson fewer words, with a note of those that it had.
fn shorten_lesson(
    desk: &Desk<'_>,
    id: LessonId,
    words: &CleanText,
    record: &mut AuditRecord,
) -> Result<(), CliError> {
    record.shortened.push(ShortenedLesson {
        lesson: id.0,
        before: desk.lesson(id)?.content.text.to_string(),
        after: words.to_string(),
    });
    record.save()?;
    desk.revise_lesson(id, &edit_text(words.as_str()))?;
    Ok(())
}

fn edit_text(words: &str) -> LessonEdit {
    LessonEdit {
        text: Some(RawText::from(words)),
        ..LessonEdit::default()
    }
}

/// Stores entries as lessons of a project and places them in its file; if that cannot be, the lessons leave again.
fn settle(
    engine: &Engine,
    settings: &Settings,
    root: &Path,
    entries: &[(usize, &MovedEntry)],
    scan: &dyn Fn(&Repository) -> Result<LeakScanner, CliError>,
    record: &mut AuditRecord,
    outcome: &mut AuditedDto,
) -> Result<(), CliError> {
    let repository = Repository::find(root)?;
    let scanner = scan(&repository)?;
    let desk = engine.acting_as(settings.person());
    let lesson_ids: Vec<LessonId> = desk
        .find_placeable()?
        .lessons
        .iter()
        .map(|lesson| lesson.id)
        .collect();
    let mut new_ids = Vec::new();
    let store = || {
        for (_, entry) in entries {
            match approve_entry(engine, settings, &entry.draft)? {
                Ok(id) if !lesson_ids.contains(&id) && !new_ids.contains(&id) => new_ids.push(id),
                Ok(_) => {}
                Err(why) => return Err(CliError::bad_input(why)),
            }
        }
        let options = PlaceOptions::default();
        let plan = look::make_plan_in(repository, settings, options, &scanner)?;
        let is_placed = |id: &LessonId| {
            plan.choice
                .placed
                .iter()
                .any(|placement| placement.0 == *id)
        };
        if plan.lacks_file || !new_ids.iter().all(is_placed) {
            return Err(CliError::bad_input(
                "its file does not take all of them any more",
            ));
        }
        if plan.edits.is_empty() {
            return Ok(None);
        }
        let report = apply_plan(&plan).map_err(CliError::from)?;
        note_placed(settings, &plan);
        Ok(Some(report))
    };
    let result = store();
    match result {
        Ok(done) => {
            record.added.extend(new_ids.iter().map(|new_id| new_id.0));
            outcome
                .lessons
                .extend(new_ids.iter().map(|new_id| new_id.0));
            if let Some(done) = done {
                let paths = done
                    .files
                    .iter()
                    .map(|file| root.join(file).display().to_string());
                outcome.files.extend(paths);
                outcome.commits.extend(done.commit);
                record.placed.push(done.id);
            }
            Ok(())
        }
        Err(error) => {
            for id in new_ids {
                desk.take_lesson_back(id, &TAKEN_BACK.into())?;
            }
            Err(error)
        }
    }
}

/// Cuts entries out of their file or puts other lines in their place, with a copy of it as it was.
fn edit_file(
    plan: &AuditPlan,
    file: usize,
    mut edits: Vec<EntryEdit<'_>>,
    record: &mut AuditRecord,
    outcome: &mut AuditedDto,
) -> Result<(), CliError> {
    let file = &plan.files[file];
    let name = file.path.display().to_string();
    let now = regular_file::read_to_string(&file.path).ok();
    if now.as_ref() != Some(&file.text) {
        outcome.left.push(format!(
            "{name}: it is being changed, so its entries stay in it as well"
        ));
        return Ok(());
    }
    edits.sort_by_key(|edit| edit.0.start);
    let after = edit_ranges(&file.text, &edits);
    let edit = FileEdit {
        path: file.path.clone(),
        before: Some(file.text.clone()),
        after: Some(after.clone()),
        is_committed: false,
    };
    let copy = OriginalFile::keep(&record.folder()?, record.files.len(), &edit)?;
    record.files.push(copy);
    record.save()?;
    write_file(&file.path, after.as_bytes())?;
    outcome.files.push(name);
    Ok(())
}

/// Returns a text with other lines, and, where lines have none instead, without the second of two gaps that meet there.
fn edit_ranges(text: &str, edits: &[EntryEdit<'_>]) -> String {
    let (mut kept, mut at) = (String::new(), 0);
    for (range, lines) in edits {
        kept.push_str(&text[at..range.start]);
        kept.push_str(lines);
        at = range.end;
        if !lines.is_empty() {
            continue;
        }
        let is_gap_before = kept.is_empty() || kept.ends_with("\n\n") || kept.ends_with("\n\r\n");
        let rest = &text[at..];
        let gap = ["\r\n", "\n"].iter().find(|mark| rest.starts_with(**mark));
        if is_gap_before && let Some(gap) = gap {
            at += gap.len();
        }
    }
    kept.push_str(&text[at..]);
    kept
}

/// Takes an audit back; `None` if none of this name was applied here.
pub fn undo_audit(settings: &Settings, id: &PlanId) -> Result<Option<AuditedDto>, CliError> {
    let Some(mut record) = AuditRecord::load(id)? else {
        return Ok(None);
    };
    if record.is_undone {
        return Err(CliError::negative(format!(
            "plan {id} was taken back already"
        )));
    }
    let folder = record.folder()?;
    let mut copies = Vec::new();
    for file in &record.files {
        if !file.is_as_left(fs::read(&file.path).ok().as_deref()) {
            return Err(refuse_changed(&file.path, &folder));
        }
        copies.push((
            file.path.clone(),
            file.read_copy(&folder)?.unwrap_or_default(),
        ));
    }
    let mut outcome = AuditedDto {
        id: id.to_string(),
        undone: true,
        ..AuditedDto::default()
    };
    // What comes back first is what left last.
    for (path, before) in copies {
        write_file(&path, &before)?;
        outcome.files.push(path.display().to_string());
    }
    record.files.clear();
    record.save()?;
    while let Some(placed) = record.placed.last() {
        let plan_id =
            PlanId::parse(placed).ok_or_else(|| CliError::internal("a plan without an id"))?;
        let done = undo_plan(&plan_id)?;
        outcome.files.extend(done.files);
        outcome.commits.extend(done.commit);
        record.placed.pop();
        record.save()?;
    }
    let engine = open::open_writer(settings)?;
    let desk = engine.acting_as(settings.person());
    for number in record.added.drain(..) {
        desk.take_lesson_back(LessonId(number), &RawText::from(TAKEN_BACK))?;
        outcome.lessons.push(number);
    }
    for lesson in record.shortened.drain(..) {
        let id = LessonId(lesson.lesson);
        match desk.lesson(id)?.content.text.as_str() {
            now if now == lesson.after => {
                desk.revise_lesson(id, &edit_text(&lesson.before))?;
                outcome.lessons.push(id.0);
            }
            now if now == lesson.before => {}
            _ => outcome.left.push(format!("{id} was changed since")),
        }
    }
    for number in record.moved.drain(..) {
        desk.relocate_lesson(LessonId(number), None)?;
        outcome.lessons.push(number);
    }
    record.is_undone = true;
    record.save()?;
    Ok(Some(outcome))
}

fn write_file(path: &Path, content: &[u8]) -> Result<(), CliError> {
    // A link stays one, and what it leads to is written.
    let path = dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    replace_whole(&path, content)
        .map_err(|error| CliError::bad_input(format!("writing {}: {error}", path.display())))
}
