-- Lessons, their journal, and what is kept beside them. Times are milliseconds since 1970; names
-- of states and kinds are the words of the glossary. Every key begins with a tenant, or with a
-- scope, which belongs to one.

-- Who owns the data, and where their numbers and their journal stand.
CREATE TABLE tenant (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    next_lesson INTEGER NOT NULL,
    next_recall INTEGER NOT NULL,
    sequence    INTEGER NOT NULL,
    hash        BLOB NOT NULL,
    next_job    INTEGER NOT NULL DEFAULT 1
) STRICT;

-- Where lessons live; the project is empty for lessons that hold everywhere. `learned` counts the
-- active lessons that no person wrote.
CREATE TABLE scope (
    id      INTEGER PRIMARY KEY,
    tenant  INTEGER NOT NULL REFERENCES tenant (id),
    agent   TEXT NOT NULL,
    project TEXT NOT NULL,
    learned INTEGER NOT NULL,
    UNIQUE (tenant, agent, project)
) STRICT;

-- One row a lesson: key = tenant << 32 | lesson number. What recall looks at has its own column;
-- lists are in `rest`, as JSON. `twin` and `words` are the keys under which duplicates are found.
-- Of runs that were shown it: how many went well and badly, which followed it and met its trouble all
-- the same (of `harmed`), and how many did not follow it since the last that did. `precision` and
-- `shift` are what outcomes added to what is believed of it, in millionths; `trial` is what holding it
-- back told, as JSON, nothing where it was never held back.
CREATE TABLE lesson (
    key        INTEGER PRIMARY KEY,
    scope      INTEGER NOT NULL REFERENCES scope (id),
    status     TEXT NOT NULL,
    why        TEXT,
    by         INTEGER,
    slug       TEXT NOT NULL,
    title      TEXT NOT NULL,
    signature  TEXT NOT NULL,
    text       TEXT NOT NULL,
    situation  TEXT,
    mistake    TEXT,
    reference  TEXT,
    cause      TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    trust      TEXT NOT NULL,
    tainted    INTEGER NOT NULL,
    confidence REAL NOT NULL,
    failure    TEXT,
    expires_at INTEGER,
    shown      INTEGER NOT NULL,
    helped     INTEGER NOT NULL,
    harmed     INTEGER NOT NULL,
    last_seen  INTEGER,
    created    INTEGER NOT NULL,
    updated    INTEGER NOT NULL,
    twin       INTEGER NOT NULL,
    words      INTEGER NOT NULL,
    rest       TEXT NOT NULL,
    well       INTEGER NOT NULL DEFAULT 0,
    badly      INTEGER NOT NULL DEFAULT 0,
    precision  INTEGER NOT NULL DEFAULT 0,
    shift      INTEGER NOT NULL DEFAULT 0,
    trial      TEXT,
    in_vain    INTEGER NOT NULL DEFAULT 0,
    not_followed INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX lesson_words ON lesson (scope, words, twin);
CREATE INDEX lesson_failure ON lesson (scope, failure) WHERE failure IS NOT NULL;
-- The least useful first.
CREATE INDEX lesson_learned ON lesson (scope, shown > 0, created)
    WHERE status = 'active' AND trust <> 'person';
-- The active lessons of a scope that helped more often than they harmed, the best first: a session
-- begins with a few of them, and must find them without looking at the others.
CREATE INDEX lesson_proven ON lesson (scope, harmed - helped, key DESC)
    WHERE status = 'active' AND helped > harmed;
-- The lessons that one replaced.
CREATE INDEX lesson_by ON lesson (by, key) WHERE by IS NOT NULL;
-- The lessons of a tenant, the last shown first. A page of a listing is read off it, whatever its scope and status: it must
-- not take longer because a tenant has many lessons.
CREATE INDEX lesson_shown ON lesson
    (key >> 32, coalesce(last_seen, created) DESC, key DESC, scope, status);
-- The few lessons that wait for a person, and those that were ever shown: a page counts the ones and adds up the others each
-- time, and must not read all lessons for that.
CREATE INDEX lesson_waiting ON lesson (key) WHERE status IN ('pending', 'quarantined');
CREATE INDEX lesson_used ON lesson (key) WHERE shown > 0;

-- `remark` is what an entry says in words, which can be erased, beside the digest of them, which the
-- chain holds.
CREATE TABLE journal (
    tenant   INTEGER NOT NULL REFERENCES tenant (id),
    sequence INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    lesson   INTEGER NOT NULL,
    actor    TEXT NOT NULL,
    content  BLOB NOT NULL,
    previous BLOB NOT NULL,
    hash     BLOB NOT NULL,
    remark   TEXT,
    remark_hash BLOB,
    PRIMARY KEY (tenant, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX journal_lesson ON journal (tenant, lesson, sequence);

-- What was shown to whom and why, as the JSON line that the spool had.
CREATE TABLE recall (
    tenant INTEGER NOT NULL REFERENCES tenant (id),
    id     INTEGER NOT NULL,
    run    TEXT,
    line   TEXT NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;
-- A run's recalls are asked for when it is judged.
CREATE INDEX recall_run ON recall (tenant, run) WHERE run IS NOT NULL;

-- What a recall was made for: the prompt or the call, without secrets and cut, apart from the recall
-- because it is kept for days only and read by its own agent and the owner alone.
CREATE TABLE asked (
    tenant INTEGER NOT NULL REFERENCES tenant (id),
    recall INTEGER NOT NULL,
    agent  TEXT NOT NULL,
    at     INTEGER NOT NULL,
    text   TEXT NOT NULL,
    PRIMARY KEY (tenant, recall)
) STRICT, WITHOUT ROWID;
CREATE INDEX asked_at ON asked (tenant, at);

-- Of each tenant's spool: the file that was counted last, and how much of it.
CREATE TABLE spool (
    sequence INTEGER NOT NULL,
    bytes    INTEGER NOT NULL,
    tenant   TEXT NOT NULL DEFAULT 'local'
) STRICT;
CREATE UNIQUE INDEX spool_of_tenant ON spool (tenant);
INSERT INTO spool VALUES (0, 0, 'local');

-- Troubles that were seen and are not yet lessons.
CREATE TABLE witness (
    scope   INTEGER NOT NULL REFERENCES scope (id),
    failure TEXT NOT NULL,
    first   INTEGER NOT NULL,
    last    INTEGER NOT NULL,
    runs    TEXT NOT NULL,
    lesson  TEXT,
    PRIMARY KEY (scope, failure)
) STRICT;

-- How far each source of transcripts was read.
CREATE TABLE source (
    tenant      INTEGER NOT NULL REFERENCES tenant (id),
    name        TEXT NOT NULL,
    position    INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    state       BLOB NOT NULL,
    at          INTEGER NOT NULL,
    PRIMARY KEY (tenant, name)
) STRICT;

-- Which rules made the keys of `lesson` and the terms of the index; there is one row. Other rules
-- make them anew when the file is next opened for writing.
CREATE TABLE rules (
    terms INTEGER NOT NULL,
    words INTEGER NOT NULL
) STRICT;

-- Questions that wait for a model: one row for each run and way to ask. `ready` is when the job may
-- be claimed: when it is due, or when the claim on it is void; `task` is what is asked, as JSON.
CREATE TABLE job (
    tenant   INTEGER NOT NULL REFERENCES tenant (id),
    id       INTEGER NOT NULL,
    scope    INTEGER NOT NULL REFERENCES scope (id),
    key      TEXT NOT NULL,
    print    TEXT NOT NULL,
    state    TEXT NOT NULL,
    ready    INTEGER NOT NULL,
    claims   INTEGER NOT NULL,
    lost     INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    why      TEXT,
    created  INTEGER NOT NULL,
    task     TEXT NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX job_key ON job (tenant, key);
CREATE INDEX job_ready ON job (tenant, state, ready, id);

-- What models cost, by day since 1970.
CREATE TABLE spent (
    tenant INTEGER NOT NULL REFERENCES tenant (id),
    day    INTEGER NOT NULL,
    calls  INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (tenant, day)
) STRICT, WITHOUT ROWID;

-- What each run, or each word of somebody, says of lessons; a run is judged once, by its latest
-- judgement. The line is JSON.
CREATE TABLE judgement (
    tenant INTEGER NOT NULL REFERENCES tenant (id),
    id     INTEGER NOT NULL,
    run    TEXT,
    line   TEXT NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX judgement_run ON judgement (tenant, run) WHERE run IS NOT NULL;

-- What judgements add up to on how things go without lessons, in millionths.
CREATE TABLE baseline (
    tenant    INTEGER NOT NULL REFERENCES tenant (id),
    about     TEXT NOT NULL,
    precision INTEGER NOT NULL,
    shift     INTEGER NOT NULL,
    PRIMARY KEY (tenant, about)
) STRICT, WITHOUT ROWID;

-- What an embedding makes of an active lesson's words, one byte a number: key = scope << 32 | lesson
-- number. A lesson has one vector, of the space that was set last; it goes when the words do.
CREATE TABLE vector (
    key   INTEGER PRIMARY KEY,
    space TEXT NOT NULL,
    data  BLOB NOT NULL
) STRICT;

-- Requests that their callers named, so that a repeated one does nothing and gets the same answer.
-- The name and the request are hashes. The answer is NULL until it is given, and when it has gone.
CREATE TABLE answer (
    tenant  INTEGER NOT NULL REFERENCES tenant (id),
    name    BLOB NOT NULL,
    request BLOB NOT NULL,
    answer  TEXT,
    at      INTEGER NOT NULL,
    PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_at ON answer (tenant, at);
