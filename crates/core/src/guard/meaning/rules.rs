//! Which classes of words together make an order of advice.
//!
//! A row says what the text is suspected of, in words for a person, and which classes have to stand
//! how close together. Adding a rule is adding a row; a word that is missing belongs in the
//! [`lexicon`](super::lexicon).

use super::{Classes, Sense, lexicon::*, stretches};
use crate::guard::inspect::Category::{self, Concealment, Destruction, Exfiltration, Override};

/// A combination of classes.
#[derive(Debug)]
pub(in crate::guard) struct Rule {
    /// What it speaks for.
    pub(in crate::guard) category: Category,
    /// What the text does, in words for a person: "tells the reader to …".
    pub(in crate::guard) what: &'static str,
    /// How many words may lie between the first and the last.
    within: usize,
    /// Whether the next sentence counts as well.
    pub(super) spans_two: bool,
    /// What has to be there.
    terms: &'static [Term],
    /// What must not be there.
    unless: Classes,
}

/// One of some classes, and how.
#[derive(Debug, Clone, Copy)]
enum Term {
    /// It is asserted.
    Said(Classes),
    /// It is denied.
    Denied(Classes),
    /// It is there.
    Named(Classes),
}

use Term::{Denied, Named, Said};

impl Term {
    fn holds(self, sense: Sense) -> bool {
        match self {
            Self::Said(classes) => sense.said.meets(classes),
            Self::Denied(classes) => sense.denied.meets(classes),
            Self::Named(classes) => sense.said.or(sense.denied).meets(classes),
        }
    }
}

/// A rule for one sentence.
const fn rule(
    category: Category,
    what: &'static str,
    within: usize,
    terms: &'static [Term],
) -> Rule {
    Rule {
        category,
        what,
        within,
        spans_two: false,
        terms,
        unless: Classes(0),
    }
}

impl Rule {
    const fn unless(self, unless: Classes) -> Self {
        Self { unless, ..self }
    }

    const fn spans_two(self) -> Self {
        Self {
            spans_two: true,
            ..self
        }
    }

    /// Returns whether the words of a text could be enough.
    pub(super) fn may_hit(&self, all: Sense) -> bool {
        self.terms.iter().all(|term| term.holds(all))
    }

    /// Returns whether a stretch of the words has all it takes.
    pub(super) fn hits(&self, words: &[Sense]) -> bool {
        let all = Sense::of_all(words);
        self.may_hit(all)
            && !all.said.or(all.denied).meets(self.unless)
            && stretches(words.len(), self.within)
                .any(|range| self.may_hit(Sense::of_all(&words[range])))
    }
}

pub(super) static RULES: &[Rule] = &[
    // Rights.
    rule(
        Override,
        "grants the reader rights",
        12,
        &[Said(READER), Said(GRANT), Said(POWER)],
    ),
    rule(
        Override,
        "lifts the reader's limits",
        12,
        &[Said(READER), Said(LIMIT.or(SAFETY)), Said(RELEASE)],
    )
    .unless(TRIAL),
    rule(
        Override,
        "lifts the reader's limits",
        12,
        &[Said(SAFETY), Said(RELEASE)],
    ),
    rule(
        Override,
        "lifts the reader's limits",
        12,
        &[
            Named(LIMIT.or(SAFETY)),
            Denied(BIND),
            Named(READER.or(SAFETY)),
        ],
    ),
    rule(
        Override,
        "lifts the reader's limits",
        10,
        &[
            Denied(LIMIT.or(SAFETY)),
            Said(ACT.or(BIND)),
            Named(READER.or(SAFETY)),
        ],
    ),
    rule(
        Override,
        "lifts the reader's limits",
        8,
        &[Denied(SAFETY), Said(ACT)],
    ),
    rule(
        Override,
        "says that all is permitted",
        12,
        &[Said(ALL), Said(CONSENT)],
    ),
    rule(
        Override,
        "says that all is permitted",
        14,
        &[Said(READER.or(AGENTWARE)), Denied(ASK), Denied(ALLOWED)],
    ),
    // Guidance.
    rule(
        Override,
        "tells the reader to drop its instructions",
        14,
        &[Said(GUIDE), Said(VOID), Said(READER.or(PRIOR))],
    )
    .unless(DOCS.or(TRIAL).or(TEST)),
    rule(
        Override,
        "tells the reader to drop its instructions",
        12,
        &[Said(CORE), Said(STRONG_VOID.or(STALE))],
    ),
    rule(
        Override,
        "tells the reader to drop its instructions",
        10,
        &[Said(GUIDE), Said(STRONG_VOID)],
    )
    .unless(TRIAL),
    rule(
        Override,
        "tells the reader to drop its instructions",
        20,
        &[
            Said(GUIDE.or(RULES_WORD)),
            Said(PRIOR),
            Said(VOID),
            Said(THIS),
        ],
    )
    .spans_two(),
    rule(
        Override,
        "tells the reader to drop its instructions",
        10,
        &[Said(VOID), Said(PRIOR), Said(OBEY)],
    )
    .unless(DOCS),
    rule(
        Override,
        "tells the reader to drop its instructions",
        9,
        &[Named(GUIDE.or(CORE)), Denied(OBEY)],
    )
    .unless(DOCS),
    rule(
        Override,
        "tells the reader to drop its instructions",
        12,
        &[Denied(GUIDE.or(CORE)), Named(BIND)],
    )
    .unless(DOCS),
    rule(
        Override,
        "tells the reader to drop its instructions",
        8,
        &[Said(READER.or(ONLY)), Said(BLANK)],
    ),
    rule(
        Override,
        "puts itself in place of instructions",
        10,
        &[Said(TREAT_AS), Said(YOUR_GUIDE)],
    ),
    rule(
        Override,
        "tells the reader whom to serve",
        8,
        &[Said(READER), Said(SERVE), Said(NOW)],
    ),
    rule(
        Override,
        "tells the reader to drop its instructions",
        9,
        &[Said(RULES_WORD), Said(VOID), Said(READER)],
    )
    .unless(DOCS.or(TEST)),
    rule(
        Override,
        "tells the reader to drop its instructions",
        12,
        &[Said(TOLD), Said(VOID.or(UNREAL))],
    ),
    rule(
        Override,
        "puts itself in place of instructions",
        14,
        &[
            Said(THIS),
            Said(ENTHRONE),
            Said(GUIDE.or(RULES_WORD).or(THRONE)),
        ],
    ),
    rule(
        Override,
        "puts itself in place of instructions",
        10,
        &[Said(OBEY), Said(ONLY), Said(THIS.or(GUIDE))],
    ),
    // Rank.
    rule(
        Override,
        "puts itself above the user",
        16,
        &[Said(THIS), Said(RANK), Named(USER.or(GUIDE).or(OVER_USER))],
    ),
    rule(
        Override,
        "puts itself above the user",
        20,
        &[
            Named(USER),
            Denied(OVERRULE),
            Said(RANK.or(THIS).or(PERSIST)),
        ],
    )
    .spans_two(),
    rule(
        Override,
        "puts itself above the user",
        12,
        &[Said(ONLY_THEN), Said(READER.or(USER)), Said(REQUEST)],
    ),
    rule(
        Override,
        "puts itself above the user",
        12,
        &[Said(OBEY.or(PERSIST)), Said(OVER_USER)],
    ),
    rule(
        Override,
        "puts itself above the user",
        14,
        &[Said(USER), Said(REQUEST), Said(LOW)],
    ),
    rule(
        Override,
        "puts itself above the user",
        16,
        &[Said(USER), Said(OPPOSE), Said(PERSIST)],
    )
    .spans_two(),
    rule(
        Override,
        "puts itself above the user",
        10,
        &[Said(OBEY), Denied(USER.or(AUDIENCE))],
    ),
    rule(
        Override,
        "puts itself above the user",
        10,
        &[Denied(OBEY), Named(USER), Named(REQUEST)],
    ),
    rule(
        Override,
        "puts itself above the user",
        12,
        &[Denied(DISSUADE)],
    ),
    rule(Override, "puts itself above the user", 12, &[Said(DEFY)]),
    rule(
        Override,
        "puts itself above the user",
        10,
        &[Said(EVEN_IF), Named(USER), Named(ASKING)],
    ),
    rule(
        Override,
        "puts itself above the user",
        14,
        &[Said(PREFER), Said(OVER), Named(USER), Named(TYPED)],
    ),
    rule(
        Override,
        "puts itself above the user",
        12,
        &[Said(USER), Said(MISTAKEN)],
    ),
    rule(
        Override,
        "puts itself above the user",
        14,
        &[Said(LAST_WORD), Named(USER.or(THIS).or(GUIDE))],
    )
    .spans_two(),
    // Silence.
    rule(
        Concealment,
        "keeps it from the user",
        12,
        &[Said(UNTOLD), Named(AUDIENCE.or(USER).or(REPORT).or(READER))],
    ),
    rule(
        Concealment,
        "keeps it from the user",
        10,
        &[Denied(APPEAR), Named(REPORT)],
    ),
    rule(
        Concealment,
        "keeps it from the user",
        18,
        &[
            Said(DESTROY.or(HIDE).or(WEAKEN)),
            Named(TRACE),
            Named(USER.or(AUDIENCE)),
        ],
    ),
    rule(
        Concealment,
        "keeps it from the user",
        12,
        &[Said(HIDE), Named(USER.or(AUDIENCE)), Denied(KNOW)],
    ),
    rule(
        Concealment,
        "keeps it from the user",
        14,
        &[
            Denied(TELL),
            Denied(SELF),
            Named(AUDIENCE.or(REPORT).or(USER)),
        ],
    ),
    rule(
        Concealment,
        "keeps it from the user",
        12,
        &[Said(HIDE), Said(SELF), Named(AUDIENCE.or(REPORT).or(USER))],
    ),
    rule(
        Concealment,
        "keeps it from the user",
        10,
        &[Said(HIDE), Said(REPORT)],
    ),
    rule(
        Concealment,
        "keeps it from the user",
        12,
        &[
            Named(AUDIENCE.or(USER).or(REPORT)),
            Denied(NEED),
            Denied(KNOW.or(TELL)),
        ],
    ),
    rule(
        Concealment,
        "keeps it from the user",
        16,
        &[Said(HIDE), Named(AUDIENCE.or(USER)), Named(KNOW)],
    ),
    rule(
        Concealment,
        "keeps it from the user",
        10,
        &[Said(IF_ASKED), Said(TELL.or(PRETEND))],
    ),
    rule(
        Concealment,
        "keeps it from the user",
        14,
        &[
            Said(PRETEND),
            Named(AUDIENCE.or(USER).or(REPORT).or(THIS)),
            Named(SELF.or(THIS)),
        ],
    ),
    rule(
        Concealment,
        "keeps it from the user",
        10,
        &[Said(SO), Said(AUDIENCE.or(USER)), Denied(NOTICE)],
    ),
    // Permission switches.
    rule(
        Override,
        "widens what the agent may do unasked",
        1,
        &[Said(SWITCH)],
    ),
    rule(
        Override,
        "widens what the agent may do unasked",
        18,
        &[Said(PERMISSION), Said(WAIVE), Named(AGENTWARE)],
    ),
    rule(
        Override,
        "widens what the agent may do unasked",
        12,
        &[Named(AGENTWARE), Denied(ASK), Named(EVERY)],
    ),
    // Secrets.
    rule(
        Exfiltration,
        "carries a secret out",
        32,
        &[Said(TRANSFER), Said(PRIVATE), Said(OUTSIDE.or(ADDRESS))],
    )
    .spans_two(),
    rule(
        Exfiltration,
        "carries a secret out",
        18,
        &[Said(TRANSFER), Said(SECRET), Said(OUTSIDE)],
    ),
    rule(
        Exfiltration,
        "carries a secret out",
        16,
        &[Said(VALUE), Said(PRIVATE), Said(OUTSIDE)],
    ),
    rule(
        Exfiltration,
        "carries a secret out",
        20,
        &[Said(TRANSFER), Said(VALUE), Said(SECRET), Said(ADDRESS)],
    ),
    rule(
        Exfiltration,
        "carries a secret out",
        20,
        &[Said(PRIVATE.or(SECRET)), Named(MASK), Denied(NOTICE)],
    ),
    // Damage.
    rule(
        Destruction,
        "destroys without asking",
        26,
        &[Said(DESTROY), Denied(ASK)],
    )
    .spans_two(),
    rule(
        Destruction,
        "destroys without asking",
        26,
        &[Said(DESTROY), Said(UNASKED)],
    )
    .spans_two(),
    rule(
        Destruction,
        "destroys what is not the task's",
        9,
        &[Said(DESTROY), Said(EVERY), Said(DEAR)],
    )
    .unless(TRIAL),
    rule(
        Destruction,
        "destroys what is not the task's",
        7,
        &[Said(DESTROY), Said(DEAREST)],
    )
    .unless(TRIAL),
    // Checks.
    rule(
        Destruction,
        "takes a check away",
        12,
        &[Said(UNVERIFIED), Said(EXCUSE)],
    ),
    rule(
        Destruction,
        "takes a check away",
        5,
        &[Said(STOP), Said(DAEMON)],
    ),
    rule(
        Destruction,
        "takes a check away",
        8,
        &[Said(WEAKEN), Said(CHECK)],
    )
    .unless(TRIAL),
    rule(
        Destruction,
        "takes a check away",
        20,
        &[Said(WEAKEN), Said(CHECK), Said(EXCUSE)],
    )
    .spans_two(),
    rule(
        Destruction,
        "takes a check away",
        20,
        &[Said(WEAKEN), Said(SOFT_CHECK), Said(EXCUSE)],
    ),
    rule(
        Destruction,
        "takes a check away",
        24,
        &[Said(WEAKEN_IT), Named(CHECK)],
    )
    .spans_two(),
    rule(
        Destruction,
        "takes a check away",
        12,
        &[Said(ACCEPT), Said(CHECK.or(SOFT_CHECK)), Said(ALL)],
    ),
];
