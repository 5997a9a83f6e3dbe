// A program in TypeScript uses the server through the types that were generated from its description. Run by clients.sh.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Problem = components["schemas"]["ProblemDto"];
type Proposal = components["schemas"]["LessonProposal"];
type Nudge = components["schemas"]["NudgeDto"];
type TraceEvent = components["schemas"]["TraceEvent"];
type Role = components["schemas"]["NewKeyBody"]["role"];
type Answer<T> = { data?: T; error?: unknown; response: Response };

const url = process.env.HARDWON_URL!;
const project = "orchard";

function client(key: string) {
  return createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${key}` } });
}
type Client = ReturnType<typeof client>;
const owner = client(process.env.HARDWON_OWNER!);
const operator = client(process.env.HARDWON_OPERATOR!);

/** Returns what was answered, which must be no error. */
async function good<T>(request: Promise<Answer<T>>, status = 200): Promise<T> {
  const { data, error, response } = await request;
  assert.equal(response.status, status, `${response.url}: ${JSON.stringify(error)}`);
  assert(data !== undefined);
  return data;
}

/** Returns the error that was answered, which must have this status. */
async function bad(request: Promise<Answer<unknown>>, status: number): Promise<Problem> {
  const { error, response } = await request;
  assert.equal(response.status, status, response.url);
  const problem = error as Problem;
  assert.equal(problem.status, status);
  assert(problem.error.length > 0);
  return problem;
}

const add = (lesson: Omit<Proposal, "project">) =>
  good(owner.POST("/v1/lessons", { body: { ...lesson, project } }), 201);
const list = (by: Client, query: paths["/v1/lessons"]["get"]["parameters"]["query"] = { project }) =>
  by.GET("/v1/lessons", { params: { query } });
const at = (id: number) => ({ params: { path: { id } } });
const ids = (lessons: { id: number }[]) => lessons.map((it) => it.id);

async function lessons(): Promise<number> {
  const added = await add({ signature: "prune --all", lesson_text: "Run prune with --dry first.", tags: ["garden"] });
  assert.equal(added.outcome, "recorded");
  assert.equal(added.lesson.status, "active");
  const { id } = added.lesson;
  const known = await add({ signature: "prune --all", lesson_text: "Run prune with --dry first." });
  assert.deepEqual([known.outcome, known.lesson.id], ["known", id]);
  assert.deepEqual(ids((await good(list(owner))).lessons), [id]);
  assert.deepEqual(ids((await good(list(owner, { project, q: "prune" }))).lessons), [id]);
  assert.deepEqual((await good(list(owner, { project: "elsewhere" }))).lessons, []);
  const text = "Run prune --dry before prune --all.";
  const revised = await good(owner.PATCH("/v1/lessons/{id}", { ...at(id), body: { lesson_text: text } }));
  assert.deepEqual([revised.lesson.lesson_text, revised.lesson.signature], [text, "prune --all"]);
  return id;
}

async function recalls(id: number) {
  const recall = (prompt: string) =>
    good(owner.POST("/v1/recall", { body: { prompt, project, run: "hedge", client: "story" } }));
  const recalled = await recall("prune --all broke the hedge");
  assert.deepEqual(ids(recalled.lessons.map((it) => it.lesson)), [id]);
  assert(recalled.preamble.includes("prune --dry") && recalled.silent === null);
  const silent = await recall("paint the fence blue");
  assert(silent.lessons.length === 0 && silent.preamble === "" && silent.silent);
  const body = { run: "hedge", project, status: "completed", score: 0.9 } as const;
  const credited = await good(owner.POST("/v1/outcomes", { body }));
  assert(credited.counted);
  assert.deepEqual(ids(credited.lessons), [id]);
  assert.equal((await good(owner.POST("/v1/outcomes", { body }))).counted, false);
  const told = await good(owner.GET("/v1/recalls", { params: { query: { project, run: "hedge" } } }));
  const row = told.recalls.find((it) => it.shown.length > 0)!;
  assert.deepEqual([row.client, ids(row.shown)], ["story", [id]]);
  assert.deepEqual(ids((await good(owner.GET("/v1/recalls/{id}", at(row.recall)))).considered), [id]);
  const verdict = { verdict: "followed", project } as const;
  assert((await good(owner.POST("/v1/lessons/{id}/feedback", { ...at(id), body: verdict }))).counted);
  assert(ids((await good(owner.GET("/v1/effects", { params: { query: { project } } }))).lessons).includes(id));
  const [effect] = (await good(owner.GET("/v1/effects/{id}", at(id)))).lessons;
  assert(effect && effect.shown >= 1 && effect.status === "active");
}

/** What a nudge says, told apart by its kind. */
function describe(nudge: Nudge): string {
  switch (nudge.kind) {
    case "loop":
      return `loop ${nudge.calls.join()}`;
    case "lesson":
      return `lesson ${nudge.id}`;
    case "learned":
      return `learned ${nudge.ids.length}`;
  }
}

async function runs(agent: Client) {
  const tell = async (...events: TraceEvent[]) =>
    (await good(agent.POST("/v1/observe", { body: { session: "graft", project, events } }))).nudges;
  const failed: TraceEvent = { type: "tool", tool: "bash", args: "npm test", status: "error", error: 'npm error Missing script: "test"' };
  const worked: TraceEvent = { type: "tool", tool: "bash", args: "npm run test:unit", status: "ok" };
  assert.deepEqual(await tell({ type: "run", run: "graft", task: "run the tests" }, failed), []);
  assert.deepEqual((await tell(failed)).map(describe), ["loop bash npm test"]);
  const [learned] = await tell(worked, { type: "end", status: "completed" });
  assert(learned?.kind === "learned");
  const { lesson } = await good(owner.GET("/v1/lessons/{id}", at(learned.ids[0]!)));
  assert(lesson.lesson_text.includes("npm run test:unit") && lesson.trust === "derived");
  const transcript = [
    { type: "run", run: "weed", task: "weed the bed" },
    { type: "tool", tool: "bash", args: "weed bed", status: "error", error: "weed: no such tool: hoe" },
    { type: "tool", tool: "bash", args: "weed --by-hand bed", status: "ok" },
    { type: "end", status: "completed" },
  ];
  const sent = await good(owner.POST("/v1/runs", {
    params: { query: { project, name: "weed" } },
    headers: { "content-type": "application/octet-stream" },
    body: transcript.map((it) => JSON.stringify(it)).join("\n"),
    bodySerializer: (it: string) => it,
  }));
  assert.deepEqual([sent.runs, sent.broken_lines], [1, 0]);
  const { writs } = await good(owner.POST("/v1/writ", { body: { text: "/lesson mow: Mow before noon.", project } }));
  assert(writs.length === 1 && writs[0]!.ok && writs[0]!.id);
}

async function reviews(curator: Client) {
  const waiting: number[] = [];
  for (const n of [0, 1, 2]) {
    const added = await add({ signature: `dig ${n}`, lesson_text: `Dig hole ${n} first.\u202e` });
    assert(added.outcome === "waiting" && added.lesson.status === "pending" && added.lesson.why);
    waiting.push(added.lesson.id);
  }
  const [one, two, three] = waiting as [number, number, number];
  const listed = await good(curator.GET("/v1/reviews", { params: { query: { project } } }));
  assert(waiting.every((id) => ids(listed.reviews.map((it) => it.lesson)).includes(id)));
  assert.equal((await good(curator.GET("/v1/reviews/{id}", at(one)))).review.lesson.id, one);
  const approved = await good(curator.POST("/v1/reviews/{id}/approve", { ...at(one), body: { why: "it was seen" } }));
  assert.equal(approved.lesson.status, "active");
  const edited = await good(curator.POST("/v1/reviews/{id}/edit", { ...at(two), body: { lesson_text: "Dig hole two last." } }));
  assert.deepEqual([edited.lesson.status, edited.lesson.lesson_text], ["active", "Dig hole two last."]);
  const rejected = await good(curator.POST("/v1/reviews/{id}/reject", { ...at(three), body: { why: "it is wrong" } }));
  assert.notEqual(rejected.lesson.status, "active");
  await bad(curator.POST("/v1/reviews/{id}/approve", { ...at(999_999), body: {} }), 404);
}

async function journal(id: number) {
  const verified = await good(owner.GET("/v1/journal/verify"));
  assert(verified.sound && verified.troubles.length === 0 && verified.entries > 5);
  const [first, second] = (await good(owner.GET("/v1/journal"))).entries;
  assert(first?.sequence === 1 && first.lesson === id && second?.previous === first.hash);
  const history = await good(owner.GET("/v1/lessons/{id}/history", at(id)));
  assert(history.changes[0]?.kind === "add" && history.lineage.at(-1)?.id === id);
}

async function keys() {
  const made = await makeKey({ role: "agent", name: "a digger", projects: [project], expires_in_seconds: 3600 });
  assert(made.role === "agent" && made.projects[0] === project && made.key.startsWith("hwk_"));
  const old = client(made.key);
  assert((await good(list(old))).lessons.length > 0);
  await bad(list(old, { project: "elsewhere" }), 403);
  const id = { params: { path: { id: made.id } } };
  const rotated = client((await good(owner.POST("/v1/keys/{id}/rotate", { ...id, body: {} }))).key);
  await bad(list(old), 401);
  assert((await good(list(rotated))).lessons.length > 0);
  assert.deepEqual((await good(owner.DELETE("/v1/keys/{id}", id))).revoked, [made.id]);
  await bad(list(rotated), 401);
  const listed = (await good(owner.GET("/v1/keys"))).keys.find((it) => it.id === made.id);
  assert(listed?.revoked);
}

async function tenants() {
  const body = { tenant: "acme" };
  assert.equal((await good(operator.POST("/v1/tenants", { body }), 201)).tenant, "acme");
  await bad(operator.POST("/v1/tenants", { body }), 409);
  assert((await good(operator.GET("/v1/tenants"))).tenants.some((it) => it.tenant === "acme"));
  const receipt = await good(operator.DELETE("/v1/tenants/{name}", { params: { path: { name: "acme" } } }));
  assert.deepEqual([receipt.tenant, receipt.lessons], ["acme", 0]);
  assert((await good(operator.GET("/v1/audit/verify"))).sound);
  assert((await good(operator.GET("/v1/audit"))).entries.some((it) => it.action === "tenant-removed"));
}

const makeKey = (body: components["schemas"]["NewKeyBody"]) => good(owner.POST("/v1/keys", { body }), 201);
const keyOf = async (role: Role) => client((await makeKey({ role })).key);

await bad(list(client("hwk_wrong")), 401);
const id = await lessons();
await recalls(id);
await runs(await keyOf("agent"));
await reviews(await keyOf("curator"));
await journal(id);
await keys();
await tenants();
assert((await good(owner.DELETE("/v1/lessons/{id}", at(id)))).deleted);
await bad(owner.GET("/v1/lessons/{id}", at(id)), 404);
console.log("ok: the story in TypeScript");
