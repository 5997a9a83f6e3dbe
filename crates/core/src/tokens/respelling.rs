//! Other spellings of what a prompt says: a compound for words beside each other, and the parts for a compound.
//!
//! `Datenbankmigration`, `Datenbank-Migration` and *Migration der Datenbank* say the same. There is no dictionary: words are
//! joined and parted in every way, and only what a lesson has of that counts, all parts in one.

use super::{QueryTerms, collect_terms};

/// One thing said in two spellings, as indexes into [`QueryTerms::terms`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Respelling {
    /// The terms that the prompt has.
    pub said: Vec<u16>,
    /// Those that a lesson may have in their place, all of them.
    pub other: Vec<u16>,
}

/// Prompts of more terms have enough words to be found by.
const MOST_TERMS: usize = 40;
/// The most terms that are added.
const MOST_ADDED: usize = 48;
/// The fewest letters of a compound.
const COMPOUND_LETTERS: usize = 10;
/// The fewest letters of its parts.
const PART_LETTERS: usize = 4;
/// How far apart words of one thing stand: *Migration der Datenbank*.
const WINDOW: usize = 3;

impl QueryTerms {
    /// Adds the other spellings of a prompt, from which these terms are. They weigh nothing by themselves.
    #[must_use]
    pub fn with_respellings(mut self, prompt: &str) -> Self {
        if self.terms.len() > MOST_TERMS {
            return self;
        }
        let lower = prompt.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphabetic());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        for word in &words {
            if word.chars().count() >= COMPOUND_LETTERS {
                self.add_parts(word);
            }
        }
        for window in (0..words.len()).map(|at| &words[at..words.len().min(at + WINDOW)]) {
            for second in &window[1..] {
                self.add_compounds(window[0], second);
            }
        }
        self
    }

    /// Returns whether a term is no word of the prompt, but of another spelling.
    pub fn is_respelled(&self, place: usize) -> bool {
        place >= self.terms.len() - self.added_terms
    }

    fn add_parts(&mut self, word: &str) {
        let ends = word.char_indices().map(|(at, _)| at).skip(PART_LETTERS);
        for (first, second) in ends.map(|at| word.split_at(at)) {
            for second in [Some(second), second.strip_suffix("en")]
                .into_iter()
                .flatten()
            {
                if second.chars().count() >= PART_LETTERS {
                    self.add_respelling(&[word], &[first, second]);
                }
            }
        }
        // Its plural in German and Dutch, which stemming may not tell.
        let singular = word.strip_suffix("en").map(str::to_owned);
        self.add_respelling(&[word], &[&singular.unwrap_or_else(|| format!("{word}en"))]);
    }

    fn add_compounds(&mut self, first: &str, second: &str) {
        let is_part = |word: &str| word.chars().count() >= PART_LETTERS;
        if is_part(first) && is_part(second) {
            for whole in [
                format!("{first}{second}"),
                format!("{second}{first}"),
                format!("{second}s{first}"),
            ] {
                self.add_respelling(&[first, second], &[&whole]);
            }
        }
    }

    fn add_respelling(&mut self, said: &[&str], other: &[&str]) {
        let terms_of = |words: &[&str]| -> Option<Vec<String>> {
            let term = |word: &&str| {
                let mut terms = collect_terms(word);
                terms.pop_first().filter(|_| terms.is_empty())
            };
            words.iter().map(term).collect()
        };
        let (Some(said), Some(other)) = (terms_of(said), terms_of(other)) else {
            return;
        };
        let said: Option<Vec<u16>> = said.iter().map(|term| self.find_place(term)).collect();
        let Some(said) = said.filter(|_| self.added_terms + other.len() <= MOST_ADDED) else {
            return;
        };
        let other: Vec<u16> = other
            .into_iter()
            .filter_map(|term| self.find_place(&term).or_else(|| self.add_term(term)))
            .collect();
        if !other.iter().any(|place| said.contains(place)) {
            self.respellings.push(Respelling { said, other });
        }
    }

    fn find_place(&self, term: &str) -> Option<u16> {
        let place = self.terms.iter().position(|(known, _)| known == term)?;
        u16::try_from(place).ok()
    }

    fn add_term(&mut self, term: String) -> Option<u16> {
        let place = u16::try_from(self.terms.len()).ok()?;
        self.terms.push((term, 1.0));
        self.added_terms += 1;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compound_and_its_parts_are_the_same() {
        let check = |prompt: &str, other: &[&str], expected: bool| {
            let query = QueryTerms::from_prompt(prompt).with_respellings(prompt);
            let terms_of = |places: &[u16]| -> Vec<String> {
                let terms = places
                    .iter()
                    .map(|place| &query.terms[usize::from(*place)].0);
                terms.cloned().collect()
            };
            let found = (query.respellings.iter()).any(|one| terms_of(&one.other) == other);
            assert_eq!(found, expected, "{prompt}");
        };
        check("Migration der Datenbank", &["datenbankmigr"], true);
        check("die Datenbank-Migration", &["datenbankmigr"], true);
        check("Datenbankmigration", &["datenbank", "migrat"], true);
        check(
            "Datenbankmigrationen starten",
            &["datenbank", "migrat"],
            true,
        );
        check("Datenbankmigrationen starten", &["datenbankmigr"], true);
        check("Prüfung der Ordnung", &["ordnungsprufung"], true);
        check("run the tests", &["runtest"], false);
    }

    #[test]
    fn a_long_prompt_stays_as_it_is() {
        let long: String = (0..200)
            .map(|at| format!("Wort{at}x Datenbankmigration "))
            .collect();
        let query = QueryTerms::from_prompt(&long);
        assert_eq!(query.clone().with_respellings(&long), query);
        let many = "Datenbankmigrationswerkzeug Rechnungsstellungsverfahren Versicherungsvertreter";
        let query = QueryTerms::from_prompt(many).with_respellings(many);
        assert!(query.terms.len() <= 3 + MOST_ADDED);
    }
}
