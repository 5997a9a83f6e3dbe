-- The log of keys is compared with the tables, and not chained any more. Of the row that held its end, the lock stays.
ALTER TABLE hardwon.audit RENAME TO key_log;
ALTER TABLE hardwon.key_log DROP COLUMN previous;
ALTER TABLE hardwon.key_log DROP COLUMN hash;
ALTER INDEX hardwon.audit_tenant RENAME TO key_log_tenant;
DROP TABLE hardwon.server_secret;
ALTER TABLE hardwon.audit_head RENAME TO key_lock;
ALTER TABLE hardwon.key_lock DROP COLUMN sequence;
ALTER TABLE hardwon.key_lock DROP COLUMN hash;
