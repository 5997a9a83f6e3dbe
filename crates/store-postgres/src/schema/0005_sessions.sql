-- The state of sessions, for servers that hear one run together. A record is its head and its pieces: what is appended
-- is a piece more, so a long record is not written anew. A lock is in the head and ends by itself (`held_until`); nothing is
-- held open meanwhile. `name` is a digest. A record without bytes is none.
CREATE TABLE hardwon.session (
    tenant     bigint NOT NULL,
    agent      text   COLLATE "C" NOT NULL,
    part       text   COLLATE "C" NOT NULL,
    name       text   COLLATE "C" NOT NULL,
    bytes      bigint NOT NULL,
    changes    bigint NOT NULL,
    at         bigint NOT NULL,
    holder     bigint,
    held_until timestamptz,
    PRIMARY KEY (tenant, agent, part, name)
);

CREATE TABLE hardwon.session_piece (
    tenant bigint NOT NULL,
    agent  text   COLLATE "C" NOT NULL,
    part   text   COLLATE "C" NOT NULL,
    name   text   COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    data   bytea  NOT NULL,
    PRIMARY KEY (tenant, agent, part, name, number)
);

ALTER TABLE hardwon.session ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.session FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.session
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.session_piece ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.session_piece FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.session_piece
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);
