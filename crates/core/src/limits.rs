//! All bounds in one place, with the unit in the name, grouped by the stage that enforces them.
//!
//! Nothing that comes from outside is unbounded. A value over its limit is cut where that loses little (an error
//! message) and refused where it does not (a lesson's text).

// A lesson.

/// Longest name of a tenant, an agent, a project, a run or a vendor, in characters.
pub const NAME_CHARS: usize = 256;
/// Longest signature, in characters.
pub const SIGNATURE_CHARS: usize = 200;
/// Longest title, in characters.
pub const TITLE_CHARS: usize = 200;
/// Longest lesson text, in characters.
pub const TEXT_CHARS: usize = 4096;
/// Longest situation or mistake, in characters.
pub const SITUATION_CHARS: usize = 1000;
/// Shortest slug, in characters.
pub const SLUG_CHARS_MIN: usize = 2;
/// Longest slug, in characters.
pub const SLUG_CHARS_MAX: usize = 80;
/// Most tags on a lesson.
pub const TAGS: usize = 12;
/// Most tools or targets on a lesson.
pub const TOOLS: usize = 12;
/// Longest tag or tool name, in characters.
pub const TAG_CHARS: usize = 80;
/// Longest evidence reference, in characters.
pub const EVIDENCE_REF_CHARS: usize = 256;
/// Longest evidence note, in characters.
pub const EVIDENCE_NOTE_CHARS: usize = 500;
/// Most evidence entries kept on one lesson; older ones after the first are dropped.
pub const EVIDENCE_ENTRIES: usize = 32;
/// Longest external reference a caller may attach to a lesson, in characters.
pub const REFERENCE_CHARS: usize = 256;
/// Most vendors that may keep fields of their own on one lesson.
pub const METADATA_ENTRIES: usize = 16;
/// Longest metadata of all vendors together, in characters.
pub const METADATA_CHARS: usize = 48 * 1024;
/// An author's confidence in a lesson unless stated otherwise, 0 to 1.
pub const CONFIDENCE_DEFAULT: f64 = 0.5;

// LESSON.md files.

/// Largest LESSON.md file that is read, in bytes.
pub const LESSON_FILE_BYTES: usize = 64 * 1024;
/// Most files of one folder of lessons that are read.
pub const LESSON_FILES: usize = 20_000;
/// Most bytes of one folder of lessons that are read.
pub const LESSON_FOLDER_BYTES: u64 = 128 * 1024 * 1024;
/// Most bytes of a file in which another program keeps memories; one that a client made of months of work had 325 KB.
pub const MEMORY_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// Deepest nesting of a front matter.
pub const YAML_DEPTH: usize = 16;
/// Most values of one front matter, including those that its aliases expand to.
pub const YAML_VALUES: usize = 4096;

// Transcripts.

/// Longest line or record of a transcript that is read, in bytes; a longer one is skipped.
pub const RECORD_BYTES: usize = 16 * 1024 * 1024;
/// How much of a file is examined to recognise its format, in bytes.
pub const RECOGNISE_BYTES: usize = 256 * 1024;
/// Most sessions that are read from a client's database, the newest.
pub const STORED_SESSIONS: usize = 100_000;
/// Most messages of a session that are read from a client's database, the first ones.
pub const STORED_MESSAGES: usize = 100_000;
/// Most runs of one transcript that are open at a time; the oldest is closed first.
pub const OPEN_RUNS: usize = 64;
/// Most calls of one run that wait for their result; the oldest is dropped first.
pub const PENDING_CALLS: usize = 64;
/// Most results of one transcript that stand before their calls; the oldest is dropped first.
pub const EARLY_RESULTS: usize = 16;
/// Most runs whose state is stored to continue reading a file that has grown.
pub const RESUMED_RUNS: usize = 8;
/// Longest transcript that is read again from its start when it has grown, in bytes. For a longer one the state is
/// stored from which reading can continue.
pub const REREAD_BYTES: u64 = RECOGNISE_BYTES as u64;
/// Most findings read of one review.
pub const REVIEW_FINDINGS: usize = 64;
/// Longest single value inside the arguments of a call, in bytes; a longer one is cut.
pub const ARG_VALUE_BYTES: usize = 300;
/// Longest error that a transcript reader extracts from a result, in bytes.
pub const ERROR_HEAD_BYTES: usize = 600;
/// Most lines of such an error.
pub const ERROR_HEAD_LINES: usize = 3;
/// How much of each end of a failed call's output is searched for its error, in bytes.
pub const ERROR_SEARCH_BYTES: usize = 32 * 1024;

// Hooks.

/// Longest payload of a hook that is read, in bytes; a longer one is refused unread.
pub const HOOK_BYTES: usize = 8 * 1024 * 1024;
/// How much of the end of a transcript a hook reads, in bytes.
pub const TAIL_BYTES: usize = 256 * 1024;
/// Most calls taken from one payload that reports several.
pub const BATCH_CALLS: usize = 64;

// Redaction of events.

pub use hardwon_redact::INTAKE_BYTES;

/// Longest arguments of a tool call that are stored, in bytes, after redaction.
pub const ARGS_BYTES: usize = 2000;
/// Longest error of a failed call that is stored, in bytes, after redaction.
pub const ERROR_BYTES: usize = 1000;
/// Longest message of a person or an agent that is stored, in bytes, after redaction.
pub const MESSAGE_BYTES: usize = 4000;
/// Longest detail of a signal that is stored, in bytes, after redaction.
pub const SIGNAL_BYTES: usize = 2000;
/// Most entries of each list of a review's signal that are stored.
pub const REVIEW_ITEMS: usize = 32;

// Trace and loops.

/// Most steps of one run that are stored; the oldest settled ones are dropped first.
pub const TRACE_STEPS: usize = 2000;
/// Most bytes of text of one run that are stored.
pub const TRACE_BYTES: usize = 512 * 1024;
/// Most steps of one command line that are recorded as failed.
pub const FAILED_STEPS: usize = 32;
/// Most functions, and variables, of a command line that are expanded where it uses them.
pub const LINE_FUNCTIONS: usize = 16;
/// Most values of a loop in a command line that is read as that many tries.
pub const LOOP_VALUES: usize = 24;
/// Most simple commands of one line.
pub const LINE_COMMANDS: usize = 128;
/// Most signals of one run that are stored; the newest stay.
pub const TRACE_SIGNALS: usize = 64;
/// Most points of one review that are stored.
pub const REVIEW_POINTS: usize = 12;
/// Length of a failure key, in hexadecimal digits.
pub const FAILURE_KEY_CHARS: usize = 16;
/// Longest call that a loop warning shows, in characters.
pub const LOOP_CALL_CHARS: usize = 200;

// Capture and distilling.

/// Most episodes of one run.
pub const EPISODES: usize = 32;
/// Most calls between a failure and the similar call that worked.
pub const FIX_WINDOW: usize = 12;
/// Most errors that a plain outcome names.
pub const PLAIN_ERRORS: usize = 3;
/// How much of the task a plain outcome keeps, in characters.
pub const PLAIN_TASK_CHARS: usize = 200;
/// Longest correction, in characters.
pub const CORRECTION_CHARS: usize = 500;
/// Longest point of a signal that becomes a lesson, in characters.
pub const POINT_CHARS: usize = 400;
/// Longest error message shown in a lesson, in characters.
pub const GIST_CHARS: usize = 110;

// Questions to a model.

/// Longest record of a run that a model is shown, in bytes.
pub const EXCERPT_BYTES: usize = 12 * 1024;
/// Longest text of one step in such a record, in bytes.
pub const EXCERPT_TEXT_BYTES: usize = 400;
/// Longest task in such a record, in bytes.
pub const EXCERPT_TASK_BYTES: usize = 1000;
/// Most steps of a run that such a record names.
pub const EXCERPT_STEPS: usize = 60;
/// Steps from the beginning of a run that stay when it has too many.
pub const EXCERPT_FIRST_STEPS: usize = 15;
/// Most signals, and most lessons known already, that such a record names.
pub const EXCERPT_POINTS: usize = 8;
/// Longest record of how one run had one failure, in bytes.
pub const STRUGGLE_BYTES: usize = 4 * 1024;
/// Most failures of one run that a model may be asked about.
pub const STRUGGLES: usize = 12;
/// Most calls that the record of one failure shows.
pub const STRUGGLE_CALLS: usize = 12;
/// Most calls after a failure that are searched for what ended it.
pub const STRUGGLE_SPAN: usize = 40;
/// Most lessons that a judge is asked about.
pub const JUDGED_LESSONS: usize = 12;
/// Most drafts taken from one reply in blocks.
pub const BLOCK_REPLY_DRAFTS: usize = 3;
/// Most drafts taken from one reply of a judge.
pub const JUDGE_DRAFTS: usize = 5;
/// Longest reply of a model that is parsed, in bytes; a longer one is refused.
pub const MODEL_REPLY_BYTES: usize = 64 * 1024;
/// Most attempts to parse a JSON object in one reply.
pub const REPLY_OBJECTS: usize = 16;

// The queue of questions to a model.

/// Most jobs of one tenant that wait; when it is full, further questions are dropped.
pub const QUEUE_WAITING: usize = 1000;
/// Most failures of one tenant that wait for a second run; the oldest is dropped first.
pub const QUEUE_SEEN: usize = 1000;
/// Most jobs of one tenant that are stored as given up; the oldest is dropped first.
pub const QUEUE_DEAD: usize = 1000;
/// Most jobs of one tenant that are stored as done; the oldest is dropped first.
pub const QUEUE_DONE: usize = 10_000;
/// How many workers may be lost with a job before the job counts as the cause.
pub const QUEUE_LOST_WORKERS: u32 = 20;
/// How often a model may fail at a job.
pub const QUEUE_ATTEMPTS: u32 = 5;
/// How often a model may give a reply that does not parse.
pub const QUEUE_OFF_SCHEMA: u32 = 2;
/// How long a job waits after the first failure, in seconds; twice as long after each further one.
pub const QUEUE_BACKOFF_SECONDS: u64 = 10;
/// How long a job waits at most, in seconds.
pub const QUEUE_BACKOFF_MAX_SECONDS: u64 = 60 * 60;
/// For how many days the cost of models is stored.
pub const MODEL_COST_DAYS: usize = 400;

// Writs.

/// Longest reply to a writ, in bytes.
pub const WRIT_REPLY_BYTES: usize = 16 * 1024;

// Sessions.

/// Longest reply to an agent at one moment, in bytes.
pub const HOOK_REPLY_BYTES: usize = PREAMBLE_BYTES;
/// Most lessons shown at the start of a session.
pub const SESSION_START_LESSONS: usize = 5;
/// Most tokens of the lessons shown at the start of a session.
pub const SESSION_START_TOKENS: usize = 250;
/// Most lessons shown there where a person wants as many as fit.
pub const SESSION_START_ALL_LESSONS: usize = 10;
/// Most tokens of them.
pub const SESSION_START_ALL_TOKENS: usize = 400;
/// How many of a bank's newest lessons are looked through for those to show there.
pub const SESSION_START_CANDIDATES: usize = 32;
/// How many of the newest that no call brings up: some are known to the session, and some say the same.
pub const SESSION_START_CONVENTIONS: usize = 3 * SESSION_START_LESSONS;
/// Longest text of a writ that is kept when it cannot be stored at once, in bytes: more than a lesson may have.
pub const WRIT_BYTES: usize = 64 * 1024;
/// Most writs of one text that are carried out.
pub const WRITS: usize = 16;
/// How long the same event from another hook counts as a duplicate, in milliseconds.
pub const DUPLICATE_EVENT_MS: i64 = 10_000;
/// How many events of a session are compared to recognise a duplicate.
pub const RECENT_EVENTS: usize = 128;
/// How many lessons are remembered as shown in one session; the first are dropped first.
pub const SHOWN_IN_SESSION: usize = 256;
/// How many lessons of a context that was compacted are remembered; the first are dropped first.
pub const SUMMARISED_LESSONS: usize = 16;
/// Most tasks that wait for the sub-agents they were given to; the oldest is dropped first.
pub const DELEGATED_TASKS: usize = 8;
/// How much of such a task is kept, in bytes.
pub const DELEGATED_TASK_BYTES: usize = 1000;
/// Longest reply that is kept for an agent until it can be delivered, in bytes.
pub const PENDING_REPLY_BYTES: usize = 4 * 1024;
/// Most failures that the question at the end of a turn names.
pub const QUESTION_FAILURES: usize = 2;
/// Longest name of a failure in it, in characters.
pub const FAILURE_NAME_CHARS: usize = 60;
/// How much of a session's log is read at the end of a turn that may be asked about, in bytes.
pub const QUESTION_TAIL_BYTES: usize = 256 * 1024;
/// How much of the end of a session's log is read first, in bytes.
pub const SESSION_TAIL_BYTES: usize = 16 * 1024;
/// How much of it is read if that was not enough, in bytes.
pub const SESSION_LONG_TAIL_BYTES: usize = 64 * 1024;
/// How much of a session's log is at least kept, and learned from, in bytes.
pub const SESSION_KEPT_BYTES: usize = 1024 * 1024;
/// How long a session's log may grow where nobody shortens it, in bytes.
pub const SESSION_BYTES: u64 = 64 * 1024 * 1024;
/// How long a session's log is kept after its last event, in days.
pub const SESSION_DAYS: u64 = 30;
/// Most files of past sessions that are read in one go.
pub const SESSION_FILES: usize = 4096;
/// How long after its last read of outside content a session counts as running, in hours, if no client reported its
/// end.
pub const OUTSIDE_HOURS: u64 = 12;
/// How much of one result from outside is fingerprinted, in bytes; the rest of a longer one counts as unknown.
pub const OUTSIDE_TEXT_BYTES: usize = 256 * 1024;
/// Most fingerprints of words from outside that are stored for a run; beyond that its words are unknown.
pub const OUTSIDE_WORDS: usize = 100_000;
/// Most names of files, variables, branches and tasks with content from outside that are stored for a session; beyond
/// that any name counts as one.
pub const OUTSIDE_NAMES: usize = 8192;
/// Most sessions that are learned from in one go.
pub const CAPTURE_BATCH: usize = 64;
/// How often learning from a session is retried when it fails.
pub const CAPTURE_TRIES: u32 = 3;
/// Longest log of errors in hooks, in bytes; the previous one is kept too.
pub const LOG_BYTES: u64 = 1024 * 1024;
/// Longest line in it, in bytes.
pub const LOG_LINE_BYTES: usize = 500;
/// After how many bytes a session's log contains its whole state again.
pub const SESSION_STATE_BYTES: usize = 8 * 1024;

// Guard.

/// Longest draft that is judged, all its fields together, in characters.
pub const DRAFT_CHARS: usize = 64 * 1024;

// Change.

/// Default number of active learned lessons in one scope.
pub const CAPACITY_DEFAULT: usize = 1000;
/// Most lessons that leave a full scope at once.
pub const EVICTIONS: usize = 100;
/// One of how many lessons of the capacity is spared for being new.
pub const SPARED_ONE_IN: usize = 5;
/// Most lessons with the same words that a decision compares.
pub const SIMILAR_LESSONS: usize = 20;
/// Most lessons that one lesson is marked as contradicting.
pub const CONTRADICTIONS: usize = 12;
/// Most lessons that are followed along a chain of successors.
pub const LINEAGE_LESSONS: usize = 100;
/// Longest comment of a journal entry, in characters: a reason, and what it is for.
pub const COMMENT_CHARS: usize = SITUATION_CHARS + 100;

// Credit.

/// Most lessons that one run is judged for.
pub const RUN_JUDGED_LESSONS: usize = 64;
/// How many judgements are stored for one tenant; older ones are dropped, their effect stays.
pub const JUDGEMENTS: usize = 10_000;

/// Most calls that one run counts as, where the calls of a project are counted.
pub const BROAD_RUN_CALLS: usize = 100;
/// How many calls of a project must have been seen before advice may be too broad for them.
pub const BROAD_CALLS_MIN: i64 = 200;
/// Of a hundred calls of a project, at how many advice may come up.
pub const BROAD_PERCENT: i64 = 5;
/// How many runs in a row must not follow a lesson before it ranks behind others.
pub const NOT_FOLLOWED_RUNS: i64 = 10;
/// How many runs in a row must not need a lesson before the start of a session leaves it out.
pub const NOT_NEEDED_RUNS: i64 = 20;
/// How many, if a call or a failure brings it up all the same.
pub const NOT_NEEDED_RUNS_TRIGGERED: i64 = 5;
// Replay.

/// Most failures of one recorded session that are scored.
pub const REPLAYED_FAILURES: usize = 4096;
/// Most calls after a failure that are searched for a fix.
pub const FIX_SEARCH_CALLS: usize = 10;

// Store.

/// Longest page that one read of the store returns, in rows.
pub const PAGE_ROWS: usize = 1000;
/// Most lessons of a replica: it is made and taken in within memory.
pub const REPLICA_LESSONS: usize = 50_000;
/// Most words of a search that a lesson must contain.
pub const SEARCH_WORDS: usize = 32;
/// Most lessons that are ranked for a search, the newest: more than anybody looks through.
pub const SEARCHED_LESSONS: usize = 50;
/// How many runs are stored for a candidate lesson: the first and the newest.
pub const CANDIDATE_LESSON_RUNS: usize = 64;
/// How many candidate lessons are stored for one scope; the one seen longest ago is dropped first.
///
/// What got a run past a failure is stored under some ten keys, and a busy session has several such failures.
pub const CANDIDATE_LESSONS: usize = 5000;
/// How many recalls are stored for one tenant; older ones are dropped.
pub const RECALLS: usize = 10_000;
/// Longest stored reason why a lesson or nothing was shown, in characters.
pub const REASON_CHARS: usize = 200;
/// Longest stored text of a prompt or call that a recall was made for, in characters.
pub const QUERY_TEXT_CHARS: usize = 300;
/// How long that text is stored, in days.
pub const QUERY_TEXT_DAYS: i64 = 14;
/// Longest line that one recall may write to the spool, in bytes.
pub const SPOOL_LINE_BYTES: usize = 8 * 1024;
/// Size from which the spool should be drained into the store, in bytes.
pub const SPOOL_DUE_BYTES: u64 = 256 * 1024;
/// Size from which the spool accepts nothing more, in bytes.
pub const SPOOL_BYTES: u64 = 16 * 1024 * 1024;
/// Most bytes of recalls that a store on a server holds in memory before it sends them there.
pub const SPOOL_QUEUE_BYTES: u64 = 1024 * 1024;
/// Longest name of a source of transcripts, in bytes.
pub const SOURCE_NAME_BYTES: usize = 8 * 1024;
/// Longest stored state to continue reading a source, in bytes.
pub const SOURCE_STATE_BYTES: usize = 4 * 1024 * 1024;
/// Largest database that is rewritten to erase a lesson's last traces, in bytes.
pub const VACUUM_BYTES: i64 = 256 * 1024 * 1024;
/// Most repositories of which the last name is remembered.
pub const CHECKOUTS: usize = 1000;

// Terms and search.

/// Longest prompt that recall reads, in bytes.
pub const PROMPT_BYTES: usize = 16 * 1024;
/// Longest term, in bytes; a longer word is cut.
pub const TERM_BYTES: usize = 64;
/// Shortest message of a person that counts as a task, in bytes.
pub const TASK_BYTES_MIN: usize = 16;
/// Longest task that is stored with a lesson, in characters.
pub const TASK_CHARS: usize = 400;
/// Most terms of a task by which a lesson is found.
pub const TASK_TERMS: usize = 48;
/// Most terms of one lesson in the index, counting repetitions.
pub const LESSON_TERMS: usize = 4096;
/// Most distinct terms of one query.
pub const QUERY_TERMS: usize = 256;
/// How many postings a query may always read.
pub const POSTINGS_FREE: u64 = 2_000;
/// How many postings a query reads at most, however large the scope.
pub const POSTINGS_MAX: u64 = 400_000;
/// Longest command after loops and functions were expanded, in bytes; one that would be longer is not expanded.
pub const EXPANDED_LINE_BYTES: usize = 16 * 1024;
/// Most words of such a command.
pub const EXPANDED_LINE_WORDS: usize = 2_000;
/// Most keys of one lesson.
pub const LESSON_KEYS: usize = 96;
/// Longest correction of a trigger by a person, in bytes; a longer one is ignored.
pub const CORRECTION_BYTES: usize = 200;
/// Longest code span or quotation of a lesson that is read as one, in bytes.
pub const SPAN_BYTES: usize = 400;
/// Most lessons that share a key with a call and are compared with it.
pub const CALL_CANDIDATES: usize = 64;
/// How many candidates are compared at a failure of which no lesson was learned.
pub const FAILURE_CANDIDATES: usize = 8;
/// Most keys of one call by which lessons are searched.
pub const CALL_KEYS: usize = 192;
/// Most names in what a call writes by which lessons are searched, counting repetitions.
pub const CALL_NAMES: usize = 2_000;
/// Most files of one call that are looked at.
pub const CALL_FILES: usize = 48;
/// Most words of a line among which wrappers are looked for.
pub const CALL_WORDS: usize = 64;
/// Most triggers, and most keys, of one lesson.
pub const TRIGGERS: usize = 24;
/// Most words and names of a lesson's text that are read for triggers.
pub const TRIGGER_PARTS: usize = 800;
/// How many candidates the store returns for ranking.
pub const CANDIDATES: usize = 20;

// Vectors.

/// Most dimensions of a vector.
pub const VECTOR_DIMENSIONS: usize = 4096;
/// Longest text that is embedded, in bytes: some 500 tokens, which all models accept.
pub const EMBEDDED_BYTES: usize = 2000;
/// How many texts are embedded in one request.
pub const EMBEDDED_TEXTS: usize = 64;
/// Most bytes of vectors that one recall compares a prompt with: 16,384 lessons of 256 dimensions.
pub const VECTORS_COMPARED_BYTES: u64 = 4 * 1024 * 1024;
/// Longest name of a vector space, in characters.
pub const VECTOR_SPACE_CHARS: usize = 200;

// Recall and preamble.

/// How many lessons a recall shows unless stated otherwise.
pub const SHOWN_DEFAULT: usize = 3;
/// Most lessons that one preamble may show; a program may ask for all candidates.
pub const SHOWN_MAX: usize = 7;
/// Longest text shown of one lesson, in characters.
pub const SHOWN_TEXT_CHARS: usize = 600;
/// Longest condition or mistake shown of one lesson, in characters.
pub const SHOWN_DETAIL_CHARS: usize = 200;
/// Longest preamble, in tokens, in which mistakes are told beside what to do: every line competes with the task.
pub const PREAMBLE_MISTAKES_TOKENS: usize = 250;
/// Copies of the database that are kept of those made at night.
pub const NIGHTLY_BACKUPS: usize = 7;
/// Longest preamble, in bytes, whatever the budget.
pub const PREAMBLE_BYTES: usize = 7900;
/// Longest preamble unless stated otherwise, in tokens.
pub const PREAMBLE_TOKENS: usize = 1000;
/// Bytes that count as one token when a budget is given in tokens.
pub const TOKEN_BYTES: usize = 4;

// Keys of a server.

/// Most agents, and most projects, that one key is tied to.
pub const KEY_LIMIT_NAMES: usize = 64;
/// Most keys of one tenant at a time, sessions in browsers apart.
pub const TENANT_KEYS: usize = 10_000;
/// Most sessions in browsers that one key has open: one more ends the oldest.
pub const KEY_SESSIONS: usize = 32;
/// Longest name that a caller gives a request, in characters.
pub const IDEMPOTENCY_KEY_CHARS: usize = 255;
/// How long a request is remembered by its name, in hours.
pub const ANSWER_HOURS: i64 = 24;
/// Most bytes of a tenant's requests that are remembered by their names, with their answers. Beyond that the oldest are
/// forgotten.
pub const KEPT_ANSWER_BYTES: u64 = 32 * 1024 * 1024;
/// What a request counts for in that besides its answer, in bytes.
pub const KEPT_REQUEST_BYTES: u64 = 160;
/// Longest answer that is kept for a repeated request, in bytes; of a longer one it is only kept that it was given.
pub const ANSWER_BYTES: usize = 64 * 1024;

// Agents that query by themselves (MCP).

/// How many lessons one listing has unless stated otherwise.
pub const LISTED_DEFAULT: usize = 20;
/// Most lessons of one listing.
pub const LISTED_MAX: usize = 50;
/// Most lessons of a scope's index, and most that the review queue names.
pub const INDEX_LESSONS: usize = 100;
/// Longest note with a verdict on a lesson, in characters.
pub const VERDICT_NOTE_CHARS: usize = 500;
/// Longest request of an agent's tool over HTTP, in bytes; a longer one is refused unread.
pub const MCP_REQUEST_BYTES: usize = 1024 * 1024;

// Sweeps.

/// Most lessons that are merged into one.
pub const SWEEP_CLUSTER: usize = 12;
/// Longest text of one lesson in a question to a model, in bytes.
pub const SWEEP_TEXT_BYTES: usize = 1000;
/// Most lessons in one question to a model.
pub const SWEEP_SHOWN: usize = 96;
/// Most bytes of lessons in one question to a model.
pub const SWEEP_SHOWN_BYTES: usize = 32 * 1024;
/// Most groups that are read in one reply of a model.
pub const SWEEP_NAMED_GROUPS: usize = 48;
/// Most items of one plan.
pub const SWEEP_ITEMS: usize = 1000;
/// Most lessons that one sweep looks at.
pub const SWEEP_LESSONS: usize = 20_000;
/// Most questions of one sweep to a model.
pub const SWEEP_QUESTIONS: usize = 24;
/// How many sweeps can be taken back: the newest ones.
pub const SWEEPS_KEPT: u64 = 32;
/// Longest plan that is read, in bytes.
pub const PLAN_BYTES: usize = 8 * 1024 * 1024;

// Placing lessons in a project's files.

/// Most lessons of one block.
pub const PLACED_LESSONS: usize = 12;
/// Longest block, in bytes.
pub const PLACED_BYTES: usize = 1500;
/// Longest line of a block before it is escaped, in bytes.
pub const PLACED_LINE_BYTES: usize = 320;
/// Outcomes that speak for a lesson before it is placed without a person's word.
pub const PLACED_HELPED: u64 = 2;
/// How many outcomes must speak for it for each one that speaks against it.
pub const PLACED_HELPED_PER_HARM: u64 = 10;
/// Longest file that a block is put into, in bytes.
pub const PLACED_FILE_BYTES: u64 = 1024 * 1024;
/// Longest entry of a general memory that is not to be shorter, in characters.
pub const AUDIT_ENTRY_CHARS: usize = 600;
/// Longest text that such an entry is condensed to.
pub const AUDIT_SHORT_CHARS: usize = 300;
/// Shortest word by which a project is known in an entry.
pub const PROJECT_WORD_BYTES: usize = 5;

// Reviews before a delivery.

/// Longest diff that a bundle for a reviewer has, in bytes; of a longer one it has the beginning and says so.
pub const REVIEW_DIFF_BYTES: usize = 512 * 1024;
/// Longest specification, and longest text of a pull request, in such a bundle, in bytes.
pub const REVIEW_TEXT_BYTES: usize = 64 * 1024;
/// Most files that such a bundle lists.
pub const REVIEW_FILES: usize = 500;
/// Most fixes, and most risks, that are taken from one verdict.
pub const REVIEW_ENTRIES: usize = 32;
/// Longest text of one of them, in characters.
pub const REVIEW_ENTRY_CHARS: usize = 500;
/// Most places in the diff that one of them names.
pub const REVIEW_ANCHORS: usize = 16;
/// How many braces of a reply are tried as the start of a verdict.
pub const REVIEW_BRACES: usize = 4096;
/// How many reviews of one repository are kept: the newest.
pub const REVIEWS_KEPT: usize = 64;

// How the bounds above depend on one another.

const _: () = assert!(SLUG_CHARS_MIN <= SLUG_CHARS_MAX);
const _: () = assert!(TEXT_CHARS * 4 <= INTAKE_BYTES);
const _: () = assert!(ARGS_BYTES + 8 * 1024 < INTAKE_BYTES);
const _: () = assert!(MESSAGE_BYTES + 8 * 1024 < INTAKE_BYTES);
const _: () = assert!(SIGNAL_BYTES + 8 * 1024 < INTAKE_BYTES);
const _: () = assert!(ERROR_HEAD_BYTES <= ERROR_BYTES && ARG_VALUE_BYTES < ARGS_BYTES);
// A line is at most twice as long as its texts; within the tail that is read, the state must be written once.
const _: () = assert!(
    2 * (2 * MESSAGE_BYTES + ARGS_BYTES + ERROR_BYTES + PENDING_REPLY_BYTES)
        + 2 * DELEGATED_TASKS * DELEGATED_TASK_BYTES
        + 16 * SHOWN_IN_SESSION
        + 16 * QUESTION_FAILURES * FAILURE_NAME_CHARS
        < SESSION_LONG_TAIL_BYTES - SESSION_STATE_BYTES
);
const _: () = assert!(SPOOL_DUE_BYTES <= SPOOL_QUEUE_BYTES && SPOOL_QUEUE_BYTES <= SPOOL_BYTES);
const _: () = assert!(POSTINGS_FREE <= POSTINGS_MAX && QUERY_TERMS <= u16::MAX as usize);
const _: () = assert!(SHOWN_DEFAULT <= SHOWN_MAX && SHOWN_MAX <= CANDIDATES);
const _: () = assert!(LISTED_DEFAULT <= LISTED_MAX && INDEX_LESSONS <= PAGE_ROWS);
const _: () = assert!(VERDICT_NOTE_CHARS <= SITUATION_CHARS);
const _: () = assert!(4 * (SHOWN_TEXT_CHARS + SIGNATURE_CHARS) < PREAMBLE_TOKENS * TOKEN_BYTES);
