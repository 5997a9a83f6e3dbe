//! Compares rows that are made of others with those: what recall finds and curation counts, without a lesson of its own
//! being wrong. The journal is compared by whoever asks (`hardwon_engine`); what stays uncompared is in docs/journal.md.

use std::collections::{BTreeMap, HashMap};

use hardwon_core::{GaussianMessage, Lesson, LessonId, Scope, Status};
use jiff::Timestamp;

use super::name_key;
use crate::{
    DuplicateKeys, IndexUpdate, JudgementRow, RecallRow, Result, TenantDatabase, TenantTables,
    derived::learned_share, index::IndexedLessons, rows,
};

/// The rows that nothing else says what they should be: their table, the one of its names that has the tenant, the columns that
/// stand beside the sealed one, and that one.
const SEALED: [(&str, &str, &str, &[&str], &str); 4] = [
    ("a recall", "recall x", "x", &["id", "run"], "line"),
    ("a judgement", "judgement x", "x", &["id", "run"], "line"),
    (
        "a question for a model",
        "job x",
        "x",
        &[
            "id", "scope", "key", "print", "state", "ready", "claims", "lost", "attempts", "why",
            "created",
        ],
        "task",
    ),
    (
        "a candidate lesson",
        "scope s",
        "s",
        &["scope", "failure", "first", "last", "runs"],
        "lesson",
    ),
];

/// The keys of the words of a lesson, the lesson that it gave way to, and whether it has a reason for its state.
type RowKeys = ((i64, i64), Option<i64>, bool);

/// What lessons come to in a scope.
#[derive(Debug, Default)]
struct ScopeSum {
    learned: i64,
    indexed: IndexedLessons,
}

/// What recalls come to.
#[derive(Debug, Default)]
struct RecallSum {
    /// When each lesson was shown, and whether that counts; of one by hand it once did.
    shown: HashMap<LessonId, Vec<(Timestamp, bool)>>,
    /// The lowest and the highest number.
    numbers: Option<(i64, i64)>,
}

impl RecallSum {
    /// Returns whether no recall has been forgotten.
    fn is_whole(&self) -> bool {
        self.numbers.is_none_or(|(first, _)| first == 1)
    }

    /// Returns whether a lesson's counts are those of the recalls since it was made, as far as the clocks of those that
    /// recalled go together. Recalls that were forgotten had some more.
    fn agrees_with(&self, lesson: &Lesson) -> bool {
        let all = self.shown.get(&lesson.id).map_or(&[][..], Vec::as_slice);
        let is_since = |at: &Timestamp, counts: bool| counts && *at >= lesson.created;
        let since = all.iter().filter(|(at, counts)| is_since(at, *counts));
        let (shown, last) = (lesson.counts.shown, lesson.counts.last_shown);
        let is_enough =
            shown >= since.clone().count() as u64 && last >= since.map(|(at, _)| *at).max();
        let is_too_much = shown > all.len() as u64 || last > all.iter().map(|(at, _)| *at).max();
        is_enough && !(is_too_much && self.is_whole())
    }
}

impl<D: TenantDatabase> TenantTables<'_, D> {
    /// Returns what rows say that others do not, a sentence each.
    pub(super) fn find_faults(&self) -> Result<Vec<String>> {
        let mut faults = Vec::new();
        let recalls = self.sum_recalls()?;
        let sums = self.sum_lessons(&recalls, &mut faults)?;
        self.check_scopes(&sums, &mut faults)?;
        self.check_numbers(&recalls, &mut faults)?;
        self.check_baselines(&mut faults)?;
        self.check_vectors(&mut faults)?;
        self.check_seals(&mut faults)?;
        Ok(faults)
    }

    fn sum_recalls(&self) -> Result<RecallSum> {
        let mut sum = RecallSum::default();
        let sql = "SELECT id, line FROM hardwon.recall WHERE tenant = $1 ORDER BY id";
        self.select(sql, Vec::new(), |row| {
            let id = row.next_integer()?;
            let recall = rows::from_json::<RecallRow>(&row.next_string()?)?.into_recall()?;
            let counts = recall.counted_lessons().next().is_some();
            for lesson in recall.shown_lessons() {
                let times = sum.shown.entry(lesson).or_default();
                times.push((recall.at, counts));
            }
            let first = sum.numbers.map_or(id, |(first, _)| first);
            sum.numbers = Some((first, id));
            Ok(())
        })?;
        Ok(sum)
    }

    /// Checks what each lesson's row has beside the lesson, and returns what the lessons of each scope come to.
    fn sum_lessons(
        &self,
        recalls: &RecallSum,
        faults: &mut Vec<String>,
    ) -> Result<BTreeMap<Scope, ScopeSum>> {
        let keys = self.select_keys()?;
        let (mut sums, mut last) = (BTreeMap::<Scope, ScopeSum>::new(), LessonId(0));
        loop {
            let page = self.select_lessons_after(last)?;
            let Some(newest) = page.last() else {
                return Ok(sums);
            };
            last = newest.id;
            for lesson in &page {
                faults.extend(find_row_fault(lesson, keys.get(&lesson.id.0), recalls));
                sums.entry(lesson.scope.clone()).or_default().add(lesson);
            }
        }
    }

    /// Returns the keys by which duplicates of each lesson and what it gave way to are found, by its number.
    fn select_keys(&self) -> Result<HashMap<i64, RowKeys>> {
        let (number, own) = (D::WORDS.lesson_number, D::WORDS.own_lesson);
        let keys = name_key::<D>("l.KEY >= $2 AND l.KEY < $3");
        let sql = format!(
            "SELECT {number}, l.twin, l.words, l.by, l.why FROM hardwon.lesson l WHERE {own}{keys}"
        );
        let keys = self.select(sql, self.lesson_keys_below(None), |row| {
            let id = row.next_integer()?;
            let likeness = (row.next_integer()?, row.next_integer()?);
            let by = row.next_optional_integer()?;
            let has_reason = row.next_optional_string()?.is_some();
            Ok((id, (likeness, by, has_reason)))
        })?;
        Ok(keys.into_iter().collect())
    }

    fn check_scopes(
        &self,
        sums: &BTreeMap<Scope, ScopeSum>,
        faults: &mut Vec<String>,
    ) -> Result<()> {
        let none = ScopeSum::default();
        for scope in self.select_scopes()? {
            let Some(row) = self.scope_row(&scope)? else {
                continue;
            };
            let sum = sums.get(&scope).unwrap_or(&none);
            let project = rows::project_column(&scope);
            let place = format!("agent {} in project {project:?}", scope.agent);
            if row.learned != sum.learned {
                let (noted, learned) = (row.learned, sum.learned);
                faults.push(format!(
                    "{place}: {noted} learned lessons are noted, and {learned} are there"
                ));
            }
            let index_sum = self.view.database.read_index(self.key, row.id)?;
            if let Some(part) = index_sum.find_fault(&sum.indexed) {
                faults.push(format!(
                    "{place}: the search index has not {part} as they are"
                ));
            }
        }
        Ok(())
    }

    /// Checks the numbers that are next, so that none is given twice.
    fn check_numbers(&self, recalls: &RecallSum, faults: &mut Vec<String>) -> Result<()> {
        let Some(row) = self.view.tenant_row(self.name)? else {
            return Ok(());
        };
        let sql = "SELECT coalesce(max(lesson), 0) + 1 FROM hardwon.journal WHERE tenant = $1";
        let lesson = self.select_first(sql, Vec::new(), |row| row.next_integer())?;
        let recall = recalls.numbers.map_or(1, |(_, last)| last + 1);
        if Some(row.next_lesson) != lesson || row.next_recall != recall {
            faults.push("the next numbers do not follow those that there are".to_owned());
        }
        let sql = "SELECT coalesce(max(id), 0) + 1 FROM hardwon.job WHERE tenant = $1";
        let job = self.select_first(sql, Vec::new(), |row| row.next_integer())?;
        if job.is_some_and(|least| row.next_job < least) {
            faults.push("the next number of a job was given already".to_owned());
        }
        Ok(())
    }

    /// Checks that estimates are the sum of judgements, as long as none of these was forgotten.
    fn check_baselines(&self, faults: &mut Vec<String>) -> Result<()> {
        let (mut sums, mut first) = (BTreeMap::<String, GaussianMessage>::new(), None);
        let sql = "SELECT id, run, line FROM hardwon.judgement WHERE tenant = $1 ORDER BY id";
        self.select(sql, Vec::new(), |row| {
            let (id, run) = (row.next_integer()?, row.next_optional_string()?);
            first.get_or_insert(id);
            let line: JudgementRow = rows::from_json(&row.next_string()?)?;
            for (about, leaning) in line.into_record(run.as_deref())?.judgement.baselines {
                let sum = sums.entry(about.name()).or_default();
                *sum = *sum + leaning;
            }
            Ok(())
        })?;
        if first.is_some_and(|id| id > 1) {
            return Ok(());
        }
        let sql = "SELECT about, precision, shift FROM hardwon.baseline WHERE tenant = $1";
        let notes = self.select(sql, Vec::new(), |row| {
            let about = row.next_string()?;
            let (precision, shift) = (row.next_integer()?, row.next_integer()?);
            Ok((about, GaussianMessage { precision, shift }))
        })?;
        let mut notes: BTreeMap<_, _> = notes.into_iter().collect();
        notes.retain(|_, sum| *sum != GaussianMessage::default());
        sums.retain(|_, sum| *sum != GaussianMessage::default());
        if notes != sums {
            faults.push("how runs go without lessons is not what judgements come to".to_owned());
        }
        Ok(())
    }

    /// Checks that rows are as they were written.
    fn check_seals(&self, faults: &mut Vec<String>) -> Result<()> {
        let of_scope = D::WORDS.witness_of_scope.replace("w.", "x.");
        for (name, from, owner, beside, sealed) in SEALED {
            let columns = beside.iter().chain([&sealed]);
            let columns = columns.map(|column| format!("coalesce(CAST(x.{column} AS text), '')"));
            let columns = columns.collect::<Vec<_>>().join(", ");
            let join = match owner {
                "s" => format!("JOIN hardwon.witness x ON {of_scope}"),
                _ => String::new(),
            };
            let sql =
                format!("SELECT {columns} FROM hardwon.{from} {join} WHERE {owner}.tenant = $1");
            let seals = self.select(sql, Vec::new(), |row| {
                let texts = beside.iter().map(|_| row.next_string());
                let texts = texts.collect::<Result<Vec<_>>>()?;
                Ok(rows::is_unedited(&row.next_string()?, &texts))
            })?;
            if seals.contains(&false) {
                faults.push(format!("{name} is not as it was written"));
            }
        }
        Ok(())
    }

    /// Checks that each vector is an active lesson's, in its scope.
    fn check_vectors(&self, faults: &mut Vec<String>) -> Result<()> {
        let (of_scope, of_lesson) = (D::WORDS.vector_of_scope, D::WORDS.vector_of_lesson);
        let sql = format!(
            "SELECT count(*) FROM hardwon.scope s JOIN hardwon.vector v ON {of_scope}
             WHERE s.tenant = $1 AND NOT EXISTS (
                SELECT 1 FROM hardwon.lesson l WHERE {of_lesson} AND l.status = 'active')"
        );
        let strays = self.select_first(sql, Vec::new(), |row| row.next_count())?;
        if strays != Some(0) {
            faults.push("a vector belongs to no active lesson".to_owned());
        }
        Ok(())
    }
}

/// Says what a lesson's row has beside the lesson that it should not.
fn find_row_fault(lesson: &Lesson, keys: Option<&RowKeys>, recalls: &RecallSum) -> Option<String> {
    let (id, expected) = (lesson.id, DuplicateKeys::from_content(&lesson.content));
    let by = match lesson.status {
        Status::Superseded { by } => Some(by.0),
        _ => None,
    };
    let noted = keys.map(|(likeness, by, _)| (*likeness, *by));
    if noted != Some(((expected.twin, expected.words), by)) {
        let fault =
            format!("lesson {id} is found as another lesson's twin or forerunner than it is");
        return Some(fault);
    }
    let has_reason = !matches!(lesson.status, Status::Active | Status::Superseded { .. });
    if keys.is_some_and(|(.., noted)| *noted != has_reason) {
        return Some(format!(
            "lesson {id} has a reason for a state that it is not in"
        ));
    }
    let has_counts = recalls.agrees_with(lesson);
    (!has_counts).then(|| format!("lesson {id} was not shown as often as is noted, or not then"))
}

impl ScopeSum {
    fn add(&mut self, lesson: &Lesson) {
        self.learned += learned_share(Some(lesson));
        let terms = IndexUpdate::between(None, Some(lesson)).adds;
        if let (Some(terms), Ok(number)) = (terms, u32::try_from(lesson.id.0)) {
            self.indexed.insert(number, terms);
        }
    }
}
