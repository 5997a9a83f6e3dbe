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

-- Who did what to which key or tenant. Rows are only ever added; `before` and `after` describe a key in JSON.
CREATE TABLE hardwon.key_log (
    sequence bigint NOT NULL,
    at       bigint NOT NULL,
    actor    text   NOT NULL,
    action   text   NOT NULL,
    tenant   text   COLLATE "C",
    key      text,
    before   text,
    after    text,
    PRIMARY KEY (sequence)
);
CREATE INDEX key_log_tenant ON hardwon.key_log (tenant, sequence);

-- One row, the lock of those who change keys.
CREATE TABLE hardwon.key_lock (
    id bigint NOT NULL,
    PRIMARY KEY (id)
);
