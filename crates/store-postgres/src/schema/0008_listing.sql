-- The lessons of a tenant, the last shown first, and those that wait for a person: a page of a listing is read off an
-- index, because reading and sorting all lessons takes longer the more tenants there are. An index of when a lesson was
-- last shown costs each showing an entry in every index of its row (no HOT update), which is paid in batches.
CREATE INDEX lesson_shown ON hardwon.lesson (tenant, coalesce(last_seen, created) DESC, number DESC);
CREATE INDEX lesson_pending ON hardwon.lesson (tenant, coalesce(last_seen, created) DESC, number DESC) WHERE status = 'pending';
