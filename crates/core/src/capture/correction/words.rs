//! The words by which a correction is told from a task, a question and a report, in nine languages.
//!
//! Each list is a class of words that a language has few of: negation, "always", "here", "because", "now". What people
//! work on is not among them. `|` parts phrases; `*` stands for any beginning or end of a word. Where a phrase counts is
//! for [`evidence`](super::evidence).

use super::matching::PhraseList;

/// Objections that a sentence begins with; a single word only before a mark.
pub(super) static REFUSALS: PhraseList = PhraseList::new("no|nope|nonono|wrong|wrong *|stop|that's wrong|that is wrong|that's not right|that's incorrect|that's not what *|not like that\
    |nein|nee|falsch|falsche* *|das ist falsch|stopp|halt|so nicht|das stimmt nicht|non|surtout pas|faux|mauvais* *|c'est faux|ce n'est pas ça|arrête|pas comme ça\
    |mal|eso está mal|está mal|incorrecto|para|alto|así no|não|nao|errado|está errado|isso está errado|pare|assim não|não é isso\
    |нет|неверно|неправильно|неправильн* *|это неправильно|это неверно|не так|не то|стоп|стой\
    |不|不对|不是|不行|错了|这样不对|停|いや|いいえ|違う|違います|ちがう|だめ|ダメ|そうじゃなくて|そうではなく|待って|間違い|それは違う|それは違います\
    |아니|아뇨|아니요|아니야|틀렸어|틀렸습니다|그게 아니라|잠깐|안 돼");

/// What begins something that was said before, or is to be kept.
pub(super) static REPEATS: PhraseList = PhraseList::new("i told you|told you last week|i told you last week|told you before|i already told you|i've told you|i've already told you|i said|as i said|like i said|how many times|you keep ignoring\
    |ich habe dir gesagt|ich hab dir gesagt|ich hatte gesagt|ich sagte doch|wie gesagt|je t'ai dit|je t'ai déjà dit|je vous ai dit|comme je l'ai dit\
    |te dije|ya te dije|te lo dije|te lo dije ya|ya te lo dije|como dije|já te disse|eu já te disse|já disse|eu já disse|eu disse|como eu disse|já falei|eu já falei\
    |я же говорил|я же говорила|я говорил|я говорила|я уже говорил|я уже говорила|я же сказал|я просил|сколько раз\
    |我说过|我说过了|我早说过|我已经说过|我告诉过你|都说了|说过多少次|前にも言った|前にも言いました|前にも言ったけど|前にも言いましたが|言ったよね|何度も言って|さっきも言った\
    |말했잖아|말했듯이|전에도 말했|전에도 말했지만|이미 말했|이미 말했지만");

/// The same, if a mark follows: "remember: …".
pub(super) static REMINDERS: PhraseList = PhraseList::new("remember|reminder|please remember|keep in mind|bear in mind|for the record|for next time|for the future|note|one remark*|fyi|btw|by the way\
    |merk dir|denk dran|denk daran|zur erinnerung|fürs nächste mal|zur info|übrigens|rappel|pour rappel|retiens|à retenir|pour info|au fait\
    |recuerda|recordatorio|ten en cuenta|para la próxima|ojo|por cierto|lembre|lembre-se|lembra|lembrete|anota|para a próxima|aliás\
    |запомни|запомните|помни|учти|имей в виду|на будущее|напоминаю|кстати|记住|请记住|注意|顺便说一下|顺便|覚えておいて|メモ|ちなみに|기억해|기억하세요|참고로");

/// Second thoughts, which object mildly.
pub(super) static SECOND_THOUGHTS: PhraseList = PhraseList::new("actually|on second thought|eigentlich|en fait|en realidad|na verdade|на самом деле|其实|実は|사실");

/// Approvals, before a mark: who goes on with a statement after one says it for later.
pub(super) static APPROVALS: PhraseList = PhraseList::new("good|nice|great|fine|perfect|works|looks good|lgtm|thanks|thank you|merged|gut|super|passt|danke|einverstanden|bien|parfait|super|merci|perfecto|genial|gracias|vale\
    |bom|boa|ótimo|perfeito|beleza|obrigado|obrigada|хорошо|отлично|красиво|спасибо|принято|可以|好的|好|不错|谢谢|いいですね|良いですね|ありがとう|ありがとうございます|了解|좋네요|좋아요|좋습니다|고마워요|감사합니다");

/// Words that say nothing before a sentence.
pub(super) static FILLERS: PhraseList = PhraseList::new("please|pls|and|but|so|hey|wait|ok|okay|also|already|just|then|well|to|ah|oh|uh|ugh|argh|hm|hmm|eh|oops|right|yes|yeah|ach|ay|uf|aïe\
    |you should|ehh|uff|uy|fyi|btw|anyway|remember to|make sure to|make sure you|be sure to\
    |bitte|und|aber|also|doch|mal|gut|ja|dass du|s'il te plaît|s'il vous plaît|stp|svp|et|mais|donc|alors|oui\
    |por favor|y|pero|entonces|sí|que|e|mas|então|sim|пожалуйста|и|а|но|же|ну|да|ой|что\
    |请|麻烦|那|但|可是|お願いだから|あの|あ|でも|じゃあ|제발|그리고|근데|그냥|네");

/// What holds beyond the moment.
pub(super) static STANDING: PhraseList = PhraseList::new("always|never|ever|from now on|going forward|from here on|next time|in future,|to come\
    |immer|stets|nie|niemals|grundsätzlich|ab jetzt|ab sofort|von jetzt an|künftig|in zukunft|nächstes mal\
    |toujours|jamais|désormais|dorénavant|à partir de maintenant|à l'avenir|la prochaine fois|pour les suivant*|pour la suite\
    |siempre|nunca|jamás|a partir de ahora|de ahora en adelante|en el futuro|la próxima vez\
    |sempre|jamais|a partir de agora|de agora em diante|daqui em diante|no futuro|da próxima vez\
    |всегда|никогда|впредь|отныне|с этого момента|в будущем|в следующий раз\
    |永远|一律|始终|从不|绝不|统一|从现在起|以后|今后|下次|必ず|常に|絶対|今後|これから|次から|次回|以降|항상|절대|반드시|무조건|앞으로|다음부터|이제부터\
    |la prochaine|en adelante|daqui pra frente|na próxima|往后|다음에는");

/// What holds for each of many.
pub(super) static EVERY: PhraseList = PhraseList::new("any|anything|everything|whatever|nobody|generally|ever|same for|goes for|applies to|every|each|all of|everywhere|anywhere|our *|unser*|überall|notre|nos|partout|nuestr*|en todas partes|nosso*|nossa*|em todo lugar|наш*|везде|нигде|jede*|alle|chaque|tous les|toutes les|cada|todos los|todas las|todos os|todas as|кажд*|все|всех|всю\
    |每|所有|总是|全部|凡是|すべて|全て|毎|いつも|一切|모든|매번|모두|언제나\
    |都是|都在|都用|都走|都按|都放|都得");

/// When an order is to be followed again.
pub(super) static OCCASIONS: PhraseList = PhraseList::new("before every|before each|after every|after each|every time|before committing|before pushing|before you commit|before you push|before a commit\
    |in tests|for tests|in production|by convention|vor jede*|nach jede*|jedes mal|vor dem commit|für tests|in tests\
    |avant chaque|après chaque|à chaque fois|pour les tests|antes de cada|después de cada|cada vez|para las pruebas|depois de cada|toda vez|nos testes\
    |перед каждым|после каждого|каждый раз|в тестах|перед коммитом|每次|提交前|提交之前|推送前|コミット前|毎回|テストでは|커밋 전에|커밋하기 전에|매번|테스트에서는");

/// What must be so, of whomever.
pub(super) static DUTIES: PhraseList = PhraseList::new("must|musst|mustn't|has to|have to|needs to|belongs|belong|you can't|you cannot|shouldn't|should not|supposed to\
    |muss|müssen|darf|dürfen|gehör*|doit|doivent|faut|interdit*|tiene que|tienen que|hay que|debe|deben|deve|devem|tem que|tem de\
    |надо|нужно|должн*|нельзя|следует|必须|应该|都要|要用|不能|不得|べき|なければ|なきゃ|必要があ|해야|어야|아야\
    |not allowed|forbidden|banned|off limits|deprecated|verboten|untersagt|tabu|prohibid*|proibid*|запрещ*|запрет*|禁止|금지\
    |得用|得走|得先|要先|要走|要放|只能|只有|仅|のみ|しか|ことになって|기로 했|도록 되어|게 되어|에서만|으로만|не *ем|не *им|не *ём");

/// The whole project, or those who work on it.
pub(super) static HERE: PhraseList = PhraseList::new("here|hier|bei uns|ici|chez nous|aquí|aqui|здесь|うち|这边|组里|this repo|this repository|this project|this codebase|this code base|our repo*|our code*|our project|around here|this team|these days\
    |diesem projekt|diesem repo|unserem repo|unserem projekt|ce projet|ce dépôt|ce repo|notre projet|notre repo|este proyecto|este repo|este repositorio|nuestro proyecto|neste projeto|nesse projeto|neste repo*|nosso projeto\
    |этом проекте|этом репозитории|нашем проекте|у нас|这个项目|本项目|这个仓库|代码库|このプロジェクト|このリポジトリ|このコードベース|弊社|이 프로젝트|이 저장소");

/// Who does so by habit, as the subject of a clause.
pub(super) static CUSTOMS: PhraseList = PhraseList::new("we *|around here|wir *|bei uns|on ne|on n'*|on l'*|on le|on les|on y|on * le|on * la|on * les|on * des|on * pas|on * tout|on * un|on * une|on * du|on * de|on * en|on * dans|on * avec|on * sur|on * toujours|nous *|chez nous|a gente *|мы *|у нас *|我们*|咱们*|うちでは*|우리*|저희*");

/// What an order that forbids begins with.
pub(super) static FORBIDDING: PhraseList = PhraseList::new("don't|do not|dont|never|avoid|stop *ing|must not|you must not|you mustn't|you can't|you cannot|you should not|you shouldn't|you are not to|i'd rather you didn't\
    |nie|niemals|hör auf|vermeide*|du darfst nicht|du darfst kein*|du sollst nicht|du sollst kein*|schreib* kein*|mach* kein*|nimm kein*|verwend* kein*|benutz* kein*|nutz* kein*|bitte nicht|bitte kein*\
    |ne|n'*|jamais|arrête de|arrête d'*|arrêtez de|évite*|évitez|tu ne dois pas|vous ne devez pas|il ne faut pas\
    |no uses|no use|no utilices|no hagas|no pongas|no añadas|no agregues|no escribas|no ejecutes|no toques|no cambies|no edites|no borres|no debes|no se debe|no hay que|nunca|jamás|deja de|evita*\
    |não use|não usa|não utilize|não faça|não coloque|não adicione|não escreva|não rode|não mexa|não toque|não mude|não edite|não apague|não deve|não se deve|pare de|evite\
    |не *й|не *йте|не *ь|не *ьте|не надо|нельзя|никогда|хватит|перестань\
    |不要*|别*|不许*|不得*|不准*|禁止*|切勿*|千万别*|绝不*|永远不要*");

/// What there is not, or is not to be.
pub(super) static NO_SUCH: PhraseList =
    PhraseList::new("no *|kein* *|pas de *|pas d'*|nada de *|nenhum* *|никаких *");

/// What a prohibition ends with, where the verb comes last.
pub(super) static FORBIDDING_LAST: PhraseList = PhraseList::new("ないでください|ないでね|ないで、|使わないで|しないで|しないこと|ないこと|禁止|いけません|やめて|지 마|지 말|금지|안 됩니다|안 돼요");

/// Where things are, come from or go.
pub(super) static PLACES: PhraseList = PhraseList::new("live in|lives in|live under|lives under|live at|go in|go into|go to|go through|go under|goes in|goes into|goes to|goes through|goes under|come from|comes from|is generated|are generated|gets generated|built from|builds from|read from|is kept in|are kept in\
    |liegt in|liegen in|liegt unter|liegen unter|steht in|stehen in|kommt aus|kommen aus|kommt in|kommen in|läuft über|laufen über|wird generiert|werden generiert\
    |se trouve|se trouvent|sont dans|est dans|vient de|viennent de|va dans|vont dans|passe par|passer par|est généré*|sont généré*\
    |está en|están en|va en|van en|va con|van con|sale de|salen de|viene de|vienen de|se lee de|pasa por|pasan por|se genera*|fica em|ficam em|fica no|ficam no|vai em|vão em|vem de|vêm de|passa por|passam por|é gerad*|são gerad*\
    |лежит в|лежат в|живёт в|живут в|берётся из|берутся из|идёт через|идут через|генерируется|генерируются|放在|存在|走的是|来自|にある|にあります|に置|から生成|から読|에 있어|에 있습니다|에서 관리|에서 가져");

/// Why something is so, or what comes of it otherwise.
pub(super) static REASONS: PhraseList = PhraseList::new("because|or else|otherwise|so that|that's why|sonst|sinon|иначе|weil|denn|nämlich|deshalb|deswegen|parce|puisque|c'est pour|porque|si no|ya que|por eso|senão|já que|por isso\
    |потому|так как|поэтому|因为|否则|不然|所以|由于|からです|なので|ため、|니까|때문|라서|므로|않으면\
    |car|du coup|por culpa|por causa|pois|要不然|んですよ|んです。|のです|ので、|から、|거든요|이라서");

/// What the person likes.
pub(super) static TASTES: PhraseList = PhraseList::new("i prefer|i'd prefer|i'd rather|i find|easier|mir ist lieber|lieber|je préfère|prefiero|prefiro|предпочита*|мне удобнее|我喜欢|我更|方が|ほうが|편해|편합|선호\
    |i like|j'aime mieux|me gusta* más|gosto mais|я люблю|我习惯|比较习惯|好みです|더 좋");

/// What ties a sentence to this moment of this task.
pub(super) static ONCE: PhraseList = PhraseList::new("now|today|tonight|tomorrow|yesterday|yet|still|again|for now|later|this time|my mind|for a moment|currently|previously\
    |jetzt|heute|morgen|erstmal|später|nochmal|gerade|diesmal|maintenant|aujourd'hui|demain|pour l'instant|encore|cette fois\
    |ahora|hoy|mañana|luego|todavía|otra vez|esta vez|agora|hoje|amanhã|por enquanto|depois|ainda|desta vez\
    |сейчас|сегодня|завтра|пока|потом|опять|раньше|现在|今天|明天|先不|先这样|再|刚才|这次|晚点|今日|明日|とりあえず|もう一度|一旦|今回|後で|やっぱり|지금|오늘|내일|일단|다시|이번|나중");

/// What makes a sentence a thought, not a rule.
pub(super) static DOUBTS: PhraseList = PhraseList::new("i think|i guess|i thought|i believe|maybe|perhaps|probably|might|may|could|would|seems|looks like|let's|lets|i suspect|whether\
    |vielleicht|könnte*|würde*|peut-être|pourrait|quizás|quizá|tal vez|podría*|talvez|poderia*|может|возможно|наверное|也许|可能|かもしれ|と思います|아마");

/// What a question begins with.
pub(super) static ASKING: PhraseList = PhraseList::new("what|why|how|which|who|whose|where|should|can|could|does|did|is|are|was|were|will|would|shall|do i|do we|do you|do they|do the|have you|have we|has|don't you|shouldn't\
    |was|wer|wie|warum|wieso|welche*|wo|kannst du|quoi|comment|pourquoi|quel|quelle|quels|quelles|est-ce|peux-tu|qué|cómo|por qué|cuál|dónde|puedes|qual|como|onde|você pode|consegue\
    |почему|зачем|как|какой|где|можешь");

/// What a question for the reason of an act begins with.
pub(super) static ASKING_REASON: PhraseList = PhraseList::new("why did you|why do you|why are you|why would you|why is it|why not|is there a reason|did you just|since when|how come\
    |warum|wieso|weshalb|seit wann|pourquoi|depuis quand|por qué|desde cuándo|por que|desde quando|почему|зачем|с каких пор\
    |为什么|为啥|怎么又|干嘛|なぜ|なんで|どうして|왜");

/// What a question ends with that objects to an act.
pub(super) static AGAIN: PhraseList = PhraseList::new("again|schon wieder|encore|otra vez|de novo|опять");

/// What a question ends with, where no mark need follow.
pub(super) static ASKING_LAST: PhraseList = PhraseList::new("吗|呢|怎么|为什么|什么时候|なぜ|どうして|ますか|ですか|もらえ|왜|어떻게|까요|나요|있어요");

/// Turns of speech, in which no word means what it says.
pub(super) static TURNS: PhraseList = PhraseList::new("never mind|nevermind|don't worry|don't care|don't know|don't think|don't mind|don't need|don't see|don't have|don't bother|don't get|don't understand|don't forget|don't do that|don't do it|do not worry|dont worry|dont know\
    |you should not have|you shouldn't have|you shouldn't need|never seen|never heard|never had|always nice|always good|always great|always happy|always a *|not always|not all|not every*|nicht immer|nicht alle|nicht jede*|pas toujours|pas tous|no siempre|no todos|nem sempre|nem todos|не всегда|не все|thanks|thank you|that's all|that's fine|it's fine|no problem|no worries|no matter|set up\
    |kein problem|keine sorge|keine ahnung|macht nichts|mach weiter|nie im leben|immer noch|immer gut|immer schön|immer wieder|immer diese*|nie gesehen|nie gehört|alles gut|danke\
    |ne t'inquiète|ne vous inquiétez|ne t'en fais pas|n'hésite*|n'oublie*|pas de souci|jamais vu|toujours un plaisir|ne sais pas|ne marche pas|c'est bon|merci\
    |no te preocupes|no hace falta|nunca he|nunca vi|nunca había|está bien|siempre es un *|gracias|não se preocupe|não precisa|não sei|nunca vi|nunca tinha|tudo bem|sempre bom|sempre um *|obrigad*\
    |не волнуйся|не знаю|не важно|не нужно|никогда не вид*|никогда не слыш*|никогда не дума*|всегда рад*|всегда пожалуйста|всегда приятно|всё в порядке|всё хорошо|спасибо\
    |不用了|不用担心|别担心|没关系|没事|不知道|不需要|先不用|気にしないで|心配しないで|大丈夫|걱정하지|신경 쓰지|괜찮");

/// Words of a report that something does not work, or of what is usual.
pub(super) static REPORTS: PhraseList = PhraseList::new("fail|fails|failed|failing|broken|breaks|crash*|doesn't work|does not work|never works|never worked|not working|error|errors|hangs|slow|as always|as ever\
    |schlägt fehl|kaputt|geht nicht|funktioniert nicht|fehler|hängt|wie immer|échoue*|ne marche pas|ne fonctionne pas|ne va pas|va pas comme ça|cassé*|erreur*|plante|comme toujours\
    |falla|no funciona|roto|rota|error|se cuelga|como siempre|falha|não funciona|quebra*|erro|trava|como sempre|падает|упал*|сломан*|не работает|ошибка|висит|как всегда\
    |失败|报错|坏了|不工作|错误|失敗|エラー|動かない|動きません|壊れ|실패|오류|에러|작동하지\
    |i've never|have never|has never|had never|never * before|never *ed|never knew|never thought|never saw|never would|nie gedacht|hätte nie|wäre nie|noch nie|nie zuvor|никогда раньше|никогда не *л|никогда не *ла|никогда не *ли|никогда бы|nunca antes|nunca pensé|nunca pensei|nunca habría|nunca teria|jamais * avant|jamais pensé|n'aurais jamais");

/// Where something stands on a screen, and in which colour.
pub(super) static LOOKS: PhraseList = PhraseList::new("to the left|to the right|on the left|on the right|centered|centred|in red|in blue|in green\
    |links|rechts|in die mitte|mittig|rot|blau|grün|größer|kleiner|à gauche|à droite|au centre|en rouge|en bleu|en vert\
    |a la izquierda|a la derecha|centrado|en rojo|en azul|en verde|à esquerda|à direita|em vermelho|em azul\
    |слева|справа|красн*|зелён*|左边|右边|居中|红色|蓝色|绿色\
    |左に|右に|中央|赤|青く|緑|왼쪽|오른쪽|가운데|빨간|파란|초록");

/// Words that point at what lies before the two.
pub(super) static POINTING: PhraseList = PhraseList::new("this|that one|that file|that test|these|here|line|lines|yours|the file|the test|the function|the first|the second|the last|dies*|hier|zeile|die datei|der test|die funktion\
    |cette|ces|cet|ici|ligne|le fichier|la fonction|esto|eso|este|esta|estos|estas|ese|esa|aquí|línea|el archivo|isso|isto|esse|essa|aqui|linha|o arquivo\
    |этот|эту|эта|этом|здесь|строке|这个|那个|它|这行|这里|この|その|これ|それ|ここ|이거|그거|이건|여기");

/// Words that stand for what was named before.
pub(super) static PRONOUNS: PhraseList = PhraseList::new("it|my|me|das ist|das hier|das war|es ist|es soll|mein*|ça|cela|ce|mon|ma|mes|eso|esto|isso|isto|это|его|мой|моя");

/// What a request goes on with, or asks for.
pub(super) static NEXT: PhraseList = PhraseList::new("also|then|too|as well|another|more|sure|can|could|should|would|i need|we need|need to|don't need|don't * need|want|let's|make sure|auch|noch|dann|kannst|sollen|sollten\
    |aussi|ensuite|peux|pouvez|también|luego|puedes|quiero|também|depois|pode|quero|ainda|ещё|также|потом|тоже|можешь|хочу\
    |还|接下来|然后|吧|次は|それから|また|もらえ|그리고|또|줄래");

/// The person alone, whose wish or sight it is.
pub(super) static SELF: PhraseList = PhraseList::new("i|i'*|my|mine|ich|je|j'*|mon|ma|yo|mi|mis|eu|meu|minha|я|мой|моя|моё|我觉|我想|我要|我来|我自己|私|僕|저는|제가|내가");
