-- Form 4 of a file of keys.
CREATE TABLE tenant (
    name    TEXT PRIMARY KEY,
    created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The tenant is NULL for an operator's key. `agents` and `projects` are lists in JSON; an empty
-- one sets no limit.
CREATE TABLE api_key (
    id           TEXT PRIMARY KEY,
    kind         TEXT NOT NULL,
    role         TEXT NOT NULL,
    tenant       TEXT,
    agents       TEXT NOT NULL,
    projects     TEXT NOT NULL,
    name         TEXT NOT NULL,
    secret       BLOB NOT NULL,
    older_secret BLOB,
    older_until  INTEGER,
    opened_by    TEXT,
    created      INTEGER NOT NULL,
    expires      INTEGER,
    last_used    INTEGER,
    revoked_at   INTEGER,
    revoked_by   TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX api_key_tenant ON api_key (tenant, id);
CREATE INDEX api_key_opener ON api_key (opened_by) WHERE opened_by IS NOT NULL;
CREATE INDEX api_key_expires ON api_key (expires) WHERE expires IS NOT NULL;

CREATE TABLE audit (
    sequence INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    actor    TEXT NOT NULL,
    action   TEXT NOT NULL,
    tenant   TEXT,
    key      TEXT,
    before   TEXT,
    after    TEXT,
    previous BLOB NOT NULL,
    hash     BLOB NOT NULL
) STRICT;

CREATE INDEX audit_tenant ON audit (tenant, sequence);

-- The end of the log, in one row, so that a log that was cut off is seen.
CREATE TABLE audit_head (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    sequence INTEGER NOT NULL,
    hash     BLOB NOT NULL
) STRICT;

-- Secrets that the servers over this file share, by what they are for. Nobody but them is told.
CREATE TABLE secret (
    name  TEXT PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT, WITHOUT ROWID;
