-- What an entry says in words, which can be erased, beside the digest of them, which the chain
-- holds. And a lesson's own entries at hand.
ALTER TABLE journal ADD COLUMN remark TEXT;
ALTER TABLE journal ADD COLUMN remark_hash BLOB;
CREATE INDEX journal_lesson ON journal (tenant, lesson, sequence);
