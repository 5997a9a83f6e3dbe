//! Words that are common in general and say little about any topic.
//!
//! What a bank of lessons makes of them is for [`rank`](crate::rank).

use std::collections::BTreeSet;

use super::words::for_each_term;
use crate::text::word_table::WordTable;

/// Terms by the share of texts that contain them, in the order of their bytes. Rough on purpose: words of ordinary
/// English, of writing about programs, of code itself, and the words that join others in the languages that people
/// write most.
const COMMON_TERMS: &[(f32, &str)] = &[
    (
        0.2,
        "aan aber abi about after ag again al albo ale algo all alla allo also am ama anch ancora \
         ani anoth ant ao aquel aqui ar asi ate att au auf aunqu aus aux av avec bajo be becaus \
         been befor bei beim between bez bij bir bis bist bitt both bu byc cada can ce ces cet \
         cett ceux che chez chi co coi cok comm comment como con contra could cual cuando cui czi \
         da daar dag daha dai dal dalla dan das dass dat de deg dei dein del dela dele dell della \
         dello dem den denn depoi der des desd despu det deze di dich did die dies dieser dir dit \
         dla do doch doe doen donc dond done dopo dos dove down du durant durch dus each ed een \
         ein einem einen einer el ela ele ell ella ello em en entr er es esa ese eso ess essa est \
         esta estan esto et ete etr ett eu euch eux everi fait favor foi fran from fue fur gdi \
         gdzie geen gegen gibi gli ha hab habe haben had hanno har has hasta hatt have hay he heb \
         hebb heeft her here het hier hij him his ho hoe how i ich icin ihr ik il ile im immer in \
         isso ist isto ja jag jak jako je jede jeder jego jej jest jeszcz jij just juz kadar kan \
         kann kazdi kein ki kiedi konn ktora ktore ktori la las le les leur lo loro los lui ma \
         maar mai mas may me med meer mehr mein men mes mesmo meu mi mia mich mientra might mijn \
         minha mio mir moet moi mon more most moze mucho muito must muy my na naar nach nad nada \
         nao nar nas ne neg nei nel nella nem ni nicht nie niet noch nog nos nossa nosso nostro \
         notr nous now nu nun nur ob och od oder ohn olan olarak om omdat on ona onder one onli \
         ont ook op other otra otro ou our out over own pa par para pas pela pelo perch pero peut \
         piu plait po poco por porqu pour pourquoi prima przed przez przi pued puo qu qual quand \
         quando que quel quell quella quello quem questa questo qui quien return sa same san sao \
         schon se sehr sein sem senza ser ses seu seus she should si sia sich sie sig sind so \
         sobr soll solo som some sono sonra sont sous su sua sug sui sul sulla suo sur sus ta tak \
         tam tambem tambi te tegen tego tej tem ten tes than them tien till toch todo toe toi ton \
         too tous tout tra tres tu tutti tutto two tylko uber uit um uma un una und under une uno \
         unser unter up us use van veel ver veri veya voce vom von voor vor votr vous waar warum \
         wat we weil wel wenn werd were what when where whi which while who wie wiec wieder wij \
         wir wird wo wordt would wszystko ya you your za zal ze zich zij zijn zo zonder zou zu \
         zum zur zwisch а без бы был быт в вам вас ве во вот все вы где да даж для до е ег есл \
         ест ещ же за и из ил им их к как ко когд кто ли мне мы на над нам нас не нег нет ни но о \
         об один он от очен по под пожалуйст посл пот при про с сам сво себ со так такж там то \
         тог тож тольк ты у уж чем что чтоб эт этот я",
    ),
    (
        0.1,
        "assert call default error function given https let method name new number set string \
         time true type valu",
    ),
    (
        0.05,
        "actual add against allow alway anyth arg argument array ask attribut avoid b back bar \
         base baz best better bin bool build byte c case chang char check class close code column \
         com come command condit config const contain correct correspond crate creat current d \
         data day def defin delet differ dure e element end ensur enum even ever \
         everyth exampl expect express f fail fals featur field file find first fix float fn \
         follow foo format found g generat get git github give go good got graph h hand handl \
         help home html http imag impl implement import includ index input instead int issu \
         it item iter j k keep key kind know l last lib life like line list ll long look loop m \
         made main make man mani map match mayb messag much mut n need never next node non none \
         note noth npm null o object off often ok okay old onc open option order org output p \
         packag page paramet pars part pass path peopl person pip place pleas point posit possibl \
         print problem process program project provid pub put q r re read realli refer remov \
         repo repositori repres request requir respons result right row run rust s say search see self server \
         short show side sinc size someon someth specifi src start state statement static std \
         still stop str struct support sure system t tabl take tell test text thank thing think \
         through tmp trait tri u until updat user usr v valid var variabl vec version void w \
         want way well within without won word work world write wrong www x y year yes z",
    ),
    (
        0.02,
        "addit algorithm api appli auch bit charact compil comput configur construct context \
         convert date depend determin dict direct doc either empti enabl except exist flag form \
         group id indic inform instanc integ length level matrix memori met mit modul multipl \
         muss offset oper os otherwis param pattern per perform plus pull python rais rang second \
         sequenc singl slice sourc span specif store symbol tambien target tupl unwrap werden \
         whether zero быть если или это 一个 不能 不要 什么 使用 可以 因为 如果 必须 怎么 所以 时候 没有 进行 问题 需要 니다 에서 으로 \
         입니 있는 하는 하지 합니 해야",
    ),
];

static TERM_TABLE: WordTable<f32, 2048> = WordTable::new(COMMON_TERMS);

/// Returns whether a word is common in general: it has no term of its own, or a common one.
pub fn is_common_word(word: &str) -> bool {
    let mut is_common = true;
    for_each_term(word, |term| is_common &= common_share(term) > 0.0);
    is_common
}

/// A term that more than this share of all texts holds tells nothing.
const TELLING_SHARE: f32 = 0.05;

/// Collects the terms of a text that tell what it is about.
pub fn collect_telling_terms(text: &str) -> BTreeSet<String> {
    let mut terms = collect_terms(text);
    terms.retain(|term| common_share(term) < TELLING_SHARE);
    terms
}

/// Collects the terms of a text.
pub fn collect_terms(text: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    for_each_term(text, |term| {
        terms.insert(term.to_owned());
    });
    terms
}

/// Returns the share of texts that hold a term, 0 for one that is not common.
pub fn common_share(term: &str) -> f32 {
    TERM_TABLE.get(term).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_is_found_and_stands_once() {
        for (share_of, terms) in COMMON_TERMS {
            let listed: Vec<&str> = terms.split(' ').collect();
            assert!(listed.is_sorted_by(|a, b| a < b), "{share_of}");
            assert!(listed.iter().all(|term| common_share(term) == *share_of));
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
