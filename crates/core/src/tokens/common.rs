//! Words that are common in general and say little about any topic.
//!
//! What a bank of lessons makes of them is for [`rank`](crate::rank).

use std::cmp::Ordering;

use super::words::for_each_term;

/// Terms by the share of texts that contain them, in the order of their bytes. Rough on purpose: words of ordinary
/// English, of writing about programs, of code itself, and the function words of a few other languages.
const COMMON_TERMS: [(f32, &str); 4] = [
    (
        0.2,
        "about after again all also am ani anoth be becaus been befor between both can \
         could did do doe done down each everi from had has have he her here him his how i \
         just may me might more most must my now one onli other our out over own return \
         same she should so some than them too two under up us use veri we were what when \
         where whi which while who would you your",
    ),
    (
        0.1,
        "assert call default error function given https let method name new number set \
         string time true type valu",
    ),
    (
        0.05,
        "actual add against allow alway anyth arg argument array ask attribut avoid b back \
         bar base baz best better bin bool build byte c case chang char check class close \
         code column com come command condit config const contain correct correspond crate \
         creat current d data day def defin delet didn differ doesn don dure e element end \
         ensur enum even ever everyth exampl expect express f fail fals featur field file \
         find first fix float fn follow foo format found g generat get git github give go \
         good got graph h hand handl help home html http imag impl implement import includ \
         index input instead int isn issu it item iter j k keep key kind know l last lib \
         life like line list ll long look loop m made main make man mani map match mayb \
         messag much mut n need never next node non none note noth npm null o object off \
         often ok okay old onc open option order org output p packag page paramet pars part \
         pass path peopl person pip place pleas point posit possibl print problem process \
         program project provid pub put q r re read realli refer remov repres request \
         requir respons result right row run rust s say search see self server short show \
         side sinc size someon someth specifi src start state statement static std still \
         stop str struct support sure system t tabl take tell test text thank thing think \
         through tmp trait tri u until updat user usr v valid var variabl ve vec version \
         void w want way well within without won word work world write wrong www x y year \
         yes z",
    ),
    (
        0.02,
        "addit al algorithm ao api appli au auch auf aus aux avec bei bit ce cett charact \
         che como compil comput con configur construct context convert cuando da dan das \
         dat date de del della dem den depend der des determin di dict direct doc dos een \
         ein einem einen einer either el em empti en enabl es est esta et except exist flag \
         foi form fur gli group het ich id il im indic inform instanc integ ist kann la las \
         le length les level los mai mas matrix memori met mit modul multipl muss nach nao \
         ne nel nicht niet noch nous nur oder offset oper os otherwis para param pas \
         pattern pela pelo per perform pero piu plus por pour pull python quando que qui \
         rais rang se second sequenc ser si sie sind singl slice sono sont sourc span \
         specif store su sur symbol tambien target te tem tupl uber um uma un una und une \
         unwrap van von voor vous wenn werden whether wie wir wird ya zero zijn zu быть в \
         все вы для если же и из или как мы на не но он от по при с так то у что это いる \
         から こと この した して する その ため です では ない には ので ます られ れる 一个 不是 不能 不要 什么 但是 使用 可以 因为 如果 就是 \
         必须 怎么 我们 所以 时候 没有 的时 这个 进行 问题 需要 니다 에서 으로 입니 있는 하는 하지 합니 해야",
    ),
];

/// Returns whether a word is common in general: it has no term of its own, or a common one.
pub(crate) fn is_common_word(word: &str) -> bool {
    let mut is_common = true;
    for_each_term(word, |term| is_common &= common_share(term) > 0.0);
    is_common
}

/// Returns the share of texts that hold a term, 0 for one that is not common.
pub(crate) fn common_share(term: &str) -> f32 {
    let row = COMMON_TERMS
        .iter()
        .find(|(_, terms)| contains_word(terms, term));
    row.map_or(0.0, |&(share, _)| share)
}

/// Returns whether a word is in a sorted list with one space between the words.
///
/// A recall looks up a dozen words in its whole life, so building a table first would take longer than all the
/// look-ups.
fn contains_word(words: &str, word: &str) -> bool {
    let (mut words, word) = (words.as_bytes(), word.as_bytes());
    while !words.is_empty() {
        let middle = words.len() / 2;
        let is_blank = |byte: &u8| *byte == b' ';
        let start = words[..middle].iter().rposition(is_blank);
        let start = start.map_or(0, |blank| blank + 1);
        let length = words[start..].iter().position(is_blank);
        let end = length.map_or(words.len(), |length| start + length);
        match words[start..end].cmp(word) {
            Ordering::Equal => return true,
            Ordering::Less => words = words.get(end + 1..).unwrap_or_default(),
            Ordering::Greater => words = &words[..start.saturating_sub(1)],
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_is_found_and_stands_once() {
        for (share_of, terms) in COMMON_TERMS {
            let listed: Vec<&str> = terms.split(' ').collect();
            assert!(listed.is_sorted_by(|a, b| a < b), "{share_of}");
            assert!(listed.iter().all(|term| common_share(term) == share_of));
        }
        for term in [
            "",
            " ",
            "aa",
            "zz",
            "abou",
            "aboutt",
            "about after",
            "하는하",
            "\u{10ffff}",
        ] {
            assert_eq!(common_share(term), 0.0, "{term:?}");
        }
    }
}
