//! The phrases that mark a correction, language by language.
//!
//! Rows of data, all in lower case. What a phrase says at which place in a sentence is [`language`](super::language)'s.

use super::language::Language;

/// The languages, each with its own phrases.
pub(super) const LANGUAGES: &[Language] = &[
    ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, RUSSIAN, CHINESE, JAPANESE, KOREAN,
];

/// A language without any phrase.
const NONE: Language = Language {
    refusals: &[],
    repeats: &[],
    doubts: &[],
    reminders: &[],
    chatter: &[],
    forbidding: &[],
    forbidding_verb: None,
    ordering: &[],
    choosing: &[],
    closing: &[],
    closing_not: &[],
    completing: &[],
    contrasts: &[],
    rules: &[],
    standing: &[],
    later: &[],
    scopes: &[],
    premises: &[],
    customs: &[],
    declines: &[],
    complaints: &[],
    local: &[],
    place: "",
    negations: &[],
    pleas: &[],
    exceptions: &[],
};

#[rustfmt::skip]
const ENGLISH: Language = Language {
    refusals: &["no", "nope", "wrong", "stop", "that's wrong", "that is wrong", "that's not right", "that's incorrect", "that's not what i asked", "that's not what i asked for", "that's not what i want", "that's not what i meant", "not like that"],
    repeats: &["i told you", "i already told you", "i've told you", "i've already told you", "i said", "as i said", "like i said", "how many times", "again", "you did it again", "you keep ignoring"],
    chatter: &["please", "pls", "and", "but", "so", "hey", "wait", "ok", "okay", "also", "already", "just", "then", "well", "to", "that", "you should", "you must", "you have to", "you need to", "remember to", "remember", "make sure to", "make sure you", "be sure to", "i want you to", "in general", "in this repo", "in this project", "in this codebase", "for this project", "for this repo"],
    forbidding: &["don't", "do not", "dont", "never", "you can't", "you cannot", "avoid", "must not", "you must not", "you mustn't", "you should not", "you shouldn't", "you are not to", "you're not to"],
    forbidding_verb: Some(("stop", "ing")),
    ordering: &["use", "run", "call", "write", "put", "keep", "prefer", "only", "always", "add", "name", "place", "import", "test", "check", "ask", "follow", "leave", "start", "begin", "commit", "return", "set", "read", "build", "install", "format", "log", "wrap", "store", "pass"],
    choosing: &["use", "prefer", "go with", "stick to", "stick with", "always"],
    completing: &["change", "edit", "move", "rename", "remove", "delete", "update", "create", "go", "do", "take", "let", "make", "generate", "regenerate", "look", "open", "switch", "replace"],
    contrasts: &["instead", "instead of", "not", "rather than", "and not", "never"],
    rules: &["always", "never", "we always", "we never", "every time you"],
    standing: &["from now on", "going forward", "from here on"],
    later: &["in future", "in the future", "next time"],
    scopes: &["before every", "before each", "after every", "after each", "every time", "before committing", "before pushing", "before you commit", "before you push", "before a commit", "for tests", "for this project", "by convention", "anywhere", "ever", "everywhere", "in tests", "in production"],
    local: &["this", "that", "it", "these", "those", "my", "me", "line", "lines", "now", "for now", "yet", "the file", "the test", "the function", "the first", "the second", "the last", "yours"],
    place: "here",
    exceptions: &["don't worry", "do not worry", "dont worry", "don't know", "do not know", "don't think", "don't see", "don't mind", "don't need", "don't have", "don't bother", "never mind", "nevermind", "don't get", "dont know", "don't understand", "don't forget", "don't you", "you should not have", "you shouldn't have", "you should not need", "you shouldn't need", "don't do that", "don't do it", "do not do that", "never works", "never worked", "never happens", "always fails", "always happens", "set up", "start over", "start again", "check again", "read it", "run it", "call it"],
    doubts: &["actually", "on second thought"],
    reminders: &["remember", "reminder", "please remember", "keep in mind", "bear in mind", "for the record", "for next time", "for the future"],
    premises: &["in this repo", "in this repository", "in this project", "in this codebase", "in this code base", "in our codebase", "in our code base", "in our repo", "in our project", "around here", "on this project", "on this team"],
    customs: &["we use", "we only use", "we only", "we run", "we keep", "we put", "we write", "we store", "we deploy", "we name", "we commit", "we test"],
    declines: &["we don't use", "we don't write", "we don't commit", "we don't put", "we don't edit", "we don't import", "we don't run", "we don't push", "we don't call", "we don't mock", "we don't touch", "we don't store", "we don't log", "we don't deploy", "we don't do", "we don't add", "we do not use", "we do not write", "we do not commit", "we do not do", "we no longer", "we never"],
    complaints: &["fails", "failed", "failing", "broken", "breaks", "crashes", "doesn't work", "does not work", "error", "errors", "hangs", "slow"],
    ..NONE
};

#[rustfmt::skip]
const GERMAN: Language = Language {
    refusals: &["nein", "nee", "falsch", "das ist falsch", "stopp", "stop", "halt", "so nicht", "das stimmt nicht"],
    repeats: &["ich habe dir gesagt", "ich hab dir gesagt", "ich hatte gesagt", "ich sagte doch", "wie gesagt", "schon wieder", "nochmal"],
    chatter: &["bitte", "und", "aber", "also", "doch", "mal", "du sollst", "du musst", "in diesem projekt", "in diesem repo", "dass du"],
    forbidding: &["niemals", "nie", "hör auf", "vermeide", "du darfst nicht", "du darfst kein", "du darfst keine", "du darfst keinen", "du sollst nicht", "du sollst kein", "du sollst keine", "du sollst keinen"],
    ordering: &["verwende", "benutze", "nutze", "nimm", "nehme", "schreib", "schreibe", "führe", "mach", "mache", "ruf", "rufe", "setz", "setze", "leg", "lege", "behalte", "immer", "stattdessen", "nur", "füge", "teste", "prüfe", "frag", "frage", "committe", "importiere"],
    choosing: &["verwende", "benutze", "nutze", "nimm", "nehme", "immer"],
    closing: &["benutzen", "verwenden", "nutzen", "nehmen", "schreiben", "committen", "pushen", "ändern", "anfassen", "bearbeiten", "editieren", "löschen", "ausführen", "starten", "setzen", "einbauen", "hinzufügen", "installieren", "importieren", "aufrufen", "anlegen", "umbenennen"],
    completing: &["ändere", "bearbeite", "verschiebe", "lösche", "entferne", "erzeuge", "generiere", "ersetze"],
    contrasts: &["statt", "anstatt", "anstelle", "stattdessen", "sondern", "nicht", "kein", "keine"],
    rules: &["niemals", "nie", "wir verwenden immer", "wir nutzen immer"],
    standing: &["immer", "stets", "ab jetzt", "ab sofort", "von jetzt an"],
    later: &["künftig", "in zukunft", "nächstes mal"],
    scopes: &["vor jedem", "vor jeder", "nach jedem", "nach jeder", "jedes mal", "vor dem commit", "für tests", "in tests", "grundsätzlich", "überall"],
    local: &["das", "dies", "diese", "diesen", "dieser", "dieses", "es", "mein", "meine", "mir", "zeile", "jetzt", "die datei", "der test", "die funktion"],
    place: "hier",
    negations: &["nicht", "kein", "keine", "keinen", "niemals"],
    pleas: &["bitte nicht", "bitte kein", "bitte keine", "bitte keinen"],
    exceptions: &["mach weiter", "mach mal", "mach dir", "nie im leben", "immer noch", "immer wieder", "immer diese", "immer dieser", "immer das", "nur so", "nimm dir", "nicht so"],
    reminders: &["merk dir", "merke dir", "denk dran", "denk daran", "zur erinnerung", "fürs nächste mal"],
    premises: &["in diesem projekt", "in diesem repo", "in unserem projekt", "in unserem repo", "bei uns"],
    customs: &["wir verwenden", "wir benutzen", "wir nutzen", "wir nehmen", "wir schreiben", "wir committen", "bei uns"],
    declines: &["wir verwenden kein", "wir verwenden keine", "wir verwenden keinen", "wir benutzen kein", "wir benutzen keine", "wir nutzen kein", "wir nutzen keine", "wir schreiben keine", "wir committen nie", "wir verwenden nie"],
    complaints: &["schlägt fehl", "kaputt", "geht nicht", "funktioniert nicht", "fehler", "hängt"],
    ..NONE
};

#[rustfmt::skip]
const FRENCH: Language = Language {
    refusals: &["non", "surtout pas", "faux", "c'est faux", "ce n'est pas ça", "stop", "arrête", "pas comme ça"],
    repeats: &["je t'ai dit", "je t'ai déjà dit", "je vous ai dit", "je vous ai déjà dit", "comme je l'ai dit"],
    chatter: &["s'il te plaît", "s'il vous plaît", "stp", "svp", "et", "mais", "donc", "alors", "tu dois", "il faut", "dans ce projet", "dans ce dépôt", "de", "plutôt"],
    forbidding: &["ne", "n'", "jamais", "arrête de", "arrête d'", "arrêtez de", "évite", "évite de", "évitez de", "tu ne dois pas", "vous ne devez pas", "il ne faut pas"],
    ordering: &["utilise", "utilisez", "emploie", "prends", "mets", "écris", "lance", "appelle", "garde", "toujours", "exécute", "préfère", "ajoute", "nomme", "importe", "teste", "vérifie", "demande"],
    choosing: &["utilise", "utilisez", "emploie", "prends", "préfère", "toujours"],
    completing: &["change", "modifie", "modifiez", "déplace", "supprime", "crée", "génère", "remplace"],
    contrasts: &["au lieu de", "au lieu d'", "plutôt que", "et non", "pas", "plutôt"],
    rules: &["jamais"],
    standing: &["toujours", "désormais", "dorénavant", "à partir de maintenant"],
    later: &["à l'avenir", "la prochaine fois"],
    scopes: &["avant chaque", "après chaque", "à chaque fois", "pour les tests", "partout"],
    local: &["ça", "cela", "ce", "cette", "ces", "cet", "ceci", "mon", "ma", "mes", "moi", "ligne", "le fichier", "la fonction", "le test", "celui-ci"],
    place: "ici",
    negations: &["pas", "jamais", "plus"],
    exceptions: &["ne t'inquiète", "ne vous inquiétez", "n'importe", "ne t'en fais pas", "n'hésite", "n'oublie", "n'oubliez", "ne marche pas", "ne fonctionne pas", "ne sais pas"],
    reminders: &["rappel", "retiens", "retenez", "souviens-toi", "à retenir", "pour rappel"],
    premises: &["dans ce projet", "dans ce dépôt", "dans notre projet", "dans ce repo", "chez nous"],
    customs: &["on utilise", "nous utilisons", "on met", "on écrit", "chez nous"],
    declines: &["on n'utilise pas", "on n'utilise jamais", "nous n'utilisons pas", "on ne met pas", "on ne met jamais", "on ne fait pas", "on n'écrit pas"],
    complaints: &["échoue", "ne marche pas", "ne fonctionne pas", "cassé", "erreur", "plante"],
    ..NONE
};

#[rustfmt::skip]
const SPANISH: Language = Language {
    refusals: &["no", "mal", "eso está mal", "está mal", "incorrecto", "para", "alto", "así no"],
    repeats: &["te dije", "ya te dije", "te lo dije", "como dije", "otra vez"],
    chatter: &["por favor", "y", "pero", "entonces", "debes", "tienes que", "en este proyecto", "en este repo", "que", "mejor"],
    forbidding: &["no uses", "no use", "no utilices", "no hagas", "no pongas", "no añadas", "no agregues", "no escribas", "no ejecutes", "no llames", "no crees", "no borres", "no modifiques", "no toques", "no cambies", "no importes", "no instales", "nunca", "deja de", "evita", "jamás", "no debes", "no se debe", "no hay que"],
    ordering: &["usa", "use", "utiliza", "emplea", "pon", "escribe", "ejecuta", "llama", "siempre", "mantén", "prefiere", "añade", "agrega", "corre", "importa", "instala", "haz", "prueba", "pregunta"],
    choosing: &["usa", "use", "utiliza", "emplea", "prefiere", "siempre"],
    completing: &["cambia", "modifica", "edita", "mueve", "borra", "elimina", "crea", "genera", "reemplaza"],
    contrasts: &["en lugar de", "en vez de", "y no", "no uses", "sino"],
    rules: &["nunca", "jamás"],
    standing: &["siempre", "a partir de ahora", "desde ahora", "de ahora en adelante"],
    later: &["en el futuro", "la próxima vez"],
    scopes: &["antes de cada", "después de cada", "cada vez", "para las pruebas", "en todas partes"],
    local: &["esto", "eso", "este", "esta", "estos", "estas", "ese", "esa", "mi", "mis", "línea", "el archivo", "la función", "la prueba", "lo"],
    place: "aquí",
    exceptions: &["nunca funciona", "siempre falla", "nunca vi", "nunca he", "nunca había"],
    reminders: &["recuerda", "recordad", "recordatorio", "ten en cuenta", "para la próxima"],
    premises: &["en este proyecto", "en este repo", "en este repositorio", "en nuestro proyecto"],
    customs: &["usamos", "aquí usamos", "nosotros usamos", "siempre usamos"],
    declines: &["no usamos", "aquí no usamos", "nunca usamos", "no escribimos", "no ponemos", "no hacemos"],
    complaints: &["falla", "no funciona", "roto", "rota", "error", "se cuelga"],
    ..NONE
};

#[rustfmt::skip]
const PORTUGUESE: Language = Language {
    refusals: &["não", "nao", "errado", "está errado", "isso está errado", "para", "pare", "assim não", "não é isso"],
    repeats: &["já te disse", "eu já te disse", "já disse", "eu já disse", "eu disse", "como eu disse", "já falei", "eu já falei", "de novo"],
    reminders: &["lembre", "lembre-se", "lembra", "lembrete", "anota", "anote", "para a próxima"],
    chatter: &["por favor", "e", "mas", "então", "você deve", "você tem que", "tem que", "neste projeto", "neste repositório", "que", "para", "pra"],
    forbidding: &["não use", "não usa", "não utilize", "não faça", "não coloque", "não ponha", "não adicione", "não escreva", "não execute", "não rode", "não chame", "não crie", "não apague", "não modifique", "não toque", "não mexa", "não mude", "não importe", "não instale", "não commite", "não edite", "nunca", "jamais", "pare de", "evite", "não deve", "não se deve"],
    ordering: &["use", "usa", "utilize", "coloque", "ponha", "escreva", "execute", "rode", "chame", "sempre", "mantenha", "prefira", "adicione", "importe", "instale", "faça", "teste", "pergunte"],
    choosing: &["use", "usa", "utilize", "prefira", "sempre"],
    completing: &["mude", "modifique", "edite", "mova", "apague", "remova", "crie", "gere", "substitua", "altere"],
    contrasts: &["em vez de", "ao invés de", "no lugar de", "e não", "não use", "mas sim"],
    rules: &["nunca", "jamais"],
    standing: &["sempre", "a partir de agora", "de agora em diante", "daqui em diante"],
    later: &["no futuro", "da próxima vez"],
    scopes: &["antes de cada", "depois de cada", "toda vez", "nos testes", "para os testes", "em todo lugar"],
    premises: &["neste projeto", "nesse projeto", "nesse repo", "neste repositório", "neste repo", "no nosso projeto"],
    customs: &["usamos", "a gente usa", "nós usamos", "aqui usamos"],
    declines: &["não usamos", "a gente não usa", "aqui não usamos", "nunca usamos", "não escrevemos", "não fazemos"],
    complaints: &["falha", "não funciona", "quebrado", "quebra", "erro", "trava"],
    local: &["isso", "isto", "este", "esta", "esse", "essa", "meu", "minha", "linha", "agora", "o arquivo", "a função", "o teste"],
    place: "aqui",
    exceptions: &["nunca funciona", "sempre falha", "nunca vi", "nunca tinha", "não se preocupe", "não sei", "não precisa"],
    ..NONE
};

#[rustfmt::skip]
const RUSSIAN: Language = Language {
    refusals: &["нет", "неверно", "неправильно", "это неправильно", "это неверно", "не так", "не то", "стоп", "стой"],
    repeats: &["я же говорил", "я же говорила", "я говорил", "я говорила", "я уже говорил", "я уже говорила", "я же сказал", "я просил", "я же просил", "сколько раз", "опять", "ещё раз"],
    reminders: &["запомни", "запомните", "помни", "учти", "имей в виду", "на будущее", "напоминаю"],
    chatter: &["пожалуйста", "и", "а", "но", "же", "ну", "тебе надо", "надо", "нужно", "что", "в этом проекте", "в этом репозитории"],
    forbidding: &["не используй", "не используйте", "не трогай", "не трогайте", "не меняй", "не делай", "не пиши", "не добавляй", "не запускай", "не коммить", "не пушь", "не редактируй", "не правь", "не удаляй", "не ставь", "не клади", "не создавай", "не вызывай", "не надо использовать", "нельзя", "никогда", "перестань", "хватит", "избегай"],
    ordering: &["используй", "используйте", "запускай", "запусти", "бери", "пиши", "клади", "ставь", "всегда", "только", "добавляй", "проверяй", "делай", "вызывай", "держи", "спрашивай"],
    choosing: &["используй", "используйте", "бери", "ставь", "всегда"],
    completing: &["меняй", "измени", "правь", "поправь", "перенеси", "удали", "создай", "сгенерируй", "замени"],
    contrasts: &["вместо", "а не", "не используй"],
    rules: &["никогда"],
    standing: &["всегда", "впредь", "отныне", "с этого момента", "с этих пор"],
    later: &["в будущем", "в следующий раз"],
    scopes: &["перед каждым", "после каждого", "каждый раз", "в тестах", "перед коммитом", "перед пушем"],
    premises: &["в этом проекте", "в этом репозитории", "в нашем проекте", "у нас"],
    customs: &["мы используем", "мы пишем", "мы кладём", "мы храним", "у нас"],
    declines: &["мы не используем", "мы не пишем", "мы не коммитим", "мы не кладём", "мы не делаем", "мы никогда не", "у нас не"],
    complaints: &["падает", "упал", "упали", "сломан", "не работает", "ошибка", "висит"],
    local: &["это", "этот", "эту", "эта", "этом", "его", "мой", "моя", "строке", "сейчас", "в файле", "в функции"],
    place: "здесь",
    negations: &["не"],
    exceptions: &["не волнуйся", "не знаю", "не важно", "не нужно", "всегда падает"],
    ..NONE
};

#[rustfmt::skip]
const CHINESE: Language = Language {
    refusals: &["不", "不对", "不是", "不行", "错了", "这样不对", "停", "别"],
    repeats: &["我说过", "我说过了", "我早说过", "我已经说过", "我告诉过你", "都说了", "说过多少次", "又来了"],
    reminders: &["记住", "请记住"],
    chatter: &["请", "麻烦", "先", "你要", "你应该", "那", "在这个项目里", "这个项目里"],
    forbidding: &["不要", "别", "不许", "不得", "不能", "不准", "禁止", "切勿", "千万别", "绝不", "绝对不要", "永远不要"],
    ordering: &["用", "使用", "改用", "运行", "执行", "必须", "要用", "统一", "一律", "始终", "总是", "只用", "应该用"],
    choosing: &["用", "使用", "改用", "统一用"],
    completing: &["改", "修改", "写", "放", "换成"],
    contrasts: &["而不是", "不要用", "别用", "代替"],
    rules: &["永远", "一律", "始终", "总是"],
    standing: &["从现在起", "从今以后", "以后", "今后", "一律", "始终", "总是", "永远"],
    later: &["下次"],
    scopes: &["每次", "提交前", "提交之前", "推送前", "测试里", "测试中"],
    premises: &["这个项目", "本项目", "这个仓库", "我们项目", "代码库"],
    customs: &["我们用", "我们使用", "我们一直", "我们都", "我们统一", "我们只"],
    declines: &["我们不用", "我们不使用", "我们从不", "我们不写", "我们不提交", "我们这里不"],
    complaints: &["失败", "报错", "坏了", "不工作", "错误"],
    local: &["这个", "那个", "它", "这行", "这里", "现在", "刚才", "我的"],
    place: "这儿",
    negations: &["不", "别"],
    exceptions: &["不用了", "不用担心", "别担心", "没关系", "不知道", "不需要", "先不用"],
    ..NONE
};

#[rustfmt::skip]
const JAPANESE: Language = Language {
    refusals: &["いや", "いいえ", "違う", "違います", "ちがう", "だめ", "ダメ", "そうじゃなくて", "そうではなく", "待って", "間違い", "それは違う", "それは違います"],
    repeats: &["前にも言った", "前にも言いました", "前にも言ったけど", "前にも言いましたが", "言ったよね", "何度も言って", "さっきも言った", "言いましたよね"],
    reminders: &["覚えておいて", "覚えて", "メモ"],
    chatter: &["お願いだから", "あの", "でも", "じゃあ"],
    closing: &["使って", "使ってください", "使ってね", "使うこと", "してください", "すること", "にして", "実行して", "書いて", "置いて", "走らせて", "お願いします"],
    closing_not: &["ないで", "ないでください", "ないでね", "使わない", "しない", "禁止", "禁止です", "ダメ", "ダメです", "だめ", "だめです", "いけない", "いけません", "ないこと", "やめて", "やめてください"],
    contrasts: &["じゃなくて", "ではなく", "ではなくて", "の代わりに", "ないで"],
    standing: &["今後", "これから", "常に", "必ず", "いつも", "絶対"],
    later: &["次から", "次回から"],
    scopes: &["コミット前", "コミットの前", "プッシュ前", "毎回", "テストでは"],
    premises: &["このプロジェクト", "このリポジトリ", "うちでは", "弊社では", "このコードベース"],
    customs: &["うちでは", "このプロジェクトでは", "このリポジトリでは"],
    complaints: &["失敗", "エラー", "動かない", "動きません", "壊れ"],
    local: &["この", "その", "これ", "それ", "今", "ここ"],
    place: "こちら",
    exceptions: &["気にしないで", "心配しないで"],
    ..NONE
};

#[rustfmt::skip]
const KOREAN: Language = Language {
    refusals: &["아니", "아뇨", "아니요", "아니야", "틀렸어", "틀렸습니다", "그게 아니라", "잠깐", "안 돼"],
    repeats: &["말했잖아", "말했듯이", "전에도 말했", "전에도 말했지만", "이미 말했", "이미 말했지만", "몇 번을 말해"],
    reminders: &["기억해", "기억하세요", "참고로"],
    chatter: &["제발", "그리고", "근데", "그냥"],
    closing: &["써", "써요", "써줘", "해주세요", "쓰세요", "사용해", "사용해줘", "사용하세요", "사용해 주세요", "해줘", "하세요", "해 주세요", "할 것", "돌려", "실행해", "실행하세요"],
    closing_not: &["쓰지 마", "쓰지 마세요", "하지 마", "하지 마세요", "지 마", "지 마세요", "지 말 것", "하지 말 것", "금지", "안 돼", "안 돼요", "안 됩니다", "안 써", "안 씁니다"],
    contrasts: &["말고", "대신", "아니라"],
    standing: &["앞으로", "항상", "절대", "반드시", "이제부터"],
    later: &["다음부터", "다음번에는"],
    scopes: &["커밋 전에", "커밋하기 전에", "푸시 전에", "매번", "테스트에서는"],
    premises: &["이 프로젝트", "이 저장소", "우리 프로젝트", "우리는"],
    customs: &["우리는", "우리 프로젝트는", "이 프로젝트에서는"],
    complaints: &["실패", "오류", "에러", "작동하지"],
    local: &["이거", "그거", "이건", "저거", "지금", "여기"],
    place: "이쪽",
    exceptions: &["걱정하지 마", "신경 쓰지 마"],
    ..NONE
};
