//! Tells which failed call of a program that asks a service read nothing from it: its own parser refused the call.
//!
//! What such a program prints then it says itself, as any program on this machine does. A program that passes on what
//! somebody else wrote is none: the words of its errors may be anybody's.

use super::{call, family::FailureFamily};
use crate::CallFailure;
use crate::{CallStatus, CleanText, ToolCall, outside};

/// Takes a call that its own program refused for one that read nothing from outside.
pub fn clear_unread(call: &mut ToolCall<CleanText>) {
    if call.outside.is_some() && is_refused_unread(call) {
        call.outside = None;
    }
}

/// Returns whether a call failed before it read anything from outside.
fn is_refused_unread(tool_call: &ToolCall<CleanText>) -> bool {
    let CallStatus::Error(error) = &tool_call.status else {
        return false;
    };
    let call = call::parse_call(tool_call);
    let failure = CallFailure::from_error(&call, error.as_str());
    let is_usage = matches!(
        failure.family,
        FailureFamily::OptionUnknown | FailureFamily::Usage
    );
    let line = call
        .line()
        .filter(|line| is_usage && !line.branches && !line.heredoc);
    line.zip(failure.culprit).is_some_and(|(line, culprit)| {
        let others = line.commands.iter().enumerate();
        let others = others.filter(|(at, _)| *at != culprit);
        outside::is_own_error(&line.commands[culprit], others.map(|(_, command)| command))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_about_the_call_itself_is_the_programs_own() {
        let check = |line: &str, error: &str, expected: bool| {
            let clean = |text: String| CleanText::from_stored(text);
            let call = ToolCall {
                turn: 0,
                tool: clean("Bash".to_owned()),
                args: clean(serde_json::json!({ "command": line }).to_string()),
                status: CallStatus::Error(clean(error.to_owned())),
                outside: None,
            };
            assert_eq!(is_refused_unread(&call), expected, "{line} => {error}");
        };
        let unknown = "error: unknown flag: --berth";
        check("kubectl get pods --berth", unknown, true);
        check("kubectl get pods --berth | head -3", unknown, true);
        check(
            "aws sqs list-queues",
            "You must specify a region. You can also configure your region by running \"aws configure\".",
            true,
        );
        check(
            "gcloud sql instances list",
            "ERROR: (gcloud.sql.instances.list) The required property [project] is not currently set.",
            true,
        );
        // Somebody else's words, another failure, another source in the line.
        check("kubectl exec pod -- yard --berth", unknown, false);
        check("gh api repos/a/b", "unknown flag: --berth", false);
        check(
            "kubectl get pods",
            "Error from server (NotFound): pods \"x\" not found",
            false,
        );
        check(
            "curl https://a.example/x; kubectl get pods --berth",
            unknown,
            false,
        );
        check(
            "curl --berth https://a.example/x",
            "curl: option --berth: is unknown",
            false,
        );
        check("docker run a.example/b --berth", unknown, false);
    }
}
