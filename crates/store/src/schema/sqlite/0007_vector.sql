-- What an embedding makes of an active lesson's words, one byte a number: key = scope << 32 | lesson
-- number. A lesson has one vector, of the space that was set last; it goes when the words do.
CREATE TABLE vector (
    key   INTEGER PRIMARY KEY,
    space TEXT NOT NULL,
    data  BLOB NOT NULL
) STRICT;
