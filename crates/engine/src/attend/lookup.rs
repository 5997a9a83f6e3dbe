//! Queries the store for an event: finds lessons and runs writs.
//!
//! Each moment has its own way to the lessons. At a prompt they are ranked and a floor keeps the others out; before a
//! call and at a failure nothing is ranked, because a lesson is shown only when it is about exactly that.

use std::cmp::Reverse;

use hardwon_core::{
    access::{Principal, Rights},
    capture::question::{self, TurnQuestion},
    event::ToolCall,
    id::LessonId,
    lesson::Lesson,
    limits,
    preamble::{Preamble, PreambleBudget, SESSION_START_TEXT},
    rank::{ExclusionReason, RankedLesson, Ranking},
    request::RequestConflict,
    text::{CleanText, RawText},
    tokens::QueryTerms,
    trace::{
        call::{self, ParsedCall},
        failure::CallFailure,
    },
    trigger::{self, CallActs, CallKeys, Triggers},
    writ::{SpottedWrit, Writ},
};
use hardwon_store::{LessonListing, LessonQuery, Moment, ScopeFilter, StatusName};
use jiff::Timestamp;

use super::{
    AgentSession, SessionEvent,
    step::{Lookup, LookupKind, SessionStep, WritAnswer},
};
use crate::{
    Desk, Error, HoldoutDraw, KeptWrit, RecallRequest, Result, ShowAt,
    holdout::draw_holdout,
    recall,
    writ::{ParsedWrit, WritContext, find_noted_failure},
};

impl SessionStep {
    /// Collects what is known of the run behind one of its writs.
    fn writ_context<'a>(
        &'a self,
        session: &'a AgentSession,
        event: &'a SessionEvent,
        written: &ParsedWrit,
    ) -> WritContext<'a> {
        let asked = self
            .answered_question
            .as_ref()
            .or(self.forestalled_question.as_ref());
        WritContext {
            run: &event.run,
            failure: asked.and_then(|asked| find_noted_failure(asked, written.as_ref().ok()?)),
            task: session.task(),
        }
    }

    /// Returns whether a writ may come from outside content that its agent had read.
    fn is_writ_tainted(&self, session: &AgentSession, written: &ParsedWrit) -> bool {
        self.is_tainted && session.may_be_from_outside(written)
    }

    /// Returns the writs that would change something, to be run another time.
    #[must_use]
    pub fn kept_writs(&self, session: &AgentSession, event: &SessionEvent) -> Vec<KeptWrit> {
        let writs = self.writs.iter().take(limits::WRITS).enumerate();
        let kept = writs.filter_map(|(index, it)| self.kept_writ(session, event, index, &it.writ));
        kept.collect()
    }

    /// Returns a writ as it is kept, with the name by which it is run once; `None` if it would change nothing.
    fn kept_writ(
        &self,
        session: &AgentSession,
        event: &SessionEvent,
        index: usize,
        writ: &ParsedWrit,
    ) -> Option<KeptWrit> {
        let behind = self.writ_context(session, event, writ);
        let is_tainted = self.is_writ_tainted(session, writ);
        let name = format!("{}-{index}", self.at_ms);
        KeptWrit::from_writ(writ.as_ref().ok()?, is_tainted, &behind, name)
    }
}

impl Desk<'_> {
    /// Looks up what an event calls for, and runs its writs.
    pub fn look_up_and_answer(
        &self,
        session: &AgentSession,
        event: &SessionEvent,
        step: &SessionStep,
    ) -> Result<Lookup> {
        self.check_access(Rights::Write, &event.scope)?;
        let answers = self.run_writs(session, event, step)?;
        let looked = self.look_up(session, event, step)?;
        Ok(Lookup { answers, ..looked })
    }

    /// Looks up what an event calls for, and changes nothing.
    pub fn look_up(
        &self,
        session: &AgentSession,
        event: &SessionEvent,
        step: &SessionStep,
    ) -> Result<Lookup> {
        self.check_access(Rights::Read, &event.scope)?;
        let Some(look) = &step.lookup else {
            return Ok(Lookup {
                question: self.unanswered_question(session, event, step)?,
                ..Lookup::default()
            });
        };
        let now = self.now();
        let asker = session
            .requester()
            .clone()
            .with_default_identities(&self.policy.default_identities);
        let is_new = |lesson: &Lesson| {
            let is_meant = lesson.is_recallable(now) && asker.is_targeted_by(&lesson.content);
            let was_shown = match look.moment() {
                // Its own failure shows it again, in a later turn.
                Moment::Failure => session.was_shown_in_turn(lesson.id),
                _ => session.was_ever_shown(lesson.id) || self.policy.placed.contains(&lesson.id),
            };
            is_meant && !was_shown
        };
        let only_new = |found: Vec<Lesson>| found.into_iter().filter(&is_new).collect();
        let about = |what, tokens| LookupSubject {
            moment: look.moment(),
            call_text: what,
            max_tokens: tokens,
            max_lessons: self.policy.max_shown,
        };
        let at = LookupContext { session, event };
        Ok(match look {
            LookupKind::SessionStart => {
                let mut bank: Vec<Lesson> = only_new(self.find_session_start_lessons(event, now)?);
                // A targeted lesson is for someone's task, and there is none yet.
                bank.retain(|it| it.content.targets.is_empty() && !self.waits_for_action(it));
                let about = LookupSubject {
                    max_lessons: limits::SESSION_START_LESSONS,
                    ..about("", limits::SESSION_START_TOKENS)
                };
                let looked = self.recall_exact(at, &about, bank, SESSION_START_TEXT.len());
                let lessons = looked.preamble.as_deref().unwrap_or_default();
                Lookup {
                    preamble: Some(format!("{SESSION_START_TEXT}{lessons}")),
                    ..looked
                }
            }
            LookupKind::Prompt(prompt) => self.recall_for_prompt(at, prompt, is_new)?,
            LookupKind::BeforeCall(called) => {
                let call = call::parse_call(called);
                let naming = only_new(self.find_naming_call(event, &call)?);
                self.recall_exact(at, &about(&call.args_text(), usize::MAX), naming, 0)
            }
            LookupKind::Failure(called) => {
                let about_it = self.find_about_failures(event, called)?;
                let warning = step
                    .detected_loop
                    .as_ref()
                    .map_or(0, |found| found.render_warning().len());
                let about = about(called.args.as_str(), usize::MAX);
                self.recall_exact(at, &about, only_new(about_it), warning)
            }
        })
    }

    fn run_writs(
        &self,
        session: &AgentSession,
        event: &SessionEvent,
        step: &SessionStep,
    ) -> Result<Vec<WritAnswer>> {
        let mut answers = Vec::new();
        let writs = step.writs.iter().take(limits::WRITS).enumerate();
        for (index, SpottedWrit { writ, .. }) in writs {
            let behind = step.writ_context(session, event, writ);
            let is_tainted = step.is_writ_tainted(session, writ);
            let agent = Principal::agent(event.scope.clone(), is_tainted);
            let kept = step.kept_writ(session, event, index, writ);
            let desk = (self.hand_over(agent)).for_kept_writ(&event.run, kept.as_ref());
            let done = match desk.run_session_writ(writ, Some(behind)) {
                // Whoever learns in the background was faster.
                Err(Error::Repeated(RequestConflict::NoAnswer)) => continue,
                done => done?,
            };
            answers.push(WritAnswer {
                reply: done.reply,
                is_query: writ.as_ref().is_ok_and(Writ::is_query),
                lesson: done.id,
                why_undone: done.why_undone,
            });
        }
        answers.extend(WritAnswer::surplus(step.writs.len()));
        Ok(answers)
    }

    /// Returns the question that is left to ask: failures without a lesson about them, and for which none was shown.
    fn unanswered_question(
        &self,
        session: &AgentSession,
        event: &SessionEvent,
        step: &SessionStep,
    ) -> Result<Option<TurnQuestion>> {
        let Some(asked) = &step.question else {
            return Ok(None);
        };
        let now = self.now();
        let reader = self.engine.store.snapshot()?;
        let mut shown = Vec::new();
        for id in session.shown_at_calls() {
            shown.extend(reader.lesson(&event.scope.tenant, id)?);
        }
        let mut known = Vec::new();
        for trouble in asked.failures() {
            let about = reader.lessons_for_failure(&event.scope, &trouble.key)?;
            let names = |lesson: &Lesson| {
                let content = &lesson.content;
                [&content.signature, &content.text]
                    .iter()
                    .any(|text| question::names_command(text.as_str(), &trouble.label))
            };
            if about.iter().any(|it| it.is_recallable(now)) || shown.iter().any(names) {
                known.push(trouble.key.clone());
            }
        }
        let left = asked.clone();
        Ok(left.without_known(|trouble| known.contains(&trouble.key)))
    }

    fn recall_for_prompt(
        &self,
        at: LookupContext<'_>,
        prompt: &RawText,
        is_new: impl Fn(&Lesson) -> bool,
    ) -> Result<Lookup> {
        let ask = at.build_request(Moment::Prompt, prompt.expose());
        let recaller = self.recaller();
        let (ranking, trouble) = recaller.rank_to_show(&ask)?;
        // Lessons shown before are still in the context. One about a failure that the prompt does not mention is shown
        // at that failure, unless the prompt repeats the task in which it was learned.
        let ranking = exclude_lessons(ranking, &ExclusionReason::InProjectFile, |it| {
            self.policy.placed.contains(&it.lesson.id)
        });
        let ranking = exclude_lessons(ranking, &ExclusionReason::AlreadyShown, |it| {
            !is_new(&it.lesson)
        });
        let ranking = exclude_lessons(ranking, &ExclusionReason::WaitsForFailure, |it| {
            let is_meant = it.explanation.is_by_task
                || Triggers::from_content(&it.lesson.content).are_topic_of(prompt.expose());
            it.lesson.failure.is_some() && !is_meant
        });
        let waits = |it: &RankedLesson| self.waits_for_action(&it.lesson);
        let ranking = exclude_lessons(ranking, &ExclusionReason::WaitsForAction, waits);
        let lessons = ranking.shown.iter().map(|it| &it.lesson);
        let draw = self.draw_session_holdout(at, Moment::Prompt, lessons);
        let recalled = recaller.render_recall(ranking, draw, trouble);
        Ok(Lookup {
            recalls: vec![recaller.build_recall(&ask, &recalled)],
            deferred: at.new_deferred(&recalled.holdout.deferred),
            controls: at.new_controls(recalled.holdout.controls),
            embedding_error: recalled.embedding_error,
            ..lookup_from_preamble(recalled.preamble)
        })
    }

    /// Returns whether a lesson is to be shown only at the call or failure that it names.
    fn waits_for_action(&self, lesson: &Lesson) -> bool {
        let has_action =
            || lesson.failure.is_some() || !Triggers::from_content(&lesson.content).is_empty();
        self.policy.show_at == ShowAt::NamedAction && has_action()
    }

    /// Draws which of the lessons to be shown are left out at random.
    ///
    /// A lesson left out once is left out all through a session. Otherwise its failure would bring it up, and only runs
    /// without that failure would count as runs without the lesson. A lesson shown once is in the context, and leaving
    /// it out later would measure nothing. A lesson left to later moments is left out at moments of one kind, and shown
    /// at the first of another; a failure is the last moment there is.
    fn draw_session_holdout<'a>(
        &self,
        at: LookupContext<'_>,
        moment: Moment,
        lessons: impl Iterator<Item = &'a Lesson>,
    ) -> HoldoutDraw {
        let session = at.session;
        let (held, rest): (Vec<&Lesson>, Vec<&Lesson>) =
            lessons.partition(|it| session.is_control(it.id));
        let (left, rest): (Vec<&Lesson>, Vec<&Lesson>) =
            (rest.into_iter()).partition(|it| session.deferred_moment(it.id).is_some());
        let open = (rest.into_iter()).filter(|it| !session.was_ever_shown(it.id));
        let mut draw = draw_holdout(
            self.policy.holdout.then_some(&at.event.run),
            open,
            moment != Moment::Failure,
        );
        draw.controls.extend(held.iter().map(|it| it.id));
        let still = left.iter().map(|it| it.id);
        draw.deferred
            .extend(still.filter(|it| session.deferred_moment(*it) == Some(moment)));
        draw
    }

    /// Returns the lessons of which a call is an occasion, those with the strictest triggers first.
    fn find_naming_call(&self, event: &SessionEvent, call: &ParsedCall) -> Result<Vec<Lesson>> {
        let acts = CallActs::from_call(call);
        let keys = CallKeys::from_call(&acts, call).into_query();
        let mut lessons = self.search_terms(event, keys, limits::CALL_CANDIDATES)?;
        lessons.retain(|lesson| {
            let triggers = Triggers::from_content(&lesson.content);
            triggers
                .occasion(&acts, call, lesson.failure.is_some())
                .is_due()
        });
        Ok(lessons)
    }

    /// Finds the lessons that a session begins with: the whole bank of its project while that is small, because no
    /// prompt names the tool that will fail; else the proven ones.
    fn find_session_start_lessons(
        &self,
        event: &SessionEvent,
        now: Timestamp,
    ) -> Result<Vec<Lesson>> {
        let listing = LessonListing {
            within: ScopeFilter::Visible(event.scope.clone()),
            status: Some(StatusName::Active),
            limit: limits::SESSION_START_LESSONS + 1,
            ..LessonListing::default()
        };
        let reader = self.engine.store.snapshot()?;
        let mut lessons = reader.lessons(&event.scope.tenant, &listing)?;
        if lessons.len() > limits::SESSION_START_LESSONS {
            let proven = reader.proven_lessons(&event.scope, now)?;
            lessons.retain(|it| !proven.iter().any(|known| known.id == it.id));
            lessons.extend(proven);
        }
        let margin = |it: &Lesson| it.counts.helped.saturating_sub(it.counts.harmed);
        let met = |it: &Lesson| (it.evidence.len(), it.updated);
        lessons.sort_by_key(|it| (Reverse(margin(it)), Reverse(met(it)), it.id));
        // A lesson that agents do not follow, or no longer need, is shown only on request.
        lessons.retain(|it| !it.is_not_followed());
        Ok(lessons)
    }

    /// Finds the lessons about the failures of a call: those of exactly this failure, then those that name its command
    /// and mention its error.
    fn find_about_failures(
        &self,
        event: &SessionEvent,
        called: &ToolCall<CleanText>,
    ) -> Result<Vec<Lesson>> {
        let call = call::parse_call(called);
        let mut lessons: Vec<Lesson> = Vec::new();
        let failures = CallFailure::all_from_call(&call, &called.status);
        for (failure, error) in failures.iter().zip(called.status.errors()) {
            let mut found = self
                .engine
                .store
                .snapshot()?
                .lessons_for_failure(&event.scope, &failure.key)?;
            if found.is_empty() {
                found = self.find_naming_failure(event, &call, failure, error.as_str())?;
            }
            found.retain(|it| !lessons.iter().any(|known| known.id == it.id));
            lessons.extend(found);
        }
        Ok(lessons)
    }

    /// Finds the written lessons about such a failure, by the words they share with it.
    fn find_naming_failure(
        &self,
        event: &SessionEvent,
        call: &ParsedCall,
        failure: &CallFailure,
        error: &str,
    ) -> Result<Vec<Lesson>> {
        let acts = CallActs::from_call(call);
        let words = QueryTerms::from_prompt(&trigger::failure_words(&acts, failure, error));
        let mut lessons = self.search_terms(event, words, limits::FAILURE_CANDIDATES)?;
        // A lesson with a failure of its own is about no other.
        let is_about = |lesson: &Lesson| {
            let content = &lesson.content;
            lesson.failure.is_none()
                && Triggers::from_content(content).is_about_failure(content, call, failure, error)
        };
        lessons.retain(is_about);
        Ok(lessons)
    }

    /// Finds the lessons that have the most of these terms.
    fn search_terms(
        &self,
        event: &SessionEvent,
        terms: QueryTerms,
        limit: usize,
    ) -> Result<Vec<Lesson>> {
        let found = self.engine.store.snapshot()?.search(&LessonQuery {
            scope: event.scope.clone(),
            terms,
            limit,
            now: self.now(),
            vector: None,
        })?;
        Ok(found.hits.into_iter().map(|hit| hit.lesson).collect())
    }

    /// Renders lessons that match exactly, in the room that `taken` bytes leave.
    fn recall_exact(
        &self,
        at: LookupContext<'_>,
        about: &LookupSubject<'_>,
        mut lessons: Vec<Lesson>,
        taken: usize,
    ) -> Lookup {
        lessons.truncate(about.max_lessons);
        let room = limits::HOOK_REPLY_BYTES.saturating_sub(taken + 1);
        let budget = PreambleBudget {
            bytes: self.policy.budget.bytes.min(room),
            tokens: self.policy.budget.tokens.min(about.max_tokens),
        };
        let draw = self.draw_session_holdout(at, about.moment, lessons.iter());
        let is_shown = |it: &&Lesson| draw.exclusion_reason(it.id).is_none();
        let shown: Vec<&Lesson> = lessons.iter().filter(is_shown).collect();
        let recaller = self.recaller();
        let preamble = recaller.render_within_budget(&shown, budget);
        let is_silent =
            draw.controls.is_empty() && draw.deferred.is_empty() && preamble.shown.is_empty();
        let recalls = match is_silent {
            true => Vec::new(),
            false => vec![recaller.build_recall_with(
                &at.build_request(about.moment, about.call_text),
                recall::list_exact(&lessons, &preamble.shown, &draw),
            )],
        };
        Lookup {
            recalls,
            deferred: at.new_deferred(&draw.deferred),
            controls: at.new_controls(draw.controls),
            ..lookup_from_preamble(preamble)
        }
    }
}

/// The session and event of a look-up.
#[derive(Clone, Copy)]
struct LookupContext<'a> {
    session: &'a AgentSession,
    event: &'a SessionEvent,
}

impl LookupContext<'_> {
    /// Builds the recall request for this moment and text.
    fn build_request(self, moment: Moment, what: &str) -> RecallRequest {
        RecallRequest {
            requester: self.session.requester().clone(),
            run: Some(self.event.run.clone()),
            client: Some(self.event.client.clone()),
            moment,
            ..RecallRequest::new(self.event.scope.clone(), what)
        }
    }

    /// Keeps the lessons that were not left out at random before.
    fn new_controls(self, mut held: Vec<LessonId>) -> Vec<LessonId> {
        held.retain(|it| !self.session.is_control(*it));
        held
    }

    /// Keeps the lessons that were not left to later moments before.
    fn new_deferred(self, left: &[LessonId]) -> Vec<LessonId> {
        let is_new = |it: &LessonId| self.session.deferred_moment(*it).is_none();
        left.iter().copied().filter(is_new).collect()
    }
}

/// The subject of lessons that match exactly, and their limits.
struct LookupSubject<'a> {
    moment: Moment,
    /// The call, as text; empty at the start of a session.
    call_text: &'a str,
    /// Most tokens that they may take.
    max_tokens: usize,
    /// Most lessons.
    max_lessons: usize,
}

fn lookup_from_preamble(preamble: Preamble) -> Lookup {
    Lookup {
        preamble: Some(preamble.text).filter(|text| !text.is_empty()),
        shown: preamble.shown,
        ..Lookup::default()
    }
}

/// Excludes lessons that were to be shown, for a reason.
fn exclude_lessons(
    ranking: Ranking,
    why: &ExclusionReason,
    is_it: impl Fn(&RankedLesson) -> bool,
) -> Ranking {
    let found = ranking.shown.iter().filter(|it| is_it(it));
    let found: Vec<LessonId> = found.map(|it| it.lesson.id).collect();
    let pass_one = |ranking: Ranking, id| ranking.exclude(id, why.clone());
    found.into_iter().fold(ranking, pass_one)
}
