-- The webhook of a tenant: where it is told that lessons wait. Like keys, it belongs to whoever runs the servers. The secret
-- is what deliveries are signed with, so it is kept as it is. `life` is when the tenant was added that it was set for: one
-- of an earlier tenant of the name is none. `progress` is JSON of whoever delivers.
CREATE TABLE hardwon.served_webhook (
    tenant   text   COLLATE "C" NOT NULL,
    life     bigint NOT NULL,
    url      text   NOT NULL,
    secret   bytea  NOT NULL,
    set_at   bigint NOT NULL,
    set_by   text   NOT NULL,
    progress text   NOT NULL,
    PRIMARY KEY (tenant)
);
