//! Recalls of the past: which were made, what each was for, why these lessons, and what followed.
//!
//! Every door that tells of a recall does so by these verbs of the desk. Recalls are read as they are kept, the newest
//! first, and each lesson is looked up as it is now. What followed is what the judgement of the run says, once there is
//! one. Nothing here writes sentences about outcomes, or decides who sees more than the desk lets them.

use hardwon_core::{
    Change, CleanText, DocTerms, ExclusionReason, Judgement, Lesson, LessonId, LessonJudgement,
    QueryTerms, limits, trigger,
};
use hardwon_store::{
    ConsideredLesson, JournalComment, JudgementListing, Moment, Recall, RecallId, RecallListing,
    ScopeFilter, Treatment,
    journal::JournalEntryKind,
    paging::{read_history, read_pages},
};
use jiff::Timestamp;

use crate::{Desk, Result};

/// What is said of a lesson that has no word of what was asked, where the task that taught it has.
pub const LIKE_TASK: &str = "its task was like this one";
/// Words that a prompt and a lesson share which are named.
const MAX_WORDS: usize = 4;

/// Which recalls of the past are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecallSelection {
    /// The listing to go through; its limit is how many are read at once.
    pub listing: RecallListing,
    /// Only recalls that showed this lesson, or left it out by chance; `None` for all.
    pub lesson: Option<LessonId>,
    /// Only recalls with higher numbers.
    pub after: RecallId,
    /// Whether recalls that showed nothing and held nothing back are wanted too.
    pub includes_silent: bool,
    /// Whether recalls are wanted too that showed nothing because chance left out what fits.
    pub includes_left_out: bool,
    /// The maximum number of recalls.
    pub count: usize,
    /// How many recalls are read at most to find them.
    pub max_read: usize,
}

impl RecallSelection {
    /// Selects the newest recalls of a listing, however many have to be read to find them.
    pub fn newest(listing: RecallListing, count: usize) -> Self {
        Self {
            listing,
            lesson: None,
            after: RecallId(0),
            includes_silent: false,
            includes_left_out: true,
            count,
            max_read: usize::MAX,
        }
    }

    fn is_about_lesson(&self, recall: &Recall) -> bool {
        let is_its = |id| recall.eligible_lessons().any(|lesson| lesson == id);
        self.lesson.is_none_or(is_its)
    }
}

/// Recalls that were selected, the newest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SelectedRecalls {
    /// The recalls.
    pub rows: Vec<(RecallId, Recall)>,
    /// How many among them showed nothing and are left out.
    pub silent_count: u64,
    /// The newest recall that was read; `None` if none was.
    pub newest: Option<RecallId>,
    /// Where to go on: before this one. `None` if there are no more.
    pub next: Option<RecallId>,
}

/// A recall of the past, with what is known of it besides.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallStory {
    /// Its number.
    pub id: RecallId,
    /// The recall as it is kept.
    pub recall: Recall,
    /// What it was made for, where that is kept and may be read.
    pub query_text: Option<CleanText>,
    /// The lessons that it found, the best first: all, or those that were shown or withheld.
    pub lessons: Vec<StoryLesson>,
}

/// A lesson that a recall found: as it is now, what became of it and why, and what followed.
#[derive(Debug, Clone, PartialEq)]
pub struct StoryLesson {
    /// What the recall did with it.
    pub considered: ConsideredLesson,
    /// The lesson as it is now; `None` if it is no longer there.
    pub lesson: Option<Lesson>,
    /// Why it was shown, withheld or passed over, in a sentence.
    pub why: String,
    /// What became of it, if it was shown or withheld and the run is judged.
    pub outcome: Option<LessonJudgement>,
    /// What a model read about it.
    pub opinion: Option<LessonJudgement>,
}

impl RecallStory {
    /// Says what it was made for: the text, or how long it was if that is not kept. `None` if there was none.
    pub fn describe_query(&self) -> Option<String> {
        let text = self.query_text.as_ref().map(ToString::to_string);
        text.or_else(|| match self.recall.prompt.chars {
            0 => None,
            chars => Some(format!("{chars} characters, not kept")),
        })
    }

    /// Says what became of the lessons that it tells nothing of, where there may be some.
    pub fn describe_others(&self) -> Option<&'static str> {
        let others = "come up at their prompt, call or failure, or had no room (setting `start`)";
        (self.recall.moment == Moment::SessionStart).then_some(others)
    }
}

impl StoryLesson {
    /// Returns whether it would have been shown and was left out by chance.
    pub fn is_withheld(&self) -> bool {
        self.considered.treatment == Treatment::HeldOut
    }
}

impl Desk<'_> {
    /// Selects recalls of the past, as far as the principal may see them.
    pub fn select_recalls(&self, wanted: &RecallSelection) -> Result<SelectedRecalls> {
        let mut selection = SelectedRecalls::default();
        let mut listing = wanted.listing.clone();
        let mut unread = wanted.max_read;
        while unread > 0 {
            listing.limit = listing.limit.min(unread);
            let recalls = self.recalls(&listing)?;
            if recalls.is_empty() {
                selection.next = None;
                break;
            }
            unread -= recalls.len();
            for (id, recall) in recalls {
                if id <= wanted.after {
                    selection.next = None;
                    return Ok(selection);
                }
                if selection.rows.len() == wanted.count {
                    return Ok(selection);
                }
                listing.before = Some(id);
                selection.next = Some(id);
                selection.newest = selection.newest.max(Some(id));
                let is_wanted = if recall.eligible_lessons().next().is_none() {
                    wanted.includes_silent
                } else {
                    wanted.includes_left_out || recall.shown_lessons().next().is_some()
                };
                if !wanted.is_about_lesson(&recall) {
                    continue;
                }
                if is_wanted {
                    selection.rows.push((id, recall));
                } else {
                    selection.silent_count += 1;
                }
            }
        }
        Ok(selection)
    }

    /// Returns a recall of a part of the tenant; `None` if there is none that the principal may see.
    pub fn find_recall(
        &self,
        within: ScopeFilter,
        id: RecallId,
    ) -> Result<Option<(RecallId, Recall)>> {
        let listing = RecallListing {
            within,
            before: Some(RecallId(id.0.saturating_add(1))),
            limit: 1,
            ..RecallListing::default()
        };
        let newest = self.recalls(&listing)?.pop();
        Ok(newest.filter(|(found, _)| *found == id))
    }

    /// Returns the newest recall of a part of the tenant that showed a lesson; `None` if there is none that the principal
    /// may see.
    pub fn find_last_showing(&self, within: ScopeFilter) -> Result<Option<(RecallId, Recall)>> {
        let listing = RecallListing {
            within,
            ..RecallListing::default()
        };
        let page = |listing: &RecallListing| self.recalls(listing);
        let mut recalls = read_pages(listing, page, |listing, last| listing.before = Some(last.0));
        let is_showing = |(_, recall): &(RecallId, Recall)| recall.shown_lessons().next().is_some();
        recalls
            .find(|row| row.as_ref().map_or(true, is_showing))
            .transpose()
    }

    /// Tells of a recall: the lessons that it showed or withheld, or if it is told in full every one that it found, and why
    /// each was shown or not. `query_text` is what the reader may know of what it was made for, as
    /// [`query_text`](Self::query_text) has it.
    pub fn tell_recall(
        &self,
        (id, recall): (RecallId, Recall),
        query_text: Option<CleanText>,
        is_in_full: bool,
    ) -> Result<RecallStory> {
        let judgement = self.find_judgement(&recall)?;
        let is_excluded =
            |row: &ConsideredLesson| matches!(row.treatment, Treatment::Excluded { .. });
        let parts = recall.considered.iter();
        let parts = parts.filter(|row| is_in_full || !is_excluded(row));
        let lessons = parts.map(|found| {
            let lesson = self.lesson_if_visible(found.lesson)?;
            let is_its = |part: &&LessonJudgement| part.lesson == found.lesson;
            let outcomes = judgement.iter().filter(|_| !is_excluded(found));
            let mut why =
                self.describe_reason(&recall, found, lesson.as_ref(), query_text.as_ref());
            if let Some(lesson) = &lesson
                && self.was_edited_since(lesson, recall.at)?
            {
                why.push_str("; its words were edited since");
            }
            Ok(StoryLesson {
                why,
                outcome: outcomes
                    .flat_map(Judgement::recalled_lessons)
                    .find(is_its)
                    .cloned(),
                opinion: judgement
                    .iter()
                    .flat_map(Judgement::feedback)
                    .find(is_its)
                    .cloned(),
                considered: found.clone(),
                lesson,
            })
        });
        Ok(RecallStory {
            lessons: lessons.collect::<Result<_>>()?,
            id,
            recall,
            query_text,
        })
    }

    /// Returns whether a lesson has other words now than at this time. Those of then are kept nowhere.
    fn was_edited_since(&self, lesson: &Lesson, at: Timestamp) -> Result<bool> {
        if lesson.updated <= at {
            return Ok(false);
        }
        let reader = self.snapshot()?;
        for entry in read_history(&*reader, self.tenant(), lesson.id) {
            let body = entry?.body;
            let comment = body.comment.as_ref().and_then(JournalComment::text);
            let is_of_words = comment.is_none_or(Change::is_edit_of_words);
            if body.kind == JournalEntryKind::Revise && is_of_words && body.at > at {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns what is said of the run that a recall was made in, if it was judged by now.
    fn find_judgement(&self, recall: &Recall) -> Result<Option<Judgement>> {
        let Some(run) = &recall.run else {
            return Ok(None);
        };
        let mut judgements = self.judgements(&JudgementListing::of_run(run.clone()))?;
        Ok(judgements.pop().map(|(_, record)| record.judgement))
    }

    /// Says why a lesson was shown, withheld or passed over.
    fn describe_reason(
        &self,
        recall: &Recall,
        found: &ConsideredLesson,
        lesson: Option<&Lesson>,
        query_text: Option<&CleanText>,
    ) -> String {
        match (&found.treatment, recall.moment) {
            (Treatment::Excluded { why }, _) => why.to_string(),
            (Treatment::HeldOut, _) => ExclusionReason::HeldOut.to_string(),
            (Treatment::Shown, Moment::SessionStart) => "it is one of this project's".to_owned(),
            (Treatment::Shown, Moment::BeforeCall) => lesson
                .and_then(|lesson| trigger::describe_occasion(lesson, query_text?.as_str()))
                .map_or_else(
                    || "it names this call".to_owned(),
                    |moment| format!("it comes up {moment}"),
                ),
            (Treatment::Shown, Moment::Failure) => {
                match lesson.and_then(|lesson| lesson.failure.as_ref()) {
                    Some(_) => "such a failure taught it".to_owned(),
                    None => "it is about this failure".to_owned(),
                }
            }
            (Treatment::Shown, Moment::Prompt | Moment::Requested) => {
                let fit = lesson.and_then(|lesson| describe_fit(lesson, query_text?.as_str()));
                fit.unwrap_or_else(|| self.describe_wordless_fit(query_text).to_owned())
            }
        }
    }

    /// Says why a lesson fits that has none of the words that are kept of what was asked.
    fn describe_wordless_fit(&self, query_text: Option<&CleanText>) -> &'static str {
        let is_whole = |text: &CleanText| text.as_str().chars().count() < limits::QUERY_TEXT_CHARS;
        if query_text.is_some_and(is_whole) && self.engine.semantic.is_none() {
            LIKE_TASK
        } else {
            "it fits what was asked"
        }
    }
}

/// Says which words of what was asked a lesson has too, in whatever form: `it has words of this: npm, tests`. `None` if none.
pub fn describe_fit(lesson: &Lesson, query_text: &str) -> Option<String> {
    let terms = DocTerms::from_content(&lesson.content, None);
    let counts = terms.term_counts();
    let is_shared = |word: &str| {
        let terms = QueryTerms::from_prompt(word).terms;
        terms
            .iter()
            .any(|(term, _)| counts.contains_key(term.as_str()))
    };
    let words = query_text.split_whitespace();
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let mut common_words: Vec<&str> = Vec::new();
    for word in words.filter(|word| is_shared(word)) {
        if common_words.len() < MAX_WORDS && !common_words.contains(&word) {
            common_words.push(word);
        }
    }
    (!common_words.is_empty()).then(|| format!("it has words of this: {}", common_words.join(", ")))
}
