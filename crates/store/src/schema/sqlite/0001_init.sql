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
    hash        BLOB NOT NULL
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
    rest       TEXT NOT NULL
) STRICT;

CREATE INDEX lesson_words ON lesson (scope, words, twin);
CREATE INDEX lesson_failure ON lesson (scope, failure) WHERE failure IS NOT NULL;
-- The least useful first.
CREATE INDEX lesson_learned ON lesson (scope, shown > 0, created)
    WHERE status = 'active' AND trust <> 'person';

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
    PRIMARY KEY (tenant, sequence)
) STRICT, WITHOUT ROWID;

-- What was shown to whom and why, as the JSON line that the spool had.
CREATE TABLE recall (
    tenant INTEGER NOT NULL REFERENCES tenant (id),
    id     INTEGER NOT NULL,
    run    TEXT,
    line   TEXT NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

-- The spool file that was counted last, and how much of it; there is one row.
CREATE TABLE spool (
    sequence INTEGER NOT NULL,
    bytes    INTEGER NOT NULL
) STRICT;
INSERT INTO spool VALUES (0, 0);

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
