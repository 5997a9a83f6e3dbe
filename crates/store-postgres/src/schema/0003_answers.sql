-- Requests that their callers named, so that a repeated one does nothing and gets the same answer. The name and the
-- request are hashes. The answer is NULL until it is given, and when it has gone.
CREATE TABLE hardwon.answer (
    tenant  bigint NOT NULL,
    name    bytea  NOT NULL,
    request bytea  NOT NULL,
    answer  text,
    at      bigint NOT NULL,
    PRIMARY KEY (tenant, name)
);
CREATE INDEX answer_at ON hardwon.answer (tenant, at);

ALTER TABLE hardwon.answer ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.answer FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.answer
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);
