-- API keys and tenants of a server, and the log of what was done to them. Times are milliseconds
-- since 1970; names of kinds, roles and actions are the words of the glossary. Of secrets there
-- are only hashes, and of those none in the log. The names are those of a database of servers.

CREATE TABLE served_tenant (
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

-- Who did what to which key or tenant. Rows are only ever added; `before` and `after` describe a key in JSON.
CREATE TABLE key_log (
    sequence INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    actor    TEXT NOT NULL,
    action   TEXT NOT NULL,
    tenant   TEXT,
    key      TEXT,
    before   TEXT,
    after    TEXT
) STRICT;

CREATE INDEX key_log_tenant ON key_log (tenant, sequence);
