//! What principals do in `isolation`, drawn at random, and what they are answered.

use std::fmt::Debug;

use fastrand::Rng;
use hardwon_clients::transcript::plain;
use hardwon_core::{LessonId, RunId, RunStatus, Scope, Trust, TrustClass, limits, writ};
use hardwon_engine::{
    Desk, Error, FileSessions, LessonEdit, Note, Opinion, Principal, RecallRequest, Visibility,
    access::Rights,
};
use hardwon_store::{JudgementListing, LessonListing, RecallListing, ScopeFilter};
use jiff::Timestamp;

use super::{TENANTS, name_tenant};
use crate::simulate::{
    agent::{self, PLACES, SimVoice},
    world::describe_answer,
};

/// A step in so many erases a whole tenant.
const ERASED_ONCE_IN: u64 = 400;

/// What a principal does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IsolationVerb {
    Note,
    Recall,
    Explain,
    Show,
    List,
    Search,
    Count,
    Judge,
    Approve,
    Hold,
    Archive,
    Revise,
    Erase,
    History,
    ReadJournal,
    VerifyJournal,
    MeasureEffects,
    ListRecalls,
    ListWaiting,
    Relate,
    Writ,
    LearnRun,
    EndRun,
    Flush,
    EraseTenant,
}

/// Each as often as it is named here.
const VERBS: [IsolationVerb; 34] = {
    use IsolationVerb as V;
    [
        V::Note,
        V::Note,
        V::Note,
        V::Recall,
        V::Recall,
        V::Recall,
        V::Recall,
        V::Recall,
        V::Explain,
        V::Show,
        V::Show,
        V::List,
        V::Search,
        V::Count,
        V::Judge,
        V::Judge,
        V::Approve,
        V::Approve,
        V::Hold,
        V::Archive,
        V::Revise,
        V::Erase,
        V::History,
        V::ReadJournal,
        V::VerifyJournal,
        V::MeasureEffects,
        V::ListRecalls,
        V::ListWaiting,
        V::Relate,
        V::Writ,
        V::LearnRun,
        V::EndRun,
        V::EndRun,
        V::Flush,
    ]
};

/// Who does what, to which lesson.
#[derive(Debug)]
pub(super) struct IsolationStep {
    pub(super) number: u64,
    pub(super) tenant: usize,
    pub(super) place: usize,
    pub(super) principal: Principal,
    verb: IsolationVerb,
    pub(super) lesson: LessonId,
    pub(super) run: RunId,
    /// What texts are drawn from: the same words in every tenant, now and then.
    pub(super) words: u64,
    pub(super) pause_ms: i64,
}

impl IsolationStep {
    pub(super) fn draw(random: &mut Rng, number: u64) -> Self {
        let (tenant, place) = (random.usize(..TENANTS), random.usize(..PLACES.len()));
        let verb = match random.u64(..ERASED_ONCE_IN) {
            0 => IsolationVerb::EraseTenant,
            _ => VERBS[random.usize(..VERBS.len())],
        };
        Self {
            number,
            tenant,
            place,
            principal: draw_principal(random, tenant, place),
            verb,
            lesson: LessonId(random.i64(1..200)),
            run: RunId::parse(&format!("run-{}", random.u8(..40))).expect("a name"),
            words: random.u64(..2000),
            pause_ms: random.i64(0..60_000),
        }
    }
}

fn draw_principal(random: &mut Rng, tenant: usize, place: usize) -> Principal {
    let visibility = [Visibility::Project, Visibility::Agent, Visibility::Tenant];
    let rights = [Rights::Read, Rights::Write, Rights::Curate, Rights::Erase];
    let classes = [TrustClass::Person, TrustClass::Agent, TrustClass::Distilled];
    let scope = Scope {
        tenant: name_tenant(tenant),
        ..agent::scope_of_place(place)
    };
    Principal {
        visibility: visibility[random.usize(..visibility.len())],
        rights: rights[random.usize(..rights.len())],
        trust: Trust::new(classes[random.usize(..classes.len())], random.u8(..8) == 0),
        ..Principal::person(scope)
    }
}

/// Everything that was answered to a step.
#[derive(Debug)]
pub(super) struct IsolationAnswer {
    pub(super) text: String,
    pub(super) is_refused: bool,
    pub(super) shown: u64,
}

impl IsolationAnswer {
    fn of<T: Debug>(answer: Result<T, Error>) -> Self {
        Self {
            is_refused: answer.is_err(),
            text: describe_answer(&answer),
            shown: 0,
        }
    }
}

pub(super) fn play_verb(
    desk: &Desk<'_>,
    step: &IsolationStep,
    mut voice: SimVoice<'_>,
) -> IsolationAnswer {
    use IsolationAnswer as Answer;
    let why = &"because".into();
    let id = step.lesson;
    match step.verb {
        IsolationVerb::Note => Answer::of(desk.note(Note::new(voice.compose_note().0))),
        IsolationVerb::Recall => play_recall(desk, step, voice),
        IsolationVerb::Explain => Answer::of(desk.explain_recall(&draw_request(step, voice))),
        IsolationVerb::Show => Answer::of(desk.lesson(id)),
        IsolationVerb::List => Answer::of(desk.lessons(&draw_listing(step))),
        IsolationVerb::Search => Answer::of(desk.search_words(&LessonListing {
            search_text: voice.compose_prompt(),
            ..draw_listing(step)
        })),
        IsolationVerb::Count => Answer::of(
            desk.count_waiting()
                .and_then(|waiting| Ok((waiting, desk.scopes()?, desk.count_entries()?))),
        ),
        IsolationVerb::Judge => {
            let opinions = [Opinion::Helped, Opinion::Wrong];
            Answer::of(desk.report_opinion(id, opinions[usize::from(step.words.is_multiple_of(3))]))
        }
        IsolationVerb::Approve => Answer::of(desk.approve_lesson(id, None)),
        IsolationVerb::Hold => Answer::of(desk.hold_for_review(id, why)),
        IsolationVerb::Archive => Answer::of(desk.archive_within_trust(id, why)),
        IsolationVerb::Revise => Answer::of(desk.revise_lesson(
            id,
            &LessonEdit {
                text: Some(voice.compose_note().0.text),
                ..LessonEdit::default()
            },
        )),
        IsolationVerb::Erase => Answer::of(desk.erase_lesson(id)),
        IsolationVerb::History => Answer::of(desk.history(id)),
        IsolationVerb::ReadJournal => Answer::of(desk.journal(step.words)),
        IsolationVerb::VerifyJournal => Answer::of(desk.audit_journal()),
        IsolationVerb::MeasureEffects => {
            Answer::of(desk.measure_effects_within(&draw_filter(step)))
        }
        IsolationVerb::ListRecalls => {
            let recalls = desk.recalls(&RecallListing {
                within: draw_filter(step),
                limit: 20,
                ..RecallListing::default()
            });
            Answer::of(
                recalls.and_then(|recall| {
                    Ok((recall, desk.judgements(&JudgementListing::default())?))
                }),
            )
        }
        IsolationVerb::ListWaiting => {
            Answer::of(desk.waiting_lessons(&draw_filter(step), LessonId(0), limits::PAGE_ROWS))
        }
        IsolationVerb::Relate => Answer::of(desk.lesson(id).and_then(|lesson| {
            Ok((
                desk.related_lessons(&lesson)?,
                desk.lineage(&lesson)?,
                desk.contradictions(&lesson)?,
            ))
        })),
        IsolationVerb::Writ => play_writ(desk, step, voice),
        IsolationVerb::LearnRun => play_run(desk, step, voice),
        IsolationVerb::EndRun => {
            let ends = [RunStatus::Completed, RunStatus::Failed];
            Answer::of(desk.report_run_end(
                &step.run,
                ends[usize::from(step.words.is_multiple_of(2))],
                None,
            ))
        }
        IsolationVerb::Flush => Answer::of(desk.flush_recalls(Timestamp::MIN)),
        IsolationVerb::EraseTenant => Answer::of(desk.erase_tenant()),
    }
}

fn draw_request(step: &IsolationStep, mut voice: SimVoice<'_>) -> RecallRequest {
    RecallRequest {
        limit: Some(3),
        run: Some(step.run.clone()),
        ..RecallRequest::new(step.principal.scope.clone(), voice.compose_prompt())
    }
}

fn play_recall(desk: &Desk<'_>, step: &IsolationStep, voice: SimVoice<'_>) -> IsolationAnswer {
    let recalled = desk.recall(&draw_request(step, voice));
    IsolationAnswer {
        shown: recalled
            .as_ref()
            .map_or(0, |recall| recall.preamble.shown.len() as u64),
        ..IsolationAnswer::of(recalled)
    }
}

fn play_writ(desk: &Desk<'_>, step: &IsolationStep, mut voice: SimVoice<'_>) -> IsolationAnswer {
    let (text, _) = voice.compose_writ(step.lesson.0);
    let done: Result<Vec<_>, Error> = writ::parse(&text)
        .into_iter()
        .map(|spotted| desk.run_writ(&spotted.writ))
        .collect();
    IsolationAnswer::of(done)
}

fn play_run(desk: &Desk<'_>, step: &IsolationStep, mut voice: SimVoice<'_>) -> IsolationAnswer {
    let name = format!("live-{}", step.number);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sessions = FileSessions::new(folder.path());
    let mut live = desk.follow_run(RunId::parse(&name).expect("a name"), &sessions);
    let nudges: Result<Vec<_>, Error> = voice
        .compose_session(&name)
        .iter()
        .map(|line| {
            live.observe_event(plain::parse_event(&line.to_string()).expect("a plain trace"))
        })
        .collect();
    IsolationAnswer::of(nudges)
}

fn draw_listing(step: &IsolationStep) -> LessonListing {
    LessonListing {
        within: draw_filter(step),
        limit: 20,
        ..LessonListing::default()
    }
}

fn draw_filter(step: &IsolationStep) -> ScopeFilter {
    let scope = step.principal.scope.clone();
    match step.words % 5 {
        0 => ScopeFilter::Tenant,
        1 => ScopeFilter::Agent(scope.agent),
        2 => ScopeFilter::Project(scope.project),
        3 => ScopeFilter::Scope(scope),
        _ => ScopeFilter::Visible(scope),
    }
}
