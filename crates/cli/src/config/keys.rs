//! The table of settings: what there is, what it is for, and what it is when nobody says.

/// One setting: its name, what it is for, and what it is when nobody says.
#[derive(Debug)]
pub struct Key {
    /// Its name in the file; the environment variable is `HARDWON_` and this in upper case.
    pub name: &'static str,
    /// Its value when nobody says.
    pub default: &'static str,
    /// What it is for.
    pub help: &'static str,
}

/// Every setting.
pub const KEYS: &[Key] = &[
    Key {
        name: "db",
        default: "",
        help: "the database file",
    },
    Key {
        name: "tenant",
        default: "local",
        help: "who owns the data",
    },
    Key {
        name: "agent",
        default: "default",
        help: "whose lessons: the agent they follow",
    },
    Key {
        name: "operator",
        default: "",
        help: "whom the agent works for: lessons for that operator are shown to it",
    },
    Key {
        name: "role",
        default: "",
        help: "the agent's role: lessons for that role are shown to it",
    },
    Key {
        name: "skills",
        default: "",
        help: "the agent's skills, with commas: lessons for one of them are shown to it",
    },
    Key {
        name: "capture",
        default: "struggle",
        help: "what is worth a lesson: struggle or every-run",
    },
    Key {
        name: "capacity",
        default: "1000",
        help: "learned lessons kept active in one scope",
    },
    Key {
        name: "shown",
        default: "3",
        help: "lessons that one recall shows, 1 to 7",
    },
    Key {
        name: "form",
        default: "pitfalls",
        help: "preamble: pitfalls, markdown, aip11 or json",
    },
    Key {
        name: "tokens",
        default: "1000",
        help: "tokens that a preamble may take",
    },
    Key {
        name: "holdout",
        default: "on",
        help: "hold a lesson back now and then, to measure its effect: on or off",
    },
    Key {
        name: "show_at",
        default: "first",
        help: "when a lesson comes up that several moments find: first, or action (its call or failure)",
    },
    Key {
        name: "keep_prompts",
        default: "on",
        help: "keep what lessons were looked up for, without secrets, for 14 days: on or off",
    },
    Key {
        name: "distilled",
        default: "active",
        help: "lessons of a model start: active or pending",
    },
    Key {
        name: "imported",
        default: "pending",
        help: "lessons of a file start: active or pending",
    },
    Key {
        name: "subagents",
        default: "off",
        help: "sub-agents' prompts bring up lessons too: on or off",
    },
    Key {
        name: "ask",
        default: "on",
        help: "ask an agent after a turn with trouble what to remember: on, off or always",
    },
    Key {
        name: "asks_per_day",
        default: "10",
        help: "how often agents may be asked in a day",
    },
    Key {
        name: "sync",
        default: "off",
        help: "keep .hardwon/lessons/ in step after learning: on or off",
    },
    Key {
        name: "model",
        default: "off",
        help: "who distils besides the rules: off, openai, anthropic, gemini or command",
    },
    Key {
        name: "model_url",
        default: "",
        help: "where the model is, if not at its maker's: http://localhost:11434/v1",
    },
    Key {
        name: "model_name",
        default: "",
        help: "which model is asked",
    },
    Key {
        name: "model_key_env",
        default: "",
        help: "the environment variable that holds the key",
    },
    Key {
        name: "model_command",
        default: "",
        help: "the command that is asked: question on stdin, answer on stdout",
    },
    Key {
        name: "model_method",
        default: "lesson",
        help: "how it is asked: lesson (one, in four blocks) or judge (the whole run)",
    },
    Key {
        name: "model_on_error",
        default: "on",
        help: "ask about runs in which something failed: on or off",
    },
    Key {
        name: "model_on_hallucination",
        default: "on",
        help: "ask where a verifier found a claim wrong: on or off",
    },
    Key {
        name: "model_on_low_quality",
        default: "off",
        help: "ask where the result scored low: on or off",
    },
    Key {
        name: "model_on_manual",
        default: "on",
        help: "ask where a person wrote /reflect: on or off",
    },
    Key {
        name: "model_on_correction",
        default: "on",
        help: "ask where a person corrected the agent: on or off",
    },
    Key {
        name: "model_quiet",
        default: "10",
        help: "minutes a run must rest before it is asked about",
    },
    Key {
        name: "model_workers",
        default: "2",
        help: "calls at one time, by all processes together, 1 to 16",
    },
    Key {
        name: "model_timeout",
        default: "120",
        help: "seconds that an answer may take",
    },
    Key {
        name: "model_answer_tokens",
        default: "2000",
        help: "tokens that an answer may take, with the thoughts before it",
    },
    Key {
        name: "model_tokens_per_day",
        default: "200000",
        help: "tokens that may be spent in a day; 0 for no limit",
    },
    Key {
        name: "model_money_per_day",
        default: "0",
        help: "money that may be spent in a day; 0 for no limit",
    },
    Key {
        name: "model_price_in",
        default: "0",
        help: "what a million tokens of questions cost",
    },
    Key {
        name: "model_price_out",
        default: "0",
        help: "what a million tokens of answers cost",
    },
    Key {
        name: "embedding",
        default: "off",
        help: "who tells what texts mean: off, openai or folder",
    },
    Key {
        name: "embedding_url",
        default: "",
        help: "where it is, if not at OpenAI: http://localhost:11434/v1",
    },
    Key {
        name: "embedding_name",
        default: "",
        help: "which model is asked",
    },
    Key {
        name: "embedding_key_env",
        default: "",
        help: "the environment variable that holds the key",
    },
    Key {
        name: "embedding_dimensions",
        default: "0",
        help: "numbers that a vector is to have; 0 for as many as usual",
    },
    Key {
        name: "embedding_folder",
        default: "",
        help: "the folder with tokenizer.json and model.safetensors",
    },
    Key {
        name: "embedding_timeout",
        default: "600",
        help: "milliseconds that a prompt's vector may take",
    },
    Key {
        name: "embedding_hyde",
        default: "off",
        help: "the model writes the lesson to look for: on or off",
    },
];
