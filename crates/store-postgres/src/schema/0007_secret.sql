-- Secrets that the servers over this database share, by what they are for. Nobody but them is told.
CREATE TABLE hardwon.server_secret (
    name  text  COLLATE "C" NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (name)
);
