-- The text index. Every key begins with the scope, or belongs to one scope through its term, so
-- that a query never meets another scope's rows. See docs/design/index.md.

-- Statistics of a scope. Lessons above `merged_to` are fresh: they have no postings yet and are
-- read word by word; `fresh` is how many words that makes, each lesson counting for one more.
CREATE TABLE index_scope (
    scope     INTEGER PRIMARY KEY,
    docs      INTEGER NOT NULL,
    length    INTEGER NOT NULL,
    merged_to INTEGER NOT NULL,
    fresh     INTEGER NOT NULL
) STRICT;

-- The packed terms of a lesson: key = scope << 32 | lesson number.
CREATE TABLE index_doc (
    key   INTEGER PRIMARY KEY,
    terms TEXT NOT NULL
) STRICT;

-- How many lessons of the scope have the term, the fresh ones not counted.
CREATE TABLE index_term (
    scope INTEGER NOT NULL,
    term  TEXT NOT NULL,
    id    INTEGER NOT NULL,
    df    INTEGER NOT NULL,
    PRIMARY KEY (scope, term)
) STRICT, WITHOUT ROWID;

-- Lessons that have a term, in chunks: key = term id << 32 | lowest lesson number it may hold.
CREATE TABLE index_posting (
    key  INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
