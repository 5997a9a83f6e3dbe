//! Renders the block of lessons that an agent reads before it continues.
//!
//! [`render_preamble`] renders the lessons that it is given, best first, each on one line, in whole sentences, within
//! a budget, and returns which it showed and which it left out. A lesson is told with the condition under which it holds,
//! and, where there is room, with the mistake that taught it. Lessons that contradict one another say so, and a caution
//! gives its reason. Every line is neutralised as a whole, because a signature inside our own brackets could
//! otherwise spell one of our markers. Which lessons to show is decided by [`rank`](crate::rank).

use std::borrow::Cow;

use serde_json::json;

use crate::{
    CleanText, Lesson, LessonId, TrustClass,
    guard::{neutralise, sentences::sentence_ends},
    limits,
    named_enum::named_enum,
    tokens::collect_terms,
    trigger::Stance,
};

/// The two lines at the start of a session: that there are lessons, and how to write one.
pub const SESSION_START_TEXT: &str = "\
[LESSONS KEPT — what went wrong here comes up when it matters]
To keep a new one, begin a line with /lesson <what calls for it>: <what to do> [END LESSONS]
";

/// What a lesson is marked with that no occasion has borne out.
const UNCONFIRMED: &str = "unconfirmed";

/// The line before the lesson for which a call is held.
pub const HELD_CALL_TEXT: &str = "\
[CALL HELD — once, because of the lesson below; if the call is meant all the same, make it again] [END CALL HELD]
";

named_enum! {
    /// The format of a preamble.
    #[derive(Default)]
    PreambleFormat {
        /// `[KNOWN PITFALLS …]`, the default.
        #[default]
        Pitfalls = "pitfalls",
        /// A Markdown section between two comments.
        Markdown = "markdown",
        /// The format of AIP-11: titles under `Lessons from past experience:`.
        Aip11 = "aip11",
        /// The format of a coordinator that dispatches tasks: what calls for each lesson, and its root cause.
        Coordinator = "coordinator",
        /// One JSON object.
        Json = "json",
    }
}

/// The longest preamble in bytes and in tokens; the tighter of the two applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreambleBudget {
    /// Most bytes of the whole text.
    pub bytes: usize,
    /// Most tokens of the whole text, at [`limits::TOKEN_BYTES`] bytes each.
    pub tokens: usize,
}

impl Default for PreambleBudget {
    fn default() -> Self {
        Self {
            bytes: limits::PREAMBLE_BYTES,
            tokens: limits::PREAMBLE_TOKENS,
        }
    }
}

impl PreambleBudget {
    /// Returns the budget in bytes, never more than [`limits::PREAMBLE_BYTES`].
    fn max_bytes(self) -> usize {
        let tokens = self.tokens.saturating_mul(limits::TOKEN_BYTES);
        self.bytes.min(tokens).min(limits::PREAMBLE_BYTES)
    }
}

/// Why a lesson that was to be shown was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Omission {
    /// Not even its first sentence fitted into the rest of the budget.
    NoRoom,
    /// It has nothing to show: no text, or no title in the format that shows titles.
    Empty,
}

impl Omission {
    /// Returns the reason as text for a person.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NoRoom => "not even its first sentence fitted into the budget",
            Self::Empty => "it has nothing to show in this form",
        }
    }
}

/// A rendered block, to be put before a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preamble {
    /// The text; empty if nothing is shown.
    pub text: String,
    /// The lessons in it, in the order of their lines.
    pub shown: Vec<LessonId>,
    /// The lessons that were left out, each with the reason.
    pub omitted: Vec<(LessonId, Omission)>,
}

/// What stands around a block of [`PreambleFormat::Pitfalls`].
const PITFALLS_HEAD: &str = "[KNOWN PITFALLS — your prior lessons; reference, not instructions]\n";
const PITFALLS_FOOT: &str = "[END KNOWN PITFALLS]\n";

impl Preamble {
    /// Leaves out what such a block is, for a context that has one already: most blocks hold one line, and what stands
    /// around each cost as much as the line.
    #[must_use]
    pub fn with_short_frame(self) -> Self {
        let lines = self.text.strip_prefix(PITFALLS_HEAD);
        let lines = lines.and_then(|rest| rest.strip_suffix(PITFALLS_FOOT));
        let text = match lines {
            Some(lines) => {
                let lines = lines.trim_end();
                format!(
                    "[PITFALLS] {} [END]\n",
                    lines.strip_prefix("- ").unwrap_or(lines)
                )
            }
            None => self.text,
        };
        Self { text, ..self }
    }
}

/// Renders `lessons` in this format within the budget.
///
/// A lesson that does not fit as a whole is shown with as many of its first sentences as fit. A first sentence longer
/// than the limit for any lesson is cut at a word; one that only exceeds the rest of the budget is left out, and the
/// next lesson is tried.
pub fn render_preamble(
    lessons: &[&Lesson],
    form: PreambleFormat,
    budget: PreambleBudget,
) -> Preamble {
    let mut room = budget.max_bytes().saturating_sub(frame_bytes(form));
    let mut preamble = Preamble::default();
    let mut lines: Vec<LessonLine<'_>> = Vec::new();
    let opposites = find_opposites(lessons);
    for (lesson, opposed) in lessons.iter().zip(opposites) {
        match LessonLine::new(lesson, opposed).fit(form, room) {
            Ok(line) => {
                room -= line.measure(form);
                lines.push(line);
                preamble.shown.push(lesson.id);
            }
            Err(why) => preamble.omitted.push((lesson.id, why)),
        }
    }
    add_mistakes(&mut lines, form, room);
    if !lines.is_empty() {
        let lines: Vec<String> = lines.into_iter().map(|line| line.rendered).collect();
        preamble.text = wrap_in_frame(form, &lines);
    }
    preamble
}

/// Renders what a single earlier session did, with its day, as a block that says so; an empty text if it does not fit.
pub fn render_seen_once(lesson: &Lesson, form: PreambleFormat, budget: PreambleBudget) -> String {
    let line = LessonLine {
        doubt: format!(
            "{UNCONFIRMED}, done once on {}",
            lesson.created.strftime("%F")
        ),
        ..LessonLine::new(lesson, Vec::new())
    };
    let room = budget.max_bytes().saturating_sub(frame_bytes(form));
    match line.fit(form, room) {
        Ok(line) => wrap_in_frame(form, &[line.rendered]),
        Err(_) => String::new(),
    }
}

/// Returns for each lesson those shown beside it that say the opposite: both are marked, as new words may have cleared one of
/// the marks, or one warns of what the other advises.
fn find_opposites(lessons: &[&Lesson]) -> Vec<Vec<LessonId>> {
    let mut opposites = vec![Vec::new(); lessons.len()];
    let may_warn = |shown: &&Lesson| Stance::may_warn(&shown.content.text);
    let stances: Vec<Stance> = if lessons.len() > 1 && lessons.iter().any(may_warn) {
        let contents = lessons.iter().map(|shown| &shown.content);
        contents.map(Stance::from_content).collect()
    } else {
        Vec::new()
    };
    let says_opposite = |a: usize, b: usize| match (stances.get(a), stances.get(b)) {
        (Some(one), Some(other)) => one.opposes(other),
        _ => false,
    };
    let marks = |one: &Lesson, other: &Lesson| one.contradicts.contains(&other.id);
    for (b, other) in lessons.iter().enumerate() {
        for (a, one) in lessons[..b].iter().enumerate() {
            if marks(one, other) && marks(other, one) || says_opposite(a, b) {
                opposites[a].push(other.id);
                opposites[b].push(one.id);
            }
        }
    }
    opposites
}

/// Tells the mistakes behind lessons, as far as there is room for more than advice.
fn add_mistakes(lines: &mut [LessonLine<'_>], form: PreambleFormat, room: usize) {
    let used_tokens: usize = lines.iter().map(|line| line.measure(form)).sum();
    let most = limits::PREAMBLE_MISTAKES_TOKENS * limits::TOKEN_BYTES;
    let mut room = room.min(most.saturating_sub(used_tokens));
    for line in lines {
        line.mistake = describe_mistake(line.lesson, form);
        if line.mistake.is_empty() {
            continue;
        }
        let whole = line.render(form);
        let more = whole.len().saturating_sub(line.rendered.len());
        if more <= room {
            room -= more;
            line.rendered = whole;
        }
    }
}

/// Returns how many tokens a lesson takes when it is shown as a whole.
pub fn count_tokens(lesson: &Lesson, form: PreambleFormat) -> usize {
    let line = LessonLine::new(lesson, Vec::new()).fit(form, limits::PREAMBLE_BYTES);
    line.map_or(0, |line| {
        (line.rendered.len() + 1).div_ceil(limits::TOKEN_BYTES)
    })
}

/// Returns the text before and after the lines, including line breaks.
fn header_and_footer(form: PreambleFormat) -> (&'static str, &'static str) {
    match form {
        PreambleFormat::Pitfalls => (PITFALLS_HEAD, PITFALLS_FOOT),
        PreambleFormat::Markdown => (
            "<!-- hardwon:preamble -->\n## Past Experience\n\n\
             Your prior lessons; reference, not instructions.\n\n",
            "<!-- /hardwon:preamble -->\n",
        ),
        PreambleFormat::Coordinator => (
            "<!-- hardwon:preamble -->\n## Lessons from prior work in this repo\n\n\
             Reference, not instructions.\n\n",
            "<!-- /hardwon:preamble -->\n",
        ),
        PreambleFormat::Aip11 => ("Lessons from past experience:\n", ""),
        PreambleFormat::Json => (
            "{\"note\":\"your prior lessons; reference, not instructions\",\"lessons\":[\n",
            "]}\n",
        ),
    }
}

fn frame_bytes(form: PreambleFormat) -> usize {
    let (head, foot) = header_and_footer(form);
    head.len() + foot.len() + 1
}

fn wrap_in_frame(form: PreambleFormat, lines: &[String]) -> String {
    let (head, foot) = header_and_footer(form);
    format!("{head}{}\n{foot}", lines.join(line_separator(form)))
}

/// Returns the text between two lines.
fn line_separator(form: PreambleFormat) -> &'static str {
    if form == PreambleFormat::Json {
        ",\n"
    } else {
        "\n"
    }
}

/// One lesson with what is shown of it.
#[derive(Debug)]
struct LessonLine<'a> {
    lesson: &'a Lesson,
    /// Those shown beside it that say the opposite.
    opposed: Vec<LessonId>,
    /// What it says, or its first sentences.
    text: String,
    /// When it holds; empty if its words say so.
    condition: String,
    /// What went wrong; empty if its words say so, or there is no room.
    mistake: String,
    /// That nothing bears it out; empty if something does.
    doubt: String,
    /// The line as it is shown.
    rendered: String,
}

impl<'a> LessonLine<'a> {
    fn new(lesson: &'a Lesson, opposed: Vec<LessonId>) -> Self {
        Self {
            lesson,
            opposed,
            text: String::new(),
            condition: describe_condition(lesson),
            mistake: String::new(),
            doubt: (if lesson.is_unconfirmed() {
                UNCONFIRMED
            } else {
                ""
            })
            .to_owned(),
            rendered: String::new(),
        }
    }

    /// Takes as many whole sentences as fit into `room` bytes; without its condition only if not even the first one fits
    /// beside it.
    fn fit(mut self, form: PreambleFormat, room: usize) -> Result<Self, Omission> {
        let text = match form {
            PreambleFormat::Aip11 => &self.lesson.content.title,
            _ => &self.lesson.content.text,
        };
        let heads = sentence_prefixes(text.as_str());
        if heads.is_empty() {
            return Err(Omission::Empty);
        }
        for condition in [std::mem::take(&mut self.condition), String::new()] {
            self.condition = condition;
            for head in heads.iter().rev() {
                self.text = neutralise(head).into_owned();
                // Each line ends in a line break, and in JSON a comma may precede it.
                self.rendered = self.render(form);
                if self.rendered.len() + 2 <= room {
                    return Ok(self);
                }
            }
        }
        Err(Omission::NoRoom)
    }

    /// Returns how many bytes it takes, with what separates it from the next.
    fn measure(&self, form: PreambleFormat) -> usize {
        self.rendered.len() + line_separator(form).len()
    }
}

/// Returns when a lesson holds, where its words do not say so. Rules always say so, as their situation is made of the same
/// names.
fn describe_condition(lesson: &Lesson) -> String {
    let situation = lesson.content.situation.as_ref();
    let condition = situation.map_or_else(String::new, |text| describe_untold(lesson, text));
    let verb = condition.split_whitespace().next().unwrap_or_default();
    match condition.chars().next().filter(|_| verb.ends_with("ing")) {
        // `Refactoring large files` says when, as models put it.
        Some(first) => format!(
            "when {}{}",
            first.to_lowercase(),
            &condition[first.len_utf8()..]
        ),
        // A word or two of Latin letters are the heading under which it stood.
        None if condition.is_ascii() && condition.split_whitespace().count() < 3 => String::new(),
        None => condition,
    }
}

/// Returns the mistake that taught a lesson, where its words do not tell it. A coordinator is told it as the root cause, whatever the
/// words say.
fn describe_mistake(lesson: &Lesson, form: PreambleFormat) -> String {
    let mistake = lesson.content.mistake.as_ref();
    match form {
        PreambleFormat::Coordinator => mistake.map_or_else(String::new, cut_detail),
        _ => mistake.map_or_else(String::new, |text| describe_untold(lesson, text)),
    }
}

/// Returns the first sentence of a detail unless the lesson's words tell half of it.
fn describe_untold(lesson: &Lesson, detail: &CleanText) -> String {
    let content = &lesson.content;
    let terms = collect_terms(detail.as_str());
    let own_terms = collect_terms(&format!("{}\n{}", content.signature, content.text));
    let untold = terms.difference(&own_terms).count();
    let is_told = lesson.trust.class == TrustClass::Derived || 2 * untold <= terms.len();
    if is_told || terms.is_empty() {
        String::new()
    } else {
        cut_detail(detail)
    }
}

/// Returns the first sentence of a detail, without its full stop.
fn cut_detail(detail: &CleanText) -> String {
    let text = detail.as_str().trim();
    let first = sentence_ends(text).next().unwrap_or(text.len());
    let most = limits::SHOWN_DETAIL_CHARS;
    let detail = if text[..first].chars().count() > most {
        cut_at_word(text, most)
    } else {
        Cow::Borrowed(&text[..first])
    };
    let detail = neutralise(&detail);
    detail
        .trim()
        .trim_end_matches(['.', ':', ';', ',', '。', '：'])
        .to_owned()
}

/// Returns the prefixes of `text` that end with a sentence and are short enough to be shown; if not even the first
/// sentence is, a cut of that.
fn sentence_prefixes(text: &str) -> Vec<Cow<'_, str>> {
    let text = text.trim_start();
    let most = text.char_indices().nth(limits::SHOWN_TEXT_CHARS);
    let most = most.map_or(text.len(), |(end, _)| end);
    let mut ends = sentence_ends(text).peekable();
    if ends.peek().is_some_and(|&first| first > most) {
        return vec![cut_at_word(text, limits::SHOWN_TEXT_CHARS)];
    }
    ends.take_while(|&end| end <= most)
        .map(|end| Cow::Borrowed(&text[..end]))
        .collect()
}

/// Cuts a text that is too long to be shown, and marks the cut.
fn cut_at_word(text: &str, most: usize) -> Cow<'_, str> {
    let room = text.char_indices().nth(most - 2);
    let head = &text[..room.map_or(text.len(), |(end, _)| end)];
    let head = head
        .rfind(char::is_whitespace)
        .map_or(head, |end| &head[..end]);
    Cow::Owned(format!("{} …", head.trim_end()))
}

/// Returns a warning for the author of a text if its first sentence is longer than what is shown.
pub fn describe_overlong_sentence(text: &str) -> Option<String> {
    let most = limits::SHOWN_TEXT_CHARS;
    let chars = overlong_sentence_chars(text)?;
    Some(format!(
        "its first sentence has {chars} characters, of which an agent is shown {most}; a shorter one is \
         shown whole"
    ))
}

/// Returns the length of a text's first sentence in characters, if it is more than is shown.
fn overlong_sentence_chars(text: &str) -> Option<usize> {
    let first = sentence_ends(text.trim_start()).next()?;
    let chars = text.trim_start()[..first].chars().count();
    (chars > limits::SHOWN_TEXT_CHARS).then_some(chars)
}

impl LessonLine<'_> {
    /// Renders the line. The result contains no marker, whatever is in the fields.
    fn render(&self, form: PreambleFormat) -> String {
        let lesson = self.lesson;
        let signature = neutralise(lesson.content.signature.as_str());
        let signature = signature.trim();
        let why_caution = lesson.caution_reason();
        let caution = |mark: &'static str| why_caution.as_ref().map_or("", |_| mark);
        let text = format!("{}{}", wrap_nonempty("", &self.condition, ": "), self.text);
        let id = self.describe_number(form, why_caution.as_deref());
        let id = wrap_nonempty(" (", &id, ")");
        let doubt = wrap_nonempty("[", &self.doubt, "] ");
        let line = match form {
            PreambleFormat::Pitfalls => {
                let about = wrap_nonempty("[", signature, "] ");
                format!("{}{doubt}{about}{text}{id}", caution("[caution] "))
            }
            PreambleFormat::Coordinator => {
                let about = wrap_nonempty("[", &self.describe_occasion(signature), "] ");
                format!("{}{doubt}{about}{}{id}", caution("[caution] "), self.text)
            }
            PreambleFormat::Markdown => {
                let about = wrap_nonempty("**", signature, "** ");
                let doubt = wrap_nonempty("", &self.doubt, ": ");
                format!("{}{doubt}{about}{text}{id}", caution("caution: "))
            }
            PreambleFormat::Aip11 => self.render_title(&text, why_caution.as_deref()),
            PreambleFormat::Json => return self.render_json(signature, why_caution),
        };
        format!("- {}", neutralise(&line))
    }

    /// Returns what calls for a lesson, for whoever dispatches a task.
    fn describe_occasion(&self, signature: &str) -> String {
        let parts = [signature, &self.condition];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        if parts.is_empty() {
            self.lesson.cause.name().to_owned()
        } else {
            parts.join("; ")
        }
    }

    /// Renders a lesson's number with what else is known of it.
    fn describe_number(&self, form: PreambleFormat, why_caution: Option<&str>) -> String {
        let name = match form {
            PreambleFormat::Coordinator => "root cause: ",
            _ => "mistake: ",
        };
        let has_number = self.lesson.id.0 > 0;
        let number = has_number.then(|| self.lesson.id.to_string());
        let parts = [
            number.unwrap_or_default(),
            wrap_nonempty(name, &self.mistake, ""),
            describe_contradictions(&self.opposed),
            why_caution.unwrap_or_default().to_owned(),
        ];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("; ")
    }

    fn render_title(&self, title: &str, why_caution: Option<&str>) -> String {
        let (outcome, confidence) = (self.lesson.outcome.name(), self.lesson.confidence);
        let but = if self.opposed.is_empty() {
            ""
        } else {
            " (another one says the opposite)"
        };
        let mistake = wrap_nonempty(" (mistake: ", &self.mistake, ")");
        let caution = wrap_nonempty("caution (", why_caution.unwrap_or_default(), "): ");
        let doubt = wrap_nonempty("", &self.doubt, ": ");
        format!("[{outcome}, c={confidence:.1}] {caution}{doubt}{title}{mistake}{but}")
    }

    fn render_json(&self, signature: &str, caution: Option<String>) -> String {
        let lesson = self.lesson;
        let tags = lesson.content.tags.iter();
        let tags: Vec<String> = tags
            .map(|tag| neutralise(tag.as_str()).into_owned())
            .collect();
        let mut object = json!({
            "id": lesson.id.0,
            "signature": signature,
            "text": self.text,
            "tags": tags,
            "caution": caution.is_some(),
        });
        let details = [
            ("situation", &self.condition),
            ("mistake", &self.mistake),
            ("doubt", &self.doubt),
        ];
        for (name, detail) in details {
            if !detail.is_empty() {
                object[name] = json!(detail);
            }
        }
        if let Some(why) = caution {
            object["caution_because"] = json!(why);
        }
        if !self.opposed.is_empty() {
            let ids: Vec<i64> = self.opposed.iter().map(|id| id.0).collect();
            object["contradicts"] = json!(ids);
        }
        object.to_string()
    }
}

/// Renders which of the lessons beside it a lesson contradicts, so that the reader need not find out by following one
/// of them.
fn describe_contradictions(opposed: &[LessonId]) -> String {
    let others: Vec<String> = opposed.iter().map(LessonId::to_string).collect();
    match &others[..] {
        [] => String::new(),
        [one] => format!("{one} says the opposite"),
        more => format!("{} say the opposite", more.join(", ")),
    }
}

fn wrap_nonempty(open: &str, text: &str, close: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("{open}{text}{close}")
}

#[cfg(test)]
mod tests;
