-- Brings a database back to the form 9: a log of keys that is chained, its end, and secrets that servers share.
DROP TABLE hardwon.key_log;
DROP TABLE hardwon.key_lock;
CREATE TABLE hardwon.audit (
    sequence bigint NOT NULL,
    at       bigint NOT NULL,
    actor    text   NOT NULL,
    action   text   NOT NULL,
    tenant   text   COLLATE "C",
    key      text,
    before   text,
    after    text,
    previous bytea  NOT NULL,
    hash     bytea  NOT NULL,
    PRIMARY KEY (sequence)
);
CREATE INDEX audit_tenant ON hardwon.audit (tenant, sequence);
CREATE TABLE hardwon.audit_head (
    id       bigint NOT NULL,
    sequence bigint NOT NULL,
    hash     bytea  NOT NULL,
    PRIMARY KEY (id)
);
CREATE TABLE hardwon.server_secret (
    name  text  COLLATE "C" NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (name)
);
ALTER TABLE hardwon.server_secret OWNER TO fleet;
ALTER TABLE hardwon.audit OWNER TO fleet;
ALTER TABLE hardwon.audit_head OWNER TO fleet;
UPDATE hardwon.schema_version SET version = 9;

ALTER TABLE hardwon.spent ADD COLUMN micros bigint NOT NULL;
