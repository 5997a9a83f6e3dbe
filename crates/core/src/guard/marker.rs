//! Finds the markers that divide a prompt: ours, other products' and the models' own.
//!
//! A lesson stands inside somebody's prompt, so it must not be able to end the block it stands
//! in, open another speaker's turn, or hide what follows it. [`find_markers`] sees them through
//! any disguise that [`fold`](super::fold) takes off. Breaking them is
//! [`neutralise`](super::neutralise)'s work, and whether a text that holds some deserves suspicion
//! is for [`inspect`](super::inspect()) to say.

use std::ops::Range;

use super::{
    fold::{END, Gap, Glyph, glyphs},
    sieve::may_hold_marker,
};

/// What a marker pretends to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarkerKind {
    /// The edge of one of our own blocks, such as `[END KNOWN PITFALLS]` or `/endlesson`.
    Block,
    /// A token of a chat template, such as `<|im_start|>`, `[INST]` or `</s>`.
    Token,
    /// A tag that names a speaker or a tool's answer, such as `</tool_result>`.
    Tag,
    /// A line that opens a speaker's turn, such as `Human:` or `### System:`.
    Role,
    /// A line that opens a turn but is as often an ordinary label, such as `User:`.
    Label,
    /// The edge of a block of code.
    Fence,
    /// A comment that is never closed, or one of our own.
    Comment,
}

impl MarkerKind {
    /// Returns whether ordinary advice has no reason to hold it.
    #[must_use]
    pub fn is_suspicious(self) -> bool {
        matches!(self, Self::Block | Self::Token | Self::Tag | Self::Role)
    }
}

/// A marker and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// What it pretends to be.
    pub kind: MarkerKind,
    /// Its place in the text, in bytes; disguise included.
    pub span: Range<usize>,
}

/// Returns every marker in `text`, in order and without overlap.
///
/// Work is linear in the text's length: a marker is looked for only where one can begin, and
/// every look ahead is bounded.
#[must_use]
pub fn find_markers(text: &str) -> Vec<Marker> {
    if may_hold_marker(text) {
        look_for_markers(text)
    } else {
        Vec::new()
    }
}

/// Looks for markers in a text that may hold some.
pub(super) fn look_for_markers(text: &str) -> Vec<Marker> {
    let glyphs = glyphs(text);
    let scan = Scan::new(&glyphs);
    let mut markers = Vec::new();
    let mut at = 0;
    while at + 1 < glyphs.len() {
        let Some((kind, from, to)) = scan.marker(at) else {
            // Within a run of brackets every place gives the same answer as the first.
            at = (at + 1).max(scan.run(at, scan.ch(at)).saturating_sub(1));
            continue;
        };
        push(&mut markers, kind, scan.source(from, to));
        at = to;
    }
    markers
}

/// Adds a marker; one that reaches back into the one before is joined with it.
fn push(markers: &mut Vec<Marker>, kind: MarkerKind, span: Range<usize>) {
    match markers.last_mut() {
        Some(last) if span.start < last.span.end => last.span.end = span.end.max(last.span.end),
        _ => markers.push(Marker { kind, span }),
    }
}

/// A kind, the first glyph and the one after the last.
type Found = (MarkerKind, usize, usize);

/// Names in angle brackets. Blanks, dashes and low lines within a name do not count.
const TAGS: &str = "\
    system systemprompt systemmessage systemreminder systeminstruction \
    systeminstructions systemmode systemnote sys user usermessage userinput userprompt \
    userquery userrequest userinstructions userpromptsubmithook assistant \
    assistantresponse human developer developermessage function functioncall \
    functioncalls functionresult functionresults functionresponse invoke toolresult \
    toolresults tooloutput tooluse tooluseerror toolcall toolcalls toolresponse toolcode \
    hookcontext additionalcontext environmentcontext lesson lessons endlesson endlessons \
    knownpitfalls endknownpitfalls memories instruction instructions information \
    important importantinstructions newinstructions priorityinstructions commandname \
    commandmessage localcommandstdout localcommandcaveat untrusted untrustedinput \
    untrustedcontent untrusteddata untrustedtext untrustedtooloutput untrusteduserinput \
    externaluntrustedcontent";

/// Those of [`TAGS`] that are as often the name of a type, an element or a thing to fill in.
const COMMON: &str = "user human function developer lesson instruction instructions information \
    important invoke";

/// Names in angle brackets that belong to a chat template.
const TOKENS: &str = "\
    startofturn endofturn startoftext endoftext beginoftext beginofsentence \
    endofsentence imstart imend imsep eotid eomid startheaderid endheaderid pythontag \
    endofprompt toolcallsbegin toolcallbegin tooloutputbegin fimprefix fimsuffix \
    fimmiddle startofrole endofrole startofturntoken chatbottoken usertoken systemtoken \
    endofturntoken";

/// What may stand between `<|` and `|>` even with blanks around it.
const BARRED: &str = "\
    system user assistant human tool developer message channel return call start end \
    constrain think observation prompter pad sep bos eos unk";

/// Names in square brackets that need no closing bracket: they are ours.
const OWN: &str = "\
    knownpitfalls endknownpitfalls loopdetected endloopdetected endlesson lessonskept \
    endlessons turnquestion endturnquestion";

/// Names in square brackets.
const SQUARE: &str = "\
    inst sys system systemprompt systemmessage user usermessage assistant human \
    toolresult toolresults tooloutput toolcalls availabletools instructions endofprompt \
    endofinput untrustedinput enduntrustedinput systeminstruction systeminstructions";

/// Who may open a turn.
pub(super) const ROLES: &str = "system assistant human user developer tool";

/// What a model's instruction format puts in a heading.
const HEADINGS: &str = "\
    system assistant human user developer instruction instructions response input \
    systemprompt systemmessage systeminstruction systeminstructions newinstruction \
    newinstructions endinstruction endinstructions endofprompt";

/// Longest name of any list above, in glyphs, with room for look-alikes.
const NAME_GLYPHS: usize = 32;
/// How far the end of a tag is looked for, in glyphs.
const TAG_GLYPHS: usize = 200;

struct Scan<'a> {
    glyphs: &'a [Glyph],
    /// The last glyph that closes a comment, if any does.
    comment_end: Option<usize>,
}

impl<'a> Scan<'a> {
    fn new(glyphs: &'a [Glyph]) -> Self {
        let comment_end = glyphs
            .iter()
            .rposition(|glyph| glyph.ch == '>' && glyph.gap.dashes >= 2);
        Self {
            glyphs,
            comment_end,
        }
    }

    fn ch(&self, at: usize) -> char {
        self.glyphs.get(at).map_or(END, |glyph| glyph.ch)
    }

    fn gap(&self, at: usize) -> Gap {
        self.glyphs
            .get(at)
            .map_or(Gap::default(), |glyph| glyph.gap)
    }

    /// Returns whether a blank stands before the glyph, or it is the end.
    fn apart(&self, at: usize) -> bool {
        self.ch(at) == END || self.gap(at).space
    }

    /// Returns whether no blank stands before the glyph; a line break does not count as one,
    /// because nobody breaks a line inside a comparison.
    fn glued(&self, at: usize) -> bool {
        !self.gap(at).space || self.gap(at).line
    }

    fn run(&self, at: usize, ch: char) -> usize {
        at + self.glyphs[at..]
            .iter()
            .take_while(|glyph| glyph.ch == ch)
            .count()
    }

    /// Returns the bytes from glyph `from` up to glyph `to`.
    fn source(&self, from: usize, to: usize) -> Range<usize> {
        self.glyphs[from].start..self.glyphs[to - 1].end
    }

    fn marker(&self, at: usize) -> Option<Found> {
        match self.ch(at) {
            '<' => self
                .comment(at)
                .or_else(|| self.token(at))
                .or_else(|| self.tag(at)),
            '[' => self.square(at),
            '/' => self.end_lesson(at),
            '#' => self.heading(at),
            '`' | '~' => self.fence(at),
            ':' => self.turn(at),
            _ => None,
        }
    }

    /// Reads `name` at a glyph and returns the glyph after it.
    fn name(&self, at: usize, name: &str) -> Option<usize> {
        let exact = name.len() < 4;
        let glyphs = self.glyphs.get(at..at + name.len())?;
        let same =
            |(glyph, want): (&Glyph, char)| glyph.ch == want || !exact && alike(glyph.ch, want);
        glyphs
            .iter()
            .zip(name.chars())
            .all(same)
            .then_some(at + name.len())
    }

    /// Reads the longest of `names` that ends at a word's end.
    fn one_of(&self, at: usize, names: &str) -> Option<usize> {
        let ends = names.split(' ').filter_map(|name| self.name(at, name));
        ends.filter(|&end| self.is_boundary(end)).max()
    }

    /// Returns whether a word that ends before `at` really ends there.
    fn is_boundary(&self, at: usize) -> bool {
        !self.ch(at).is_alphanumeric() || self.apart(at)
    }

    /// `<!--` that nothing closes, and our own comments.
    fn comment(&self, at: usize) -> Option<Found> {
        let ours = self.ch(at + 1) == '!' && self.gap(at + 2).dashes >= 2;
        ours.then_some(())?;
        let name = at + 2 + usize::from(self.ch(at + 2) == '/');
        if let Some(end) = self.name(name, "hardwon") {
            return Some((MarkerKind::Comment, at, end));
        }
        let closed = self.comment_end.is_some_and(|end| end > at);
        (!closed).then_some((MarkerKind::Comment, at, at + 2))
    }

    /// `<|im_start|>` and its like.
    fn token(&self, at: usize) -> Option<Found> {
        let open = self.run(at, '<');
        (self.ch(open) == '|').then_some(())?;
        let name = self.run(open, '|');
        let name = name + usize::from(self.ch(name) == '/');
        let known = self.one_of(name, TOKENS);
        let known = known.or_else(|| self.one_of(name, TAGS));
        let known = known.or_else(|| self.one_of(name, BARRED));
        let glued = !self.gap(name).space;
        let end = (name..name + NAME_GLYPHS).find(|&at| !self.ch(at).is_ascii_alphanumeric())?;
        let closed = self.ch(end) == '|' && self.ch(self.run(end, '|')) == '>';
        match known {
            Some(end) if self.ch(end) == '|' => Some((MarkerKind::Token, at, self.close(end))),
            Some(end) if glued => Some((MarkerKind::Token, at, end)),
            _ => (closed && glued && end > name).then(|| (MarkerKind::Token, at, self.close(end))),
        }
    }

    /// Returns the glyph after `|>`, given where its first half stands.
    fn close(&self, at: usize) -> usize {
        self.run(self.run(at, '|'), '>')
    }

    /// `<system>`, `</tool_result>`, `<<SYS>>`, `<<<END UNTRUSTED INPUT>>>`, `</s>`.
    fn tag(&self, at: usize) -> Option<Found> {
        let open = self.run(at, '<');
        let slash = self.ch(open) == '/';
        let name = open + usize::from(slash);
        let name = self.prefix(name);
        let glued = self.glued(name) && self.glued(open);
        if let Some(end) = self.one_of(name, "s bos eos")
            && self.ch(end) == '>'
            && (name..=end).all(|at| self.glued(at))
        {
            return Some((MarkerKind::Token, at, self.run(end, '>')));
        }
        let token = self.one_of(name, TOKENS);
        let end = token.or_else(|| self.one_of(name, TAGS))?;
        let weak = !slash && self.one_of(name, COMMON) == Some(end);
        let kind = match token {
            Some(_) => MarkerKind::Token,
            None if weak => MarkerKind::Label,
            None => MarkerKind::Tag,
        };
        if !slash && (self.is_placeholder(at, name, end) || self.is_type(at, name, end)) {
            return None;
        }
        match self.ch(end) {
            '>' => Some((kind, at, self.run(end, '>'))),
            _ if slash => Some((kind, at, self.tag_end(end).unwrap_or(end))),
            '/' if glued && self.ch(end + 1) == '>' => Some((kind, at, end + 2)),
            _ if glued && self.apart(end) => Some((kind, at, self.tag_end(end).unwrap_or(end))),
            _ => None,
        }
    }

    /// Steps over what may stand before a tag's name.
    fn prefix(&self, at: usize) -> usize {
        let after = |at, name| self.name(at, name).unwrap_or(at);
        let at = self
            .name(at, "antml")
            .filter(|&end| self.ch(end) == ':')
            .map_or(at, |end| end + 1);
        if self.name(at, "enduntrusted").is_some() || self.name(at, "endexternal").is_some() {
            return after(at, "end");
        }
        ["beginof", "begin", "startof", "start", "endof"]
            .iter()
            .find_map(|name| self.name(at, name))
            .filter(|&end| self.name(end, "untrusted").is_some())
            .unwrap_or(at)
    }

    /// Returns the glyph after the `>` that ends a tag with attributes.
    fn tag_end(&self, at: usize) -> Option<usize> {
        let ahead = self.glyphs.iter().enumerate().skip(at).take(TAG_GLYPHS);
        let mut ahead = ahead.take_while(|(_, glyph)| glyph.ch != '<');
        ahead
            .find(|(_, glyph)| glyph.ch == '>')
            .map(|(index, _)| self.run(index, '>'))
    }

    /// `git@<user>.example`: a name to fill in, because the bracket touches the text around it.
    fn is_placeholder(&self, at: usize, name: usize, end: usize) -> bool {
        let touches = |index: usize, gap: usize| {
            let glyph = self.ch(index);
            !self.gap(gap).space && matches!(glyph, '/' | '@' | '=' | ':' | '$' | '~')
        };
        let plain = !self.glyphs[at..=end].iter().any(|glyph| glyph.marked);
        let single = name == at + 1 && self.ch(end) == '>';
        let before = at > 0 && touches(at - 1, at);
        plain
            && single
            && self.name(name, "user") == Some(end)
            && (before || touches(end + 1, end + 1))
    }

    /// `Vec<System>`: a type's parameter, because the bracket touches the name before it.
    fn is_type(&self, at: usize, name: usize, end: usize) -> bool {
        let touches = at > 0 && !self.gap(at).space && {
            let before = self.ch(at - 1);
            before.is_ascii_alphanumeric() || before == ':'
        };
        let pascal = self.glyphs[name].marked && !self.glyphs[name + 1].marked;
        touches && pascal && name == at + 1 && self.ch(end) == '>'
    }

    /// `[END KNOWN PITFALLS]`, `[INST]`, and the head of a reply, `[/lesson create …]`.
    fn square(&self, at: usize) -> Option<Found> {
        let open = self.run(at, '[');
        let slash = self.ch(open) == '/';
        let name = open + usize::from(slash);
        if let Some(end) = self.one_of(name, OWN) {
            return Some((MarkerKind::Block, at, self.run(end, ']')));
        }
        if let Some(end) = self.one_of(name, "lesson reflect").filter(|_| slash) {
            return Some((MarkerKind::Block, at, end));
        }
        let end = self.one_of(name, SQUARE)?;
        // `[user]` is a section of a settings file, `data[system]` an element.
        let plain = !slash && !self.glyphs[at..=end].iter().any(|glyph| glyph.marked);
        let element = at > 0 && !self.gap(at).space && self.ch(at - 1).is_ascii_alphanumeric();
        let section = plain && (element || self.name(name, "user") == Some(end));
        (self.ch(end) == ']' && !section).then(|| (MarkerKind::Token, at, self.run(end, ']')))
    }

    /// `/endlesson`, wherever it stands: on one line no reader could tell.
    fn end_lesson(&self, at: usize) -> Option<Found> {
        let end = self.one_of(at + 1, "endlesson")?;
        Some((MarkerKind::Block, at, end))
    }

    /// `### Instruction:`, `# SYSTEM` on a line of its own, `###(system_message)`.
    fn heading(&self, at: usize) -> Option<Found> {
        let name = self.run(at, '#');
        let name = name + usize::from(matches!(self.ch(name), '(' | '['));
        let end = self.one_of(name, HEADINGS)?;
        if self.ch(end) == ':' {
            let common = self
                .name(name, "response")
                .or_else(|| self.name(name, "input"));
            let kind = if common == Some(end) {
                MarkerKind::Label
            } else {
                MarkerKind::Role
            };
            return Some((kind, at, end + 1));
        }
        let speaker = "system assistant human"
            .split(' ')
            .any(|it| self.name(name, it).is_some());
        let loud = self.glyphs[name..end].iter().all(|glyph| glyph.marked);
        let closed = matches!(self.ch(end), ')' | ']');
        let alone = closed || loud || self.gap(end).line;
        (speaker && alone).then_some((MarkerKind::Role, at, end + usize::from(closed)))
    }

    /// Three or more backticks; three or more tildes at the start of a line.
    fn fence(&self, at: usize) -> Option<Found> {
        let ch = self.ch(at);
        (ch == '`' || self.gap(at).line).then_some(())?;
        let joined = |glyph: &&Glyph| glyph.ch == ch && !glyph.gap.space && glyph.gap.dashes == 0;
        let length = 1 + self.glyphs[at + 1..].iter().take_while(joined).count();
        (length >= 3).then_some((MarkerKind::Fence, at, at + length))
    }

    /// `Human:` and its like, given the colon.
    fn turn(&self, at: usize) -> Option<Found> {
        let ends_here = |role: &&str| {
            let from = at.checked_sub(role.len());
            from.is_some_and(|from| self.name(from, role) == Some(at))
        };
        let role = ROLES.split(' ').find(ends_here)?;
        let from = at - role.len();
        let word = from == 0 || self.apart(from) || !self.ch(from - 1).is_alphanumeric();
        let loud = self.glyphs[from].marked;
        let kind = match role {
            "human" | "assistant" | "system" => MarkerKind::Role,
            _ => MarkerKind::Label,
        };
        let opens = self.opens_line(from) || loud && role == "human";
        let key =
            !loud && matches!(role, "user" | "system" | "developer" | "tool") && self.is_key(at);
        (word && opens && !key).then_some((kind, from, at + 1))
    }

    /// Returns whether a glyph begins a line, or a sentence, or stands behind another marker.
    fn opens_line(&self, at: usize) -> bool {
        let gap = self.gap(at);
        at == 0
            || gap.line
            || gap.stop
            || gap.space
                && matches!(
                    self.ch(at - 1),
                    '!' | '?' | ':' | ';' | '`' | ')' | '\u{3002}'
                )
            || matches!(self.ch(at - 1), '`' | '>' | ']' | '|' | '#' | '}')
    }

    /// `user: root` is a setting: one value, then the end or the next key.
    fn is_key(&self, colon: usize) -> bool {
        let word = |from: usize| {
            let ahead = from + 1..(from + NAME_GLYPHS).min(self.glyphs.len());
            ahead.into_iter().find(|&at| self.apart(at)).unwrap_or(from)
        };
        let value = word(colon + 1);
        let next = word(value);
        self.ch(value) == END || next > value && self.ch(next - 1) == ':'
    }
}

/// Letters that digits and strokes can pass for, in names long enough to tell.
pub(super) fn alike(ch: char, want: char) -> bool {
    match want {
        'a' => matches!(ch, '4' | '@'),
        'e' => ch == '3',
        'g' => ch == '9',
        'i' => matches!(ch, 'l' | '1' | '!' | '|'),
        'l' => matches!(ch, 'i' | '1' | '!' | '|'),
        'o' => ch == '0',
        's' => matches!(ch, '5' | '$'),
        't' => matches!(ch, '7' | '+'),
        _ => false,
    }
}
