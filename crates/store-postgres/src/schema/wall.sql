-- A second wall between tenants: a transaction sees the rows of the tenant that it named, whatever a statement asks
-- for. It holds for the owner of the tables as well, but not for superusers and roles that bypass it.

ALTER TABLE hardwon.tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.tenant FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.tenant
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.scope ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.scope FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.scope
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.lesson ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.lesson FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.lesson
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.journal ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.journal FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.journal
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.spool ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.spool FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.spool
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.recall ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.recall FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.recall
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.asked ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.asked FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.asked
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.witness ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.witness FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.witness
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.source ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.source FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.source
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.judgement ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.judgement FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.judgement
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.baseline ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.baseline FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.baseline
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.job ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.job FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.job
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.spent ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.spent FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.spent
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.vector ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.vector FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.vector
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.index_scope ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.index_scope FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.index_scope
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.index_doc ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.index_doc FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.index_doc
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.index_term ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.index_term FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.index_term
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.index_chunk ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.index_chunk FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.index_chunk
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.answer ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.answer FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.answer
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.session ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.session FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.session
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);

ALTER TABLE hardwon.session_piece ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.session_piece FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.session_piece
    USING (tenant = nullif(current_setting('app.tenant', true), '')::bigint);
