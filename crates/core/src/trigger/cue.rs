//! What the words around a name say of it: that it is warned of, advised, or the occasion of something else.
//!
//! A table of words for each of the languages that people write their rules in. A word that a table does not have says
//! nothing, and a name without such a word keeps the sign that its place in the rule gives it. Sentences are not parsed.

use std::sync::LazyLock;

use super::word_table::WordTable;
use crate::shell;

/// What a word says of the names near it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cue {
    /// It speaks against what is near: `never`, `nicht`.
    Not,
    /// It says to do what is near: `use`, `run`.
    Do,
    /// It says to do what is near, and nothing else: `only`.
    Only,
    /// It is to be done before something else: `first`.
    First,
    /// What follows comes after: `then`.
    Then,
    /// It says by what something is done: `with`, `via`; any other word says it better.
    By,
    /// What follows is missed or left out, by what is said before: `without`.
    Without,
    /// What follows is missed: `until`; so it is advised.
    Lacking,
    /// What follows is an exception from what is said: `except`, `unless`.
    Except,
    /// What is near is let be: `fine`, `allowed`.
    Fine,
    /// What follows is an occasion: `before`, `when`.
    When,
    /// What follows is an occasion even if it is said to be done: `only after that run …`.
    OnlyWhen,
    /// What follows is the other one: `but`, `sondern`.
    But,
    /// What follows is replaced: `instead of`, `rather than`.
    InPlaceOf,
    /// What came before replaces something: `instead`.
    Instead,
}

/// Words of languages that put spaces between them; `*` stands for any ending.
#[rustfmt::skip]
const WORDS: &[(Cue, &str)] = &[
    (Cue::Not, "never not no don't dont doesn't won't can't cannot isn't aren't mustn't shouldn't wouldn't needn't avoid* stop quit forbid* \
        forbidden prohibit* banned ban taboo wrong deprecated neither nor skip nobody nothing none hands off-limits refrain \
        forget leave omit* fail* break breaks breaking broke broken hang* crash* slow refuse* useless dangerous harmful legacy obsolete bare plain raw yourself manually \
        nackt* nicht nie niemals kein* verboten* tabu untersagt weder noch finger vermeide* \
        pas jamais aucun* interdit* évite* ni proscri* bannir \
        nunca jamás jamas prohibid* evita* evite* tampoco nada ningún ninguna \
        não nao jamais proibid* nem nenhum* \
        не нет никогда нельзя запрещ* избега* ни никак* без*образн*"),
    (Cue::Do, "use uses used run runs rerun call calls called prefer* take go goes so start starts begin* \
        execute executes invoke invokes type choose must always should ensure need* want* let make* add put give pass set generate generates create creates \
        get comes done remember keep switch ask it's \
        benutz* nutz* verwend* nimm nehm* führ* also immer stets ausführen läuft laufen muss müssen bitte \
        utilis* lanc* exécut* passe passez passer donc faut toujours faire \
        usa usar use uso ejecut* corre correr pasar siempre debe* lanza* \
        usar rode roda rodar execut* sempre deve* ponha \
        использ* запуск* запуст* есть всегда делай* надо нужно должн*"),
    (Cue::By, "via with through by using over über mit per mittels durch avec par con mediante por com через с"),
    (Cue::Only, "only nur ausschließlich seulement uniquement solo sólo só somente apenas только лишь"),
    (Cue::First, "first erst zuerst zunächst d'abord primero primeiro сначала"),
    (Cue::Then, "then dann danach puis ensuite luego depois затем потом"),
    (Cue::Without, "without w/o ohne sans sin sem без"),
    (Cue::Lacking, "until bevor пока"),
    (Cue::Except, "unless except besides outside exception* sauf salvo außer außerhalb ausgenommen ausnahme exceto excepto кроме"),
    (Cue::Fine, "fine ok okay allowed permitted harmless welcome erlaubt ok permis autorisé* permitid* разреш* можно"),
    (Cue::When, "before after when whenever while if once every each per during upon following anytime changed changing touching editing \
        vor nach wenn sobald jedem jeder jedes jede beim bei nachdem \
        avant après quand lorsque si chaque dès \
        antes cuando si cada tras al \
        antes quando se cada após ao \
        перед после когда если каждый каждого каждым каждой при"),
    (Cue::But, "but sondern mais sino mas а но"),
    (Cue::InPlaceOf, "than вместо statt anstelle anstatt"),
    (Cue::Instead, "instead stattdessen plutôt"),
];

/// Words of languages that put no spaces between them, and endings of those that add them to words.
#[rustfmt::skip]
const PARTS: &[(Cue, &str)] = &[
    (Cue::InPlaceOf, "而不是 代替 ではなく じゃなく の代わり 대신 말고 아니라"),
    (Cue::Lacking, "なしで せずに ないうちは 없이 之前不"),
    (Cue::Except, "除非 除了 以外 を除 제외"),
    (Cue::Fine, "可以 允许 OK 構わ 괜찮"),
    (Cue::Not, "不要 别 不许 不得 不能 禁止 不可 不准 切勿 勿 不用 不再 不该 没有 不会 失败 \
        避免 いけない ならない しない 使わない やめ だめ ダメ ません 避け 厳禁 NG \
        ないで 触らない 금지 하지마 하지말 말것 마세요 말아 안된 않 못 절대"),
    (Cue::When, "之前 之后 以后 后 前 时 每次 如果 改了 修改 前に 後に たら とき 時は 場合 \
        たびに 전에 후에 뒤에 때 다음 면"),
    (Cue::Do, "请用 使用 用 运行 执行 一律 必须 先 走 只 使う 使って 使い 実行 必ず まず \
        経由 ください 사용 실행 반드시 먼저 쓰세요 해야 꼭"),
];

/// Two words that say something together that neither says alone.
const PAIRS: &[(&str, &str, Cue)] = &[
    ("instead", "of", Cue::InPlaceOf),
    ("rather", "than", Cue::InPlaceOf),
    ("in", "place", Cue::InPlaceOf),
    ("lieu", "de", Cue::InPlaceOf),
    ("lugar", "de", Cue::InPlaceOf),
    ("vez", "de", Cue::InPlaceOf),
    ("plutôt", "que", Cue::InPlaceOf),
    ("вместо", "него", Cue::Do),
    ("вместо", "неё", Cue::Do),
    ("вместо", "этого", Cue::Do),
    ("statt", "dessen", Cue::Do),
    ("hands", "off", Cue::Not),
    ("off", "limits", Cue::Not),
    ("too", "much", Cue::Not),
    ("no", "longer", Cue::Not),
    ("not", "only", Cue::Do),
    ("no", "matter", Cue::When),
    ("only", "after", Cue::OnlyWhen),
    ("only", "when", Cue::OnlyWhen),
    ("only", "if", Cue::OnlyWhen),
    ("the", "way", Cue::Do),
    ("has", "to", Cue::Do),
    ("have", "to", Cue::Do),
    ("not", "before", Cue::Lacking),
    ("other", "than", Cue::Except),
    ("anything", "but", Cue::Except),
    ("fuera", "de", Cue::Except),
    ("fora", "de", Cue::Except),
    ("en", "dehors", Cue::Except),
    ("go", "ahead", Cue::Fine),
    ("no", "problem", Cue::Fine),
    ("you", "may", Cue::Fine),
    ("you", "can", Cue::Fine),
    ("as", "soon", Cue::When),
];

static CUE_TABLE: LazyLock<WordTable<Cue>> =
    LazyLock::new(|| WordTable::new(WORDS.iter().copied()));

/// Returns what a word and the one after it say; of a word of a language without spaces, all that its parts say, in order.
pub(super) fn find_cues(word: &str, next: &str) -> Vec<Cue> {
    if !word.is_ascii() && word.chars().any(is_unspaced) {
        return find_parts(word);
    }
    let pair = PAIRS
        .iter()
        .find(|(first, second, _)| *first == word && *second == next);
    let alone = || CUE_TABLE.get(word);
    pair.map(|pair| pair.2).or_else(alone).into_iter().collect()
}

/// Returns whether a character is of a script without spaces, or of one whose words take endings for what a rule says.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

fn find_parts(text: &str) -> Vec<Cue> {
    let mut cues: Vec<(usize, usize, Cue)> = Vec::new();
    for (cue, parts) in PARTS {
        for part in parts.split(' ') {
            cues.extend(
                text.match_indices(part)
                    .map(|(at, _)| (at, part.len(), *cue)),
            );
        }
    }
    // Of two that overlap the longer one is meant.
    cues.sort_by_key(|(at, length, _)| (*at, usize::MAX - length));
    let mut end = 0;
    cues.retain(|(at, length, _)| {
        let is_free = *at >= end;
        end = if is_free { at + length } else { end };
        is_free
    });
    cues.into_iter().map(|cue| cue.2).collect()
}

/// Returns whether a language of this word says at the end of a sentence what is to be done.
pub(super) fn is_verb_final(word: &str) -> bool {
    word.chars()
        .any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}'))
}

/// Returns whether a word says something of a name, and does not only describe the next word: `is fine in tests`, not
/// `the allowed target`.
pub(super) fn is_predicate(word: &str, next: &str) -> bool {
    let is_of_place = is_in_list(
        "for in on at here there too as if with für in hier bei pour dans en ici para aqui em",
        next,
    );
    next.is_empty()
        || word == "you"
        || word == "no"
        || word == "go"
        || is_of_place
        || word.chars().any(is_unspaced)
}

/// Returns whether a word is one for whoever does it.
pub(super) fn is_pronoun(word: &str) -> bool {
    matches!(
        word,
        "you"
            | "we"
            | "i"
            | "one"
            | "they"
            | "man"
            | "du"
            | "ihr"
            | "wir"
            | "vous"
            | "tu"
            | "on"
            | "se"
            | "мы"
            | "вы"
    )
}

/// Returns whether a word joins names, or only points at one.
pub(super) fn is_joining(word: &str) -> bool {
    matches!(
        word,
        "and"
            | "or"
            | "the"
            | "a"
            | "an"
            | "all"
            | "every"
            | "each"
            | "any"
            | "our"
            | "und"
            | "oder"
            | "et"
            | "y"
            | "e"
            | "и"
            | "die"
            | "les"
            | "las"
            | "os"
    )
}

/// Returns whether a word at the beginning of a clause says to do something.
pub(super) fn is_imperative(word: &str) -> bool {
    const VERBS: &str = "change edit update modify write bump copy look open read check see install restart rebuild \
        clear delete move commit push rename import export wrap wire register place store declare pin";
    shell::is_listed(VERBS, word)
}

/// Returns whether a word is in a list of words separated by single spaces, in which `*` at the end of one stands for any
/// ending.
pub(super) fn is_in_list(list: &str, word: &str) -> bool {
    let Some(first) = word.bytes().next() else {
        return false;
    };
    // Most words of a list begin otherwise and are passed over many bytes at a time.
    memchr::memchr_iter(first, list.as_bytes()).any(|start| {
        let begins = start == 0 || list.as_bytes()[start - 1] == b' ';
        begins && {
            let entry = list[start..].split(' ').next().unwrap_or_default();
            match entry.strip_suffix('*') {
                Some(stem) => word.starts_with(stem),
                None => entry == word,
            }
        }
    })
}

/// Splits a word from the marks before and after it.
pub(super) fn strip_marks(word: &str) -> (&str, &str, &str) {
    let is_mark = |c: char| {
        matches!(
            c,
            ',' | ';'
                | ':'
                | '!'
                | '?'
                | '('
                | ')'
                | '['
                | ']'
                | '"'
                | '\''
                | '“'
                | '”'
                | '„'
                | '‘'
                | '’'
                | '«'
                | '»'
                | '…'
                | '。'
                | '，'
                | '、'
                | '；'
                | '：'
                | '（'
                | '）'
                | '「'
                | '」'
                | '！'
                | '？'
                | '*'
                | '_'
                | '|'
                | '→'
                | '—'
                | '–'
        )
    };
    // A star may be the beginning of a pattern, an underscore that of a name.
    let start = word.trim_start_matches(|c| is_mark(c) && !matches!(c, '*' | '_'));
    let start = ["**", "__"].iter().fold(start, |start, mark| {
        start.strip_prefix(mark).unwrap_or(start)
    });
    let end = start.trim_end_matches(|c| is_mark(c) || c == '.');
    let end = if end.is_empty() { "" } else { end };
    let from = word.len() - start.len();
    (&word[..from], end, &start[end.len()..])
}

/// Returns whether a sentence begins with a word that says to do something.
pub(crate) fn begins_order(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let mut words = lower.split_whitespace().map(|word| strip_marks(word).1);
    let first = words.next().unwrap_or_default();
    let cues = find_cues(first, words.next().unwrap_or_default());
    // "It goes", "she uses": an English verb with this ending states something.
    is_imperative(first) || cues.contains(&Cue::Do) && !first.ends_with('s')
}

/// Returns whether a text puts something in place of something else.
pub(crate) fn says_instead(text: &str) -> bool {
    says_any(text, &[Cue::InPlaceOf, Cue::Instead])
}

/// Returns whether a text says that something is so, and nothing else.
pub(crate) fn says_only(text: &str) -> bool {
    says_any(text, &[Cue::Only])
}

/// Returns whether a text speaks against anything.
pub(crate) fn says_not(text: &str) -> bool {
    says_any(text, &[Cue::Not])
}

/// Returns whether any word of a text is one of these cues.
pub(super) fn says_any(text: &str, wanted: &[Cue]) -> bool {
    let lower = text.replace('’', "'").to_lowercase();
    let words: Vec<&str> = (lower.split_whitespace())
        .map(|word| strip_marks(word).1)
        .collect();
    let next_word = |at: usize| words.get(at + 1).copied().unwrap_or_default();
    words.iter().enumerate().any(|(at, word)| {
        let cues = find_cues(word, next_word(at));
        cues.iter().any(|cue| wanted.contains(cue))
    })
}
