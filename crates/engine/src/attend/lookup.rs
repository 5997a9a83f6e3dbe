//! Queries the store for an event: finds lessons and runs writs.
//!
//! Each moment has its own way to the lessons. At a prompt they are ranked and a floor keeps the others out; before a
//! call and at a failure nothing is ranked, because a lesson is shown only when it is about exactly that.

use std::cmp::Reverse;

use hardwon_core::{
    CallActs, CleanText, ExclusionReason, Lesson, LessonId, Occasion, ParsedCall, Preamble,
    PreambleBudget, RankedLesson, Ranking, RawText, Scope, Sign, SpottedWrit, ToolCall, Triggers,
    Trust, TrustClass, TurnQuestion, Writ,
    capture::question,
    credit, limits,
    preamble::{self, HELD_CALL_TEXT, SESSION_START_TEXT},
    trace::{call, package},
    trigger,
};
use hardwon_store::{LessonListing, Moment, Read, RequestConflict, ScopeFilter, StatusName};
use jiff::Timestamp;

use super::{
    AgentSession, ReplyChannel, SessionEvent, SessionStartKind,
    step::{Lookup, LookupKind, SessionStep, WritAnswer, WritWriter},
};
use crate::{
    BeforeCall, Desk, Error, HoldoutDraw, KeptWrit, Principal, RecallRequest, Result, Rights,
    ShowAt, StartLessons,
    holdout::draw_holdout,
    occasions::why_hushed,
    recall,
    writ::{WritContext, find_noted_failure},
};

/// What a look-up is for: a step of a session, and the event that it took in.
#[derive(Debug, Clone, Copy)]
pub struct LookupContext<'a> {
    /// The session.
    pub session: &'a AgentSession,
    /// The event.
    pub event: &'a SessionEvent,
    /// What the session makes of it.
    pub step: &'a SessionStep,
}

impl<'a> LookupContext<'a> {
    /// Collects what is known of the run behind one of its writs.
    fn writ_context(self, written: &SpottedWrit) -> WritContext<'a> {
        let step = self.step;
        let question = step
            .answered_question
            .as_ref()
            .or(step.forestalled_question.as_ref());
        WritContext {
            run: &self.event.run,
            failure: question
                .and_then(|question| find_noted_failure(question, written.writ.as_ref().ok()?)),
            task: self.session.task(),
            is_below_words: step.writer == WritWriter::Person && !written.opens_text,
        }
    }

    /// Returns the writs that would change something, to be run another time.
    pub fn kept_writs(self) -> Vec<KeptWrit> {
        let writs = self.step.writs.iter().take(limits::WRITS).enumerate();
        let writs = writs.filter_map(|(index, it)| self.kept_writ(index, it));
        writs.collect()
    }

    /// Returns a writ as it is kept, with the name by which it is run once; `None` if it would change nothing.
    fn kept_writ(self, index: usize, spotted: &SpottedWrit) -> Option<KeptWrit> {
        let writ = &spotted.writ;
        let behind = self.writ_context(spotted);
        let author = self.step.writ_author(self.session, spotted);
        let name = format!("{}-{index}", self.step.at_ms);
        KeptWrit::from_writ(writ.as_ref().ok()?, author, &behind, name)
    }

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
        held.retain(|id| !self.session.is_control(*id));
        held
    }
}

impl SessionStep {
    /// Returns what to look up for this step of a session, which took in this event.
    pub fn seen_in<'a>(
        &'a self,
        session: &'a AgentSession,
        event: &'a SessionEvent,
    ) -> LookupContext<'a> {
        LookupContext {
            session,
            event,
            step: self,
        }
    }

    /// Returns who is trusted for a writ: a person only for what begins a prompt, because what stands below may be
    /// pasted. It may come from outside: from what its agent had read, or from what stands in a prompt.
    fn writ_author(&self, session: &AgentSession, written: &SpottedWrit) -> Trust {
        let (class, tainted) = match self.writer {
            WritWriter::Agent => (
                TrustClass::Agent,
                session.may_be_from_outside(&written.writ),
            ),
            WritWriter::Person if written.opens_text => (TrustClass::Person, false),
            WritWriter::Person | WritWriter::Program => (TrustClass::Agent, true),
        };
        Trust { class, tainted }
    }
}

impl Desk<'_> {
    /// Looks up what an event calls for, and runs its writs.
    pub fn look_up_and_answer(&self, at: LookupContext<'_>) -> Result<Lookup> {
        self.check_access(Rights::Write, &at.event.scope)?;
        let answers = self.run_writs(at)?;
        let answer_ids: Vec<LessonId> = answers.iter().filter_map(|answer| answer.lesson).collect();
        let lookup = self.look_up_others(at, &answer_ids)?;
        Ok(Lookup { answers, ..lookup })
    }

    /// Looks up what an event calls for, and changes nothing.
    pub fn look_up(&self, at: LookupContext<'_>) -> Result<Lookup> {
        self.look_up_others(at, &[])
    }

    /// Looks up what an event calls for beside the lessons that the same reply tells of.
    fn look_up_others(&self, at: LookupContext<'_>, answer_ids: &[LessonId]) -> Result<Lookup> {
        let (session, event, step) = (at.session, at.event, at.step);
        self.check_access(Rights::Read, &event.scope)?;
        let Some(look) = &step.lookup else {
            return Ok(Lookup {
                question: self.unanswered_question(at)?,
                ..Lookup::default()
            });
        };
        let now = self.now();
        let asker = session
            .requester()
            .clone()
            .with_default_identities(&self.policy.default_identities);
        let is_meant = |lesson: &Lesson| {
            // What a sweep deleted because nobody had needed it is needed at its failure.
            let is_back = look.moment() == Moment::Failure && lesson.waits_for_moment(now);
            (lesson.is_recallable(now) || is_back) && asker.is_targeted_by(&lesson.content)
        };
        let is_new = |lesson: &Lesson| {
            let is_placed = self.policy.placed.contains(&lesson.id);
            let was_shown = match look.moment() {
                // Its own failure shows it again, in a later turn.
                Moment::Failure => session.was_shown_in_turn(lesson.id),
                // Among others at the start it is easily passed over.
                Moment::BeforeCall => is_placed || session.was_shown_since_start(lesson.id),
                _ => is_placed || session.was_ever_shown(lesson.id),
            };
            is_meant(lesson) && !was_shown && !answer_ids.contains(&lesson.id)
        };
        let only_new = |found: Vec<Lesson>| found.into_iter().filter(&is_new).collect();
        Ok(match look {
            LookupKind::SessionStart(how) => {
                let bank = self.find_start_lessons(at, *how, now)?;
                let (max_lessons, tokens) = self.start_bounds();
                let about = LookupSubject {
                    moment: Moment::SessionStart,
                    call_text: "",
                    max_tokens: tokens,
                };
                let lessons = pick_distinct(only_new(bank.lessons), &bank.conventions, max_lessons);
                let lookup = self.recall_exact(at, &about, lessons, SESSION_START_TEXT.len());
                let lessons = lookup.preamble.as_deref().unwrap_or_default();
                Lookup {
                    preamble: Some(format!("{SESSION_START_TEXT}{lessons}")),
                    ..lookup
                }
            }
            LookupKind::Prompt(prompt) => self.recall_for_prompt(at, prompt, is_new)?,
            LookupKind::BeforeCall(called) => {
                self.recall_for_call(at, called, step.reply_channel, is_meant, is_new)?
            }
            LookupKind::Failure(called) => {
                let mut about_it = self.find_at_failures(&event.scope, called)?;
                if about_it.is_empty() {
                    return self.recall_seen_once(at, called);
                }
                let call = call::parse_call(called);
                about_it.retain(|lesson| why_hushed(lesson, called, session.folder()).is_none());
                let warning = step
                    .detected_loop
                    .as_ref()
                    .map_or(0, |found| found.render_warning().len());
                let text = call.describe(called.tool.as_str());
                let about = LookupSubject::call(Moment::Failure, &text);
                let lessons = pick_distinct(only_new(about_it), &[], self.policy.max_shown);
                let lessons = self.without_told(at, Moment::Failure, lessons)?;
                self.recall_exact(at, &about, lessons, warning)
            }
        })
    }

    fn run_writs(&self, at: LookupContext<'_>) -> Result<Vec<WritAnswer>> {
        let (event, step) = (at.event, at.step);
        let mut answers = Vec::new();
        let writs = step.writs.iter().take(limits::WRITS).enumerate();
        for (index, spotted) in writs {
            let writ = &spotted.writ;
            let behind = at.writ_context(spotted);
            let trust = step.writ_author(at.session, spotted);
            let author = Principal::writer_in_session(event.scope.clone(), trust);
            let waiting_writ = at.kept_writ(index, spotted);
            let desk = (self.hand_over(author)).for_kept_writ(&event.run, waiting_writ.as_ref());
            let outcome = match desk.run_session_writ(writ, Some(behind)) {
                // Whoever learns in the background was faster.
                Err(Error::Repeated(RequestConflict::NoAnswer)) => continue,
                done => done?,
            };
            answers.push(WritAnswer {
                reply: outcome.reply,
                is_query: writ.as_ref().is_ok_and(Writ::is_query),
                lesson: outcome.id,
                why_undone: outcome.why_undone,
            });
        }
        answers.extend(WritAnswer::surplus(step.writs.len()));
        Ok(answers)
    }

    /// Returns the question that is left to ask: failures without a lesson about them, and for which none was shown.
    fn unanswered_question(&self, at: LookupContext<'_>) -> Result<Option<TurnQuestion>> {
        let scope = &at.event.scope;
        let Some(asked) = &at.step.question else {
            return Ok(None);
        };
        let now = self.now();
        let reader = self.snapshot()?;
        let mut lessons = Vec::new();
        for id in at.session.shown_at_calls() {
            lessons.extend(reader.lesson(&scope.tenant, id)?);
        }
        let mut keys = Vec::new();
        for trouble in asked.failures() {
            let about = reader.lessons_for_failure(scope, &trouble.key)?;
            let names = |lesson: &Lesson| {
                let content = &lesson.content;
                [&content.signature, &content.text]
                    .iter()
                    .any(|text| question::names_command(text.as_str(), &trouble.label))
            };
            if about.iter().any(|about| about.is_recallable(now)) || lessons.iter().any(names) {
                keys.push(trouble.key.clone());
            }
        }
        let left = asked.clone();
        Ok(left.without_known(|trouble| keys.contains(&trouble.key)))
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
        let ranking = exclude_lessons(ranking, &ExclusionReason::InProjectFile, |candidate| {
            self.policy.placed.contains(&candidate.lesson.id)
        });
        let ranking = exclude_lessons(ranking, &ExclusionReason::AlreadyShown, |candidate| {
            !is_new(&candidate.lesson)
        });
        let lessons = ranking.shown.iter().map(|candidate| &candidate.lesson);
        let told = self.find_told(at, Moment::Prompt, lessons)?;
        let ranking = told.into_iter().fold(ranking, |ranking, (lesson, of)| {
            ranking.exclude(lesson, ExclusionReason::NearDuplicate { of })
        });
        let ranking = exclude_lessons(ranking, &ExclusionReason::WaitsForFailure, |candidate| {
            let is_meant = candidate.explanation.is_by_task
                || Triggers::from_content(&candidate.lesson.content).are_topic_of(prompt.expose());
            candidate.lesson.failure.is_some() && !is_meant
        });
        let waits = |it: &RankedLesson| self.waits_for_action(&it.lesson);
        let ranking = exclude_lessons(ranking, &ExclusionReason::WaitsForAction, waits);
        let lessons = ranking.shown.iter().map(|showing| &showing.lesson);
        let draw = self.draw_session_holdout(at, lessons);
        let recall = recaller.render_recall(ranking, draw, trouble);
        Ok(Lookup {
            recalls: vec![recaller.build_recall(&ask, &recall)],
            controls: at.new_controls(recall.holdout.controls),
            embedding_error: recall.embedding_error,
            ..lookup_from_preamble(recall.preamble)
        })
    }

    /// Recalls what a single earlier session did after a failure that no lesson answers, at the first such failure of a
    /// session.
    fn recall_seen_once(
        &self,
        at: LookupContext<'_>,
        called: &ToolCall<CleanText>,
    ) -> Result<Lookup> {
        let Some((failure, seen)) = self.find_seen_once(&at.event.scope, called)? else {
            return Ok(Lookup::default());
        };
        let is_new = at.session.count_failures(&failure) < 2 && !seen.runs.contains(&at.event.run);
        let lesson = seen.lesson.filter(|_| is_new);
        let lesson = lesson.map(|remedy| Lesson::from_unkept(remedy, seen.last_seen));
        let (form, budget) = (self.policy.format, self.policy.budget);
        let render = |lesson| preamble::render_seen_once(lesson, form, budget);
        Ok(Lookup {
            preamble: lesson.as_ref().map(render).filter(|text| !text.is_empty()),
            seen_once: lesson,
            ..Lookup::default()
        })
    }

    /// Recalls the lessons that name a call: those that hold it, or else, where the client passes it on, those that are
    /// new.
    fn recall_for_call(
        &self,
        at: LookupContext<'_>,
        called: &ToolCall<CleanText>,
        channel: ReplyChannel,
        is_meant: impl Fn(&Lesson) -> bool,
        is_new: impl Fn(&Lesson) -> bool,
    ) -> Result<Lookup> {
        let call = call::parse_call(called);
        let text = call.describe(called.tool.as_str());
        let about = LookupSubject::call(Moment::BeforeCall, &text);
        let is_open = |lesson: &Lesson| channel == ReplyChannel::Context && is_new(lesson);
        let (held, mut others) = self.pick_for_call(at, &call, is_meant, is_open)?;
        if !held.is_empty() {
            let lookup = self.recall_exact(at, &about, held, HELD_CALL_TEXT.len());
            return Ok(Lookup {
                holds_call: lookup.preamble.is_some(),
                ..lookup
            });
        }
        // Whoever follows one of two opposites alone is told the other at the next call.
        for index in 0..others.len() {
            let mut opposites = self.contradictions(&others[index])?;
            opposites.retain(|one| is_new(one) && !others.iter().any(|other| other.id == one.id));
            others.extend(opposites);
        }
        others.truncate(self.policy.max_shown);
        let others = self.without_told(at, Moment::BeforeCall, others)?;
        Ok(self.recall_exact(at, &about, others, 0))
    }

    /// Picks the lessons of which a call is an occasion: those that hold it, and the others that may be shown.
    fn pick_for_call(
        &self,
        at: LookupContext<'_>,
        call: &ParsedCall,
        is_meant: impl Fn(&Lesson) -> bool,
        is_open: impl Fn(&Lesson) -> bool,
    ) -> Result<(Vec<Lesson>, Vec<Lesson>)> {
        let scope = &at.event.scope;
        let most = self.policy.max_shown;
        let acts = CallActs::from_call(call);
        let (mut held, mut others) = (DistinctLessons::default(), DistinctLessons::default());
        for lesson in self.find_naming(scope, &acts, call)? {
            // What a lesson comes up at takes long to read out of its words.
            let may_hold = held.0.len() < most
                && is_meant(&lesson)
                && self.holds_call_at(at, &lesson, Sign::Warned);
            let may_show = others.0.len() < most && is_open(&lesson);
            let folder = at.session.folder();
            if !may_hold && !may_show || package::is_about_others(&lesson.content, call, folder) {
                continue;
            }
            let triggers = Triggers::from_content(&lesson.content);
            match self.judge_occasion(scope, (&lesson, &triggers), (&acts, call))? {
                Occasion::Due(sign, _)
                    if sign != Sign::Advised
                        && credit::was_prepared(&lesson.content, &triggers, at.session.trace()) => {
                }
                Occasion::Due(sign, _) if may_hold && self.holds_calls(&lesson, sign) => {
                    held.add(lesson, Some(triggers));
                }
                Occasion::Due(..) if may_show => others.add(lesson, Some(triggers)),
                // What is to hold the change of a file must still be new then.
                Occasion::None
                    if may_show
                        && triggers.rule_change_of_opened(&acts)
                        && !self.holds_calls(&lesson, Sign::Warned) =>
                {
                    others.add(lesson, Some(triggers));
                }
                _ => {}
            }
        }
        Ok((held.into_lessons(), others.into_lessons()))
    }

    /// Leaves out what the session was told in other words.
    fn without_told(
        &self,
        at: LookupContext<'_>,
        moment: Moment,
        mut lessons: Vec<Lesson>,
    ) -> Result<Vec<Lesson>> {
        let told = self.find_told(at, moment, lessons.iter())?;
        lessons.retain(|lesson| told.iter().all(|(id, _)| *id != lesson.id));
        Ok(lessons)
    }

    /// Finds which lessons say what another one says that the session was told, or that is left out at random: lessons of
    /// the same trigger and advice are one at a showing and at the draw. With the number of that one.
    fn find_told<'a>(
        &self,
        at: LookupContext<'_>,
        moment: Moment,
        lessons: impl Iterator<Item = &'a Lesson>,
    ) -> Result<Vec<(LessonId, LessonId)>> {
        let mut lessons = lessons.peekable();
        if lessons.peek().is_none() {
            return Ok(Vec::new());
        }
        let reader = self.snapshot()?;
        let mut told = Vec::new();
        for id in at.session.told_at(moment) {
            let lesson = reader.lesson(&at.event.scope.tenant, id)?;
            told.extend(lesson.map(|lesson| (id, Triggers::from_content(&lesson.content))));
        }
        let repeats = lessons.filter_map(|lesson| {
            let own = Triggers::from_content(&lesson.content);
            let mut others = told.iter();
            let of = others.find(|(id, known)| *id != lesson.id && known.answers_as(&own))?;
            Some((lesson.id, of.0))
        });
        Ok(repeats.collect())
    }

    /// Returns whether a lesson that names a call holds it: the first of them in a context, also where it was shown at a
    /// prompt before.
    fn holds_call_at(&self, at: LookupContext<'_>, lesson: &Lesson, sign: Sign) -> bool {
        let was_told = || at.session.shown_at_calls().any(|id| id == lesson.id);
        at.event.may_hold && self.holds_calls(lesson, sign) && !was_told()
    }

    /// Returns whether a lesson holds what it says this of: the setting for all holds only what they warn of.
    fn holds_calls(&self, lesson: &Lesson, sign: Sign) -> bool {
        let holds_warned = self.policy.before_call == BeforeCall::Hold && sign == Sign::Warned;
        lesson.holds_calls(holds_warned)
    }

    /// Returns whether a lesson is to be shown only at the call or failure that it names.
    fn waits_for_action(&self, lesson: &Lesson) -> bool {
        self.policy.show_at == ShowAt::NamedAction && has_trigger(lesson)
    }

    /// Draws which of the lessons to be shown are left out at random.
    ///
    /// A lesson left out once is left out all through a session. Otherwise its failure would bring it up, and only runs
    /// without that failure would count as runs without the lesson. A lesson shown once is in the context, and leaving
    /// it out later would measure nothing.
    fn draw_session_holdout<'a>(
        &self,
        at: LookupContext<'_>,
        lessons: impl Iterator<Item = &'a Lesson>,
    ) -> HoldoutDraw {
        let session = at.session;
        let (held, rest): (Vec<&Lesson>, Vec<&Lesson>) =
            lessons.partition(|lesson| session.is_control(lesson.id));
        let open = rest.into_iter().filter(|lesson| {
            let is_placed = self.policy.placed.contains(&lesson.id);
            // Of a convention in prose no call shows what became of it.
            !is_placed
                && has_trigger(lesson)
                && !session.was_ever_shown(lesson.id)
                && !self.holds_calls(lesson, Sign::Warned)
        });
        let mut draw = draw_holdout(self.policy.holdout.then_some(&at.event.run), open);
        draw.controls.extend(held.iter().map(|lesson| lesson.id));
        draw
    }

    /// Returns the most lessons that a session begins with, and the most tokens of them.
    pub(crate) fn start_bounds(&self) -> (usize, usize) {
        match self.policy.start {
            StartLessons::Off => (0, 0),
            StartLessons::Few => (limits::SESSION_START_LESSONS, limits::SESSION_START_TOKENS),
            StartLessons::All => (
                limits::SESSION_START_ALL_LESSONS,
                limits::SESSION_START_ALL_TOKENS,
            ),
        }
    }

    /// Finds the lessons that a session begins with. One whose context was compacted goes on with what it was shown,
    /// learned and wrote.
    fn find_start_lessons(
        &self,
        at: LookupContext<'_>,
        how: SessionStartKind,
        now: Timestamp,
    ) -> Result<StartBank> {
        if self.policy.start == StartLessons::Off {
            return Ok(StartBank::default());
        }
        let mut lessons = match how {
            SessionStartKind::Compacted => self.find_own_lessons(at)?,
            _ => Vec::new(),
        };
        let mut bank = self.find_bank_lessons(&at.event.scope, now)?;
        let folder = at.session.folder();
        (bank.lessons).retain(|bank| {
            !package::is_about_other_folder(&bank.content, folder)
                && !lessons.iter().any(|own| own.id == bank.id)
        });
        lessons.append(&mut bank.lessons);
        Ok(StartBank { lessons, ..bank })
    }

    /// Finds what this session was shown, the last first, and what it learned and wrote.
    fn find_own_lessons(&self, at: LookupContext<'_>) -> Result<Vec<Lesson>> {
        let LookupContext { session, event, .. } = at;
        let reader = self.snapshot()?;
        let mut own: Vec<Lesson> = Vec::new();
        for id in session.summarised_lessons() {
            own.extend(reader.lesson(&event.scope.tenant, id)?);
        }
        let mut lessons = reader.lessons(&event.scope.tenant, &start_listing(&event.scope))?;
        lessons.retain(|lesson| {
            let mut sources = lesson.evidence.iter();
            let is_from_here =
                sources.any(|source| source.reference.as_str() == event.run.as_str());
            is_from_here && own.iter().all(|known| known.id != lesson.id)
        });
        own.extend(lessons);
        Ok(own)
    }

    /// Finds what a session begins with that knows nothing yet, the best first: the whole bank of its project while that
    /// is small, because no prompt names the tool that will fail; else those that no call or failure brings up, and the
    /// proven ones.
    pub(crate) fn find_bank_lessons(&self, scope: &Scope, now: Timestamp) -> Result<StartBank> {
        let (most, tokens) = self.start_bounds();
        // A targeted lesson is for someone's task, and there is none yet.
        let is_meant = |it: &Lesson| {
            let is_read = self.policy.placed.contains(&it.id);
            it.content.targets.is_empty() && !is_read && !self.waits_for_action(it)
        };
        let reader = self.snapshot()?;
        let list_newest = |limit: usize| -> Result<Vec<Lesson>> {
            let listing = LessonListing {
                limit,
                ..start_listing(scope)
            };
            let mut lessons = reader.lessons(&scope.tenant, &listing)?;
            lessons.retain(is_meant);
            Ok(lessons)
        };
        let is_few = self.policy.start == StartLessons::Few;
        let mut of_start = if is_few {
            find_conventions(&*reader, scope)?
        } else {
            Vec::new()
        };
        of_start.retain(is_meant);
        let mut lessons = Vec::new();
        // Where these alone are more than fits, the bank is large; else one lesson more than fits tells.
        if of_start.len() <= most {
            lessons = list_newest(most + 1)?;
            if lessons.len() <= most || !is_few {
                lessons = list_newest(limits::SESSION_START_CANDIDATES)?;
            }
        }
        let mut conventions = Vec::new();
        let size = |it: &Lesson| preamble::count_tokens(it, self.policy.format);
        let is_large = of_start.len() > most || lessons.len() > most;
        if is_large || lessons.iter().map(size).sum::<usize>() > tokens {
            if is_few {
                lessons = of_start;
                conventions = lessons.iter().map(|lesson| lesson.id).collect();
            }
            let proven = reader.proven_lessons(scope, now)?;
            lessons.retain(|lesson| !proven.iter().any(|known| known.id == lesson.id));
            lessons.extend(proven);
            lessons.retain(is_meant);
        }
        lessons.retain(|lesson| !has_stepped_back(lesson));
        let evidence_key = |it: &Lesson| (it.evidence.len(), it.updated);
        lessons.sort_by_key(|lesson| {
            (
                Reverse(lesson.counts.helped.saturating_sub(lesson.counts.harmed)),
                Reverse(evidence_key(lesson)),
                lesson.id,
            )
        });
        Ok(StartBank {
            lessons,
            conventions,
        })
    }

    /// Renders distinct lessons that match exactly, in the room that `taken` bytes leave.
    fn recall_exact(
        &self,
        at: LookupContext<'_>,
        about: &LookupSubject<'_>,
        lessons: Vec<Lesson>,
        taken: usize,
    ) -> Lookup {
        let room = limits::HOOK_REPLY_BYTES.saturating_sub(taken + 1);
        let budget = PreambleBudget {
            bytes: self.policy.budget.bytes.min(room),
            tokens: self.policy.budget.tokens.min(about.max_tokens),
        };
        let draw = self.draw_session_holdout(at, lessons.iter());
        let is_shown = |it: &&Lesson| !draw.controls.contains(&it.id);
        let shown_lessons: Vec<&Lesson> = lessons.iter().filter(is_shown).collect();
        let recaller = self.recaller();
        let preamble = recaller.render_within_budget(&shown_lessons, budget);
        let preamble = if !at.event.in_subagent && at.session.has_shown() {
            preamble.with_short_frame()
        } else {
            preamble
        };
        let is_silent = draw.controls.is_empty() && preamble.shown.is_empty();
        let recalls = if is_silent {
            Vec::new()
        } else {
            vec![recaller.build_recall_with(
                &at.build_request(about.moment, about.call_text),
                recall::list_exact(&lessons, &preamble.shown, &draw),
            )]
        };
        Lookup {
            recalls,
            controls: at.new_controls(draw.controls),
            ..lookup_from_preamble(preamble)
        }
    }
}

/// What a session may begin with.
#[derive(Default)]
pub(crate) struct StartBank {
    /// The lessons, the best first.
    pub(crate) lessons: Vec<Lesson>,
    /// Those of them that the index finds because no call brings them up.
    conventions: Vec<LessonId>,
}

/// Lessons of which no two come up at the same and advise the same.
#[derive(Default)]
struct DistinctLessons(Vec<(Lesson, Option<Triggers>)>);

impl DistinctLessons {
    /// Adds a lesson unless one says the same. A convention has no triggers: it comes up at nothing, and reading that out of its
    /// words takes longer than all else at a start.
    fn add(&mut self, lesson: Lesson, triggers: Option<Triggers>) {
        let mut known = self.0.iter().filter_map(|(_, known)| known.as_ref());
        let says_same = |own: &Triggers| known.any(|known| known.says_as(own));
        if !triggers.as_ref().is_some_and(says_same) {
            self.0.push((lesson, triggers));
        }
    }

    fn into_lessons(self) -> Vec<Lesson> {
        self.0.into_iter().map(|(lesson, _)| lesson).collect()
    }
}

/// Picks the first lessons, of those that say the same the first.
fn pick_distinct(lessons: Vec<Lesson>, conventions: &[LessonId], most: usize) -> Vec<Lesson> {
    let mut distinct = DistinctLessons::default();
    for lesson in lessons {
        if distinct.0.len() == most {
            break;
        }
        let comes_up = !conventions.contains(&lesson.id);
        let triggers = comes_up.then(|| Triggers::from_content(&lesson.content));
        distinct.add(lesson, triggers);
    }
    distinct.into_lessons()
}

/// The subject of lessons that match exactly, and their limit.
struct LookupSubject<'a> {
    moment: Moment,
    /// The call, as text; empty at the start of a session.
    call_text: &'a str,
    /// Most tokens that they may take.
    max_tokens: usize,
}

impl<'a> LookupSubject<'a> {
    /// Makes the subject of lessons about a call.
    fn call(moment: Moment, call_text: &'a str) -> Self {
        Self {
            moment,
            call_text,
            max_tokens: usize::MAX,
        }
    }
}

/// Returns the listing of a bank's newest lessons.
fn start_listing(scope: &Scope) -> LessonListing {
    LessonListing {
        within: ScopeFilter::Visible(scope.clone()),
        status: Some(StatusName::Active),
        limit: limits::SESSION_START_CANDIDATES,
        ..LessonListing::default()
    }
}

/// Finds the newest lessons of a bank that neither a call nor a failure brings up.
fn find_conventions(reader: &dyn Read, scope: &Scope) -> Result<Vec<Lesson>> {
    let listing = start_listing(scope);
    let word = [trigger::convention_word()];
    let most = limits::SESSION_START_CONVENTIONS;
    let among = Some(reader.lessons_with_words(&scope.tenant, &listing.within, &word, most)?);
    let mut lessons = reader.lessons(&scope.tenant, &LessonListing { among, ..listing })?;
    lessons.retain(|lesson| lesson.failure.is_none());
    Ok(lessons)
}

/// Returns whether a call or a failure brings the lesson up, or would if a person had not kept it from them.
fn has_trigger(lesson: &Lesson) -> bool {
    let content = &lesson.content;
    let has_own = lesson.failure.is_some() || content.is_kept_from_calls();
    has_own || !Triggers::from_content(content).is_empty()
}

/// Returns whether so many runs did not need a lesson that no session begins with it. One that a call or a failure
/// brings up loses less by that.
fn has_stepped_back(lesson: &Lesson) -> bool {
    let times = lesson.counts.not_followed;
    // What brings a lesson up takes long to read, and most have nothing against them.
    times >= limits::NOT_NEEDED_RUNS
        || times >= limits::NOT_NEEDED_RUNS_TRIGGERED && has_trigger(lesson)
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
    let ids = ranking.shown.iter().filter(|showing| is_it(showing));
    let ids: Vec<LessonId> = ids.map(|id| id.lesson.id).collect();
    let pass_one = |ranking: Ranking, id| ranking.exclude(id, why.clone());
    ids.into_iter().fold(ranking, pass_one)
}
