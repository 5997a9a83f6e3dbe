-- Everything of every tenant. The tenant is first in every key, so that the tables can be spread over nodes by it. Its
-- number is a hash of its name. Numbers within a tenant are given from its row, which is also the lock of its writers.
-- Times are milliseconds since 1970; names of states and kinds are the words of the glossary. Keys of text are compared
-- byte by byte.

-- Who owns the data, and where their numbers and their journal stand. `tokens` are those of the last commits, the
-- newest first, by which a commit whose end was not seen can be found.
CREATE TABLE hardwon.tenant (
    tenant      bigint NOT NULL,
    name        text   COLLATE "C" NOT NULL,
    next_scope  bigint NOT NULL,
    next_lesson bigint NOT NULL,
    next_recall bigint NOT NULL,
    next_job    bigint NOT NULL,
    sequence    bigint NOT NULL,
    hash        bytea  NOT NULL,
    tokens      bigint[] NOT NULL,
    PRIMARY KEY (tenant)
);

-- Where lessons live; the project is empty for lessons that hold everywhere. `learned` counts the active lessons that
-- no person wrote.
CREATE TABLE hardwon.scope (
    tenant  bigint NOT NULL,
    id      bigint NOT NULL,
    agent   text   COLLATE "C" NOT NULL,
    project text   COLLATE "C" NOT NULL,
    learned bigint NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX scope_name ON hardwon.scope (tenant, agent, project);

-- One row a lesson. What recall looks at has its own column; lists are in `rest`, as JSON. `twin` and `words` are the
-- keys under which duplicates are found. `folded` is what a text search looks at, where that is not what `lower` makes
-- of ASCII letters alone.
CREATE TABLE hardwon.lesson (
    tenant       bigint NOT NULL,
    number       bigint NOT NULL,
    scope        bigint NOT NULL,
    status       text   COLLATE "C" NOT NULL,
    why          text,
    by           bigint,
    slug         text   NOT NULL,
    title        text   NOT NULL,
    signature    text   NOT NULL,
    text         text   NOT NULL,
    situation    text,
    mistake      text,
    reference    text,
    cause        text   NOT NULL,
    outcome      text   NOT NULL,
    trust        text   COLLATE "C" NOT NULL,
    tainted      boolean NOT NULL,
    confidence   double precision NOT NULL,
    failure      text   COLLATE "C",
    expires_at   bigint,
    shown        bigint NOT NULL,
    helped       bigint NOT NULL,
    harmed       bigint NOT NULL,
    last_seen    bigint,
    created      bigint NOT NULL,
    updated      bigint NOT NULL,
    twin         bigint NOT NULL,
    words        bigint NOT NULL,
    rest         text   NOT NULL,
    precision    bigint NOT NULL,
    shift        bigint NOT NULL,
    trial        text,
    well         bigint NOT NULL,
    badly        bigint NOT NULL,
    in_vain      bigint NOT NULL,
    not_followed bigint NOT NULL,
    folded       text,
    PRIMARY KEY (tenant, number)
) WITH (fillfactor = 85);
CREATE INDEX lesson_words ON hardwon.lesson (tenant, scope, words, twin);
CREATE INDEX lesson_failure ON hardwon.lesson (tenant, scope, failure) WHERE failure IS NOT NULL;
-- What was shown changes often, so no index holds it: such an update touches the row alone.
CREATE INDEX lesson_learned ON hardwon.lesson (tenant, scope, created) WHERE status = 'active' AND trust <> 'person';
CREATE INDEX lesson_proven ON hardwon.lesson (tenant, scope, (harmed - helped), number DESC)
    WHERE status = 'active' AND helped > harmed;
CREATE INDEX lesson_by ON hardwon.lesson (tenant, by, number) WHERE by IS NOT NULL;
-- The lessons of a tenant, the last shown first, and those that wait for a person: a page of a listing is read off an
-- index, because reading and sorting all lessons takes longer the more tenants there are. An index of when a lesson was
-- last shown costs each showing an entry in every index of its row (no HOT update), which is paid in batches.
CREATE INDEX lesson_shown ON hardwon.lesson (tenant, coalesce(last_seen, created) DESC, number DESC);
CREATE INDEX lesson_pending ON hardwon.lesson (tenant, coalesce(last_seen, created) DESC, number DESC) WHERE status = 'pending';

CREATE TABLE hardwon.journal (
    tenant      bigint NOT NULL,
    sequence    bigint NOT NULL,
    at          bigint NOT NULL,
    kind        text   NOT NULL,
    lesson      bigint NOT NULL,
    actor       text   NOT NULL,
    content     bytea  NOT NULL,
    previous    bytea  NOT NULL,
    hash        bytea  NOT NULL,
    remark_hash bytea,
    remark      text,
    PRIMARY KEY (tenant, sequence)
);
CREATE INDEX journal_lesson ON hardwon.journal (tenant, lesson, sequence);

-- Recalls that are not counted yet, as JSON lines. `noted` and `place` give their order, `batch` keeps those of several
-- processes apart.
CREATE TABLE hardwon.spool (
    tenant bigint NOT NULL,
    noted  timestamptz NOT NULL DEFAULT clock_timestamp(),
    batch  bigint NOT NULL,
    place  bigint NOT NULL,
    line   text   NOT NULL,
    PRIMARY KEY (tenant, noted, batch, place)
);

-- What was shown to whom and why, as a JSON line.
CREATE TABLE hardwon.recall (
    tenant  bigint NOT NULL,
    id      bigint NOT NULL,
    run     text   COLLATE "C",
    agent   text   COLLATE "C" NOT NULL,
    project text   COLLATE "C" NOT NULL,
    client  text   COLLATE "C",
    line    text   NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX recall_run ON hardwon.recall (tenant, run, id) WHERE run IS NOT NULL;

-- What a recall was made for, apart from it because it is kept for days only: the index finds what is past them.
CREATE TABLE hardwon.asked (
    tenant bigint NOT NULL,
    recall bigint NOT NULL,
    agent  text   COLLATE "C" NOT NULL,
    at     bigint NOT NULL,
    text   text   NOT NULL,
    PRIMARY KEY (tenant, recall)
);
CREATE INDEX asked_at ON hardwon.asked (tenant, at);

-- Failures that were seen and are not yet lessons.
CREATE TABLE hardwon.witness (
    tenant  bigint NOT NULL,
    scope   bigint NOT NULL,
    failure text   COLLATE "C" NOT NULL,
    first   bigint NOT NULL,
    last    bigint NOT NULL,
    runs    text   NOT NULL,
    lesson  text,
    PRIMARY KEY (tenant, scope, failure)
);

-- How far each source of transcripts was read. A name may be longer than an index can hold, so its hash is the key.
CREATE TABLE hardwon.source (
    tenant      bigint NOT NULL,
    name_hash   bytea  NOT NULL,
    position    bigint NOT NULL,
    fingerprint text   NOT NULL,
    state       bytea  NOT NULL,
    at          bigint NOT NULL,
    PRIMARY KEY (tenant, name_hash)
);

-- What each run, or each word of somebody, says of lessons; a run is judged once, by its latest judgement.
CREATE TABLE hardwon.judgement (
    tenant bigint NOT NULL,
    id     bigint NOT NULL,
    run    text   COLLATE "C",
    line   text   NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX judgement_run ON hardwon.judgement (tenant, run) WHERE run IS NOT NULL;

-- What judgements add up to on how things go without lessons, in millionths.
CREATE TABLE hardwon.baseline (
    tenant    bigint NOT NULL,
    about     text   COLLATE "C" NOT NULL,
    precision bigint NOT NULL,
    shift     bigint NOT NULL,
    PRIMARY KEY (tenant, about)
);

-- Questions that wait for a model: one row for each run and way to ask. `ready` is when the job may be claimed; `task`
-- is what is asked, as JSON.
CREATE TABLE hardwon.job (
    tenant   bigint NOT NULL,
    id       bigint NOT NULL,
    scope    bigint NOT NULL,
    key      text   COLLATE "C" NOT NULL,
    print    text   NOT NULL,
    state    text   COLLATE "C" NOT NULL,
    ready    bigint NOT NULL,
    claims   bigint NOT NULL,
    lost     bigint NOT NULL,
    attempts bigint NOT NULL,
    why      text,
    created  bigint NOT NULL,
    task     text   NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX job_key ON hardwon.job (tenant, key);
CREATE INDEX job_ready ON hardwon.job (tenant, state, ready, id);

-- What models cost, by day since 1970.
CREATE TABLE hardwon.spent (
    tenant bigint NOT NULL,
    day    bigint NOT NULL,
    calls  bigint NOT NULL,
    tokens bigint NOT NULL,
    PRIMARY KEY (tenant, day)
);

-- What an embedding makes of an active lesson's words, one byte a number. A lesson has one vector, of the space that
-- was set last; it goes when the words do.
CREATE TABLE hardwon.vector (
    tenant bigint NOT NULL,
    scope  bigint NOT NULL,
    lesson bigint NOT NULL,
    space  text   COLLATE "C" NOT NULL,
    data   bytea  NOT NULL,
    PRIMARY KEY (tenant, scope, lesson)
);

-- The text index. Statistics of a scope: lessons above `merged_to` are fresh, they have no postings yet and are read
-- word by word; `fresh` is how many words that makes, each lesson counting for one more.
CREATE TABLE hardwon.index_scope (
    tenant    bigint NOT NULL,
    scope     bigint NOT NULL,
    docs      bigint NOT NULL,
    length    bigint NOT NULL,
    merged_to bigint NOT NULL,
    fresh     bigint NOT NULL,
    PRIMARY KEY (tenant, scope)
) WITH (fillfactor = 50);

-- The packed terms of a lesson.
CREATE TABLE hardwon.index_doc (
    tenant bigint NOT NULL,
    scope  bigint NOT NULL,
    lesson bigint NOT NULL,
    terms  text   NOT NULL,
    PRIMARY KEY (tenant, scope, lesson)
);

-- How many lessons of the scope have the term, the fresh ones not counted, and their postings if these are short.
CREATE TABLE hardwon.index_term (
    tenant bigint NOT NULL,
    scope  bigint NOT NULL,
    term   text   COLLATE "C" NOT NULL,
    df     bigint NOT NULL,
    short  bytea,
    PRIMARY KEY (tenant, scope, term)
);
ALTER TABLE hardwon.index_term ALTER COLUMN short SET STORAGE PLAIN;

-- The postings of the other terms, in chunks of at most 2,000 bytes: three to a page, and none of them apart from it.
-- `after` is the lesson after which a chunk begins.
CREATE TABLE hardwon.index_chunk (
    tenant   bigint NOT NULL,
    scope    bigint NOT NULL,
    term     text   COLLATE "C" NOT NULL,
    after    bigint NOT NULL,
    postings bytea  NOT NULL,
    PRIMARY KEY (tenant, scope, term, after)
);
ALTER TABLE hardwon.index_chunk ALTER COLUMN postings SET STORAGE PLAIN;

-- Requests that their callers named, so that a repeated one does nothing and gets the same answer. The name and the
-- request are hashes. The answer is NULL until it is given, and when it has gone.
CREATE TABLE hardwon.answer (
    tenant  bigint NOT NULL,
    name    bytea  NOT NULL,
    request bytea  NOT NULL,
    answer  text,
    at      bigint NOT NULL,
    PRIMARY KEY (tenant, name)
);
CREATE INDEX answer_at ON hardwon.answer (tenant, at);

-- The state of sessions, for servers that hear one run together. A record is its head and its pieces: what is appended
-- is a piece more, so a long record is not written anew. A lock is in the head and ends by itself (`held_until`); nothing is
-- held open meanwhile. `name` is a digest. A record without bytes is none.
CREATE TABLE hardwon.session (
    tenant     bigint NOT NULL,
    agent      text   COLLATE "C" NOT NULL,
    part       text   COLLATE "C" NOT NULL,
    name       text   COLLATE "C" NOT NULL,
    bytes      bigint NOT NULL,
    changes    bigint NOT NULL,
    at         bigint NOT NULL,
    holder     bigint,
    held_until timestamptz,
    PRIMARY KEY (tenant, agent, part, name)
);

CREATE TABLE hardwon.session_piece (
    tenant bigint NOT NULL,
    agent  text   COLLATE "C" NOT NULL,
    part   text   COLLATE "C" NOT NULL,
    name   text   COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    data   bytea  NOT NULL,
    PRIMARY KEY (tenant, agent, part, name, number)
);
