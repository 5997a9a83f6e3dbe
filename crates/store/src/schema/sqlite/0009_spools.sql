-- Each tenant has a spool file of its own; the one there was is the local tenant's.
ALTER TABLE spool ADD COLUMN tenant TEXT NOT NULL DEFAULT 'local';
CREATE UNIQUE INDEX spool_of_tenant ON spool (tenant);
