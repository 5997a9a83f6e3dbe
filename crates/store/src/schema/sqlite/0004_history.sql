-- What an entry says in words, which can be erased, beside the digest of them, which the chain
-- holds. And at hand: a lesson's own entries, and the lessons that it replaced.
ALTER TABLE journal ADD COLUMN remark TEXT;
ALTER TABLE journal ADD COLUMN remark_hash BLOB;
CREATE INDEX journal_lesson ON journal (tenant, lesson, sequence);
CREATE INDEX lesson_by ON lesson (by, key) WHERE by IS NOT NULL;
