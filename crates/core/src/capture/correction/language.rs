//! The words that mark a correction, language by language.
//!
//! Rows of data and one reader. All words are lower case; a phrase matches at the beginning of a sentence (openers,
//! orders) or anywhere as whole words (contrasts, general and local words).

use crate::shell::{self, is_listed};

/// Whether a person objected to what the agent did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Objection {
    /// No objection.
    None,
    /// "No, …", "that's wrong".
    Plain,
    /// An objection that was made before: "I told you …".
    Repeated,
}

/// What an imperative sentence does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instruction {
    /// It forbids something.
    pub(super) forbids: bool,
    /// It contrasts two things: "… instead of …", "…, not …".
    pub(super) is_contrast: bool,
    /// It is a general rule: "always …", "never …", "use … from now on".
    pub(super) is_general: bool,
    /// It says where or when it applies: "in this repo", "before every commit".
    pub(super) is_scoped: bool,
    /// It chooses a well-known program: "use pnpm".
    pub(super) chooses_program: bool,
}

/// The phrases of one language, by their function in a sentence.
pub(super) struct Language {
    /// Objections, which are removed from the sentence; single words only before punctuation or an order.
    refusals: &'static [&'static str],
    /// Repeated objections, which are removed as well.
    repeats: &'static [&'static str],
    /// Filler that may precede an order, and is removed.
    chatter: &'static [&'static str],
    /// Phrases that begin a prohibition.
    forbidding: &'static [&'static str],
    /// A word that begins a prohibition when the next word has this ending ("stop adding").
    forbidding_verb: Option<(&'static str, &'static str)>,
    /// Phrases that begin an order to do something.
    ordering: &'static [&'static str],
    /// Those of them that choose one thing over another ("don't use X, use Y").
    choosing: &'static [&'static str],
    /// Verbs that end an impersonal order ("nicht X benutzen").
    closing: &'static [&'static str],
    /// Verbs that begin an order only as the continuation of another ("don't edit X. Change Y.").
    completing: &'static [&'static str],
    /// Phrases that contrast two things.
    contrasts: &'static [&'static str],
    /// Words that begin a general rule.
    rules: &'static [&'static str],
    /// Words that make an order a rule wherever they stand.
    standing: &'static [&'static str],
    /// The same, if an order precedes or follows; a plain statement may begin with these too.
    later: &'static [&'static str],
    /// Phrases that say where or when a rule applies.
    scopes: &'static [&'static str],
    /// Words that tie a sentence to the task at hand.
    local: &'static [&'static str],
    /// A word that does so too, but means the whole project where a program is chosen ("don't use npm here").
    place: &'static str,
    /// Words that negate the verb of an order wherever they stand.
    negations: &'static [&'static str],
    /// Phrases that begin a sentence which looks like an order and is none.
    exceptions: &'static [&'static str],
}

pub(super) const LANGUAGES: &[Language] = &[ENGLISH, GERMAN, FRENCH, SPANISH];

#[rustfmt::skip]
const ENGLISH: Language = Language {
    refusals: &["no", "nope", "wrong", "stop", "that's wrong", "that is wrong", "that's not right", "that's incorrect", "that's not what i asked", "that's not what i asked for", "that's not what i want", "that's not what i meant", "not like that"],
    repeats: &["i told you", "i already told you", "i've told you", "i've already told you", "i said", "as i said", "like i said", "how many times", "again", "you did it again", "you keep ignoring"],
    chatter: &["please", "pls", "and", "but", "so", "hey", "wait", "ok", "okay", "actually", "also", "just", "then", "well", "to", "that", "you should", "you must", "you have to", "you need to", "remember to", "remember", "make sure to", "make sure you", "be sure to", "i want you to", "in general", "in this repo", "in this project", "in this codebase", "for this project", "for this repo"],
    forbidding: &["don't", "do not", "dont", "never", "avoid", "must not", "you must not", "you mustn't", "you should not", "you shouldn't", "you are not to", "you're not to"],
    forbidding_verb: Some(("stop", "ing")),
    ordering: &["use", "run", "call", "write", "put", "keep", "prefer", "only", "always", "add", "name", "place", "import", "test", "check", "ask", "follow", "leave", "start", "begin", "commit", "return", "set", "read", "build", "install", "format", "log", "wrap", "store", "pass"],
    choosing: &["use", "prefer", "go with", "stick to", "stick with", "always"],
    closing: &[],
    completing: &["change", "edit", "move", "rename", "remove", "delete", "update", "create", "go", "do", "take", "let", "make", "generate", "regenerate", "look", "open", "switch", "replace"],
    contrasts: &["instead", "instead of", "not", "rather than", "and not", "never"],
    rules: &["always", "never", "we always", "we never", "every time you"],
    standing: &["from now on", "going forward", "from here on"],
    later: &["in future", "in the future", "next time"],
    scopes: &["before every", "before each", "after every", "after each", "every time", "before committing", "before pushing", "before you commit", "before you push", "before a commit", "for tests", "in this repo", "in this repository", "in this project", "in this codebase", "in our codebase", "in our repo", "in our project", "for this project", "by convention", "anywhere", "ever", "everywhere", "in tests", "in production"],
    local: &["this", "that", "it", "these", "those", "my", "me", "line", "lines", "now", "for now", "yet", "the file", "the test", "the function", "the first", "the second", "the last", "yours"],
    place: "here",
    negations: &[],
    exceptions: &["don't worry", "do not worry", "dont worry", "don't know", "do not know", "don't think", "don't see", "don't mind", "don't need", "don't have", "don't bother", "never mind", "nevermind", "don't get", "dont know", "don't understand", "don't forget", "don't you", "you should not have", "you shouldn't have", "you should not need", "you shouldn't need", "don't do that", "don't do it", "do not do that", "never works", "never worked", "never happens", "always fails", "always happens", "set up", "start over", "start again", "check again", "read it", "run it", "call it"],
};

#[rustfmt::skip]
const GERMAN: Language = Language {
    refusals: &["nein", "nee", "falsch", "das ist falsch", "stopp", "stop", "halt", "so nicht", "das stimmt nicht"],
    repeats: &["ich habe dir gesagt", "ich hab dir gesagt", "ich hatte gesagt", "ich sagte doch", "wie gesagt", "schon wieder", "nochmal"],
    chatter: &["bitte", "und", "aber", "also", "doch", "mal", "du sollst", "du musst", "in diesem projekt", "in diesem repo", "dass du"],
    forbidding: &["niemals", "nie", "hör auf", "vermeide", "du darfst nicht", "du darfst kein", "du darfst keine", "du darfst keinen", "du sollst nicht", "du sollst kein", "du sollst keine", "du sollst keinen"],
    forbidding_verb: None,
    ordering: &["verwende", "benutze", "nutze", "nimm", "nehme", "schreib", "schreibe", "führe", "mach", "mache", "ruf", "rufe", "setz", "setze", "leg", "lege", "behalte", "immer", "stattdessen", "nur", "füge", "teste", "prüfe", "frag", "frage", "committe", "importiere"],
    choosing: &["verwende", "benutze", "nutze", "nimm", "nehme", "immer"],
    closing: &["benutzen", "verwenden", "nutzen", "nehmen", "schreiben", "committen", "pushen", "ändern", "anfassen", "bearbeiten", "editieren", "löschen", "ausführen", "starten", "setzen", "einbauen", "hinzufügen", "installieren", "importieren", "aufrufen", "anlegen", "umbenennen"],
    completing: &["ändere", "bearbeite", "verschiebe", "lösche", "entferne", "erzeuge", "generiere", "ersetze"],
    contrasts: &["statt", "anstatt", "anstelle", "stattdessen", "sondern", "nicht", "kein", "keine"],
    rules: &["niemals", "nie", "wir verwenden immer", "wir nutzen immer"],
    standing: &["immer", "stets", "ab jetzt", "ab sofort", "von jetzt an"],
    later: &["künftig", "in zukunft", "nächstes mal"],
    scopes: &["vor jedem", "vor jeder", "nach jedem", "nach jeder", "jedes mal", "vor dem commit", "für tests", "in tests", "in diesem projekt", "in diesem repo", "in unserem projekt", "grundsätzlich", "überall"],
    local: &["das", "dies", "diese", "diesen", "dieser", "dieses", "es", "mein", "meine", "mir", "zeile", "jetzt", "die datei", "der test", "die funktion"],
    place: "hier",
    negations: &["nicht", "kein", "keine", "keinen", "niemals"],
    exceptions: &["mach weiter", "mach mal", "mach dir", "nie im leben", "immer noch", "nur so", "nimm dir", "nicht so"],
};

#[rustfmt::skip]
const FRENCH: Language = Language {
    refusals: &["non", "faux", "c'est faux", "ce n'est pas ça", "stop", "arrête", "pas comme ça"],
    repeats: &["je t'ai dit", "je t'ai déjà dit", "je vous ai dit", "je vous ai déjà dit", "comme je l'ai dit"],
    chatter: &["s'il te plaît", "s'il vous plaît", "stp", "svp", "et", "mais", "donc", "alors", "tu dois", "il faut", "dans ce projet", "dans ce dépôt", "de", "plutôt"],
    forbidding: &["ne", "n'", "jamais", "arrête de", "arrête d'", "arrêtez de", "évite", "évite de", "évitez de", "tu ne dois pas", "vous ne devez pas", "il ne faut pas"],
    forbidding_verb: None,
    ordering: &["utilise", "utilisez", "emploie", "prends", "mets", "écris", "lance", "appelle", "garde", "toujours", "exécute", "préfère", "ajoute", "nomme", "importe", "teste", "vérifie", "demande"],
    choosing: &["utilise", "utilisez", "emploie", "prends", "préfère", "toujours"],
    closing: &[],
    completing: &["change", "modifie", "modifiez", "déplace", "supprime", "crée", "génère", "remplace"],
    contrasts: &["au lieu de", "au lieu d'", "plutôt que", "et non", "pas", "plutôt"],
    rules: &["jamais"],
    standing: &["toujours", "désormais", "dorénavant", "à partir de maintenant"],
    later: &["à l'avenir", "la prochaine fois"],
    scopes: &["avant chaque", "après chaque", "à chaque fois", "pour les tests", "dans ce projet", "dans ce dépôt", "partout"],
    local: &["ça", "cela", "ce", "cette", "ces", "cet", "ceci", "mon", "ma", "mes", "moi", "ligne", "le fichier", "la fonction", "le test", "celui-ci"],
    place: "ici",
    negations: &["pas", "jamais", "plus"],
    exceptions: &["ne t'inquiète", "ne vous inquiétez", "n'importe", "ne t'en fais pas", "n'hésite", "n'oublie", "n'oubliez", "ne marche pas", "ne fonctionne pas", "ne sais pas"],
};

#[rustfmt::skip]
const SPANISH: Language = Language {
    refusals: &["no", "mal", "eso está mal", "está mal", "incorrecto", "para", "alto", "así no"],
    repeats: &["te dije", "ya te dije", "te lo dije", "como dije", "otra vez"],
    chatter: &["por favor", "y", "pero", "entonces", "debes", "tienes que", "en este proyecto", "en este repo", "que", "mejor"],
    forbidding: &["no uses", "no use", "no utilices", "no hagas", "no pongas", "no añadas", "no agregues", "no escribas", "no ejecutes", "no llames", "no crees", "no borres", "no modifiques", "no toques", "no cambies", "no importes", "no instales", "nunca", "deja de", "evita", "jamás", "no debes", "no se debe", "no hay que"],
    forbidding_verb: None,
    ordering: &["usa", "use", "utiliza", "emplea", "pon", "escribe", "ejecuta", "llama", "siempre", "mantén", "prefiere", "añade", "agrega", "corre", "importa", "instala", "haz", "prueba", "pregunta"],
    choosing: &["usa", "use", "utiliza", "emplea", "prefiere", "siempre"],
    closing: &[],
    completing: &["cambia", "modifica", "edita", "mueve", "borra", "elimina", "crea", "genera", "reemplaza"],
    contrasts: &["en lugar de", "en vez de", "y no", "no uses", "sino"],
    rules: &["nunca", "jamás"],
    standing: &["siempre", "a partir de ahora", "desde ahora", "de ahora en adelante"],
    later: &["en el futuro", "la próxima vez"],
    scopes: &["antes de cada", "después de cada", "cada vez", "para las pruebas", "en este proyecto", "en este repo", "en todas partes"],
    local: &["esto", "eso", "este", "esta", "estos", "estas", "ese", "esa", "mi", "mis", "línea", "el archivo", "la función", "la prueba", "lo"],
    place: "aquí",
    negations: &[],
    exceptions: &["nunca funciona", "siempre falla"],
};

impl Language {
    /// Removes objections and filler from the front of a sentence; returns the objection and the rest.
    pub(super) fn strip_opener<'a>(&self, sentence: &'a str) -> (Objection, &'a str) {
        let mut rest = sentence.trim();
        let mut refusal = Objection::None;
        // Each round removes at least one word, so the loop ends with the sentence.
        loop {
            if let Some(after) = strip_longest_phrase(rest, self.repeats) {
                refusal = Objection::Repeated;
                rest = after;
            } else if let Some(after) = strip_longest_phrase(rest, self.refusals)
                .filter(|after| self.is_objection(rest, after))
            {
                refusal = refusal.max(Objection::Plain);
                rest = after;
            } else {
                match strip_longest_phrase(rest, self.chatter)
                    .filter(|after| self.is_chatter(rest, after))
                {
                    Some(after) => rest = after,
                    None => return (refusal, rest),
                }
            }
        }
    }

    /// Returns whether a phrase is filler: "you must" is, unless "not" follows and makes it a prohibition.
    fn is_chatter(&self, sentence: &str, after: &str) -> bool {
        let forbidden = strip_longest_phrase(sentence, self.forbidding);
        !after.is_empty() && forbidden.is_none_or(|it| after.len() < it.len())
    }

    /// Returns whether words are an objection; a single word only before punctuation or an order ("no, …", not "no
    /// tests").
    fn is_objection(&self, sentence: &str, after: &str) -> bool {
        let taken = sentence[..sentence.len() - after.len()].trim_end();
        let has_mark = taken.ends_with([',', '.', ':', ';', '!', '-', '–', '—']);
        let is_phrase = taken.contains(' ');
        has_mark
            || is_phrase
            || after.is_empty()
            || (self.parse_instruction(sentence).is_none()
                && self.parse_instruction(after).is_some())
    }

    /// Parses a sentence as an order; `None` if it is not one.
    pub(super) fn parse_instruction(&self, sentence: &str) -> Option<Instruction> {
        if begins_with_any(sentence, self.exceptions) {
            return None;
        }
        let lower = sentence.to_lowercase();
        let is_rule = begins_with_any(sentence, self.rules)
            || begins_with_any(sentence, self.standing)
            || self.orders_for_later(sentence);
        let forbids = begins_with_any(sentence, self.forbidding)
            || self.forbids_verb(&lower)
            || self.forbids_at_end(&lower);
        let orders = begins_with_any(sentence, self.ordering);
        if !forbids && !orders && !is_rule {
            return None;
        }
        Some(Instruction {
            forbids: forbids || (orders && holds_any_phrase(&lower, self.negations)),
            is_contrast: self.has_contrast(&lower)
                || (forbids && self.offers_alternative(sentence)),
            is_general: is_rule || (orders && self.is_standing_rule(&lower)),
            is_scoped: holds_any_phrase(&lower, self.scopes),
            chooses_program: begins_with_any(sentence, self.choosing) && names_program(sentence),
        })
    }

    fn is_standing_rule(&self, lower: &str) -> bool {
        holds_any_phrase(lower, self.standing) || holds_any_phrase(lower, self.later)
    }

    /// Returns whether an order follows a word for the future: "next time run the tests", not "next time it runs".
    fn orders_for_later(&self, sentence: &str) -> bool {
        strip_longest_phrase(sentence, self.later).is_some_and(|rest| {
            let rest = self.strip_opener(rest).1;
            let lists = [self.ordering, self.completing, self.forbidding];
            lists.into_iter().any(|words| begins_with_any(rest, words))
                || self.ends_with_verb(&rest.to_lowercase())
        })
    }

    fn has_contrast(&self, lower: &str) -> bool {
        let says_what =
            holds_any_phrase(lower, self.ordering) || holds_any_phrase(lower, self.completing);
        holds_any_phrase(lower, self.contrasts) && says_what
    }

    /// Returns whether a prohibition goes on with an alternative: "don't use X, use Y".
    fn offers_alternative(&self, sentence: &str) -> bool {
        let mut clauses = sentence.split([',', ';', '–', '—']).skip(1);
        clauses.any(|clause| begins_with_any(self.strip_opener(clause).1, self.choosing))
    }

    /// Returns whether the verb at the end of the first clause makes it a prohibition: "nicht X benutzen".
    fn forbids_at_end(&self, lower: &str) -> bool {
        begins_with_any(lower, self.negations) && self.ends_with_verb(lower)
    }

    /// Returns whether the first clause ends with a verb of an impersonal order.
    fn ends_with_verb(&self, lower: &str) -> bool {
        let clause = lower.split([',', ';', '.', '!']).next().unwrap_or(lower);
        let last = clause.split_whitespace().next_back();
        last.is_some_and(|word| self.closing.contains(&word))
    }

    fn forbids_verb(&self, lower: &str) -> bool {
        self.forbidding_verb.is_some_and(|(start, ending)| {
            let next = strip_phrase(lower, start).and_then(|rest| rest.split_whitespace().next());
            next.is_some_and(|word| word.len() > ending.len() + 1 && word.ends_with(ending))
        })
    }

    /// Returns whether a sentence completes the order before it.
    pub(super) fn completes_order(&self, sentence: &str) -> bool {
        !begins_with_any(sentence, self.exceptions)
            && (begins_with_any(sentence, self.completing)
                || begins_with_any(sentence, self.ordering))
    }

    /// Returns whether a sentence refers only to the task at hand.
    pub(super) fn is_local(&self, sentence: &str) -> bool {
        let mut lower = sentence.to_lowercase();
        // "Now" means this moment; "from now on" does not.
        let lists = [self.scopes, self.rules, self.standing, self.later];
        for phrase in lists.into_iter().flatten() {
            lower = lower.replace(phrase, " ");
        }
        let means_place = !names_program(sentence) && holds_any_phrase(&lower, &[self.place]);
        means_place || holds_any_phrase(&lower, self.local)
    }
}

/// Returns whether a sentence names a well-known program, not a thing of the same name.
pub(super) fn names_program(sentence: &str) -> bool {
    const ARTICLES: &str = "the a an this that our your my der die das den dem ein eine einen le la les un une el los las una";
    let is_mark = |c: char| !c.is_alphanumeric();
    let words = sentence
        .split_whitespace()
        .map(|word| word.trim_matches(is_mark));
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let stands_alone = |at: usize| at == 0 || !is_listed(ARTICLES, &words[at - 1]);
    (0..words.len()).any(|at| stands_alone(at) && shell::is_program_by_name(&words[at]))
}

/// Returns what follows the longest of these phrases that a text begins with.
fn strip_longest_phrase<'a>(text: &'a str, phrases: &[&str]) -> Option<&'a str> {
    phrases
        .iter()
        .filter_map(|phrase| strip_phrase(text, phrase))
        .min_by_key(|rest| rest.len())
}

/// Returns what follows a phrase at the beginning of a text, without the punctuation between.
fn strip_phrase<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    for expected in phrase.chars() {
        let found = rest.next()?;
        let found = if found == '’' { '\'' } else { found };
        if !found.to_lowercase().eq(expected.to_lowercase()) {
            return None;
        }
    }
    let rest = rest.as_str();
    let goes_on = rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'' || c == '’');
    let is_whole = phrase.ends_with('\'') || !goes_on;
    let is_mark =
        |c: char| c.is_whitespace() || matches!(c, ',' | '.' | ':' | ';' | '!' | '-' | '–' | '—');
    is_whole.then(|| rest.trim_start_matches(is_mark))
}

fn begins_with_any(sentence: &str, phrases: &[&str]) -> bool {
    phrases
        .iter()
        .any(|phrase| strip_phrase(sentence, phrase).is_some())
}

/// Returns whether a lower-case text contains one of the phrases as whole words.
fn holds_any_phrase(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        text.match_indices(phrase).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + phrase.len()..].chars().next();
            let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            is_edge(before) && (is_edge(after) || phrase.ends_with('\''))
        })
    })
}
