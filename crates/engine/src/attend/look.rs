//! Asks the store for what an event calls for: lessons, and the carrying out of writs.
//!
//! Each moment has its own way to the lessons. At a prompt they are ranked and a floor keeps the
//! others out; before a call and at a failure nothing is ranked, because a lesson is shown only when
//! it is about just that.

use std::cmp::Reverse;

use hardwon_core::{
    access::Principal,
    capture::question::{self, TurnQuestion},
    event::ToolCall,
    id::LessonId,
    lesson::Lesson,
    limits,
    preamble::{Preamble, PreambleBudget, SESSION_START_TEXT},
    rank::{ExclusionReason, RankedLesson, Ranking},
    text::{CleanText, RawText},
    tokens::QueryTerms,
    trace::{
        call::{self, ParsedCall},
        failure::CallFailure,
        naming,
    },
    writ::{SpottedWrit, Writ},
};
use hardwon_store::{Listing, Moment, Query, Recall, StatusName, Within};
use jiff::Timestamp;

use super::{Happening, Session, Turn, session::Look};
use crate::{
    Ask, Engine, Lots, Result, ShowAt,
    model::ModelError,
    recall,
    sessions::KeptWrit,
    writ::{Behind, Written, met_by},
};

/// What was found.
#[derive(Debug, Default)]
pub struct Looked {
    /// The lessons, worded.
    pub(super) preamble: Option<String>,
    /// Which they are.
    pub(super) shown: Vec<LessonId>,
    /// Those that are held back from now on.
    pub(super) held: Vec<LessonId>,
    /// Those that are left to later moments.
    pub(super) left: Vec<LessonId>,
    /// What is to be noted about it.
    pub(super) recalls: Vec<Recall>,
    /// What the writs came to.
    pub(super) answers: Vec<Answer>,
    /// What the agent is asked.
    pub(super) question: Option<TurnQuestion>,
    /// Why the embedding that is set had no say.
    pub trouble: Option<ModelError>,
}

/// What a writ came to.
#[derive(Debug)]
pub(super) struct Answer {
    /// What its writer reads back.
    pub(super) reply: String,
    /// Whether it was a question.
    pub(super) is_question: bool,
    /// The lesson that it made or met.
    pub(super) lesson: Option<LessonId>,
}

impl Looked {
    /// Says that writs were kept and will be carried out later.
    #[must_use]
    pub fn with_kept(mut self, kept: &[KeptWrit]) -> Self {
        let what = match kept.len() {
            1 => "it".to_owned(),
            count => format!("all {count}"),
        };
        self.answers.push(Answer {
            reply: format!(
                "[/lesson]\nKEPT: the database is busy; {what} will be stored as soon as it is \
                 free\n[END LESSON]"
            ),
            is_question: false,
            lesson: None,
        });
        self
    }
}

impl Turn {
    /// Returns what there is to know of the run behind one of its writs.
    fn behind<'a>(
        &'a self,
        session: &'a Session,
        event: &'a Happening,
        written: &Written,
    ) -> Behind<'a> {
        let asked = self.answers.as_ref().or(self.forestalls.as_ref());
        Behind {
            run: &event.run,
            met: asked.and_then(|asked| met_by(asked, written.as_ref().ok()?)),
            task: session.task(),
        }
    }

    /// Returns whether what its agent read outside may have put one of its writs there.
    fn is_tainted_in(&self, session: &Session, written: &Written) -> bool {
        self.is_tainted && session.may_be_from_outside(written)
    }

    /// Returns its writs that would change something, to be carried out another time.
    #[must_use]
    pub fn kept_writs(&self, session: &Session, event: &Happening) -> Vec<KeptWrit> {
        let writs = self.writs.iter().take(limits::WRITS);
        let kept = writs.filter_map(|SpottedWrit { writ, .. }| {
            let behind = self.behind(session, event, writ);
            let is_tainted = self.is_tainted_in(session, writ);
            KeptWrit::of(writ.as_ref().ok()?, is_tainted, &behind)
        });
        kept.collect()
    }
}

impl Engine {
    /// Looks up what an event calls for, and carries its writs out.
    pub(crate) fn look(&self, session: &Session, event: &Happening, turn: &Turn) -> Result<Looked> {
        let answers = self.answers(session, event, turn)?;
        let looked = self.look_up(session, event, turn)?;
        Ok(Looked { answers, ..looked })
    }

    /// Looks up what an event calls for, and changes nothing.
    pub(crate) fn look_up(
        &self,
        session: &Session,
        event: &Happening,
        turn: &Turn,
    ) -> Result<Looked> {
        let Some(look) = &turn.look else {
            return Ok(Looked {
                question: self.unknown(session, event, turn)?,
                ..Looked::default()
            });
        };
        let now = self.clock.now();
        let asker = session
            .asker()
            .clone()
            .with_default_identities(&self.policy.asker);
        let is_new = |lesson: &Lesson| {
            let is_meant = lesson.is_recallable(now) && asker.is_targeted_by(&lesson.content);
            let was_shown = match look.moment() {
                // Its own failure brings it up again, in a later turn.
                Moment::Failure => session.was_shown_in_turn(lesson.id),
                _ => session.was_ever_shown(lesson.id),
            };
            is_meant && !was_shown
        };
        let only_new = |found: Vec<Lesson>| found.into_iter().filter(&is_new).collect();
        let about = |what, tokens| About {
            moment: look.moment(),
            what,
            tokens,
            most: self.policy.shown,
        };
        let at = At { session, event };
        Ok(match look {
            Look::Standing => {
                let mut bank: Vec<Lesson> = only_new(self.bank(event, now)?);
                // What is for somebody is for a task of theirs, and there is none yet.
                bank.retain(|it| it.content.targets.is_empty() && !self.waits_for_action(it));
                let about = About {
                    most: limits::SESSION_START_LESSONS,
                    ..about("", limits::SESSION_START_TOKENS)
                };
                let looked = self.exactly(at, &about, bank, SESSION_START_TEXT.len());
                let lessons = looked.preamble.as_deref().unwrap_or_default();
                Looked {
                    preamble: Some(format!("{SESSION_START_TEXT}{lessons}")),
                    ..looked
                }
            }
            Look::Prompt(prompt) => self.for_prompt(at, prompt, is_new)?,
            Look::Call(called) => {
                let call = call::parse_call(called);
                let naming = only_new(self.naming(event, &call)?);
                self.exactly(at, &about(&call.args_text(), usize::MAX), naming, 0)
            }
            Look::Failure(called) => {
                let about_it = self.about_failures(event, called)?;
                let warning = turn
                    .looped
                    .as_ref()
                    .map_or(0, |found| found.render_warning().len());
                let about = about(called.args.as_str(), usize::MAX);
                self.exactly(at, &about, only_new(about_it), warning)
            }
        })
    }

    fn answers(&self, session: &Session, event: &Happening, turn: &Turn) -> Result<Vec<Answer>> {
        let mut answers = Vec::new();
        for SpottedWrit { writ, .. } in turn.writs.iter().take(limits::WRITS) {
            let is_question = matches!(writ, Ok(Writ::List | Writ::Search { .. } | Writ::Show(_)));
            let behind = turn.behind(session, event, writ);
            let is_tainted = turn.is_tainted_in(session, writ);
            let agent = Principal::agent(event.scope.clone(), is_tainted);
            let done = self.acting_as(agent).answer(writ, Some(behind))?;
            answers.push(Answer {
                reply: done.reply,
                is_question,
                lesson: done.id,
            });
        }
        Ok(answers)
    }

    /// Returns what is left to ask about: troubles that no lesson is about, and that no lesson was
    /// shown for.
    fn unknown(
        &self,
        session: &Session,
        event: &Happening,
        turn: &Turn,
    ) -> Result<Option<TurnQuestion>> {
        let Some(asked) = &turn.question else {
            return Ok(None);
        };
        let now = self.clock.now();
        let reader = self.store.snapshot()?;
        let mut shown = Vec::new();
        for id in session.shown_at_calls() {
            shown.extend(reader.lesson(&event.scope.tenant, id)?);
        }
        let mut known = Vec::new();
        for trouble in asked.failures() {
            let about = reader.about_failure(&event.scope, &trouble.key)?;
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

    fn for_prompt(
        &self,
        at: At<'_>,
        prompt: &RawText,
        is_new: impl Fn(&Lesson) -> bool,
    ) -> Result<Looked> {
        let ask = at.ask(Moment::Prompt, prompt.expose());
        let (ranking, trouble) = self.ranked_to_show(&ask)?;
        // What was shown before is still in the context; what is about a failure that the prompt does
        // not speak of comes up at that failure, unless the prompt is the task that met it before.
        let ranking = pass_over(ranking, &ExclusionReason::AlreadyShown, |it| {
            !is_new(&it.lesson)
        });
        let ranking = pass_over(ranking, &ExclusionReason::WaitsForFailure, |it| {
            let is_meant = it.explanation.is_by_task
                || naming::is_topic_of_prompt(&it.lesson.content, prompt.expose());
            it.lesson.failure.is_some() && !is_meant
        });
        let waits = |it: &RankedLesson| self.waits_for_action(&it.lesson);
        let ranking = pass_over(ranking, &ExclusionReason::WaitsForAction, waits);
        let lessons = ranking.shown.iter().map(|it| &it.lesson);
        let lots = self.lots(at, Moment::Prompt, lessons);
        let recalled = self.worded(ranking, lots, trouble);
        Ok(Looked {
            recalls: vec![self.record(&ask, &recalled)],
            left: at.newly_left(&recalled.lots.left),
            held: at.newly(recalled.lots.held),
            trouble: recalled.trouble,
            ..said(recalled.preamble)
        })
    }

    /// Returns whether a lesson is to come up at the call or the failure that it names, and not before.
    fn waits_for_action(&self, lesson: &Lesson) -> bool {
        let has_action = || lesson.failure.is_some() || naming::names_action(&lesson.content);
        self.policy.show_at == ShowAt::Action && has_action()
    }

    /// Draws lots for lessons that are to be shown.
    ///
    /// What is held back once is held back all through a session, or its trouble would call for
    /// it and only the runs without trouble would count as runs without the lesson. What was shown
    /// once is in the context, and holding it back would tell nothing. What is left to later moments is
    /// held back at moments of one kind, and shown at the first of another; a failure is the last there is.
    fn lots<'a>(
        &self,
        at: At<'_>,
        moment: Moment,
        lessons: impl Iterator<Item = &'a Lesson>,
    ) -> Lots {
        let session = at.session;
        let (held, rest): (Vec<&Lesson>, Vec<&Lesson>) =
            lessons.partition(|it| session.is_held(it.id));
        let (left, rest): (Vec<&Lesson>, Vec<&Lesson>) =
            (rest.into_iter()).partition(|it| session.left_at(it.id).is_some());
        let open = (rest.into_iter()).filter(|it| !session.was_ever_shown(it.id));
        let mut lots = self.draw(Some(&at.event.run), open, moment != Moment::Failure);
        lots.held.extend(held.iter().map(|it| it.id));
        let still = left.iter().map(|it| it.id);
        lots.left
            .extend(still.filter(|it| session.left_at(*it) == Some(moment)));
        lots
    }

    /// Returns the lessons that name a call.
    fn naming(&self, event: &Happening, call: &ParsedCall) -> Result<Vec<Lesson>> {
        let lessons = self.sharing_words(event, &naming::search_words(call))?;
        Ok(lessons
            .into_iter()
            .filter(|lesson| naming::names_call(&lesson.content, call))
            .filter(|lesson| !naming::follows_advice(&lesson.content, call))
            // What has a failure of its own comes up there; before it only where the call shows it.
            .filter(|it| it.failure.is_none() || naming::call_confirms_lesson(&it.content, call))
            .collect())
    }

    /// Returns the lessons that a session begins with: the whole bank of its project while that is
    /// small, because no prompt names the tool that will fail; else the proven ones.
    fn bank(&self, event: &Happening, now: Timestamp) -> Result<Vec<Lesson>> {
        let listing = Listing {
            within: Within::Visible(event.scope.clone()),
            status: Some(StatusName::Active),
            limit: limits::SESSION_START_LESSONS + 1,
            ..Listing::default()
        };
        let reader = self.store.snapshot()?;
        let mut lessons = reader.lessons(&event.scope.tenant, &listing)?;
        if lessons.len() > limits::SESSION_START_LESSONS {
            let proven = reader.proven(&event.scope, now)?;
            lessons.retain(|it| !proven.iter().any(|known| known.id == it.id));
            lessons.extend(proven);
        }
        let margin = |it: &Lesson| it.counts.helped.saturating_sub(it.counts.harmed);
        let met = |it: &Lesson| (it.evidence.len(), it.updated);
        lessons.sort_by_key(|it| (Reverse(margin(it)), Reverse(met(it)), it.id));
        // What nobody follows or needs any more is not shown unasked.
        lessons.retain(|it| !it.is_not_followed());
        Ok(lessons)
    }

    /// Returns the lessons about what failed in a call: those of exactly this failure, then those that
    /// name its command and tell of its error.
    fn about_failures(
        &self,
        event: &Happening,
        called: &ToolCall<CleanText>,
    ) -> Result<Vec<Lesson>> {
        let call = call::parse_call(called);
        let mut lessons: Vec<Lesson> = Vec::new();
        let failures = CallFailure::all_from_call(&call, &called.status);
        for (failure, error) in failures.iter().zip(called.status.errors()) {
            let mut found = self
                .store
                .snapshot()?
                .about_failure(&event.scope, &failure.key)?;
            if found.is_empty() {
                found = self.naming_failure(event, &call, failure, error.as_str())?;
            }
            found.retain(|it| !lessons.iter().any(|known| known.id == it.id));
            lessons.extend(found);
        }
        Ok(lessons)
    }

    /// Returns the lessons that somebody wrote about such a failure, by the words they share with it.
    fn naming_failure(
        &self,
        event: &Happening,
        call: &ParsedCall,
        failure: &CallFailure,
        error: &str,
    ) -> Result<Vec<Lesson>> {
        let words = format!("{}\n{}\n{error}", naming::search_words(call), failure.label);
        let mut lessons = self.sharing_words(event, &words)?;
        // What has a failure of its own is about no other.
        let is_about = |lesson: &Lesson| {
            lesson.failure.is_none() && naming::names_failure(&lesson.content, call, failure, error)
        };
        lessons.retain(is_about);
        Ok(lessons)
    }

    /// Returns the lessons that share most words with a call or a failure.
    fn sharing_words(&self, event: &Happening, words: &str) -> Result<Vec<Lesson>> {
        let found = self.store.snapshot()?.search(&Query {
            scope: event.scope.clone(),
            terms: QueryTerms::from_prompt(words),
            limit: limits::CALL_CANDIDATES,
            now: self.clock.now(),
            near: None,
        })?;
        Ok(found.hits.into_iter().map(|hit| hit.lesson).collect())
    }

    /// Words lessons that are about just this, in the room that `taken` bytes leave.
    fn exactly(
        &self,
        at: At<'_>,
        about: &About<'_>,
        mut lessons: Vec<Lesson>,
        taken: usize,
    ) -> Looked {
        lessons.truncate(about.most);
        let room = limits::HOOK_REPLY_BYTES.saturating_sub(taken + 1);
        let budget = PreambleBudget {
            bytes: self.policy.budget.bytes.min(room),
            tokens: self.policy.budget.tokens.min(about.tokens),
        };
        let lots = self.lots(at, about.moment, lessons.iter());
        let is_shown = |it: &&Lesson| lots.why_not(it.id).is_none();
        let shown: Vec<&Lesson> = lessons.iter().filter(is_shown).collect();
        let preamble = self.render_within(&shown, budget);
        let is_silent = lots.held.is_empty() && lots.left.is_empty() && preamble.shown.is_empty();
        let recalls = match is_silent {
            true => Vec::new(),
            false => vec![self.record_of(
                &at.ask(about.moment, about.what),
                recall::exact(&lessons, &preamble.shown, &lots),
            )],
        };
        Looked {
            recalls,
            left: at.newly_left(&lots.left),
            held: at.newly(lots.held),
            ..said(preamble)
        }
    }
}

/// Where something is looked up.
#[derive(Clone, Copy)]
struct At<'a> {
    session: &'a Session,
    event: &'a Happening,
}

impl At<'_> {
    /// Returns what is asked here, and about what.
    fn ask(self, moment: Moment, what: &str) -> Ask {
        Ask {
            asker: self.session.asker().clone(),
            run: Some(self.event.run.clone()),
            client: Some(self.event.client.clone()),
            moment,
            ..Ask::new(self.event.scope.clone(), what)
        }
    }

    /// Returns those of the lessons held back that were not before.
    fn newly(self, mut held: Vec<LessonId>) -> Vec<LessonId> {
        held.retain(|it| !self.session.is_held(*it));
        held
    }

    /// Returns those of the lessons left to later moments that were not before.
    fn newly_left(self, left: &[LessonId]) -> Vec<LessonId> {
        let is_new = |it: &LessonId| self.session.left_at(*it).is_none();
        left.iter().copied().filter(is_new).collect()
    }
}

/// What lessons are about that were not ranked.
struct About<'a> {
    moment: Moment,
    /// The call, as text; nothing at the beginning of a session.
    what: &'a str,
    /// Most tokens that they may take.
    tokens: usize,
    /// How many they may be.
    most: usize,
}

fn said(preamble: Preamble) -> Looked {
    Looked {
        preamble: Some(preamble.text).filter(|text| !text.is_empty()),
        shown: preamble.shown,
        ..Looked::default()
    }
}

/// Passes over lessons that were to be shown.
fn pass_over(
    ranking: Ranking,
    why: &ExclusionReason,
    is_it: impl Fn(&RankedLesson) -> bool,
) -> Ranking {
    let found = ranking.shown.iter().filter(|it| is_it(it));
    let found: Vec<LessonId> = found.map(|it| it.lesson.id).collect();
    let pass_one = |ranking: Ranking, id| ranking.exclude(id, why.clone());
    found.into_iter().fold(ranking, pass_one)
}
