//! Whether what a lesson names is still there.
//!
//! A lesson that sends an agent to a script that was renamed costs more than it saves. So the files and
//! scripts that it names are looked up, by whoever can read the repository; here it is only said what the findings mean.
//! What cannot be looked up proves nothing.

use hardwon_core::{LookupFinding, NamedThing};

/// Returns why a lesson is held back after the look-ups; `None` if nothing that it names is gone.
pub(super) fn judge_staleness(findings: &[(NamedThing, LookupFinding)]) -> Option<String> {
    let losses: Vec<String> = findings
        .iter()
        .filter_map(|(thing, finding)| match finding {
            LookupFinding::Gone(what) => Some(describe_gone(thing, what)),
            LookupFinding::Present | LookupFinding::Unknown => None,
        })
        .collect();
    (!losses.is_empty()).then(|| format!("on probation: {}", losses.join("; ")))
}

fn describe_gone(thing: &NamedThing, what: &str) -> String {
    let thing = match thing {
        NamedThing::File(path) => format!("`{path}` is gone"),
        NamedThing::Script { runner, name } => format!("{runner} has no script `{name}` any more"),
    };
    if what.is_empty() {
        thing
    } else {
        format!("{thing} ({what})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_gone_holds_a_lesson_back() {
        let file = || NamedThing::File("a/b.sh".to_owned());
        assert_eq!(
            judge_staleness(&[
                (file(), LookupFinding::Present),
                (file(), LookupFinding::Unknown)
            ]),
            None
        );
        let why = judge_staleness(&[(file(), LookupFinding::Gone("there is `a/c.sh`".to_owned()))]);
        assert_eq!(
            why.as_deref(),
            Some("on probation: `a/b.sh` is gone (there is `a/c.sh`)")
        );
    }
}
