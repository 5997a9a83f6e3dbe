//! What its own words, a call or a failure brought up before a sweep is brought up after it, by the same lesson or by one
//! that is told for it; whatever a model says.
//!
//! Among lessons that a prompt fits alike the order may change, and with it which three are shown. So after a sweep a prompt
//! is asked with as many places as there are lessons: a lesson may move down, and may not fall silent.

use std::{collections::BTreeSet, sync::Mutex};

use hardwon_core::{RawText, Status};
use hardwon_engine::{
    Desk, Engine, FixedClock, LessonContent, Model, ModelAnswer, ModelError, ModelRequest, Note,
    Policy, Principal, RecallRequest, Scope, id::LessonId,
};
use hardwon_store_suite::MemoryStore;
use jiff::Timestamp;
use proptest::{prelude::*, sample::select};

use crate::sweep::request;

const COMMANDS: [&str; 6] = [
    "pytest",
    "npm run e2e",
    "alembic upgrade head",
    "cargo bench",
    "mypy src",
    "terraform plan",
];
const ERRORS: [&str; 4] = [
    "connection refused",
    "ECONNREFUSED",
    "out of memory",
    "target is not set",
];
const REMEDIES: [&str; 4] = [
    "docker compose up -d postgres",
    "make wheel",
    "export CARGO_BUILD_JOBS=1",
    "aws sso login",
];
const FORMS: [&str; 6] = [
    "{c} ({e}) :: `{c}` fails with *{e}*. Run `{r}` first.",
    "{c} :: Run `{r}` before `{c}`.",
    " :: `{c}` needs `{r}` on this machine.",
    "{c} ({e}) :: Use `{r}` here.",
    " :: Never run `{c}` before `{r}` is done.",
    "{c} :: Run `{r}` before `{c}`. It takes 40 seconds.",
];

/// A lesson's parts by their places: command, error, remedy, form.
type Parts = (usize, usize, usize, usize);

fn write_lesson((command, error, remedy, form): Parts) -> (String, String) {
    let text = FORMS[form]
        .replace("{c}", COMMANDS[command])
        .replace("{e}", ERRORS[error])
        .replace("{r}", REMEDIES[remedy]);
    let (signature, said) = text.split_once(" :: ").unwrap();
    (signature.trim().to_owned(), said.to_owned())
}

/// What a model does with a question.
#[derive(Debug, Clone, Copy)]
enum Manner {
    /// It puts together what advises the same command, in words that name everything.
    Sensible,
    /// It puts together whatever comes, in words of its own.
    Nonsense(u64),
}

/// A model that plays a manner.
struct PlayedModel(Manner, Mutex<u64>);

impl Model for PlayedModel {
    fn complete(&self, ask: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        let lessons: Vec<String> = ask
            .prompt
            .user
            .split("LESSON ")
            .skip(1)
            .map(str::to_owned)
            .collect();
        let text = match self.0 {
            Manner::Sensible => answer_sensibly(&lessons),
            Manner::Nonsense(seed) => {
                let mut turn = self.1.lock().unwrap();
                *turn += 1;
                answer_nonsense(lessons.len(), seed.wrapping_mul(31).wrapping_add(*turn))
            }
        };
        Ok(ModelAnswer {
            text: RawText::new(text),
            tokens: None,
        })
    }
}

fn answer_sensibly(lessons: &[String]) -> String {
    let groups = REMEDIES.iter().filter_map(|remedy| {
        let members = (1..).zip(lessons);
        let members: Vec<(usize, &String)> = members
            .filter(|(_, text)| text.contains(remedy))
            .take(12)
            .collect();
        let numbers: Vec<usize> = members.iter().map(|member| member.0).collect();
        let named = |names: &[&str], mark: &str| -> String {
            let names = names
                .iter()
                .filter(|name| members.iter().any(|(_, text)| text.contains(**name)));
            let names: Vec<String> = names.map(|name| format!("{mark}{name}{mark}")).collect();
            names.join(" or ")
        };
        let never = if members.iter().any(|(_, text)| text.contains("Never")) {
            "Never run them before."
        } else {
            ""
        };
        let takes = if members.iter().any(|(_, text)| text.contains("40")) {
            "It takes 40 seconds."
        } else {
            ""
        };
        (numbers.len() > 1).then(|| {
            serde_json::json!({
                "members": numbers,
                "situation": format!("before {}", named(&COMMANDS, "`")),
                "correction": format!(
                    "When {} fails with {} on this machine, run `{remedy}` first. {never} {takes}",
                    named(&COMMANDS, "`"),
                    named(&ERRORS, "*"),
                ),
                "tags": ["setup"],
            })
        })
    });
    serde_json::json!({ "groups": groups.collect::<Vec<_>>() }).to_string()
}

fn answer_nonsense(count: usize, seed: u64) -> String {
    let pick = |salt: u64, below: usize| {
        let mixed = seed.wrapping_add(salt).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
        usize::try_from(mixed).unwrap() % below.max(1)
    };
    let words = [
        "Be careful.",
        "Run `make wheel` and `docker compose up -d postgres` first.",
        "Never run `aws sso login`.",
        "Use `rm -rf build` when it fails.",
        "It depends: `pytest`, `npm run e2e`, `mypy src`.",
    ];
    let groups = (0..4_u64).map(|group| {
        let members = (0..3).map(|member| 1 + pick(group * 7 + member, count + 1));
        serde_json::json!({
            "members": members.collect::<Vec<_>>(),
            "situation": COMMANDS[pick(group, COMMANDS.len())],
            "correction": words[pick(group + 90, words.len())],
            "tags": ["x"],
        })
    });
    match pick(99, 5) {
        0 => "I cannot help with that.".to_owned(),
        _ => serde_json::json!({ "groups": groups.collect::<Vec<_>>() }).to_string(),
    }
}

/// What may bring lessons up.
enum Probe {
    /// A prompt in the words of a lesson, and the text of that lesson.
    OwnWords(String, String),
    /// A call, and the error that it gives.
    Call(&'static str, Option<&'static str>),
}

fn list_probes(bank: &[(String, String)]) -> Vec<Probe> {
    let own = bank.iter().flat_map(|(signature, text)| {
        let prompts = [text.clone(), format!("{signature} {text}")];
        prompts.map(|prompt| Probe::OwnWords(prompt, text.clone()))
    });
    let errors = ERRORS.iter().copied().map(Some);
    let calls = COMMANDS.iter().flat_map(|command| {
        let errors = errors.clone().chain([None]);
        errors.map(|error| Probe::Call(command, error))
    });
    own.chain(calls).collect()
}

/// Returns what a probe brings up, of a prompt at most `limit` lessons.
fn ask(desk: &Desk<'_>, probe: &Probe, limit: usize) -> BTreeSet<LessonId> {
    match probe {
        Probe::OwnWords(prompt, _) => {
            let request = RecallRequest {
                limit: Some(limit),
                ..RecallRequest::new(Scope::default(), prompt.as_str())
            };
            let ranking = desk.rank_lessons(&request).unwrap();
            ranking.shown.iter().map(|shown| shown.lesson.id).collect()
        }
        Probe::Call(command, error) => {
            let error = error.map(RawText::from);
            let found = desk
                .lessons_at_call(&Scope::default(), &RawText::from(*command), error.as_ref())
                .unwrap();
            let told = found.before.iter().chain(&found.at_failure);
            told.map(|(lesson, _)| lesson.id).collect()
        }
    }
}

/// Returns what a probe brings up that it is about: at a call the lessons that name it, of a prompt the lesson whose words
/// it has.
fn ask_about(desk: &Desk<'_>, probe: &Probe) -> BTreeSet<LessonId> {
    let mut found = ask(desk, probe, Policy::default().max_shown);
    found.retain(|id| {
        let content = desk.lesson(*id).unwrap().content.clone();
        let own = [content.signature.as_str(), content.text.as_str()];
        match probe {
            Probe::OwnWords(_, text) => own[1] == text,
            Probe::Call(command, _) => own.iter().any(|text| text.contains(command)),
        }
    });
    found
}

/// Returns the lesson that is told for another one in the end.
fn find_teller(desk: &Desk<'_>, mut id: LessonId) -> LessonId {
    while let Status::Superseded { by } = desk.lesson(id).unwrap().status {
        id = by;
    }
    id
}

/// Sweeps a bank three times, and returns how many lessons left and what is not brought up any more.
fn sweep_bank(bank: &[Parts], manner: Option<Manner>) -> (usize, Vec<String>) {
    let clock = FixedClock(Timestamp::from_second(1_000).unwrap());
    let engine = Engine::new(
        Box::new(MemoryStore::new()),
        Policy::default(),
        Box::new(clock),
    );
    let texts: Vec<(String, String)> = bank.iter().copied().map(write_lesson).collect();
    for (place, (signature, text)) in texts.iter().enumerate() {
        let who = match place % 5 {
            4 => Principal::person(Scope::default()),
            _ => Principal::agent(Scope::default(), false),
        };
        let note = Note::new(LessonContent::new(signature.as_str(), text.as_str()));
        engine.acting_as(who).note(note).unwrap();
    }
    let desk = crate::person(&engine);
    let probes = list_probes(&texts);
    let before: Vec<BTreeSet<LessonId>> =
        probes.iter().map(|probe| ask_about(&desk, probe)).collect();
    let mut retired = 0;
    for _ in 0..3 {
        let model = manner.map(|manner| PlayedModel(manner, Mutex::new(0)));
        let asked = request(model.as_ref().map(|model| model as &dyn Model));
        let planned = desk
            .under_sweep_lease(None, |lease| desk.plan_sweep(&asked, Some(lease)))
            .unwrap();
        let done = desk
            .apply_sweep(&planned.plan, &planned.within, None)
            .unwrap();
        retired += done.retired.len();
    }
    let mut lost = Vec::new();
    for (probe, ids) in probes.iter().zip(&before) {
        let now = ask(&desk, probe, bank.len());
        for id in ids {
            let teller = find_teller(&desk, *id);
            if !now.contains(&teller) {
                let text = desk.lesson(teller).unwrap().content.clone();
                let asked = match probe {
                    Probe::OwnWords(prompt, _) => prompt.clone(),
                    Probe::Call(command, error) => format!("{command} {error:?}"),
                };
                let own = desk.lesson(*id).unwrap().content.clone();
                lost.push(format!("{asked}: {id} {own:?}, told by {teller} {text:?}"));
            }
        }
    }
    (retired, lost)
}

fn arbitrary_bank() -> impl Strategy<Value = Vec<Parts>> {
    let parts = (
        0..COMMANDS.len(),
        0..ERRORS.len(),
        0..REMEDIES.len(),
        0..FORMS.len(),
    );
    prop::collection::vec(parts, 4..16)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_without_a_model(bank in arbitrary_bank()) {
        let (_, lost) = sweep_bank(&bank, None);
        prop_assert_eq!(lost, Vec::<String>::new());
    }

    #[test]
    fn nothing_is_lost_with_a_sensible_model(bank in arbitrary_bank()) {
        let (_, lost) = sweep_bank(&bank, Some(Manner::Sensible));
        prop_assert_eq!(lost, Vec::<String>::new());
    }

    #[test]
    fn nothing_is_lost_with_a_model_that_answers_nonsense(
        bank in arbitrary_bank(),
        seed in select(&[1, 2, 3, 4, 5, 6, 7, 8_u64][..]),
    ) {
        let (_, lost) = sweep_bank(&bank, Some(Manner::Nonsense(seed)));
        prop_assert_eq!(lost, Vec::<String>::new());
    }
}

/// A property that holds because nothing is ever merged would say nothing.
#[test]
fn a_sensible_model_has_lessons_merged() {
    let bank = [
        (3, 2, 1, 2),
        (4, 2, 1, 2),
        (3, 2, 1, 1),
        (4, 3, 1, 1),
        (0, 0, 0, 0),
    ];
    let (retired, lost) = sweep_bank(&bank, Some(Manner::Sensible));
    assert_eq!(lost, Vec::<String>::new());
    assert!(retired >= 2, "{retired}");
}
