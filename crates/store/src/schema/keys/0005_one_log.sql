-- The log is compared with the tables, and not chained any more. The tables are named as in a database of servers; the servers share no secret any more.
ALTER TABLE tenant RENAME TO served_tenant;
DROP TABLE secret;
DROP INDEX audit_tenant;
ALTER TABLE audit RENAME TO key_log;
ALTER TABLE key_log DROP COLUMN previous;
ALTER TABLE key_log DROP COLUMN hash;
CREATE INDEX key_log_tenant ON key_log (tenant, sequence);
DROP TABLE audit_head;
