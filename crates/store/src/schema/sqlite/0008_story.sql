-- Credit that is true, and the story of a recall.

-- Runs that followed a lesson and met its trouble all the same (of `harmed`), and runs that did not
-- follow it since the last that did.
ALTER TABLE lesson ADD COLUMN in_vain INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lesson ADD COLUMN not_followed INTEGER NOT NULL DEFAULT 0;

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
