//! Says in words when a lesson comes up.

use super::{Sign, Trigger, TriggerKind, Triggers};

impl Triggers {
    /// Returns the moments at which the lesson comes up, each in a few words: "before `npm test`".
    #[must_use]
    pub fn describe(&self) -> Vec<String> {
        let mut moments: Vec<String> = Vec::new();
        if !self.signature.is_empty() {
            moments.push(format!("at `{}`", self.signature.head));
        }
        moments.extend(self.all.iter().filter_map(Trigger::describe));
        moments.dedup();
        moments
    }
}

impl Trigger {
    fn describe(&self) -> Option<String> {
        let words = match &self.what {
            TriggerKind::Command(form) => format!(
                "`{}`",
                [std::slice::from_ref(&form.path), &form.words[..]]
                    .concat()
                    .join(" ")
            ),
            TriggerKind::Word(_) => return None,
            TriggerKind::Program(name) | TriggerKind::Option { name, .. } => format!("`{name}`"),
            TriggerKind::Path(path) => format!("`{}`", path.text),
            TriggerKind::Tool(name) => format!("the tool `{name}`"),
            TriggerKind::Act(act) => format!("a {act:?}").to_lowercase(),
            TriggerKind::Text(text) => format!("`{text}` is written"),
        };
        Some(match self.sign {
            Sign::Warned => format!("warned {words}"),
            Sign::About => format!("about {words}"),
            Sign::Advised => format!("advised {words}"),
        })
    }
}
