use proptest::prelude::*;

use super::*;

fn terms(text: &str) -> String {
    let mut terms = Vec::new();
    words::for_each_term(text, |term| terms.push(term.to_owned()));
    terms.join(" ")
}

#[test]
fn words_become_terms() {
    for (text, expected) in [
        // Sentences: stop words and short numbers are removed, words stemmed.
        ("Retry the failing tests 3 times", "retri fail test time"),
        ("It is not in there", ""),
        ("took 10 s, then 404 and 1024", "took s 404 1024"),
        // What a contraction adds says as little as the word in full.
        ("don't CAN’T isn't", ""),
        ("the deploy's cache, we've 'quoted'", "deploy cach we quot"),
        ("l'image d’une base", "imag une base"),
        // Error codes and the like stay whole.
        (
            "error[E0308]: utf8 sha256 x86",
            "error e0308 utf8 sha256 x86",
        ),
        // Names give the whole and the parts.
        ("parseHTTPHeader", "parsehttphead pars http header"),
        ("GitHub URLs and IDs", "github git hub url id"),
        ("Sha256Sum 0xFF E2E", "sha256sum sha256 sum 0xff 0x ff e2e"),
        // Identifiers too; the whole is not stemmed.
        ("snake_cases", "snake_cases snake case"),
        ("__init__ _x _ ____", "init x"),
        (
            "MAX_RETRIES to_string",
            "max_retries max retri to_string string",
        ),
        ("test_getUser", "test_getuser test getus get user"),
        // Dotted names, paths and flags give parts only.
        ("src/main.rs:12 --no-verify", "src main verifi"),
        ("rs, not main.rs or Next.js.", "rs main next"),
        ("os.path.join(a, b)", "os path join b"),
        // Accents and letter forms make no difference.
        ("Über façade naïve Straße", "uber facad naiv strass"),
        ("u\u{308}ber U\u{308}BER", "uber uber"),
        ("ﬁle Ａpple ÆON ½", "file appl aeon"),
        ("İstanbul ΣΊΣΥΦΟΣ", "istanbul σισυφοσ"),
        ("сложный Ёж", "сложн еж"),
        // Inflections: Russian by its script, and the plural of German and Dutch.
        ("миграцию Миграции миграций", "миграц миграц миграц"),
        (
            "Rechnung Rechnungen bedrag bedragen token",
            "rechnung rechnung bedrag bedrag token",
        ),
        // Scripts without spaces give pairs; a single character gives itself.
        ("配置文件", "配置 置文 文件"),
        ("用fetch替代curl", "用 fetch 替代 curl"),
        ("テスト・失敗", "テス スト 失敗"),
        // What only joins words belongs to no pair.
        ("テストを実行してください", "テス スト 実行"),
        ("给账单的金额打折", "账单 金额 额打 打折"),
        ("설정 파일", "설정 파일"),
        ("\u{110B}\u{1165}", "어"),
        ("ｶﾞｷ", "ガキ"),
        ("ภาษา", "ภา าษ ษา"),
        // Signs of Indic scripts are part of the word.
        ("हिन्दी", "हिन्दी"),
        // Other characters than letters and digits separate; joiners do not.
        ("a\u{0}bc\u{200B}de\u{AD}f \u{1F600}", "bc def"),
        ("", ""),
    ] {
        assert_eq!(terms(text), expected, "{text:?}");
    }
}

#[test]
fn a_key_is_one_term_and_a_long_word_is_cut() {
    let key = "aB3".repeat(100);
    assert_eq!(terms(&key), "ab3".repeat(22)[..64]);
    assert_eq!(terms(&"é_".repeat(100)).split(' ').count(), 101);
    assert_eq!(terms(&"ж".repeat(100)), "ж".repeat(32));
}

fn lesson(signature: &str, text: &str) -> LessonContent {
    let clean = |text: &str| CleanText::from_stored(text.to_owned());
    LessonContent::new(clean(signature), clean(text))
}

#[test]
fn a_lesson_is_packed_with_its_signature_first() {
    let mut content = lesson("/fetch behind cloudflare", "Use a fetch with a token.");
    let packed = DocTerms::from_content(&content, None);
    assert_eq!(packed.as_str(), "fetch behind cloudflar\nuse fetch token");
    assert_eq!(packed.weighted_length(), 3 * 3 + 3 * 2);
    let counts: Vec<_> = packed.term_counts().into_iter().collect();
    let expected = [
        ("behind", 3),
        ("cloudflar", 3),
        ("fetch", 5),
        ("token", 2),
        ("use", 2),
    ];
    assert_eq!(counts, expected);
    assert_eq!(DocTerms::from_packed(packed.as_str().to_owned()), packed);

    content.title = CleanText::from_stored("Use a fetch".to_owned());
    assert_eq!(
        DocTerms::from_content(&content, None),
        packed,
        "a title the text begins with adds nothing"
    );
    content.title = CleanText::from_stored("Send the token".to_owned());
    content.situation = Some(CleanText::from_stored("Plain GET".to_owned()));
    content.mistake = Some(CleanText::from_stored("retried".to_owned()));
    content.tags = vec![CleanText::from_stored("http".to_owned())];
    let all = "fetch behind cloudflar\nsend token plain get retri use fetch token";
    assert_eq!(DocTerms::from_content(&content, None).as_str(), all);
}

#[test]
fn the_words_of_a_task_stand_apart_each_once_and_without_numbers() {
    let content = lesson("ferry push", "Open a berth first.");
    let of = |task: &str| {
        DocTerms::from_content(&content, Some(&CleanText::from_stored(task.to_owned())))
    };
    let packed = of("Hand build-41 to the yard. The yard is at dock 7, open");
    assert_eq!(
        packed.as_str(),
        "ferri push\nopen berth first\nhand build yard dock open"
    );
    assert_eq!(
        packed.weighted_length(),
        DocTerms::from_content(&content, None).weighted_length()
    );
    assert_eq!(packed.term_counts()["open"], 3);
    assert_eq!(packed.term_counts()["yard"], 1);
    assert_eq!(of(" 41 "), DocTerms::from_content(&content, None));
    let many: String = (0..99).map(|n| format!("w{}x ", "a".repeat(n))).collect();
    assert_eq!(of(&many).task_terms().count(), limits::TASK_TERMS);
}

#[test]
fn an_empty_lesson_has_no_terms() {
    let packed = DocTerms::from_content(&lesson("", "the"), None);
    assert_eq!((packed.as_str(), packed.weighted_length()), ("\n", 0));
    assert_eq!(packed.term_counts().len(), 0);
}

fn query(prompt: &str) -> Vec<(String, f32)> {
    QueryTerms::from_prompt(prompt).terms
}

#[test]
fn a_prompt_saturates_its_own_counts() {
    // 3·1/3, 3·2/4, 3·3/5
    let expected = [("one", 1.0), ("two", 1.5), ("three", 1.8)].map(|(t, w)| (t.to_owned(), w));
    assert_eq!(query("one two three two three three"), expected);
}

#[test]
fn a_line_of_code_counts_half() {
    // 3·0.5/2.5 for a word in code only, 3·1.5/3.5 for one in both.
    let found = query("mutable borrow\n 6 | let x = &mut borrow; // ^^^^ ---- ||||");
    let weight = |term: &str| found.iter().find(|(t, _)| t == term).unwrap().1;
    assert_eq!(weight("mutabl"), 1.0);
    assert_eq!(weight("mut"), 0.6);
    assert_eq!(weight("borrow"), 4.5 / 3.5);
}

#[test]
fn the_order_of_a_prompt_is_kept() {
    assert_eq!(
        QueryTerms::from_prompt("b c b\nthe d").sequence,
        [0, 1, 0, 2]
    );
}

#[test]
fn a_long_prompt_is_read_at_both_ends() {
    let prompt = format!("first {}last", "é ".repeat(limits::PROMPT_BYTES));
    let found = query(&prompt);
    let terms: Vec<_> = found.iter().map(|(term, _)| term.as_str()).collect();
    assert_eq!(terms, ["first", "e", "last"]);
}

#[test]
fn the_heaviest_terms_are_kept_in_their_order() {
    let many: String = (0..limits::QUERY_TERMS)
        .map(|n| format!("word{n}x "))
        .collect();
    let found = QueryTerms::from_prompt(&format!("{many} late late"));
    assert_eq!(found.terms.len(), limits::QUERY_TERMS);
    assert_eq!(found.terms.last().unwrap(), &("late".to_owned(), 1.5));
    assert_eq!(found.terms[0].0, "word0x");
    let last = u16::try_from(limits::QUERY_TERMS - 1).unwrap();
    assert_eq!(
        found.sequence[limits::QUERY_TERMS - 2..],
        [last - 1, last, last]
    );
}

/// Text with much of what the term cutter looks for.
fn any_text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        any::<String>(),
        any::<char>().prop_map(String::from),
        "[A-Za-z_0-9 .\n]{0,80}",
        "[\u{300}-\u{36f}\u{3040}-\u{30ff}\u{ac00}-\u{ac20}é]{0,40}",
    ];
    proptest::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn terms_of_any_text_are_short_words(text in any_text()) {
        let mut seen = Vec::new();
        words::for_each_term(&text, |term| seen.push(term.to_owned()));
        for term in &seen {
            prop_assert!(!term.is_empty() && term.len() <= limits::TERM_BYTES, "{term:?}");
            prop_assert!(!term.contains(|c: char| c.is_whitespace() || c.is_control()), "{term:?}");
        }
        let packed = DocTerms::from_content(&lesson(&text, &text), None);
        prop_assert_eq!(packed.signature_terms().collect::<Vec<_>>(), seen.clone());
        prop_assert_eq!(packed.text_terms().collect::<Vec<_>>(), seen);
        prop_assert_eq!(packed.term_counts().values().sum::<u32>(), packed.weighted_length());
    }

    #[test]
    fn a_word_alone_has_the_terms_that_it_has_in_a_text(word in "[a-z]{1,70}|[A-Za-z0-9_]{1,12}|the|of") {
        let terms = |text: &str| {
            let mut terms = Vec::new();
            words::for_each_term(text, |term| terms.push(term.to_owned()));
            terms
        };
        prop_assert_eq!(terms(&word), terms(&format!(" {word} ")));
    }

    #[test]
    fn a_prompt_holds_only_terms_that_a_lesson_of_the_same_words_holds(text in any_text()) {
        let query = QueryTerms::from_prompt(&text);
        let one_line = text.lines().collect::<Vec<_>>().join("\n");
        let packed = DocTerms::from_content(&lesson("", &one_line), None);
        let counts = packed.term_counts();
        for (term, weight) in &query.terms {
            prop_assert!(counts.contains_key(term.as_str()), "{term}");
            prop_assert!(*weight > 0.0 && *weight < 3.0);
        }
        prop_assert!(query.sequence.iter().all(|&it| usize::from(it) < query.terms.len()));
    }
}

#[test]
fn names_are_cut_into_words() {
    let check = |name: &str, expected: &str| {
        assert_eq!(split_name_words(name).join(" "), expected, "{name}");
    };
    check("mcp__linear__getIssue", "mcp linear get issue");
    check("core.sshCommand", "core ssh command");
    check("GIT_SSL_NO_VERIFY", "git ssl no verify");
    check("--no-gpg-sign", "no gpg sign");
    check("parseHTTPHeader", "parse http header");
    check("__", "");
}
