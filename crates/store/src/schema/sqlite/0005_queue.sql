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
ALTER TABLE tenant ADD COLUMN next_job INTEGER NOT NULL DEFAULT 1;

-- What models cost, by day since 1970.
CREATE TABLE spent (
    tenant INTEGER NOT NULL REFERENCES tenant (id),
    day    INTEGER NOT NULL,
    calls  INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    PRIMARY KEY (tenant, day)
) STRICT, WITHOUT ROWID;
