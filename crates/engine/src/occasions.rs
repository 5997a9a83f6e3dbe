//! Which lessons come up at a call, for the hooks and for a person who asks.
//!
//! A store finds those that share a key with the call, and the core tells which of them it is an occasion of. What is
//! shown of them, and when again, is decided in [`attend`](crate::attend).

use std::collections::BTreeSet;

use hardwon_core::{
    BaselineKey, CallActs, CallFailure, CallKeys, CallStatus, CleanText, FailureKey,
    GaussianMessage, Lesson, LessonId, Occasion, ParsedCall, QueryTerms, RawText, Scope, Sign,
    ToolCall, Triggers, TrustClass,
    capture::seen_once,
    credit, limits,
    trace::{call, package},
    trigger,
};
use hardwon_store::{
    CandidateLesson, LessonListing, LessonOrder, LessonQuery, ScopeFilter, StatusName,
};

use crate::{Desk, Result, access::Rights};

/// Lessons that nearly come up at a call which are told: saying why takes as long as finding them.
const MAX_NEARLY: usize = 10;
/// Lessons of each state out of use that are looked through.
const MAX_OUT_OF_USE: usize = 50;

/// The lessons that would come up at a call, or nearly.
#[derive(Debug, Clone, Default)]
pub struct LessonsAtCall {
    /// Those that come up before it, each with what it comes up at.
    pub before: Vec<(Lesson, String)>,
    /// Those that come up if it fails so, each with why.
    pub at_failure: Vec<(Lesson, String)>,
    /// Those that name something of it and do not come up, each with the reason: a few of many.
    pub nearly: Vec<(Lesson, String)>,
}

impl LessonsAtCall {
    /// Returns whether no lesson names anything of the call.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.at_failure.is_empty() && self.nearly.is_empty()
    }
}

fn clean(text: &RawText) -> CleanText {
    hardwon_redact::clean_to_bytes(text, limits::PROMPT_BYTES)
}

/// Reads the call that a person's text stands for.
fn read_call(text: &RawText) -> ToolCall<CleanText> {
    trigger::tool_call_from_text(clean(text).as_str())
}

/// Returns why a lesson about a failure is not shown at it; `None` if it is. The call was made in a folder of the repository.
pub(crate) fn why_hushed(
    lesson: &Lesson,
    failed_call: &ToolCall<CleanText>,
    folder: &str,
) -> Option<&'static str> {
    let call = call::parse_call(failed_call);
    if package::is_about_others(&lesson.content, &call, folder) {
        return Some("it is about another package");
    }
    let errors = failed_call.status.errors().map(CleanText::as_str);
    let error = errors.collect::<Vec<_>>().join("\n");
    let is_persons = lesson.trust.class == TrustClass::Person;
    (!is_persons && trigger::only_repeats(&lesson.content, &call, &error))
        .then_some("the error itself says as much")
}

impl Desk<'_> {
    /// Returns which lessons would come up at what a text stands for: a command, a file, a tool, or an error of any command.
    /// `error` is what the command printed.
    pub fn lessons_at_call(
        &self,
        scope: &Scope,
        what: &RawText,
        error: Option<&RawText>,
    ) -> Result<LessonsAtCall> {
        let mut lessons = self.lessons_before_call(scope, what)?;
        // What is asked about may be an error itself.
        let call = error.map(|_| what);
        if error.is_some() || !trigger::is_command_text(what.expose()) {
            let failing = self.lessons_at_error(scope, call, error.unwrap_or(what))?;
            lessons.at_failure = failing.at_failure;
            lessons.nearly.splice(0..0, failing.nearly);
        }
        let before = lessons.before.iter();
        let mut told_ids: BTreeSet<LessonId> = before.map(|(lesson, _)| lesson.id).collect();
        (lessons.at_failure).retain(|(lesson, _)| told_ids.insert(lesson.id));
        (lessons.nearly).retain(|(lesson, _)| told_ids.insert(lesson.id));
        let room = MAX_NEARLY.saturating_sub(lessons.nearly.len());
        if room > 0 {
            let within = ScopeFilter::Visible(scope.clone());
            let out_of_use = self.lessons_out_of_use(&within, what)?;
            lessons.nearly.extend(out_of_use.into_iter().take(room));
        }
        Ok(lessons)
    }

    /// Returns which lessons in use would come up before a call, or nearly.
    pub fn lessons_before_call(&self, scope: &Scope, call: &RawText) -> Result<LessonsAtCall> {
        self.check_access(Rights::Read, scope)?;
        let call = call::parse_call(&read_call(call));
        let now = self.now();
        let mut lessons = LessonsAtCall::default();
        let acts = CallActs::from_call(&call);
        let mut naming = self.find_naming(scope, &acts, &call)?;
        naming.retain(|lesson| lesson.is_recallable(now));
        for lesson in naming {
            let triggers = Triggers::from_content(&lesson.content);
            let occasion = self.judge_occasion(scope, (&lesson, &triggers), (&acts, &call))?;
            let reason = match occasion {
                Occasion::None | Occasion::Kept(_) | Occasion::TooBroad
                    if lessons.nearly.len() == MAX_NEARLY =>
                {
                    continue;
                }
                Occasion::Due(_, moment) => {
                    lessons.before.push((lesson, moment));
                    continue;
                }
                Occasion::Kept(advice) => format!("the call already does as it says: {advice}"),
                Occasion::TooBroad => trigger::describe_moments_if_broad(&lesson).join("; "),
                Occasion::None => format!(
                    "it comes up {}",
                    trigger::describe_moments(&lesson).join("; ")
                ),
            };
            lessons.nearly.push((lesson, reason));
        }
        Ok(lessons)
    }

    /// Returns which lessons would come up at an error of a call, or of any, or nearly.
    pub fn lessons_at_error(
        &self,
        scope: &Scope,
        call: Option<&RawText>,
        error: &RawText,
    ) -> Result<LessonsAtCall> {
        self.check_access(Rights::Read, scope)?;
        let (tool, args) = call
            .map(read_call)
            .map_or_else(Default::default, |call| (call.tool, call.args));
        let failed_call = ToolCall {
            turn: 0,
            tool,
            args,
            status: CallStatus::Error(clean(error)),
            outside: None,
        };
        let now = self.now();
        let mut lessons = LessonsAtCall::default();
        for lesson in self.find_at_failures(scope, &failed_call)? {
            match why_hushed(&lesson, &failed_call, "") {
                _ if !lesson.is_recallable(now) => {}
                Some(why) => lessons.nearly.push((lesson, why.to_owned())),
                None => {
                    (lessons.at_failure)
                        .push((lesson, "this error is what it is about".to_owned()));
                }
            }
        }
        Ok(lessons)
    }

    /// Finds the lessons that name something of a call.
    pub(crate) fn find_naming(
        &self,
        scope: &Scope,
        acts: &CallActs,
        call: &ParsedCall,
    ) -> Result<Vec<Lesson>> {
        let keys = CallKeys::from_call(acts, call).into_query();
        self.search_terms(scope, keys, limits::CALL_CANDIDATES)
    }

    /// Tells what a call is to a lesson that has these triggers.
    pub(crate) fn judge_occasion(
        &self,
        scope: &Scope,
        (lesson, triggers): (&Lesson, &Triggers),
        (acts, call): (&CallActs, &ParsedCall),
    ) -> Result<Occasion> {
        let occasion = triggers.occasion(acts, call, lesson.failure.is_some());
        let is_advice = matches!(occasion, Occasion::Due(Sign::Advised, _));
        let is_left = is_advice && self.is_too_broad(scope, lesson)?;
        Ok(if is_left {
            Occasion::TooBroad
        } else {
            occasion
        })
    }

    /// Returns when a lesson comes up in the principal's own scope, each moment in a few words.
    pub fn describe_moments(&self, lesson: &Lesson) -> Result<Vec<String>> {
        let mut moments = if self.is_too_broad(&self.principal.scope, lesson)? {
            trigger::describe_moments_if_broad(lesson)
        } else {
            trigger::describe_moments(lesson)
        };
        let is_known = moments.iter().any(|moment| moment == trigger::AT_START);
        if !is_known && self.begins_sessions(lesson)? {
            moments.insert(0, trigger::AT_START.to_owned());
        }
        Ok(moments)
    }

    /// Returns whether sessions of a lesson's project begin with it now.
    fn begins_sessions(&self, lesson: &Lesson) -> Result<bool> {
        let now = self.now();
        if !lesson.is_recallable(now) {
            return Ok(false);
        }
        let scope = match lesson.scope.project {
            Some(_) => &lesson.scope,
            None => &self.principal.scope,
        };
        let bank = self.find_bank_lessons(scope, now)?;
        let mut first_lessons = bank.lessons.iter().take(self.start_bounds().0);
        Ok(first_lessons.any(|first| first.id == lesson.id))
    }

    /// Returns the newest lessons out of use that would come up before a call, each with why it does not.
    pub fn lessons_out_of_use(
        &self,
        within: &ScopeFilter,
        call: &RawText,
    ) -> Result<Vec<(Lesson, String)>> {
        let call = call::parse_call(&read_call(call));
        let acts = CallActs::from_call(&call);
        let mut lessons = Vec::new();
        // In this order, indexes have those of a state and pass over the many in use.
        for (status, order) in [
            (StatusName::Pending, LessonOrder::NewestFirst),
            (StatusName::Quarantined, LessonOrder::NewestFirst),
            (StatusName::Archived, LessonOrder::LastShownFirst),
        ] {
            lessons.extend(self.lessons(&LessonListing {
                within: within.clone(),
                status: Some(status),
                order,
                limit: MAX_OUT_OF_USE,
                ..LessonListing::default()
            })?);
        }
        // One about a failure is named by its command as well.
        lessons.retain(|lesson| {
            let triggers = Triggers::from_content(&lesson.content);
            matches!(triggers.occasion(&acts, &call, false), Occasion::Due(..))
        });
        let lessons = lessons.into_iter().map(|lesson| {
            let moments = trigger::describe_moments(&lesson).join("; ");
            (lesson, format!("it comes up {moments}"))
        });
        Ok(lessons.collect())
    }

    /// Returns whether the calls of a scope go another way than a lesson advises so often that none of them brings it up.
    fn is_too_broad(&self, scope: &Scope, lesson: &Lesson) -> Result<bool> {
        let reader = self.snapshot()?;
        let key = BaselineKey::calls_otherwise(scope, lesson);
        let otherwise = reader.baseline(&scope.tenant, &key)?;
        Ok(otherwise != GaussianMessage::default()
            && credit::is_too_broad(
                otherwise,
                reader.baseline(&scope.tenant, &BaselineKey::calls_seen(scope))?,
            ))
    }

    /// Finds the lessons about the failures of a call: those of exactly this failure, then those that somebody wrote about
    /// it.
    pub(crate) fn find_at_failures(
        &self,
        scope: &Scope,
        called: &ToolCall<CleanText>,
    ) -> Result<Vec<Lesson>> {
        let call = call::parse_call(called);
        let mut lessons: Vec<Lesson> = Vec::new();
        let failures = CallFailure::all_from_call(&call, &called.status);
        for (failure, error) in failures.iter().zip(called.status.errors()) {
            // A store in memory has one reader at a time.
            let mut own_lessons = (self.snapshot()?).lessons_for_failure(scope, &failure.key)?;
            if let Some(key) = &failure.error_key
                && own_lessons.is_empty()
            {
                own_lessons = (self.snapshot()?).lessons_for_failure(scope, key)?;
            }
            if own_lessons.is_empty() {
                own_lessons = self.find_written_about(scope, &call, failure, error.as_str())?;
            }
            own_lessons.retain(|own_lesson| !lessons.iter().any(|known| known.id == own_lesson.id));
            lessons.extend(own_lessons);
        }
        lessons.retain(|lesson| !lesson.content.is_kept_from_calls());
        Ok(lessons)
    }

    /// Finds what a single earlier session did after a failure of a call, if it may be shown: with the failure's key.
    pub(crate) fn find_seen_once(
        &self,
        scope: &Scope,
        called: &ToolCall<CleanText>,
    ) -> Result<Option<(FailureKey, CandidateLesson)>> {
        let call = call::parse_call(called);
        let reader = self.snapshot()?;
        for failure in CallFailure::all_from_call(&call, &called.status) {
            for key in [&failure.key].into_iter().chain(&failure.error_key) {
                let vain = reader.candidate_lesson(scope, &seen_once::vain_key(key))?;
                for name in seen_once::remedy_keys(key) {
                    if let Some(candidate) = reader.candidate_lesson(scope, &name)?
                        && vain.is_none()
                        && candidate.runs.len() == 1
                        && (candidate.lesson.as_ref()).is_some_and(seen_once::may_be_shown)
                    {
                        return Ok(Some((key.clone(), candidate)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Finds the written lessons about a failure, by the words they share with it.
    fn find_written_about(
        &self,
        scope: &Scope,
        call: &ParsedCall,
        failure: &CallFailure,
        error: &str,
    ) -> Result<Vec<Lesson>> {
        let acts = CallActs::from_call(call);
        let words = QueryTerms::from_prompt(&trigger::failure_words(&acts, failure, error));
        let mut lessons = self.search_terms(scope, words, limits::FAILURE_CANDIDATES)?;
        // A lesson with a failure of its own is about no other.
        lessons.retain(|lesson| {
            let content = &lesson.content;
            let triggers = Triggers::from_content(content);
            lesson.failure.is_none() && triggers.is_about_failure(content, call, failure, error)
        });
        Ok(lessons)
    }

    /// Finds the lessons that have the most of these terms.
    fn search_terms(&self, scope: &Scope, terms: QueryTerms, limit: usize) -> Result<Vec<Lesson>> {
        self.search(&LessonQuery {
            limit,
            ..self.query_terms(scope, terms)
        })
    }
}
