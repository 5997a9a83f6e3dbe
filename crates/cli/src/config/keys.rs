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
pub const SETTING_GROUPS: [(&str, &str); 6] = [
    ("db", "Database and agent"),
    ("capture", "Learning"),
    ("shown", "Showing lessons"),
    ("ask", "Asking the agent after a turn"),
    ("model", "Model"),
    ("embedding", "Embedding"),
];

/// Every setting, by group.
pub const SETTING_KEYS: &[SettingKey] = &[
    SettingKey {
        name: "db",
        default: "",
        help: "the database file",
    },
    SettingKey {
        name: "tenant",
        default: "local",
        help: "who owns the data",
    },
    SettingKey {
        name: "agent",
        default: "default",
        help: "the agent whose lessons are used",
    },
    SettingKey {
        name: "operator",
        default: "",
        help: "whom the agent works for; adds the lessons meant for this operator",
    },
    SettingKey {
        name: "role",
        default: "",
        help: "the agent's role; adds the lessons meant for this role",
    },
    SettingKey {
        name: "skills",
        default: "",
        help: "the agent's skills, comma-separated; adds the lessons meant for them",
    },
    SettingKey {
        name: "capture",
        default: "struggle",
        help: "which runs give lessons: struggle or every-run",
    },
    SettingKey {
        name: "capacity",
        default: "1000",
        help: "most learned lessons in use in one project",
    },
    SettingKey {
        name: "distilled",
        default: "active",
        help: "status of new lessons from a model: active or pending",
    },
    SettingKey {
        name: "imported",
        default: "pending",
        help: "status of new lessons from files: active or pending",
    },
    SettingKey {
        name: "sync",
        default: "off",
        help: "sync .hardwon/lessons/ after learning: on or off",
    },
    SettingKey {
        name: "shown",
        default: "3",
        help: "most lessons shown at once, 1 to 7",
    },
    SettingKey {
        name: "form",
        default: "pitfalls",
        help: "format in which lessons are shown: pitfalls, markdown, aip11 or json",
    },
    SettingKey {
        name: "tokens",
        default: "1000",
        help: "most tokens that shown lessons may take",
    },
    SettingKey {
        name: "show_at",
        default: "first",
        help: "when to show a lesson that fits at several moments: first, or action (at its call or failure)",
    },
    SettingKey {
        name: "subagents",
        default: "off",
        help: "look up lessons for sub-agents' prompts too: on or off",
    },
    SettingKey {
        name: "holdout",
        default: "on",
        help: "leave a lesson out at random now and then (control group), to measure its effect: on or off",
    },
    SettingKey {
        name: "keep_prompts",
        default: "on",
        help: "keep the prompts that lessons were looked up for, secrets removed, for 14 days: on or off",
    },
    SettingKey {
        name: "ask",
        default: "on",
        help: "after a turn with failures, ask the agent what to remember: on, off or always",
    },
    SettingKey {
        name: "asks_per_day",
        default: "10",
        help: "how often agents may be asked in a day",
    },
    SettingKey {
        name: "model",
        default: "off",
        help: "model that writes lessons besides the rules: off, openai, anthropic, gemini or command",
    },
    SettingKey {
        name: "model_url",
        default: "",
        help: "the model's address, if not its provider's own, such as http://localhost:11434/v1",
    },
    SettingKey {
        name: "model_name",
        default: "",
        help: "name of the model",
    },
    SettingKey {
        name: "model_key_env",
        default: "",
        help: "the environment variable that holds the key",
    },
    SettingKey {
        name: "model_command",
        default: "",
        help: "command that acts as the model: question on stdin, answer on stdout",
    },
    SettingKey {
        name: "model_method",
        default: "lesson",
        help: "what the model does: lesson (writes lessons) or judge (also rates the lessons that a run was shown)",
    },
    SettingKey {
        name: "model_on_error",
        default: "on",
        help: "ask about runs in which something failed: on or off",
    },
    SettingKey {
        name: "model_on_hallucination",
        default: "on",
        help: "ask where a verifier found a claim wrong: on or off",
    },
    SettingKey {
        name: "model_on_low_quality",
        default: "off",
        help: "ask where the result scored low: on or off",
    },
    SettingKey {
        name: "model_on_manual",
        default: "on",
        help: "ask where a person wrote /reflect: on or off",
    },
    SettingKey {
        name: "model_on_correction",
        default: "on",
        help: "ask where a person corrected the agent: on or off",
    },
    SettingKey {
        name: "model_quiet",
        default: "10",
        help: "minutes a run must be idle before the model is asked about it",
    },
    SettingKey {
        name: "model_workers",
        default: "2",
        help: "concurrent model calls over all processes, 1 to 16",
    },
    SettingKey {
        name: "model_timeout",
        default: "120",
        help: "seconds to wait for an answer",
    },
    SettingKey {
        name: "model_answer_tokens",
        default: "2000",
        help: "most tokens of an answer, reasoning included",
    },
    SettingKey {
        name: "model_tokens_per_day",
        default: "200000",
        help: "tokens that may be spent in a day; 0 for no limit",
    },
    SettingKey {
        name: "model_money_per_day",
        default: "0",
        help: "money that may be spent in a day; 0 for no limit",
    },
    SettingKey {
        name: "model_price_in",
        default: "0",
        help: "price of a million input tokens",
    },
    SettingKey {
        name: "model_price_out",
        default: "0",
        help: "price of a million output tokens",
    },
    SettingKey {
        name: "embedding",
        default: "off",
        help: "embedding for recall by meaning: off or openai",
    },
    SettingKey {
        name: "embedding_url",
        default: "",
        help: "the embedding's address, if not OpenAI's, such as http://localhost:11434/v1",
    },
    SettingKey {
        name: "embedding_name",
        default: "",
        help: "name of the model",
    },
    SettingKey {
        name: "embedding_key_env",
        default: "",
        help: "the environment variable that holds the key",
    },
    SettingKey {
        name: "embedding_dimensions",
        default: "0",
        help: "vector dimensions; 0 for the embedding's default",
    },
    SettingKey {
        name: "embedding_timeout",
        default: "600",
        help: "milliseconds to wait for a prompt's vector",
    },
    SettingKey {
        name: "embedding_hyde",
        default: "off",
        help: "HyDE, searching with a lesson that the model imagines for the prompt: on or off",
    },
];
