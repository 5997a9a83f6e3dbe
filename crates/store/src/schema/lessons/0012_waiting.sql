-- The few lessons that wait for a person, and those that were ever shown: a page counts the ones and adds up the others each
-- time, and must not read all lessons for that.
CREATE INDEX lesson_waiting ON lesson (key) WHERE status IN ('pending', 'quarantined');
CREATE INDEX lesson_used ON lesson (key) WHERE shown > 0;
