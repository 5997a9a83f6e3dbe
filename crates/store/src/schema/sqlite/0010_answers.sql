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
