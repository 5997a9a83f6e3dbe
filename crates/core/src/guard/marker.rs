//! Finds the markers that divide a prompt: ours, other products' and the models' own.
//!
//! A lesson is shown inside a prompt, so it must not be able to end its block, open another speaker's turn, or hide
//! what follows it. [`find_markers`] sees markers through any disguise that [`fold`](super::fold) removes. Breaking
//! them is done by [`neutralise`](mod@super::neutralise), and whether a text with markers is suspicious is decided by
//! [`inspect`](super::inspect).

use std::ops::Range;

use crate::text::fold::{END_GLYPH, Gap, Glyph, is_lookalike, is_plain, read_glyphs};

/// What a marker pretends to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarkerKind {
    /// The boundary of one of our own blocks, such as `[END KNOWN PITFALLS]` or `/endlesson`.
    Block,
    /// A token of a chat template, such as `<|im_start|>`, `[INST]` or `</s>`.
    Token,
    /// A tag that names a speaker or a tool's result, such as `</tool_result>`.
    Tag,
    /// A line that opens a speaker's turn, such as `Human:` or `### System:`.
    Role,
    /// A line that opens a turn but is as often an ordinary label, such as `User:`.
    Label,
    /// The boundary of a code block.
    Fence,
    /// A comment that is never closed, or one of our own.
    Comment,
}

impl MarkerKind {
    /// Returns whether ordinary advice has no reason to contain such a marker.
    pub fn is_suspicious(self) -> bool {
        matches!(self, Self::Block | Self::Token | Self::Tag | Self::Role)
    }
}

/// A marker and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The kind of marker.
    pub kind: MarkerKind,
    /// Its byte range in the text, including its disguise.
    pub span: Range<usize>,
}

/// Returns every marker in `text`, in order and without overlap.
///
/// Takes time linear in the text's length: markers are searched for only where one can begin, and every look ahead is
/// bounded.
pub fn find_markers(text: &str) -> Vec<Marker> {
    // Nearly every lesson is plain, and folding takes most of the time.
    if is_plain(text) && !text.contains(MARKER_HEADS) {
        return Vec::new();
    }
    let glyphs = read_glyphs(text);
    let scan = MarkerScan::new(&glyphs);
    let mut markers = Vec::new();
    let mut at = 0;
    while let Some(head) = (at..glyphs.len()).find(|&at| MARKER_HEADS.contains(&glyphs[at].ch)) {
        at = match scan.read_marker(head) {
            Some((kind, from, to)) => {
                let range = scan.glyphs[from].start..scan.glyphs[to - 1].end;
                push_or_join(&mut markers, kind, range);
                to
            }
            // Within a run of brackets every position gives the same answer as the first.
            None => (head + 1).max(scan.run_end(head, glyphs[head].ch) - 1),
        };
    }
    markers
}

/// Adds a marker; one that overlaps the previous marker is joined with it.
fn push_or_join(markers: &mut Vec<Marker>, kind: MarkerKind, span: Range<usize>) {
    match markers.last_mut() {
        Some(last) if span.start < last.span.end => last.span.end = span.end.max(last.span.end),
        _ => markers.push(Marker { kind, span }),
    }
}

/// A kind, the index of the first glyph, and the index after the last.
type FoundMarker = (MarkerKind, usize, usize);

/// Names in angle brackets. Spaces, dashes and underscores within a name are ignored.
const TAG_NAMES: &str = "\
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

/// Those of [`TAG_NAMES`] that are as often the name of a type, an element or a placeholder.
const COMMON_TAG_NAMES: &str = "user human function developer lesson instruction instructions information \
    important invoke";

/// Names in angle brackets that belong to a chat template.
const TOKEN_NAMES: &str = "\
    startofturn endofturn startoftext endoftext beginoftext beginofsentence \
    endofsentence imstart imend imsep eotid eomid startheaderid endheaderid pythontag \
    endofprompt toolcallsbegin toolcallbegin tooloutputbegin fimprefix fimsuffix \
    fimmiddle startofrole endofrole startofturntoken chatbottoken usertoken systemtoken \
    endofturntoken";

/// Names that may stand between `<|` and `|>` even with spaces around them.
const BARRED_NAMES: &str = "\
    system user assistant human tool developer message channel return call start end \
    constrain think observation prompter pad sep bos eos unk";

/// Names in square brackets that need no closing bracket, because they are ours.
const OWN_NAMES: &str = "\
    knownpitfalls endknownpitfalls loopdetected endloopdetected endlesson lessonskept \
    endlessons turnquestion endturnquestion";

/// Names in square brackets; the first two are ours, around a block on one line.
const SQUARE_NAMES: &str = "\
    pitfalls end inst sys system systemprompt systemmessage user usermessage assistant human \
    toolresult toolresults tooloutput toolcalls availabletools instructions endofprompt \
    endofinput untrustedinput enduntrustedinput systeminstruction systeminstructions";

/// Names in the headings of models' instruction formats.
const HEADING_NAMES: &str = "\
    system assistant human user developer instruction instructions response input \
    systemprompt systemmessage systeminstruction systeminstructions newinstruction \
    newinstructions endinstruction endinstructions endofprompt";

/// Longest name of any list above, in glyphs, with room for look-alikes.
const NAME_GLYPHS: usize = 32;
/// How far the end of a tag is searched for, in glyphs.
const TAG_GLYPHS: usize = 200;
/// Who may open a turn.
const ROLES: &str = "system assistant human user developer tool";
/// What markers begin with, or, for a speaker's turn, its colon.
const MARKER_HEADS: [char; 7] = ['<', '[', '/', '#', '`', '~', ':'];

struct MarkerScan<'a> {
    glyphs: &'a [Glyph],
    /// The index of the last glyph that closes a comment, if any does.
    comment_end: Option<usize>,
}

impl<'a> MarkerScan<'a> {
    fn new(glyphs: &'a [Glyph]) -> Self {
        let comment_end = glyphs
            .iter()
            .rposition(|glyph| glyph.ch == '>' && glyph.gap.dashes >= 2);
        Self {
            glyphs,
            comment_end,
        }
    }

    fn char_at(&self, at: usize) -> char {
        self.glyphs.get(at).map_or(END_GLYPH, |glyph| glyph.ch)
    }

    fn gap_at(&self, at: usize) -> Gap {
        self.glyphs
            .get(at)
            .map_or(Gap::default(), |glyph| glyph.gap)
    }

    /// Returns whether white space precedes the glyph, or it is the end.
    fn is_apart(&self, at: usize) -> bool {
        self.char_at(at) == END_GLYPH || self.gap_at(at).space
    }

    /// Returns whether no space precedes the glyph; a line break does not count as one, because nobody breaks a line
    /// inside a comparison.
    fn is_glued(&self, at: usize) -> bool {
        !self.gap_at(at).space || self.gap_at(at).line_break
    }

    fn run_end(&self, at: usize, ch: char) -> usize {
        at + self.glyphs[at..]
            .iter()
            .take_while(|glyph| glyph.ch == ch)
            .count()
    }

    fn read_marker(&self, at: usize) -> Option<FoundMarker> {
        match self.char_at(at) {
            '<' => self
                .read_comment(at)
                .or_else(|| self.read_token(at))
                .or_else(|| self.read_tag(at)),
            '[' => self.read_square_bracket(at),
            '/' => self.read_end_lesson(at),
            '#' => self.read_heading(at),
            '`' | '~' => self.read_fence(at),
            ':' => self.read_turn(at),
            _ => None,
        }
    }

    /// Matches `name` at a glyph and returns the index after it.
    fn match_name(&self, at: usize, name: &str) -> Option<usize> {
        let exact = name.len() < 4;
        let glyphs = self.glyphs.get(at..at + name.len())?;
        let same = |(glyph, want): (&Glyph, char)| {
            glyph.ch == want || !exact && is_lookalike(glyph.ch, want)
        };
        glyphs
            .iter()
            .zip(name.chars())
            .all(same)
            .then_some(at + name.len())
    }

    /// Matches the longest of `names` that ends at the end of a word.
    fn match_any_name(&self, at: usize, names: &str) -> Option<usize> {
        let ends = names
            .split(' ')
            .filter_map(|name| self.match_name(at, name));
        ends.filter(|&end| self.is_word_end(end)).max()
    }

    /// Returns whether a word ends before `at`.
    fn is_word_end(&self, at: usize) -> bool {
        !self.char_at(at).is_alphanumeric() || self.is_apart(at)
    }

    /// Matches `<!--` that nothing closes, and our own comments.
    fn read_comment(&self, at: usize) -> Option<FoundMarker> {
        let ours = self.char_at(at + 1) == '!' && self.gap_at(at + 2).dashes >= 2;
        ours.then_some(())?;
        let name = at + 2 + usize::from(self.char_at(at + 2) == '/');
        if let Some(end) = self.match_name(name, "hardwon") {
            return Some((MarkerKind::Comment, at, end));
        }
        let is_closed = self.comment_end.is_some_and(|end| end > at);
        (!is_closed).then_some((MarkerKind::Comment, at, at + 2))
    }

    /// Matches `<|im_start|>` and the like.
    fn read_token(&self, at: usize) -> Option<FoundMarker> {
        let open = self.run_end(at, '<');
        (self.char_at(open) == '|').then_some(())?;
        let name = self.run_end(open, '|');
        let name = name + usize::from(self.char_at(name) == '/');
        let matched_name = self.match_any_name(name, TOKEN_NAMES);
        let matched_name = matched_name.or_else(|| self.match_any_name(name, TAG_NAMES));
        let matched_name = matched_name.or_else(|| self.match_any_name(name, BARRED_NAMES));
        let is_glued = !self.gap_at(name).space;
        let end =
            (name..name + NAME_GLYPHS).find(|&at| !self.char_at(at).is_ascii_alphanumeric())?;
        let is_closed = self.char_at(end) == '|' && self.char_at(self.run_end(end, '|')) == '>';
        match matched_name {
            Some(end) if self.char_at(end) == '|' => {
                Some((MarkerKind::Token, at, self.closing_end(end)))
            }
            Some(end) if is_glued => Some((MarkerKind::Token, at, end)),
            _ => (is_closed && is_glued && end > name)
                .then(|| (MarkerKind::Token, at, self.closing_end(end))),
        }
    }

    /// Returns the index after `|>`, given the position of its first half.
    fn closing_end(&self, at: usize) -> usize {
        self.run_end(self.run_end(at, '|'), '>')
    }

    /// Matches `<system>`, `</tool_result>`, `<<SYS>>`, `<<<END UNTRUSTED INPUT>>>`, `</s>`.
    fn read_tag(&self, at: usize) -> Option<FoundMarker> {
        let open = self.run_end(at, '<');
        let slash = self.char_at(open) == '/';
        let name = open + usize::from(slash);
        let name = self.skip_tag_prefix(name);
        let is_glued = self.is_glued(name) && self.is_glued(open);
        if let Some(end) = self.match_any_name(name, "s bos eos")
            && self.char_at(end) == '>'
            && (name..=end).all(|at| self.is_glued(at))
        {
            return Some((MarkerKind::Token, at, self.run_end(end, '>')));
        }
        let token = self.match_any_name(name, TOKEN_NAMES);
        let end = token.or_else(|| self.match_any_name(name, TAG_NAMES))?;
        let weak = !slash && self.match_any_name(name, COMMON_TAG_NAMES) == Some(end);
        let kind = match token {
            Some(_) => MarkerKind::Token,
            None if weak => MarkerKind::Label,
            None => MarkerKind::Tag,
        };
        if !slash && (self.is_placeholder(at, name, end) || self.is_type_parameter(at, name, end)) {
            return None;
        }
        match self.char_at(end) {
            '>' => Some((kind, at, self.run_end(end, '>'))),
            _ if slash => Some((kind, at, self.tag_end(end).unwrap_or(end))),
            '/' if is_glued && self.char_at(end + 1) == '>' => Some((kind, at, end + 2)),
            _ if is_glued && self.is_apart(end) => {
                Some((kind, at, self.tag_end(end).unwrap_or(end)))
            }
            _ => None,
        }
    }

    /// Skips what may precede a tag's name.
    fn skip_tag_prefix(&self, at: usize) -> usize {
        let after = |at, name| self.match_name(at, name).unwrap_or(at);
        let at = self
            .match_name(at, "antml")
            .filter(|&end| self.char_at(end) == ':')
            .map_or(at, |end| end + 1);
        if self.match_name(at, "enduntrusted").is_some()
            || self.match_name(at, "endexternal").is_some()
        {
            return after(at, "end");
        }
        ["beginof", "begin", "startof", "start", "endof"]
            .iter()
            .find_map(|name| self.match_name(at, name))
            .filter(|&end| self.match_name(end, "untrusted").is_some())
            .unwrap_or(at)
    }

    /// Returns the index after the `>` that ends a tag with attributes.
    fn tag_end(&self, at: usize) -> Option<usize> {
        let ahead = self.glyphs.iter().enumerate().skip(at).take(TAG_GLYPHS);
        let mut ahead = ahead.take_while(|(_, glyph)| glyph.ch != '<');
        ahead
            .find(|(_, glyph)| glyph.ch == '>')
            .map(|(index, _)| self.run_end(index, '>'))
    }

    /// Returns whether a tag is a placeholder: in `git@<user>.example` the bracket touches the text around it.
    fn is_placeholder(&self, at: usize, name: usize, end: usize) -> bool {
        let touches = |index: usize, gap: usize| {
            let glyph = self.char_at(index);
            !self.gap_at(gap).space && matches!(glyph, '/' | '@' | '=' | ':' | '$' | '~')
        };
        let plain = !self.glyphs[at..=end].iter().any(|glyph| glyph.is_altered);
        let single = name == at + 1 && self.char_at(end) == '>';
        let before = at > 0 && touches(at - 1, at);
        plain
            && single
            && self.match_name(name, "user") == Some(end)
            && (before || touches(end + 1, end + 1))
    }

    /// Returns whether a tag is a type parameter: in `Vec<System>` the bracket touches the name before it.
    fn is_type_parameter(&self, at: usize, name: usize, end: usize) -> bool {
        let touches = at > 0 && !self.gap_at(at).space && {
            let before = self.char_at(at - 1);
            before.is_ascii_alphanumeric() || before == ':'
        };
        let pascal = self.glyphs[name].is_altered && !self.glyphs[name + 1].is_altered;
        touches && pascal && name == at + 1 && self.char_at(end) == '>'
    }

    /// Matches `[END KNOWN PITFALLS]`, `[INST]`, and the head of a reply, `[/lesson create …]`.
    fn read_square_bracket(&self, at: usize) -> Option<FoundMarker> {
        let open = self.run_end(at, '[');
        let slash = self.char_at(open) == '/';
        let name = open + usize::from(slash);
        if let Some(end) = self.match_any_name(name, OWN_NAMES) {
            return Some((MarkerKind::Block, at, self.run_end(end, ']')));
        }
        if let Some(end) = self
            .match_any_name(name, "lesson reflect")
            .filter(|_| slash)
        {
            return Some((MarkerKind::Block, at, end));
        }
        let end = self.match_any_name(name, SQUARE_NAMES)?;
        // `[user]` is a section of a settings file, `data[system]` an element.
        let plain = !slash && !self.glyphs[at..=end].iter().any(|glyph| glyph.is_altered);
        let element =
            at > 0 && !self.gap_at(at).space && self.char_at(at - 1).is_ascii_alphanumeric();
        let section = plain && (element || self.match_name(name, "user") == Some(end));
        (self.char_at(end) == ']' && !section)
            .then(|| (MarkerKind::Token, at, self.run_end(end, ']')))
    }

    /// Matches `/endlesson` anywhere: on one line no reader could tell where it counts.
    fn read_end_lesson(&self, at: usize) -> Option<FoundMarker> {
        let end = self.match_any_name(at + 1, "endlesson")?;
        Some((MarkerKind::Block, at, end))
    }

    /// Matches `### Instruction:`, `# SYSTEM` on a line of its own, `###(system_message)`.
    fn read_heading(&self, at: usize) -> Option<FoundMarker> {
        let name = self.run_end(at, '#');
        let name = name + usize::from(matches!(self.char_at(name), '(' | '['));
        let end = self.match_any_name(name, HEADING_NAMES)?;
        if self.char_at(end) == ':' {
            let common = self
                .match_name(name, "response")
                .or_else(|| self.match_name(name, "input"));
            let kind = if common == Some(end) {
                MarkerKind::Label
            } else {
                MarkerKind::Role
            };
            return Some((kind, at, end + 1));
        }
        let speaker = "system assistant human"
            .split(' ')
            .any(|part| self.match_name(name, part).is_some());
        let loud = self.glyphs[name..end].iter().all(|glyph| glyph.is_altered);
        let is_closed = matches!(self.char_at(end), ')' | ']');
        let alone = is_closed || loud || self.gap_at(end).line_break;
        (speaker && alone).then_some((MarkerKind::Role, at, end + usize::from(is_closed)))
    }

    /// Matches three or more backticks, or three or more tildes at the start of a line.
    fn read_fence(&self, at: usize) -> Option<FoundMarker> {
        let ch = self.char_at(at);
        (ch == '`' || self.gap_at(at).line_break).then_some(())?;
        let is_joined =
            |glyph: &&Glyph| glyph.ch == ch && !glyph.gap.space && glyph.gap.dashes == 0;
        let length = 1 + self.glyphs[at + 1..].iter().take_while(is_joined).count();
        (length >= 3).then_some((MarkerKind::Fence, at, at + length))
    }

    /// Matches `Human:` and the like, given the position of the colon.
    fn read_turn(&self, at: usize) -> Option<FoundMarker> {
        let ends_here = |role: &&str| {
            let from = at.checked_sub(role.len());
            from.is_some_and(|from| self.match_name(from, role) == Some(at))
        };
        let role = ROLES.split(' ').find(ends_here)?;
        let from = at - role.len();
        let word = from == 0 || self.is_apart(from) || !self.char_at(from - 1).is_alphanumeric();
        let loud = self.glyphs[from].is_altered;
        let kind = match role {
            "human" | "assistant" | "system" => MarkerKind::Role,
            _ => MarkerKind::Label,
        };
        let opens = self.opens_line(from) || loud && role == "human";
        let key = !loud
            && matches!(role, "user" | "system" | "developer" | "tool")
            && self.is_setting_key(at);
        (word && opens && !key).then_some((kind, from, at + 1))
    }

    /// Returns whether a glyph begins a line or a sentence, or follows another marker.
    fn opens_line(&self, at: usize) -> bool {
        let gap = self.gap_at(at);
        at == 0
            || gap.line_break
            || gap.full_stop
            || gap.space
                && matches!(
                    self.char_at(at - 1),
                    '!' | '?' | ':' | ';' | '`' | ')' | '\u{3002}'
                )
            || matches!(self.char_at(at - 1), '`' | '>' | ']' | '|' | '#' | '}')
    }

    /// Returns whether a label is a setting such as `user: root`: one value, then the end or the next key.
    fn is_setting_key(&self, colon: usize) -> bool {
        let word = |from: usize| {
            let ahead = from + 1..(from + NAME_GLYPHS).min(self.glyphs.len());
            ahead
                .into_iter()
                .find(|&at| self.is_apart(at))
                .unwrap_or(from)
        };
        let value = word(colon + 1);
        let next = word(value);
        self.char_at(value) == END_GLYPH || next > value && self.char_at(next - 1) == ':'
    }
}
