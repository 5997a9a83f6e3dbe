-- The webhook of a tenant: where it is told that lessons wait. The secret is what deliveries are signed with, so it is
-- kept as it is. `life` is when the tenant was added that it was set for: one of an earlier tenant of the name is none.
-- `progress` is JSON of whoever delivers.
CREATE TABLE webhook (
    tenant   TEXT PRIMARY KEY,
    life     INTEGER NOT NULL,
    url      TEXT NOT NULL,
    secret   BLOB NOT NULL,
    set_at   INTEGER NOT NULL,
    set_by   TEXT NOT NULL,
    progress TEXT NOT NULL
) STRICT, WITHOUT ROWID;
