//! The words by which a correction is told, language by language.
//!
//! Rows of data and one reader. All words are lower case; a phrase matches at the beginning of a
//! sentence (openers, orders) or anywhere as whole words (contrasts, general words, local words).

/// What an imperative sentence does.
pub(super) struct Order {
    /// It forbids something.
    pub(super) forbids: bool,
    /// It sets one thing against another: "… instead of …", "…, not …".
    pub(super) is_contrast: bool,
    /// It holds beyond the task at hand: "always", "never", "in this repo".
    pub(super) is_general: bool,
}

/// The words of one language.
pub(super) struct Language {
    /// Begins a refusal, and is dropped from the sentence.
    refusals: &'static [&'static str],
    /// Chatter that may stand before an order, and is dropped from the sentence.
    chatter: &'static [&'static str],
    /// Begins an order that forbids.
    forbidding: &'static [&'static str],
    /// Begins an order that says what to do.
    ordering: &'static [&'static str],
    /// Sets one thing against another.
    contrasts: &'static [&'static str],
    /// Makes an order general.
    general: &'static [&'static str],
    /// Begins a general order by itself.
    general_starts: &'static [&'static str],
    /// Ties a sentence to the task at hand.
    local: &'static [&'static str],
    /// Negates a verb wherever it stands (`ne … pas`, `nicht`), for languages that put it there.
    negations: &'static [&'static str],
    /// Begins a sentence that is no order, though it looks like one.
    exceptions: &'static [&'static str],
}

#[rustfmt::skip]
pub(super) const LANGUAGES: &[Language] = &[ENGLISH, GERMAN, FRENCH, SPANISH];

#[rustfmt::skip]
const ENGLISH: Language = Language {
    refusals: &["no", "nope", "no no", "wrong", "stop", "that's wrong", "that is wrong", "that's not right", "that's incorrect", "that's not what i asked", "that's not what i want", "that's not what i meant", "not like that", "i told you", "i already told you", "i said", "as i said", "like i said", "how many times", "again", "you did it again", "i've told you", "you keep ignoring"],
    chatter: &["please", "pls", "and", "but", "so", "hey", "wait", "ok", "okay", "actually", "also", "just", "then", "well", "claude", "to", "that", "you should", "you must", "you have to", "you need to", "remember to", "remember", "make sure to", "make sure you", "be sure to", "i want you to", "from now on", "next time", "in future", "in the future", "going forward", "in general", "in this repo", "in this project", "in this codebase", "here", "for this project", "for this repo"],
    forbidding: &["don't", "do not", "dont", "never", "stop", "avoid", "must not", "no more", "quit"],
    ordering: &["use", "run", "call", "write", "put", "keep", "prefer", "only", "always", "add", "name", "place", "import", "test", "check", "ask", "follow", "leave", "start", "begin", "commit", "return", "set", "read", "build", "install", "go through", "format", "log", "wrap", "store", "pass"],
    contrasts: &["instead", "instead of", "not", "rather than", "and not", "over", "don't use", "never"],
    general: &["always", "never", "from now on", "in this repo", "in this repository", "in this project", "in this codebase", "in our codebase", "in our repo", "in our project", "going forward", "in future", "in the future", "next time", "everywhere", "every time", "for this project", "our convention", "by convention", "for all", "any"],
    general_starts: &["always", "never", "from now on", "we always", "we never", "we don't", "we do not"],
    local: &["this", "that", "it", "these", "those", "here", "my", "me", "line", "lines", "now", "for now", "yet", "the file", "the test", "the function", "the first", "the second", "the last", "yours"],
    negations: &[],
    exceptions: &["don't worry", "do not worry", "don't know", "don't think", "don't see", "don't mind", "don't need", "don't have", "never mind", "nevermind", "stop here", "stop there", "no problem", "no worries", "no need", "run it", "go on", "keep going", "don't get", "dont know", "don't understand", "don't forget", "check again", "set up", "start over", "start again", "try again", "read it", "stop it", "stop that", "don't do that", "don't do it", "do not do that"],
};

#[rustfmt::skip]
const GERMAN: Language = Language {
    refusals: &["nein", "nee", "falsch", "das ist falsch", "stopp", "stop", "halt", "so nicht", "das stimmt nicht", "ich habe dir gesagt", "ich hab dir gesagt", "ich sagte doch", "wie gesagt", "schon wieder"],
    chatter: &["bitte", "und", "aber", "also", "doch", "mal", "du sollst", "du musst", "ab jetzt", "ab sofort", "künftig", "in zukunft", "in diesem projekt", "in diesem repo", "hier", "dass du"],
    forbidding: &["niemals", "nie", "kein", "keine", "hör auf", "vermeide", "nicht", "lass"],
    ordering: &["verwende", "benutze", "nutze", "nimm", "nehme", "schreib", "schreibe", "führe", "mach", "mache", "ruf", "rufe", "setz", "setze", "leg", "lege", "behalte", "immer", "stattdessen", "nur", "füge", "teste", "prüfe", "frag", "frage", "committe", "importiere"],
    contrasts: &["statt", "anstatt", "anstelle", "stattdessen", "sondern", "nicht", "kein", "keine"],
    general: &["immer", "niemals", "nie", "ab jetzt", "ab sofort", "künftig", "in zukunft", "in diesem projekt", "in diesem repo", "in unserem projekt", "grundsätzlich", "überall"],
    general_starts: &["immer", "niemals", "nie", "ab jetzt", "ab sofort", "künftig", "wir verwenden", "wir benutzen", "wir nutzen"],
    local: &["das", "dies", "diese", "diesen", "dieser", "dieses", "es", "hier", "mein", "meine", "mir", "zeile", "jetzt", "die datei", "der test", "die funktion"],
    negations: &["nicht", "kein", "keine", "keinen"],
    exceptions: &["nicht schlimm", "kein problem", "keine sorge", "nicht nötig", "keine ahnung", "nicht so wichtig", "mach weiter", "mach mal"],
};

#[rustfmt::skip]
const FRENCH: Language = Language {
    refusals: &["non", "faux", "c'est faux", "ce n'est pas ça", "stop", "arrête", "pas comme ça", "je t'ai dit", "je t'ai déjà dit", "je vous ai dit", "comme je l'ai dit", "encore"],
    chatter: &["s'il te plaît", "s'il vous plaît", "stp", "svp", "et", "mais", "donc", "alors", "tu dois", "il faut", "à partir de maintenant", "désormais", "dans ce projet", "dans ce dépôt", "à l'avenir", "de", "plutôt"],
    forbidding: &["ne", "n'", "jamais", "arrête de", "arrête d'", "évite", "évite de", "arrêtez de"],
    ordering: &["utilise", "utilisez", "emploie", "prends", "mets", "écris", "lance", "appelle", "garde", "toujours", "exécute", "préfère", "ajoute", "nomme", "importe", "teste", "vérifie", "demande"],
    contrasts: &["au lieu de", "au lieu d'", "plutôt que", "et non", "pas", "plutôt"],
    general: &["toujours", "jamais", "désormais", "à partir de maintenant", "dans ce projet", "dans ce dépôt", "à l'avenir", "partout"],
    general_starts: &["toujours", "jamais", "désormais", "on n'utilise", "on utilise", "nous utilisons"],
    local: &["ça", "cela", "ce", "cette", "ces", "cet", "ceci", "ici", "mon", "ma", "mes", "moi", "ligne", "le fichier", "la fonction", "le test", "celui-ci"],
    negations: &["pas", "jamais", "plus"],
    exceptions: &["ne t'inquiète", "ne vous inquiétez", "n'importe", "ne t'en fais pas", "n'hésite"],
};

#[rustfmt::skip]
const SPANISH: Language = Language {
    refusals: &["no", "mal", "eso está mal", "está mal", "incorrecto", "para", "alto", "así no", "te dije", "ya te dije", "te lo dije", "como dije", "otra vez"],
    chatter: &["por favor", "y", "pero", "entonces", "debes", "tienes que", "a partir de ahora", "desde ahora", "en este proyecto", "en este repo", "en el futuro", "que", "mejor"],
    forbidding: &["no uses", "no use", "no utilices", "no hagas", "no pongas", "no añadas", "no agregues", "no escribas", "no ejecutes", "no llames", "no crees", "no borres", "no modifiques", "no toques", "no cambies", "no importes", "no instales", "nunca", "deja de", "evita", "jamás"],
    ordering: &["usa", "use", "utiliza", "emplea", "pon", "escribe", "ejecuta", "llama", "siempre", "mantén", "prefiere", "añade", "agrega", "corre", "importa", "instala", "haz", "prueba", "pregunta"],
    contrasts: &["en lugar de", "en vez de", "y no", "no uses", "sino"],
    general: &["siempre", "nunca", "jamás", "a partir de ahora", "desde ahora", "en este proyecto", "en este repo", "en el futuro", "en todas partes"],
    general_starts: &["siempre", "nunca", "jamás", "a partir de ahora", "usamos"],
    local: &["esto", "eso", "este", "esta", "estos", "estas", "ese", "esa", "aquí", "mi", "mis", "línea", "el archivo", "la función", "la prueba", "lo"],
    negations: &[],
    exceptions: &["no te preocupes", "no hay problema", "no sé", "no pasa nada", "no importa", "no hace falta"],
};

impl Language {
    /// Takes refusal and chatter off the front of a sentence, and says whether it refused.
    pub(super) fn without_opener<'a>(&self, sentence: &'a str) -> (bool, &'a str) {
        let mut rest = sentence.trim();
        let mut refuses = false;
        // Each turn takes at least one word, so a sentence ends this.
        loop {
            let refusal = self
                .refusals
                .iter()
                .filter_map(|opener| after(rest, opener))
                .min_by_key(|rest| rest.len());
            let is_order = self.is_order_start(rest);
            if let Some(after) = refusal.filter(|after| !is_order || after_mark(rest, after)) {
                refuses = true;
                rest = after;
                continue;
            }
            let chatter = self
                .chatter
                .iter()
                .filter_map(|opener| after(rest, opener))
                .min_by_key(|rest| rest.len());
            match chatter {
                Some(after) if !after.is_empty() => rest = after,
                _ => return (refuses, rest),
            }
        }
    }

    fn is_order_start(&self, sentence: &str) -> bool {
        begins(sentence, self.forbidding) || begins(sentence, self.ordering)
    }

    /// Reads a sentence as an order; none if it is not one.
    pub(super) fn order(&self, sentence: &str) -> Option<Order> {
        if begins(sentence, self.exceptions) {
            return None;
        }
        let lower = sentence.to_lowercase();
        let general_start = begins(sentence, self.general_starts);
        let forbids_first = begins(sentence, self.forbidding);
        let orders = begins(sentence, self.ordering);
        if !forbids_first && !orders && !general_start {
            return None;
        }
        let forbids = forbids_first || (orders && holds(&lower, self.negations));
        Some(Order {
            forbids,
            is_contrast: holds(&lower, self.contrasts) && (orders || holds(&lower, self.ordering)),
            is_general: general_start || holds(&lower, self.general),
        })
    }

    /// Returns whether a sentence means only the task at hand.
    pub(super) fn is_local(&self, sentence: &str) -> bool {
        let mut lower = sentence.to_lowercase();
        for general in self.general {
            lower = lower.replace(general, " ");
        }
        holds(&lower, self.local)
    }
}

/// Returns what follows a phrase at the beginning of a text, without the marks between.
fn after<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    for expected in phrase.chars() {
        let found = rest.next()?;
        let found = if found == '’' { '\'' } else { found };
        if !found.to_lowercase().eq(expected.to_lowercase()) {
            return None;
        }
    }
    let rest = rest.as_str();
    let is_word = phrase.ends_with('\'')
        || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'' || c == '’');
    is_word.then(|| {
        rest.trim_start_matches(|c: char| {
            c.is_whitespace() || matches!(c, ',' | '.' | ':' | ';' | '!' | '-' | '–' | '—')
        })
    })
}

/// Returns whether a mark, and not only a blank, stands before `after` in `text`: "no, use" and not "no use".
fn after_mark(text: &str, after: &str) -> bool {
    let taken = &text[..text.len() - after.len()];
    taken
        .trim_end()
        .ends_with([',', '.', ':', ';', '!', '-', '–', '—'])
}

fn begins(sentence: &str, phrases: &[&str]) -> bool {
    phrases
        .iter()
        .any(|phrase| after(sentence, phrase).is_some())
}

/// Returns whether a lower-case text holds a phrase as whole words.
fn holds(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        text.match_indices(phrase).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + phrase.len()..].chars().next();
            let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            is_edge(before) && (is_edge(after) || phrase.ends_with('\''))
        })
    })
}
