//! Says in words when a lesson comes up.

use std::iter;

use crate::lesson::{Lesson, Status};

use super::{
    CallActs, Occasion, Sign, Trigger, TriggerKind, Triggers,
    act::FileUse,
    call_from_text,
    command::{CommandForm, forms_of_word, split_old_name},
    signature::Signature,
};

/// What is said of a convention, and of every lesson while its project has few.
pub const AT_START: &str = "at a session's start";

/// Returns when a lesson comes up, each moment in a few words, if its advice is too broad for the calls of a project.
pub fn describe_moments_if_broad(lesson: &Lesson) -> Vec<String> {
    let triggers = Triggers::from_content(&lesson.content);
    let mut moments = list_moments(lesson);
    for moment in triggers.other_ways().filter_map(Trigger::other_way) {
        moments.retain(|known| *known != moment);
        moments.push(format!(
            "not {moment}, as too many of this project's calls are"
        ));
    }
    moments_in_state(&lesson.status, moments)
}

/// Returns when a lesson comes up, each moment in a few words. One that is out of use comes up at no time.
pub fn describe_moments(lesson: &Lesson) -> Vec<String> {
    moments_in_state(&lesson.status, list_moments(lesson))
}

fn moments_in_state(status: &Status, mut moments: Vec<String>) -> Vec<String> {
    match status {
        Status::Active => moments,
        Status::Pending { .. } | Status::Quarantined { .. } => {
            moments[0].insert_str(0, "then ");
            moments.insert(0, "at no time until it is approved".to_owned());
            moments
        }
        Status::Superseded { .. } | Status::Archived { .. } => {
            vec![format!("at no time: it is {}", status.word())]
        }
    }
}

/// Returns when a lesson comes up while it is in use: once at least.
fn list_moments(lesson: &Lesson) -> Vec<String> {
    let triggers = Triggers::from_content(&lesson.content);
    let is_kept_from_calls = lesson.content.is_kept_from_calls();
    let mut moments = match lesson.failure {
        _ if is_kept_from_calls && triggers.all.is_empty() => vec!["at no call".to_owned()],
        _ if is_kept_from_calls => triggers.describe(),
        Some(_) => {
            let failing = "when this fails".to_owned();
            let extras = triggers.due().filter(|due| due.is_added);
            let extras = extras.filter_map(|due| triggers.moment_of(due));
            let moments = triggers.confirmed_moment().into_iter().chain([failing]);
            moments.chain(extras).collect()
        }
        None => triggers.describe(),
    };
    if lesson.failure.is_none() && triggers.is_empty() && !is_kept_from_calls {
        moments.insert(0, AT_START.to_owned());
    }
    moments.push("for tasks about its words".to_owned());
    if lesson.holds_calls(false) && !is_kept_from_calls {
        moments.push("holds the first call that it warns of".to_owned());
    }
    moments
}

/// Lines of a call of which one may be what a lesson names: the tool and its first arguments.
const TOLD_LINES: usize = 4;

/// Returns the moment at which a call, of which only the [text](crate::trace::call::ParsedCall) is kept, brings a lesson up:
/// "before `npm test`".
pub fn describe_occasion(lesson: &Lesson, call_text: &str) -> Option<String> {
    let triggers = Triggers::from_content(&lesson.content);
    let lines = call_text.lines().take(TOLD_LINES);
    let values = lines.map(|line| line.split_once(": ").map_or(line, |(_, value)| value));
    iter::once(call_text).chain(values).find_map(|what| {
        let call = call_from_text(what);
        let acts = CallActs::from_call(&call);
        match triggers.occasion(&acts, &call, lesson.failure.is_some()) {
            Occasion::Due(_, moment) => Some(moment),
            _ => None,
        }
    })
}

impl Triggers {
    /// Returns the call before which a lesson about a failure comes up, if the call alone shows that it would fail.
    fn confirmed_moment(&self) -> Option<String> {
        let call = call_from_text(&self.signature.head);
        self.confirmed_signature(&CallActs::from_call(&call), &call)?
            .1
    }

    /// Returns the moment that the signature names.
    fn signature_moment(&self) -> Option<String> {
        let Signature {
            head, error, path, ..
        } = &self.signature;
        let call = call_from_text(head);
        let is_expected = self.signature.is_expected(&call, self.prepares);
        match (path, error) {
            (_, Some(error)) if !is_expected => {
                Some(format!("when {} fails with {}", quote(head), quote(error)))
            }
            (Some(path), _) => Trigger {
                sign: Sign::About,
                what: TriggerKind::Path(path.clone()),
                is_added: false,
            }
            .moment(),
            _ if self.signature.is_plausible() => Some(format!("before `{head}`")),
            _ => (self.signature.may_be_in_error())
                .then(|| format!("when a call fails with {}", quote(head))),
        }
    }

    /// Returns the moments at which the lesson comes up, each in a few words: "before `npm test`". None for a convention.
    pub fn describe(&self) -> Vec<String> {
        let mut moments: Vec<String> = Vec::new();
        moments.extend(self.signature_moment());
        moments.extend(self.due().filter_map(|due| self.moment_of(due)));
        // Where a rule names when it is due, another program in place of one that it advises is not what it is about.
        let is_named = !moments.is_empty();
        let others = self
            .other_ways()
            .filter(|advised| !is_named || !advised.has_peers());
        moments.extend(others.filter_map(Trigger::other_way));
        let mut distinct = std::collections::HashSet::new();
        moments.retain(|moment| distinct.insert(moment.clone()));
        moments
    }
}

impl Triggers {
    /// Returns the moment at which a name is due, in the words of the rule: what the signature names in another form is
    /// told as the signature has it.
    pub(super) fn moment_of(&self, due: &Trigger) -> Option<String> {
        match (&due.what, &self.signature.command) {
            (TriggerKind::Command(form), Some(own))
                if self.signature.is_plausible() && form.is_within(own) && own.is_within(form) =>
            {
                Some(format!("before `{}`", self.signature.head))
            }
            _ => due.moment(),
        }
    }
}

impl Trigger {
    /// Returns the moment at which it is due.
    pub(super) fn moment(&self) -> Option<String> {
        Some(match &self.what {
            TriggerKind::Path(path) => {
                let use_text = match path.least {
                    FileUse::Reads => "read or changed",
                    FileUse::Uses => "used or changed",
                    FileUse::Changes => "changed",
                };
                format!("when {} is {use_text}", self.what.name()?)
            }
            TriggerKind::Text(_) => format!("where {} is written", self.what.name()?),
            TriggerKind::Command(form) if form.is_lone_word() => {
                let name = self.what.name()?;
                format!("before {name} or where it is written")
            }
            TriggerKind::Option { .. } => format!("before a call with {}", self.what.name()?),
            _ => format!("before {}", self.what.name()?),
        })
    }

    /// Returns the moment at which what it advises is done in another way.
    pub(super) fn other_way(&self) -> Option<String> {
        match &self.what {
            TriggerKind::Command(form) => form.other_way(),
            TriggerKind::Program(program) => {
                let peers: Vec<String> = super::alike::peers_of(program)
                    .map(|peer| format!("`{peer}`"))
                    .collect();
                (!peers.is_empty()).then(|| format!("before {}", peers.join(", ")))
            }
            _ => None,
        }
    }

    /// Returns whether that moment is a call of other programs, which the rule need not name.
    fn has_peers(&self) -> bool {
        match &self.what {
            TriggerKind::Command(form) => {
                form.inner.is_empty() && super::alike::peers_of(&form.program).next().is_some()
            }
            TriggerKind::Program(_) => true,
            _ => false,
        }
    }

    /// Returns the calls that are that moment.
    pub(super) fn other_calls(&self) -> Vec<TriggerKind> {
        match &self.what {
            TriggerKind::Command(form) => {
                let calls = form.other_calls().into_iter();
                calls.map(TriggerKind::Command).collect()
            }
            TriggerKind::Program(program) => super::alike::peers_of(program)
                .map(|peer| TriggerKind::Program(peer.to_owned()))
                .collect(),
            _ => Vec::new(),
        }
    }
}

impl CommandForm {
    fn other_way(&self) -> Option<String> {
        let whole = self.typed();
        if let Some(inner) = self.inner.first() {
            return Some(format!("before `{}` that is not `{whole}`", inner.program));
        }
        let own = self.has_extras().then(|| {
            let bare = self.with_program(&self.path).typed();
            format!("`{bare}` that is not `{whole}`")
        });
        let bare = self.bare_program().map(quote);
        let peers = super::alike::peers_of(&self.program)
            .map(|peer| quote(&self.with_program(peer).typed()));
        let ways: Vec<String> = bare.into_iter().chain(peers).chain(own).collect();
        (!ways.is_empty()).then(|| format!("before {}", ways.join(", ")))
    }

    /// Returns the command as one would type it: a word that is kept in several forms, in the first.
    pub(super) fn typed(&self) -> String {
        let mut typed = self.path.clone();
        let is_in_name = split_old_name(&self.path).is_some();
        let mut words = &self.words[usize::from(is_in_name)..];
        while let [word, rest @ ..] = words {
            typed.push_str(if self.is_npm_script(word) {
                " run "
            } else {
                " "
            });
            typed.push_str(word);
            let forms = forms_of_word(&self.program, word);
            let others = forms.get(1..).unwrap_or_default();
            words = rest.strip_prefix(others).unwrap_or(rest);
        }
        typed
    }
}

impl TriggerKind {
    /// Returns what it names, in back-ticks; `None` of a word of which it is not known what it is.
    pub(super) fn name(&self) -> Option<String> {
        Some(match self {
            Self::Word(_) if !self.is_known() => return None,
            Self::Command(form) => quote(&form.typed()),
            Self::Program(name) | Self::Word(name) | Self::Option { name, .. } => quote(name),
            Self::Path(path) => quote(&path.text),
            Self::Tool(name) => format!("the tool {}", quote(name)),
            Self::Act(act) => act.name().to_owned(),
            Self::Text(text) => quote(text),
        })
    }
}

/// Returns a name in back-ticks, on one line and cut: it may be anything that somebody wrote.
fn quote(name: &str) -> String {
    const CHARS: usize = 80;
    let words: Vec<&str> = name.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(CHARS) {
        Some((end, _)) => format!("`{}…`", &line[..end]),
        None => format!("`{line}`"),
    }
}
