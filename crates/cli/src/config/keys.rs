//! The table of settings, with their descriptions and defaults.

/// One setting, with its description and default.
#[derive(Debug)]
pub struct SettingKey {
    /// Its name in the file; the environment variable is `HARDWON_` and this in upper case.
    pub name: &'static str,
    /// Its default value.
    pub default: &'static str,
    /// Its description.
    pub help: &'static str,
}

/// The groups of settings, each with the first setting in it, in the order of [`SETTING_KEYS`].
pub const SETTING_GROUPS: [(&str, &str); 10] = [
    ("db", "Database and agent"),
    ("capture", "Learning"),
    ("shown", "Showing lessons"),
    ("ask", "Asking the agent after a turn"),
    ("autonomy", "At night"),
    ("leak_names", "The leak gate"),
    ("review_command", "The review gate"),
    ("model", "Model"),
    ("meaning", "Meaning"),
    ("server", "The server that keeps the lessons"),
];

/// Every setting, by group.
#[rustfmt::skip]
pub const SETTING_KEYS: &[SettingKey] = &[
    key("db", "", "the database file"),
    key("tenant", "local", "who owns the data"),
    key("agent", "default", "the agent whose lessons are used"),
    key("operator", "", "whom the agent works for; adds the lessons meant for this operator"),
    key("role", "", "the agent's role; adds the lessons meant for this role"),
    key("skills", "", "the agent's skills, comma-separated; adds the lessons meant for them"),
    key("capture", "struggle", "which runs give lessons: struggle or every-run"),
    key("learning", "keep", "what becomes of what runs teach: keep it as lessons, or log it (learned.log) and keep nothing"),
    key("capacity", "1000", "most learned lessons in use in one project"),
    key("distilled", "active", "status of new lessons from a model: active or pending"),
    key("imported", "pending", "status of new lessons from files: active or pending"),
    key("sync", "off", "sync .hardwon/lessons/ after lessons changed: on or off"),
    key("shown", "3", "most lessons shown at once, 1 to 7"),
    key("silence", "normal", "how near a prompt must be to a lesson: quiet (clearly about it), normal, or talkative (rather one too many)"),
    key("form", "pitfalls", "format in which lessons are shown: pitfalls, markdown, aip11, coordinator or json"),
    key("tokens", "1000", "most tokens that shown lessons may take"),
    key("show_at", "first", "when to show a lesson that fits at several moments: first, or action (at its call or failure)"),
    key("start", "few", "what a session begins with: few (a small bank, else what is proven or has no other moment), all that fits, or off"),
    key("before_call", "tell", "what a person's lesson does before a call that it names: tell, or hold the first one"),
    key("subagents", "on", "look up lessons for the tasks of sub-agents too: on or off"),
    key("holdout", "on", "leave lessons out at random (control group), to measure their effect, each every second time until that is known, then rarely: on or off"),
    key("keep_prompts", "on", "keep the prompts that lessons were looked up for, secrets removed, for 14 days: on or off"),
    key("ask", "on", "after a turn with failures, ask the agent what to remember: on, off or always"),
    key("asks_per_day", "10", "how often agents may be asked in a day"),
    key("autonomy", "propose", "what may be done unasked: propose (only show), local (change lessons, commit here) or draft"),
    key("sweep_min_hours", "20", "least hours between two unattended sweeps"),
    key("sweep_min_lessons", "1", "least new lessons for an unattended sweep"),
    key("sweep_prune_days", "180", "days after which a learned lesson that was never shown leaves"),
    key("leak_names", "", "names that must not be published, comma-separated"),
    key("leak_public_names", "", "names that may be, though they are those of a project, an account or a machine, comma-separated"),
    key("review_command", "", "command that reviews a delivery: material on stdin, verdict on stdout, such as claude -p"),
    key("model", "off", "model that writes lessons besides the rules: off, openai, anthropic, gemini or command"),
    key("model_url", "", "the model's address, if not its provider's own, such as http://localhost:11434/v1"),
    key("model_name", "", "name of the model"),
    key("model_key_env", "", "the environment variable that holds the key"),
    key("model_command", "", "command that acts as the model: question on stdin, answer on stdout"),
    key("model_method", "lesson", "what the model does: lesson (writes lessons) or judge (also rates the lessons that a run was shown)"),
    key("model_on_error", "on", "ask about runs in which something failed: on or off"),
    key("model_on_hallucination", "on", "ask where a verifier found a claim wrong: on or off"),
    key("model_on_low_quality", "off", "ask where the result scored low: on or off"),
    key("model_on_manual", "on", "ask where a person wrote /reflect: on or off"),
    key("model_on_correction", "on", "ask where a person corrected the agent: on or off"),
    key("model_quiet", "10", "minutes a run must be idle before the model is asked about it"),
    key("model_workers", "2", "concurrent model calls over all processes, 1 to 16"),
    key("model_timeout", "120", "seconds to wait for an answer"),
    key("model_answer_tokens", "2000", "most tokens of an answer, reasoning included"),
    key("model_tokens_per_day", "200000", "tokens that may be spent in a day; 0 for no limit"),
    key("meaning", "on", "use the sentence model that `hardwon meaning add` put in place: on or off"),
    key("embedding", "off", "a service for recall by meaning instead: off or openai"),
    key("embedding_url", "", "the embedding's address, if not OpenAI's, such as http://localhost:11434/v1"),
    key("embedding_name", "", "name of the model"),
    key("embedding_key_env", "", "the environment variable that holds the key"),
    key("embedding_dimensions", "0", "vector dimensions; 0 for the embedding's default"),
    key("embedding_timeout", "600", "milliseconds to wait for a prompt's vector; past it the words decide alone"),
    key("server", "", "address of the server that keeps the lessons, such as https://lessons.example; empty for this machine"),
    key("server_key_file", "", "file with the key and, on a second line, the server's address; server.key beside this file unless said"),
    key("server_ca_file", "", "file of certificates, in PEM form, that vouch for the server; empty for those of the web"),
    key("server_insecure", "off", "send the key over http:// to another machine too: on or off"),
];

/// Settings that this version has no more, by how their names begin, each with what there is instead.
#[rustfmt::skip]
const FORMER_SETTINGS: [(&str, &str); 9] = [
    ("embedding_hyde", "a lesson that a model imagines never showed anything"),
    ("model_money_", "model_tokens_per_day is the limit of a day"),
    ("model_price_", "model_tokens_per_day is the limit of a day"),
    ("serve_oidc_", "let a proxy in front have people sign in (docs/server.md)"),
    ("serve_public_url", "the server writes no address of its own"),
    ("serve_otel", "a collector reads /metrics itself"),
    ("serve_private_webhooks", "what waits for a person is at /v1/reviews"),
    ("serve_tls_", "let a proxy in front end TLS (docs/server.md)"),
    ("serve_", "it is an option of `hardwon serve`, as --help says"),
];

/// Finds what there is instead of a setting that this version has no more; `None` for any other name. A file that still
/// holds one is read without it.
pub fn find_instead(name: &str) -> Option<&'static str> {
    let mut former = FORMER_SETTINGS.iter();
    let row = former.find(|(beginning, _)| name.starts_with(beginning));
    row.map(|(_, instead)| *instead)
}

const fn key(name: &'static str, default: &'static str, help: &'static str) -> SettingKey {
    SettingKey {
        name,
        default,
        help,
    }
}
