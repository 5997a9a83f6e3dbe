-- Credit: what outcomes say of lessons, and how things go without them.

-- Runs that were shown a lesson, by how they went; what outcomes added to what is believed of it,
-- in millionths; and what holding it back told, as JSON, nothing where it was never held back.
ALTER TABLE lesson ADD COLUMN well INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lesson ADD COLUMN badly INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lesson ADD COLUMN precision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lesson ADD COLUMN shift INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lesson ADD COLUMN trial TEXT;

-- What was said of a lesson before counts for as much as an agent's word does now.
UPDATE lesson SET precision = (helped + harmed) * 1000000, shift = (helped - harmed) * 1000000
    WHERE helped + harmed > 0;

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

-- A run's recalls are asked for when it is judged.
CREATE INDEX recall_run ON recall (tenant, run) WHERE run IS NOT NULL;
