-- The lessons of a tenant, the last shown first. A page of a listing is read off it, whatever its scope and status: it must
-- not take longer because a tenant has many lessons.
CREATE INDEX lesson_shown ON lesson
    (key >> 32, coalesce(last_seen, created) DESC, key DESC, scope, status);
