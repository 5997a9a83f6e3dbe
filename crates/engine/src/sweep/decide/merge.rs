//! Decides whether the words of a model may take the place of the lessons that it takes for one group.
//!
//! Both are a proposal, and triggers and names decide about it. No two of the lessons may be apart ([`Rift`]); as few as
//! possible stay out for that (`dissent`). A lesson is replaced only if the words come up wherever it does, name all
//! that it names, warn of what it warns of and speak of the same; any other stays as it is. They must name nothing of
//! which no lesson speaks, and turn no advice around. When a lesson is due, the words need not say: the signatures of
//! the lessons are added to their situation. What a person wrote is never replaced: then the words wait for a person.
//! The guard has its say besides.

mod complete;
mod draft;

use hardwon_redact::clean_derived;

use hardwon_core::{
    AdmittedLesson, GuardPolicy, Lesson, LessonContent, LessonId, Meaning, RawText, Status,
    Triggers, TrustClass,
    advice::{changes_ban, may_forbid},
    guard::admit_draft,
    limits,
    tokens::collect_telling_terms,
    trigger::keeps_failure,
};

use self::{complete::complete_words, draft::draft_merged};
use super::{
    dissent::{SettledGroup, settle_conflicts},
    names::{find_invented_name, join_words, list_lost_names, list_places},
    rift::{ReadLesson, Rift},
};

/// Telling terms of a lesson that words must have to speak of it, if it has so many.
const SHARED_TERMS: usize = 2;

/// Why a model's words do not take the place of a group.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeRefusal {
    /// They have too few words of a lesson for it to be found by them.
    #[error("it does not speak of what {0} says")]
    Strays(LessonId),
    /// They leave out what a lesson names.
    #[error("it leaves out `{1}`, which {0} names")]
    LosesName(LessonId, String),
    /// They would not come up where a lesson does.
    #[error("it would not come up {1}, where {0} does")]
    LosesTrigger(LessonId, String),
    /// They do not warn of what a lesson warns of.
    #[error("it does not warn of {1}, as {0} does")]
    LosesWarning(LessonId, String),
    /// There is no room for all that a lesson was learned from.
    #[error("it has no room for the evidence of all lessons")]
    LosesEvidence,
    /// They name something of which no lesson speaks.
    #[error("it names `{0}`, of which no lesson speaks")]
    Invents(String),
    /// They name no place, and each lesson does.
    #[error("it would hold everywhere, and each of them speaks of a place")]
    Widens,
    /// They contradict a lesson.
    #[error("it contradicts {0}")]
    Contradicts(LessonId),
    /// The guard does not let them through.
    #[error("the guard holds it back: {0}")]
    Guard(String),
    /// Two of the lessons may not be told as one.
    #[error("{0} and {1} {what}", what = .2.describe())]
    Apart(LessonId, LessonId, Rift),
    /// There are more lessons than one is told for.
    #[error("it would be told for {0} lessons; at most {max} are", max = limits::SWEEP_CLUSTER)]
    TooMany(usize),
    /// A lesson is told in another group already.
    #[error("{0} is in another group already")]
    Taken(LessonId),
    /// The reply is not of the form asked for.
    #[error("{0}")]
    OffForm(String),
}

/// A lesson that takes the place of others, as the guard admitted it.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedLesson {
    /// The lessons that it tells; at least two.
    pub members: Vec<LessonId>,
    /// Whether it only waits for a person, because a person wrote one of them.
    pub is_proposed: bool,
    /// What it says.
    pub admitted: Box<AdmittedLesson>,
}

/// Decides whether a model's words may take the place of a group, and of which of its lessons.
///
/// # Errors
///
/// Why they may not; then the group stays as it is.
pub fn merge_by_words(
    all: &[&Lesson],
    words: LessonContent<RawText>,
    policy: &GuardPolicy,
) -> Result<MergedLesson, MergeRefusal> {
    let read: Vec<ReadLesson<'_>> = all.iter().copied().map(ReadLesson::new).collect();
    let group = check_group(&read)?;
    let members: Vec<&ReadLesson<'_>> = group.agreeing.iter().map(|at| &read[*at]).collect();
    let is_apart = |place: &usize| !group.agreeing.contains(place);
    let apart: Vec<&ReadLesson<'_>> = (0..read.len())
        .filter(is_apart)
        .map(|at| &read[at])
        .collect();
    let own_text = words.text.clone();
    let words = complete_words(&members, &apart, words);
    // The guard cleans what is compared: first as if the words spoke of all.
    let for_all = admit_words(&members, words.clone(), policy)?;
    let sides = group.sides.iter().map(|at| &read[*at]);
    check_turns(sides.chain(members.iter().copied()), &for_all.content)?;
    let members_to_replace = select_replaced(&members, &for_all.content)?;
    let lesson = admit_words(&members_to_replace, words, policy)?;
    check_inventions(&members, &lesson.content)?;
    // With fewer lessons the words may have lost what was due because of another one.
    let mut losses = members_to_replace
        .iter()
        .filter_map(|member| find_loss(member, &lesson.content));
    match losses.next() {
        Some(loss) => Err(loss),
        None if widens(&members_to_replace, &own_text) => Err(MergeRefusal::Widens),
        None => Ok(finish_merge(&members_to_replace, lesson)),
    }
}

/// Returns the pairs of a group that cannot both hold, as far as that is not marked yet: what one warns of the other
/// advises.
pub(crate) fn find_opposites(all: &[&Lesson]) -> Vec<(LessonId, LessonId)> {
    let read: Vec<ReadLesson<'_>> = all.iter().copied().map(ReadLesson::new).collect();
    let mut pairs = Vec::new();
    for (place, one) in read.iter().enumerate() {
        let others = read.iter().skip(place + 1);
        let opposites = others.filter(|other| {
            let is_marked = one.lesson.contradicts.contains(&other.lesson.id);
            one.lesson.scope == other.lesson.scope && !is_marked && one.opposes(other)
        });
        pairs.extend(opposites.map(|other| (one.lesson.id, other.lesson.id)));
    }
    pairs
}

/// Returns whether each lesson names a place and what the words say to do names none of these: what holds there would hold
/// everywhere, whatever their situation says.
fn widens(members: &[&ReadLesson<'_>], text: &RawText) -> bool {
    let said = text.expose().to_lowercase();
    members.iter().all(|member| {
        let places = list_places(member.lesson.content.text.as_str());
        !places.is_empty() && !places.iter().any(|place| said.contains(place.as_str()))
    })
}

/// Returns which lessons may be one group, whoever says that they are.
fn check_group(all: &[ReadLesson<'_>]) -> Result<SettledGroup, MergeRefusal> {
    if all.len() > limits::SWEEP_CLUSTER {
        return Err(MergeRefusal::TooMany(all.len()));
    }
    let mut rifts = Vec::new();
    for (place, one) in all.iter().enumerate() {
        for (other_place, other) in all.iter().enumerate().skip(place + 1) {
            rifts.extend(one.find_rift(other).map(|rift| (place, other_place, rift)));
        }
    }
    let refuse = |(a, b, rift): &(usize, usize, Rift)| {
        MergeRefusal::Apart(all[*a].lesson.id, all[*b].lesson.id, *rift)
    };
    // Words that were made of what another project says may not be told in this one, whoever stays out; and where not
    // both can hold, a person decides first.
    let is_final = |rift: Rift| matches!(rift, Rift::Audience | Rift::Calls | Rift::Opposite);
    if let Some(apart) = rifts.iter().find(|(.., it)| is_final(*it)) {
        return Err(refuse(apart));
    }
    let pairs: Vec<(usize, usize)> = rifts.iter().map(|(a, b, _)| (*a, *b)).collect();
    let group = settle_conflicts(all.len(), &pairs);
    match rifts.first() {
        Some(apart) if group.agreeing.len() < 2 => Err(refuse(apart)),
        _ => Ok(group),
    }
}

/// Checks that words turn around nothing that a lesson says, whether or not they replace it.
fn check_turns<'a, 'b: 'a>(
    lessons: impl Iterator<Item = &'a ReadLesson<'b>>,
    merged: &LessonContent,
) -> Result<(), MergeRefusal> {
    let triggers = Triggers::from_content(merged);
    let meaning = Meaning::from_content(merged);
    let forbids = may_forbid(merged.text.as_str());
    let mut first = None;
    let mut turns_all = true;
    for member in lessons {
        let content = &member.lesson.content;
        let is_turned = member.forbids_advice(&triggers)
            || forbids && triggers.find_warned_of(&member.triggers).is_some();
        if is_turned || meaning.opposes(&Meaning::from_content(content)) {
            return Err(MergeRefusal::Contradicts(member.lesson.id));
        }
        // Of several that say the same, one may forbid what another puts the other way round.
        turns_all &= changes_ban(&join_words(content), merged.text.as_str());
        first = first.or(Some(member.lesson.id));
    }
    match first.filter(|_| turns_all) {
        Some(id) => Err(MergeRefusal::Contradicts(id)),
        None => Ok(()),
    }
}

/// Checks that words name nothing of which no lesson speaks.
fn check_inventions(
    members: &[&ReadLesson<'_>],
    merged: &LessonContent,
) -> Result<(), MergeRefusal> {
    let texts = members.iter().map(|row| join_words(&row.lesson.content));
    let texts = texts.collect::<Vec<_>>().join("\n");
    match find_invented_name(merged, &texts) {
        Some(name) => Err(MergeRefusal::Invents(name)),
        None => Ok(()),
    }
}

/// Selects the lessons that the words may replace.
fn select_replaced<'a, 'b>(
    members: &[&'a ReadLesson<'b>],
    merged: &LessonContent,
) -> Result<Vec<&'a ReadLesson<'b>>, MergeRefusal> {
    let (mut replaced, mut first_loss) = (Vec::new(), None);
    for member in members {
        match find_loss(member, merged) {
            None => replaced.push(*member),
            Some(loss) => first_loss = first_loss.or(Some(loss)),
        }
    }
    let is_too_few = replaced.len() < 2 || replaced.len() * 2 < members.len();
    match first_loss {
        Some(loss) if is_too_few => Err(loss),
        _ => Ok(replaced),
    }
}

/// Returns what of a lesson would be lost if words took its place; `None` if nothing.
fn find_loss(member: &ReadLesson<'_>, merged: &LessonContent) -> Option<MergeRefusal> {
    let (id, content) = (member.lesson.id, &member.lesson.content);
    let triggers = Triggers::from_content(merged);
    if let Some(name) = list_lost_names(content, &join_words(merged)).pop_first() {
        return Some(MergeRefusal::LosesName(id, name));
    }
    if let Some(what) = find_lost_warning(&triggers, member) {
        return Some(MergeRefusal::LosesWarning(id, what));
    }
    if let Some(moment) = triggers.find_lost(&member.triggers) {
        return Some(MergeRefusal::LosesTrigger(id, moment));
    }
    if member.lesson.failure.is_none() && !keeps_failure(merged, content) {
        return Some(MergeRefusal::LosesTrigger(id, "at its failure".to_owned()));
    }
    (!speaks_of(merged, content)).then_some(MergeRefusal::Strays(id))
}

/// Returns what a lesson forbids and words that come up so do not warn of.
fn find_lost_warning(triggers: &Triggers, member: &ReadLesson<'_>) -> Option<String> {
    let loss = triggers.find_unwarned(&member.triggers);
    loss.filter(|_| member.may_forbid)
}

/// Returns whether words have telling terms of what a lesson says, by which it is found.
fn speaks_of(merged: &LessonContent, content: &LessonContent) -> bool {
    let own = collect_telling_terms(content.text.as_str());
    let theirs = collect_telling_terms(&join_words(merged));
    own.intersection(&theirs).count() >= SHARED_TERMS.min(own.len())
}

/// Completes what takes the place of lessons: what a person wrote is not replaced, so then it waits for one.
fn finish_merge(replaced: &[&ReadLesson<'_>], mut admitted: AdmittedLesson) -> MergedLesson {
    let ids = |is_persons: bool| {
        let lessons = replaced.iter().map(|member| member.lesson);
        let lessons =
            lessons.filter(move |lesson| (lesson.trust.class == TrustClass::Person) == is_persons);
        lessons.map(|lesson| lesson.id)
    };
    let person = ids(true).next();
    if let Some(id) = person {
        let reason = format!("it would be told for {id} too, which a person wrote");
        admitted.status = Status::Pending {
            why: clean_derived(&reason),
        };
        admitted.supersedes = ids(false).collect();
    }
    MergedLesson {
        members: replaced.iter().map(|member| member.lesson.id).collect(),
        is_proposed: person.is_some(),
        admitted: Box::new(admitted),
    }
}

fn admit_words(
    members: &[&ReadLesson<'_>],
    words: LessonContent<RawText>,
    policy: &GuardPolicy,
) -> Result<AdmittedLesson, MergeRefusal> {
    match admit_draft(draft_merged(members, words)?, policy) {
        Ok(admitted) if admitted.status == Status::Active => Ok(*admitted),
        Ok(admitted) => Err(MergeRefusal::Guard(match admitted.status {
            Status::Pending { why } => why.to_string(),
            _ => "it may not be recalled".to_owned(),
        })),
        Err(reasons) => Err(MergeRefusal::Guard(reasons.to_string())),
    }
}

#[cfg(test)]
mod tests;
