-- Secrets that the servers over this file share, by what they are for. Nobody but them is told.
CREATE TABLE secret (
    name  TEXT PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT, WITHOUT ROWID;
