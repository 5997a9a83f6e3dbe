-- API keys and tenants of servers, and the log of what was done to them. They belong to whoever runs the servers, not to
-- a tenant: a key is looked up before anybody knows whose it is. So no policy stands before these tables. Of secrets
-- there are only hashes, and of those none in the log.

-- The tenants that a server serves. Whether there are lessons of one is another matter.
CREATE TABLE hardwon.served_tenant (
    name    text   COLLATE "C" NOT NULL,
    created bigint NOT NULL,
    PRIMARY KEY (name)
);

-- The tenant is NULL for an operator's key. `agents` and `projects` are lists in JSON; an empty one sets no limit.
CREATE TABLE hardwon.api_key (
    id           text   COLLATE "C" NOT NULL,
    kind         text   NOT NULL,
    role         text   NOT NULL,
    tenant       text   COLLATE "C",
    agents       text   NOT NULL,
    projects     text   NOT NULL,
    name         text   NOT NULL,
    secret       bytea  NOT NULL,
    older_secret bytea,
    older_until  bigint,
    opened_by    text   COLLATE "C",
    created      bigint NOT NULL,
    expires      bigint,
    last_used    bigint,
    revoked_at   bigint,
    revoked_by   text,
    PRIMARY KEY (id)
);
CREATE INDEX api_key_tenant ON hardwon.api_key (tenant, id);
CREATE INDEX api_key_opener ON hardwon.api_key (opened_by) WHERE opened_by IS NOT NULL;
CREATE INDEX api_key_expires ON hardwon.api_key (expires) WHERE expires IS NOT NULL;

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

-- The end of the log, in one row, so that a log that was cut off is seen. It is also the lock of those who change keys.
CREATE TABLE hardwon.audit_head (
    id       bigint NOT NULL,
    sequence bigint NOT NULL,
    hash     bytea  NOT NULL,
    PRIMARY KEY (id)
);

-- Secrets that the servers over this database share, by what they are for. Nobody but them is told.
CREATE TABLE hardwon.server_secret (
    name  text  COLLATE "C" NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (name)
);
