-- The active lessons of a scope that helped more often than they harmed, the best first: a session
-- begins with a few of them, and must find them without looking at the others.
CREATE INDEX lesson_proven ON lesson (scope, harmed - helped, key DESC)
    WHERE status = 'active' AND helped > harmed;
