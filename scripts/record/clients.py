"""How each agent is set up to talk to the scripted model, started, continued and collected.

`{prompt}` is the quoted prompt, `typed` starts the agent with it in a terminal, and `grant` is the part of
the command that lets the agent act without asking. Settings are files under the home folder. `session` is
a glob under the home folder for what the agent itself wrote, or a command that prints it.
"""
import json
from dataclasses import dataclass, field

MODEL = "http://127.0.0.1:18080"
SETTINGS = {"security": {"folderTrust": {"enabled": False}}, "privacy": {"usageStatisticsEnabled": False},
            "general": {"disableAutoUpdate": True, "enableAutoUpdate": False}}


@dataclass
class Client:
    version: str
    start: str
    resume: str
    typed: str
    grant: str
    session: str = ""
    export: str = ""
    env: dict = field(default_factory=dict)
    home: dict = field(default_factory=dict)


def signed_in_by(kind):
    return json.dumps({**SETTINGS, "security": {**SETTINGS["security"], "auth": {"selectedType": kind}}})


# What each agent asks a person at its first start in a terminal.
CLAUDE_KNOWS = {"hasCompletedOnboarding": True, "theme": "dark", "customApiKeyResponses": {"approved": ["none"], "rejected": []},
                "projects": {"/home/dev/shop": {"hasTrustDialogAccepted": True}}}
CODEX = f"""model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{MODEL}/v1"
env_key = "MODEL_KEY"
wire_api = "responses"
[projects."/home/dev/shop"]
trust_level = "trusted"
"""
OPENCODE = {"autoupdate": False, "model": "scripted/scripted", "small_model": "scripted/scripted", "enabled_providers": ["scripted"],
            "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": MODEL + "/v1", "apiKey": "none"},
                                      "models": {"scripted": {}}}}, "permission": {"*": "allow"}}
# Where a plugin lies, opencode installs a package for it at each start and waits for the network that is not
# there; its lock file says that the package is installed.
NEEDED = {"dependencies": {"@opencode-ai/plugin": "*"}}
LOCKED = {"lockfileVersion": 3, "packages": {"": NEEDED}}
PI = {"providers": {"scripted": {"baseUrl": MODEL + "/v1", "api": "openai-completions", "apiKey": "none", "models": [{"id": "scripted"}]}}}
BIN = "/opt/clients/%s/node_modules/.bin/%s "
CLAUDE_MAY = "--allowedTools Bash Edit Write Read WebFetch "
CLAUDE_BIN = BIN % ("claude", "claude")
CLAUDE = CLAUDE_BIN + CLAUDE_MAY + "--output-format text "
EXEC = BIN % ("codex", "codex") + "exec "
YOLO = "--approval-mode yolo "
GEMINI = BIN % ("gemini", "gemini") + "-m gemini-2.5-pro " + YOLO
QWEN = BIN % ("qwen", "qwen") + YOLO
COPILOT_MAY = "--allow-all "
COPILOT = BIN % ("copilot", "copilot") + COPILOT_MAY
PI_RUN = BIN % ("pi", "pi")
OPEN = BIN % ("opencode", "opencode")
OPENAI = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": MODEL + "/v1", "OPENAI_MODEL": "scripted"}

CLIENTS = {
    "claude-code": Client(
        CLAUDE + "--version", CLAUDE + "-p {prompt}", CLAUDE + "-c -p {prompt}", CLAUDE_BIN + "--permission-mode default " + CLAUDE_MAY + "-- {prompt}", CLAUDE_MAY, ".claude/projects/*/*.jsonl",
        env={"ANTHROPIC_BASE_URL": MODEL, "ANTHROPIC_API_KEY": "none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
             "DISABLE_AUTOUPDATER": "1", "ENABLE_TOOL_SEARCH": "false"}, home={".claude.json": json.dumps(CLAUDE_KNOWS)}),
    "codex": Client(
        BIN % ("codex", "codex") + "--version", EXEC + "--skip-git-repo-check {prompt}",
        EXEC + "resume --skip-git-repo-check --last {prompt}", BIN % ("codex", "codex") + "{prompt}", "", ".codex/sessions/*/*/*/*.jsonl",
        env={"MODEL_KEY": "none"}, home={".codex/config.toml": CODEX}),
    "codex-code-mode": Client(
        BIN % ("codex", "codex") + "--version", EXEC + "--skip-git-repo-check {prompt}", "", "", "", ".codex/sessions/*/*/*/*.jsonl",
        env={"MODEL_KEY": "none"}, home={".codex/config.toml": CODEX.replace('model = "scripted"', 'model = "gpt-6-sol"')}),
    "gemini-cli": Client(
        GEMINI + "--version", GEMINI + "-p {prompt}", GEMINI + "-r latest -p {prompt}", GEMINI + "-i {prompt}", YOLO, ".gemini/tmp/*/chats/*.jsonl",
        env={"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": MODEL}, home={".gemini/settings.json": signed_in_by("gemini-api-key")}),
    "qwen-code": Client(
        QWEN + "--version", QWEN + "-p {prompt}", QWEN + "-c -p {prompt}", QWEN + "-i {prompt}", YOLO, ".qwen/projects/*/chats/*.jsonl",
        env=OPENAI, home={".qwen/settings.json": signed_in_by("openai")}),
    "copilot-cli": Client(
        COPILOT + "--version", COPILOT + "--trust-folder -p {prompt}", COPILOT + "--continue -p {prompt}",
        COPILOT + "-i {prompt}", COPILOT_MAY, ".copilot/session-state/*/events.jsonl",
        env={"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "COPILOT_PROVIDER_BASE_URL": MODEL + "/v1",
             "COPILOT_PROVIDER_API_KEY": "none", "COPILOT_MODEL": "scripted"},
        home={".copilot/config.json": '{"trustedFolders": ["/home/dev/shop"]}'}),
    "pi": Client(
        PI_RUN + "--version", PI_RUN + "-p {prompt}", PI_RUN + "-c -p {prompt}", PI_RUN + "{prompt}", "", ".pi/agent/sessions/*/*.jsonl",
        env={"PI_OFFLINE": "1"}, home={".pi/agent/models.json": json.dumps(PI),
                                       ".pi/agent/settings.json": '{"defaultProvider": "scripted", "defaultModel": "scripted"}'}),
    "opencode": Client(
        OPEN + "--version", OPEN + "run {prompt}", OPEN + "run -c {prompt}", OPEN + "--prompt {prompt}", "",
        export=OPEN + "export $(" + OPEN + "session list | grep -o 'ses_[A-Za-z0-9]*' | head -1)",
        env={"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
        home={".config/opencode/opencode.json": json.dumps(OPENCODE), ".config/opencode/node_modules/.keep": "",
              ".config/opencode/package.json": json.dumps(NEEDED), ".config/opencode/package-lock.json": json.dumps(LOCKED)}),
}
