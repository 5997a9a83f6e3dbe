//! Carrying out what an audit found, and taking it back.
//!
//! First everything is stored where it belongs, then it is cut out of where it was, so whenever the process is killed an
//! entry is in both places or in one, and in none never. What a step takes away is on record before the step is done. A
//! file that is not as the plan knows it is not touched.

use std::{collections::BTreeMap, fs, ops::Range, path::Path};

use hardwon_core::{LessonId, ProjectId, RawText};
use hardwon_engine::{Clock as _, Engine, PlanId, SystemClock, regular_file};
use hardwon_gates::{
    json::place::{AuditedDto, PlacedDto},
    leak::LeakScanner,
};
use hardwon_repo::{Repository, replace_whole};

use super::{
    apply::{apply_plan, undo_plan},
    audit_plan::{Arrivals, settings_of},
    audit_record::AuditRecord,
    audit_try::{TAKEN_BACK, approve_entry},
    look,
    reading::note_placed,
    record::{OriginalFile, refuse_changed},
};
use crate::{AuditPlan, AuditStep, AuditedFile, CliError, FileEdit, Result, Settings, open};

/// Carries out what a plan moves.
pub fn apply_audit(
    settings: &Settings,
    plan: &AuditPlan,
    scan: &dyn Fn(&Repository) -> Result<LeakScanner>,
) -> Result<AuditedDto> {
    settings.check_decides()?;
    let id = plan.id().to_string();
    let mut work = AuditWork {
        settings,
        engine: open::open_writer(settings)?,
        scan,
        record: AuditRecord {
            id: id.clone(),
            at: SystemClock.now(),
            ..AuditRecord::default()
        },
        outcome: AuditedDto {
            id,
            ..AuditedDto::default()
        },
    };
    work.record.save()?;
    work.move_lessons(plan)?;
    let mut cuts: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
    for ((root, project), entries) in plan.list_arrivals() {
        if let Err(error) = work.settle(root, project, &entries) {
            let left = format!("{}: {}", root.display(), error.message());
            work.outcome.left.push(left);
        } else {
            for (row, entry) in entries {
                let file = plan.rows[row].file.expect("no lesson is cut out");
                cuts.entry(file).or_default().push(entry.range.clone());
            }
        }
        work.record.save()?;
    }
    for (file, ranges) in cuts {
        work.cut_entries(&plan.files[file], ranges)?;
    }
    Ok(work.outcome)
}

/// An audit that is carried out: what it needs, and what it came to so far.
struct AuditWork<'a> {
    settings: &'a Settings,
    engine: Engine,
    scan: &'a dyn Fn(&Repository) -> Result<LeakScanner>,
    record: AuditRecord,
    outcome: AuditedDto,
}

impl AuditWork<'_> {
    /// Moves lessons to their projects.
    fn move_lessons(&mut self, plan: &AuditPlan) -> Result<()> {
        let desk = self.engine.acting_as(self.settings.person());
        for row in &plan.rows {
            if let AuditStep::MoveLesson(id, project) = &row.step {
                self.record.moved.push(id.0);
                self.record.save()?;
                desk.relocate_lesson(*id, Some(project))?;
                self.outcome.lessons.push(id.0);
            }
        }
        Ok(())
    }

    /// Stores entries as lessons of a project and places them in its file; if that cannot be, the lessons leave again.
    fn settle(&mut self, root: &Path, project: &ProjectId, entries: &Arrivals<'_>) -> Result<()> {
        let settings = settings_of(self.settings, Some(project));
        let mut new_ids = Vec::new();
        let placement = match self.store_entries(&settings, root, entries, &mut new_ids) {
            Ok(placement) => placement,
            Err(error) => {
                let desk = self.engine.acting_as(settings.person());
                for id in new_ids {
                    desk.take_lesson_back(id, &TAKEN_BACK.into())?;
                }
                return Err(error);
            }
        };
        let numbers = new_ids.iter().map(|id| id.0);
        self.record.added.extend(numbers.clone());
        self.outcome.lessons.extend(numbers);
        if let Some(placement) = placement {
            let paths = placement.files.iter().map(|file| root.join(file));
            let paths = paths.map(|path| path.display().to_string());
            self.outcome.files.extend(paths);
            self.outcome.commits.extend(placement.commit);
            self.record.placed.push(placement.id);
        }
        Ok(())
    }

    fn store_entries(
        &self,
        settings: &Settings,
        root: &Path,
        entries: &Arrivals<'_>,
        new_ids: &mut Vec<LessonId>,
    ) -> Result<Option<PlacedDto>> {
        let repository = Repository::find(root)?;
        let scanner = (self.scan)(&repository)?;
        let desk = self.engine.acting_as(settings.person());
        let lessons_before = desk.find_placeable()?.lessons;
        let mut plan_ids: Vec<LessonId> = self.record.moved.iter().copied().map(LessonId).collect();
        for (_, entry) in entries {
            let id = approve_entry(&self.engine, settings, &entry.draft)?;
            let id = id.map_err(CliError::bad_input)?;
            plan_ids.push(id);
            if !new_ids.contains(&id) && !lessons_before.iter().any(|lesson| lesson.id == id) {
                new_ids.push(id);
            }
        }
        let mut lessons = desk.find_placeable()?;
        look::keep_named(&repository, &mut lessons, |id| plan_ids.contains(&id))?;
        let plan = look::plan_found(repository, settings, &lessons, false, &scanner)?;
        let placements = &plan.choice.placed;
        let is_placed = |id: &LessonId| placements.iter().any(|placement| placement.0 == *id);
        if plan.lacks_file || !new_ids.iter().all(is_placed) {
            let message = "its file does not take all of them any more";
            return Err(CliError::bad_input(message));
        }
        if plan.edits.is_empty() {
            return Ok(None);
        }
        let placement = apply_plan(&plan)?;
        note_placed(settings, &plan);
        Ok(Some(placement))
    }

    /// Cuts entries out of their file, with a copy of it as it was.
    fn cut_entries(&mut self, file: &AuditedFile, mut ranges: Vec<Range<usize>>) -> Result<()> {
        let name = file.path.display().to_string();
        let now = regular_file::read_to_string(&file.path).ok();
        if now.as_ref() != Some(&file.text) {
            self.outcome.left.push(format!(
                "{name}: it is being changed, so its entries stay in it as well"
            ));
            return Ok(());
        }
        ranges.sort_by_key(|range| range.start);
        let after = cut_ranges(&file.text, &ranges);
        let edit = FileEdit {
            path: file.path.clone(),
            before: Some(file.text.clone().into_bytes()),
            after: Some(after.clone().into_bytes()),
            is_committed: false,
        };
        let (folder, number) = (self.record.folder()?, self.record.files.len());
        let copy = OriginalFile::keep(&folder, number, &edit)?;
        self.record.files.push(copy);
        self.record.save()?;
        write_file(&file.path, after.as_bytes())?;
        self.outcome.files.push(name);
        Ok(())
    }
}

/// Returns a text without the lines of these ranges, and without the second of two gaps that meet where one was.
fn cut_ranges(text: &str, ranges: &[Range<usize>]) -> String {
    let (mut kept, mut at) = (String::new(), 0);
    for range in ranges {
        kept += &text[at..range.start];
        at = range.end;
        let is_gap_before = kept.is_empty() || kept.ends_with("\n\n") || kept.ends_with("\n\r\n");
        let rest = &text[at..];
        let gap = ["\r\n", "\n"].iter().find(|mark| rest.starts_with(**mark));
        if is_gap_before && let Some(gap) = gap {
            at += gap.len();
        }
    }
    kept += &text[at..];
    kept
}

/// Takes an audit back; `None` if none of this name was applied here.
pub fn undo_audit(settings: &Settings, id: &PlanId) -> Result<Option<AuditedDto>> {
    settings.check_decides()?;
    let Some(mut record) = AuditRecord::load(id)? else {
        return Ok(None);
    };
    if record.is_undone {
        return Err(negative!("plan {id} was taken back already"));
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
        let reversal = undo_plan(&plan_id)?;
        outcome.files.extend(reversal.files);
        outcome.commits.extend(reversal.commit);
        record.placed.pop();
        record.save()?;
    }
    let engine = open::open_writer(settings)?;
    let desk = engine.acting_as(settings.person());
    for number in record.added.drain(..) {
        desk.take_lesson_back(LessonId(number), &RawText::from(TAKEN_BACK))?;
        outcome.lessons.push(number);
    }
    for number in record.moved.drain(..) {
        desk.relocate_lesson(LessonId(number), None)?;
        outcome.lessons.push(number);
    }
    record.is_undone = true;
    record.save()?;
    Ok(Some(outcome))
}

fn write_file(path: &Path, content: &[u8]) -> Result<()> {
    // A link stays one, and what it leads to is written.
    let path = dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    replace_whole(&path, content).map_err(CliError::bad_file("writing", &path))
}
