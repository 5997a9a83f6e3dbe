//! Tests of what each principal may do, against a second model of the rules.

use hardwon_core::{AgentId, Lesson, LessonId, ProjectId, Status, TenantId, Trust, TrustClass};
use hardwon_engine::{
    AccessError, Desk, Engine, Error, FixedClock, LessonContent, LessonEdit, Note, Opinion, Policy,
    Principal, Rights, Scope, Visibility, store::LessonListing,
};
use hardwon_store_suite::MemoryStore;
use proptest::prelude::*;

use crate::person;

/// Scopes of lessons and principals: two tenants, two agents, projects and none.
fn place(number: usize) -> Scope {
    let project = ["shop", "mill", ""][number % 3];
    Scope {
        tenant: TenantId::parse(["t", "u"][number / 6 % 2]).unwrap(),
        agent: AgentId::parse(["a", "b"][number / 3 % 2]).unwrap(),
        project: ProjectId::parse(project).ok(),
    }
}

const PLACES: usize = 12;

/// The state of a lesson, by its number.
const STATES: [&str; 3] = ["active", "pending", "archived"];

/// Writes a lesson of each state and of each of two authors in each scope.
fn plant(engine: &Engine) {
    for number in 0..PLACES {
        for (kind, class) in [TrustClass::Person, TrustClass::Agent]
            .into_iter()
            .enumerate()
        {
            for state in STATES {
                let owner = Principal::person(place(number));
                let author = Principal {
                    trust: Trust::untainted(class),
                    ..owner.clone()
                };
                let words = format!("Turn the {state} valve {number} before pump {kind}.");
                let mut content = LessonContent::new(format!("valve {number}"), words);
                content.tags = vec!["valve".into()];
                let note = Note::new(content);
                let id = engine.acting_as(author).note(note).unwrap().id().unwrap();
                let desk = engine.acting_as(owner);
                match state {
                    "pending" => drop(desk.hold_for_review(id, &"why".into()).unwrap()),
                    "archived" => drop(desk.archive_lesson(id, &"why".into()).unwrap()),
                    _ => {}
                }
            }
        }
    }
}

/// What a principal may try to do with a lesson.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Read,
    Report,
    ArchiveWithinTrust,
    Hold,
    Archive,
    Approve,
    Revise,
    Relocate,
    History,
    Erase,
}

impl Verb {
    fn right(self) -> Rights {
        match self {
            Self::Read => Rights::Read,
            Self::Report | Self::ArchiveWithinTrust | Self::Hold | Self::Revise => Rights::Write,
            Self::Erase => Rights::Erase,
            _ => Rights::Curate,
        }
    }

    fn do_to(self, desk: &Desk<'_>, id: LessonId) -> hardwon_engine::Result<()> {
        let why = &"because".into();
        let edit = LessonEdit {
            text: Some("Open the sluice first.".into()),
            ..LessonEdit::default()
        };
        match self {
            Self::Read => desk.lesson(id).map(drop),
            Self::Report => desk.report_opinion(id, Opinion::Wrong).map(drop),
            Self::ArchiveWithinTrust => desk.archive_within_trust(id, why).map(drop),
            Self::Hold => desk.hold_for_review(id, why).map(drop),
            Self::Archive => desk.archive_lesson(id, why).map(drop),
            Self::Approve => desk.approve_lesson(id, None).map(drop),
            Self::Revise => desk.revise_lesson(id, &edit).map(drop),
            Self::Relocate => desk.relocate_lesson(id, None).map(drop),
            Self::History => desk.history(id).map(drop),
            Self::Erase => desk.erase_lesson(id),
        }
    }
}

/// The rules again, in their simplest form.
struct Model<'a>(&'a Principal);

impl Model<'_> {
    fn sees(&self, scope: &Scope) -> bool {
        let own = &self.0.scope;
        let is_same_agent = scope.agent == own.agent;
        let is_near = scope.project.is_none() || scope.project == own.project;
        let is_far_enough = match self.0.visibility {
            Visibility::Tenant => true,
            Visibility::Agent => is_same_agent,
            Visibility::Project => is_same_agent && is_near,
            Visibility::EveryAgent => scope.project == own.project || is_same_agent && is_near,
        };
        scope.tenant == own.tenant && is_far_enough
    }

    /// Returns why a verb is refused, if the rules say so.
    fn refuses(&self, verb: Verb, lesson: &Lesson) -> Option<AccessError> {
        let waits = matches!(lesson.status, Status::Pending { .. });
        let is_curator = self.0.rights >= Rights::Curate;
        if !self.sees(&lesson.scope) {
            return Some(AccessError::NotFound(lesson.id));
        }
        if self.0.rights < verb.right() {
            return Some(AccessError::MissingRight(verb.right()));
        }
        let is_reading = matches!(verb, Verb::Read);
        (waits && !is_curator && !is_reading).then_some(AccessError::AwaitsReview(lesson.id))
    }

    /// Returns whether this principal's trust is too low for a verb on a lesson.
    fn is_beneath(&self, verb: Verb, lesson: &Lesson) -> bool {
        matches!(verb, Verb::ArchiveWithinTrust | Verb::Hold | Verb::Revise)
            && !self.0.trust.is_at_least(lesson.trust)
    }
}

fn principals() -> impl Strategy<Value = Principal> {
    let reach = prop_oneof![
        Just(Visibility::Project),
        Just(Visibility::EveryAgent),
        Just(Visibility::Agent),
        Just(Visibility::Tenant)
    ];
    let rights = prop_oneof![
        Just(Rights::Read),
        Just(Rights::Write),
        Just(Rights::Curate),
        Just(Rights::Erase)
    ];
    let class = prop_oneof![Just(TrustClass::Person), Just(TrustClass::Agent)];
    (0..PLACES, reach, rights, class, any::<bool>()).prop_map(
        |(number, reach, rights, class, tainted)| Principal {
            visibility: reach,
            rights,
            trust: Trust { class, tainted },
            ..Principal::person(place(number))
        },
    )
}

fn verbs() -> impl Strategy<Value = Verb> {
    prop_oneof![
        Just(Verb::Read),
        Just(Verb::Report),
        Just(Verb::ArchiveWithinTrust),
        Just(Verb::Hold),
        Just(Verb::Archive),
        Just(Verb::Approve),
        Just(Verb::Revise),
        Just(Verb::Relocate),
        Just(Verb::History),
        Just(Verb::Erase),
    ]
}

fn all_lessons(engine: &Engine) -> Vec<Lesson> {
    let owners = [place(0), place(6)].map(Principal::person);
    let found = owners.map(|owner| engine.acting_as(owner).lessons(&LessonListing::default()));
    found.into_iter().flat_map(|page| page.unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn nobody_does_more_than_the_rules_allow(
        acts in proptest::collection::vec((principals(), verbs(), 0..72_usize), 40..80)
    ) {
        let clock = Box::new(FixedClock("2026-03-02T09:00:00Z".parse().unwrap()));
        let engine = Engine::new(Box::new(MemoryStore::new()), Policy::default(), clock);
        plant(&engine);
        for (who, verb, which) in acts {
            let before = all_lessons(&engine);
            let Some(lesson) = before.get(which) else { continue };
            let model = Model(&who);
            let desk = engine.acting_as(who.clone());
            // Numbers belong to a tenant: another's lesson may have the same one.
            let own = before.iter().find(|it| {
                it.id == lesson.id && it.scope.tenant == who.scope.tenant
            });
            let outcome = verb.do_to(&desk, lesson.id);
            let refused = match own {
                Some(own) => model.refuses(verb, own),
                // The owner of the tenant may read the journal of a lesson that does not exist.
                None if matches!(verb, Verb::History) && who.visibility == Visibility::Tenant => {
                    (who.rights < Rights::Curate).then_some(AccessError::MissingRight(Rights::Curate))
                }
                None => Some(AccessError::NotFound(lesson.id)),
            };
            let is_beneath = own.is_some_and(|own| model.is_beneath(verb, own));
            match (&outcome, refused) {
                (Err(Error::Denied(got)), Some(expected)) => prop_assert_eq!(*got, expected),
                (_, Some(expected)) => prop_assert!(false, "{verb:?}: {outcome:?}, not {expected:?}"),
                (Ok(()), None) => prop_assert!(!is_beneath, "{verb:?} of {who:?}"),
                (Err(Error::Curation(_)), None) => {}
                // The guard lets no tainted principal activate words.
                (Err(Error::RejectedByGuard(_)), None) => prop_assert!(who.trust.tainted),
                (Err(_), None) => prop_assert!(false, "{verb:?}: {outcome:?}"),
            }
            if outcome.is_err() || matches!(verb, Verb::Read | Verb::History) {
                prop_assert_eq!(all_lessons(&engine), before, "{:?} changed something", verb);
            }
        }
    }

    #[test]
    fn a_listing_holds_what_is_in_sight_and_no_words_that_are_not(who in principals()) {
        let clock = Box::new(FixedClock("2026-03-02T09:00:00Z".parse().unwrap()));
        let engine = Engine::new(Box::new(MemoryStore::new()), Policy::default(), clock);
        plant(&engine);
        let model = Model(&who);
        // Of a project, a list has what any agent learned there.
        let is_listed = |scope: &Scope| {
            who.visibility != Visibility::EveryAgent || scope.project == who.scope.project
        };
        let expected: Vec<LessonId> = all_lessons(&engine).iter()
            .filter(|it| model.sees(&it.scope) && is_listed(&it.scope))
            .map(|it| it.id)
            .collect();
        let listed = engine.acting_as(who.clone()).lessons(&LessonListing::default()).unwrap();
        let ids: Vec<LessonId> = listed.iter().map(|it| it.id).collect();
        prop_assert_eq!(ids, expected);
        for lesson in &listed {
            let may_read = who.rights >= Rights::Curate || lesson.status == Status::Active;
            prop_assert_eq!(!lesson.content.text.is_blank(), may_read);
        }
        // Nor can they be guessed by searching for them.
        let probe = LessonListing { search_text: "pending valve".to_owned(), ..LessonListing::default() };
        let tagged = LessonListing { tag: Some("valve".to_owned()), ..LessonListing::default() };
        for probe in [probe, tagged] {
            let found = engine.acting_as(who.clone()).lessons(&probe).unwrap();
            let is_seen = found.iter().all(|it| it.status == Status::Active);
            prop_assert!(who.rights >= Rights::Curate || is_seen);
        }
    }
}

#[test]
fn what_was_searched_for_comes_first() {
    let clock = Box::new(FixedClock("2026-03-02T09:00:00Z".parse().unwrap()));
    let engine = Engine::new(Box::new(MemoryStore::new()), Policy::default(), clock);
    let desk = person(&engine);
    for (signature, text) in [
        ("", "The binaries of bc and dc are not found in the image."),
        ("bc not found", "Install it first."),
        ("calc", "When bc not found is what you read, install bc."),
        ("", "A bcc that was not found is founded anew."),
    ] {
        let note = Note::new(LessonContent::new(signature, text));
        desk.note(note).unwrap();
    }
    let search = LessonListing {
        search_text: "BC not found".to_owned(),
        limit: 10,
        ..LessonListing::default()
    };
    let order: Vec<i64> = desk
        .search_words(&search)
        .unwrap()
        .iter()
        .map(|hit| hit.id.0)
        .collect();
    assert_eq!(order, [2, 3, 1, 4]);
}
