//! Words that many projects, machines and people are called by, so that meeting one says nothing.
//!
//! A name that consists of these is never searched for by itself. The list is short on purpose: a word that is missing
//! here costs a false alarm that names itself, a word too many costs a leak.

#[rustfmt::skip]
const COMMON_WORDS: &[&str] = &[
    // Accounts and machines that installers and services make.
    "admin", "administrator", "agent", "anonymous", "app", "appveyor", "azureuser", "bitnami", "bot", "build", "builder",
    "buildbot", "centos", "circleci", "claude", "cloud", "codespace", "codespaces", "coder", "computer", "container", "daemon",
    "debian", "default", "deploy", "deployer", "dev", "developer", "desktop", "docker", "ec2-user", "fedora", "github", "gitlab",
    "git", "gitpod", "guest", "home", "host", "hostname", "ip", "jenkins", "laptop", "linux", "linuxbrew", "local", "localdomain",
    "localhost", "login", "lan", "mac", "machine", "macbook", "macos", "me", "mini", "model", "my", "name", "nas", "newuser", "nobody", "node",
    "oem", "operator", "owner", "pc", "pi", "play", "postgres", "pro", "public", "raspberrypi", "raspberry", "root", "runner",
    "runneradmin", "sandbox", "server", "service", "shared", "someone", "somebody", "staff", "student", "sudo", "support",
    "surface", "sysadmin", "system", "teamcity", "test", "tester", "testuser", "travis", "ubuntu", "user", "username", "users",
    "vagrant", "vscode", "web", "windows", "worker", "workspace", "workstation", "you", "yourname", "yourusername", "jovyan",
    "johndoe", "janedoe", "john", "jane", "alice", "bob", "foo", "bar", "baz", "example", "demo", "sample", "nixbld", "xxx",
    // What repositories are called.
    "account", "accounts", "action", "actions", "adapter", "admin-panel", "alpha", "analytics", "android", "ansible", "api",
    "apis", "apps", "archive", "article", "articles", "assets", "assistant", "async", "audio", "auth", "automation", "awesome",
    "backend", "backup", "backups", "base", "basic", "beta", "billing", "binary", "blog", "board", "book", "bookmarks", "books",
    "boilerplate", "browser", "bundle", "cache", "calculator", "calendar", "camera", "catalog", "challenge", "chart", "charts",
    "chat", "chatbot", "check", "checker", "checkout", "cli", "client", "clients", "code", "collection", "command", "commands",
    "common", "commons", "community", "compiler", "component", "components", "config", "configs", "configuration", "connector",
    "console", "contacts", "content", "context", "contrib", "control", "controller", "converter", "core", "course", "crawler",
    "cron", "crypto", "customer", "customers", "dashboard", "data", "database", "dataset", "datasets", "deployment", "design",
    "designs", "devops", "dictionary", "directory", "display", "docs", "document", "documentation", "documents", "dotfiles",
    "download", "downloader", "downloads", "driver", "drivers", "editor", "email", "embedded", "engine", "env", "environment",
    "event", "events", "examples", "exercise", "exercises", "experiment", "experiments", "explorer", "export", "express",
    "extension", "extensions", "feature", "feed", "file", "files", "filter", "finance", "firmware", "flask", "font", "fonts",
    "form", "forms", "forum", "framework", "front", "frontend", "function", "functions", "gallery", "game", "games", "gateway",
    "generator", "graph", "graphics", "group", "guide", "hardware", "health", "hello", "helloworld", "helper", "helpers", "homepage",
    "hook", "hooks", "html", "http", "icons", "image", "images", "import", "importer", "index", "infra", "infrastructure", "input",
    "install", "installer", "integration", "interface", "internal", "interview", "inventory", "invoice", "ios", "issues", "java",
    "javascript", "job", "jobs", "journal", "json", "kernel", "keyboard", "kit", "lab", "labs", "landing", "language", "layout",
    "learning", "lib", "libraries", "library", "list", "loader", "log", "logger", "logging", "logs", "mail", "mailer", "main",
    "management", "manager", "map", "maps", "market", "master", "media", "memory", "message", "messages", "messenger",
    "metrics", "microservice", "microservices", "middleware", "migration", "migrations", "mobile", "models", "module", "modules",
    "money", "monitor", "monitoring", "mono", "monorepo", "movie", "movies", "music", "network", "news", "newsletter", "notebook",
    "notebooks", "notes", "notification", "notifications", "office", "online", "open", "operations", "orders", "output",
    "package", "packages", "page", "pages", "parser", "password", "passwords", "patches", "payment", "payments", "performance",
    "personal", "phone", "photo", "photos", "picture", "pipeline", "platform", "player", "playground", "plugin", "plugins",
    "podcast", "policies", "policy", "portal", "portfolio", "practice", "presentation", "private", "process", "product",
    "production", "products", "profile", "program", "programming", "project", "projects", "prototype", "provider", "proxy",
    "python", "query", "questions", "queue", "quiz", "react", "reader", "recipe", "recipes", "reference", "registry", "release",
    "releases", "remote", "render", "repo", "report", "reporting", "reports", "repository", "request", "requests", "research",
    "resource", "resources", "rest", "resume", "review", "reviews", "robot", "router", "ruby", "rules", "runtime", "rust",
    "samples", "scanner", "scheduler", "schema", "schemas", "school", "science", "scratch", "scraper", "script", "scripts",
    "search", "security", "sensor", "servers", "services", "session", "settings", "setup", "shell", "shop", "shopping",
    "simple", "simulation", "simulator", "site", "sites", "skeleton", "slides", "social", "software", "solution", "solutions",
    "source", "sources", "space", "spec", "specs", "spring", "stack", "stage", "staging", "standard", "starter", "static",
    "status", "storage", "store", "stream", "study", "style", "styles", "sync", "table", "task", "tasks", "team", "template",
    "templates", "terminal", "terraform", "testing", "tests", "text", "theme", "themes", "things", "thesis", "ticket", "time",
    "timer", "todo", "token", "tool", "toolbox", "toolkit", "tools", "tracker", "tracking", "training", "transfer", "translate",
    "translator", "tutorial", "tutorials", "typescript", "ui", "update", "updates", "upload", "uploader", "util", "utilities",
    "utility", "utils", "vault", "vendor", "video", "videos", "viewer", "visual", "voice", "wallet", "warehouse", "watch",
    "weather", "webapp", "webhook", "website", "widget", "widgets", "wiki", "window", "word", "words", "work", "workflow",
    "workflows", "workshop", "world", "writer", "writing", "new", "old", "the", "and", "for", "next", "nextjs", "vue", "svelte",
    "django", "rails", "laravel", "angular", "nodejs", "golang", "php", "cpp", "csharp", "dotnet", "kotlin", "swift", "sql", "aws", "gcp",
    "azure", "k8s", "kubernetes", "helm", "nginx", "redis", "mysql", "mongo", "mongodb", "sqlite", "llm", "gpt", "openai",
    "mcp", "sdk", "poc", "mvp", "tmp", "temp", "misc", "stuff", "etc", "src", "ops",
];

/// Returns whether many are called by this word.
pub(super) fn is_common(word: &str) -> bool {
    let is_it = |known: &&str| known.eq_ignore_ascii_case(word);
    COMMON_WORDS.iter().any(is_it)
}

/// Names that many people have, and words that are names as well: in a text they are met without this account being meant.
#[rustfmt::skip]
const GIVEN_NAMES: &[&str] = &[
    "aaron", "adam", "alan", "albert", "alex", "alexander", "alexis", "alfred", "alison", "amanda", "amber", "amelia", "andre",
    "andrea", "andreas", "andrew", "andy", "angela", "anna", "anne", "anthony", "antonio", "arthur", "ashley", "barbara",
    "benjamin", "bernard", "bill", "brandon", "brian", "bruce", "carl", "carlos", "carol", "caroline", "chase", "charles",
    "charlie", "chris", "christian", "christine", "christopher", "claire", "clara", "colin", "craig", "cruz", "dale", "daniel",
    "dave", "david", "dawn", "dean", "dennis", "diana", "diego", "donald", "drew", "dylan", "earl", "edward",
    "elena", "elizabeth", "ella", "emily", "emma", "eric", "erik", "ethan", "eugene", "evan", "faith", "felix", "fern", "fiona",
    "florian", "frank", "fred", "gabriel", "gary", "gene", "george", "gerald", "grace", "grant", "greg", "guido", "hannah",
    "hans", "harold", "harry", "heather", "helen", "henry", "holly", "hope", "hugo", "ian", "iris", "isabel", "ivan", "jack",
    "jackson", "jacob", "jade", "james", "jamie", "jason", "jean", "jeff", "jennifer", "jenny", "jeremy", "jerry", "jesse",
    "jessica", "jim", "joan", "joel", "jonathan", "jordan", "jorge", "jose", "joseph", "josh", "joshua", "juan", "julia",
    "julian", "julie", "june", "justin", "karen", "karl", "kate", "keith", "kelly", "kevin", "kim", "kyle", "lance", "larry",
    "laura", "lauren", "lee", "leo", "leon", "lewis", "liam", "lily", "linda", "lisa", "logan", "louis", "lucas", "lucy", "luis",
    "luke", "marc", "marco", "marcus", "maria", "marie", "mark", "markus", "martin", "mary", "mason", "matt", "matthew",
    "maurice", "maya", "melissa", "michael", "michelle", "miguel", "mike", "miles", "mitchell", "monica", "morgan", "nathan",
    "neil", "nick", "nicolas", "nina", "noah", "norman", "oliver", "olivia", "oscar", "owen", "page", "patrick", "paul", "paula",
    "pedro", "penny", "peter", "phil", "philip", "rachel", "ralph", "raymond", "rebecca", "rich", "richard", "robert", "robin",
    "roger", "roman", "rose", "ruby", "russell", "ryan", "sage", "sally", "samuel", "sandra", "sara", "sarah", "scott", "sean",
    "sebastian", "simon", "sofia", "sophia", "sophie", "stefan", "stephen", "steve", "steven", "stuart", "susan", "teresa",
    "terry", "thomas", "timothy", "todd", "tony", "tyler", "victor", "victoria", "vincent", "wade", "walter", "ward", "wayne",
    "wendy", "will", "william", "zach",
];

/// Returns whether many people have this name.
pub(super) fn is_given_name(word: &str) -> bool {
    let is_it = |known: &&str| known.eq_ignore_ascii_case(word);
    GIVEN_NAMES.iter().any(is_it)
}
