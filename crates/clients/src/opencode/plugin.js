// Written by `hardwon init`; `hardwon uninstall` removes it.
//
// Tells hardwon what happens in opencode's sessions, and passes on what it answers. Nothing is decided
// here: each event is one JSON object for `hardwon hook`, whose answer is one or nothing. Whatever goes
// wrong is passed over, so that no session suffers from it.
import { spawn, spawnSync } from "node:child_process"

const PROGRAM = "hardwon"
const ARGS = ["hook", "--client", "opencode"]
const PATIENCE_MS = 10_000

/** Reads an answer; what is none says nothing. */
function read(text) {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

/** Tells hardwon, and resolves to its answer. */
function tell(event) {
  return new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM, ARGS, { stdio: ["pipe", "pipe", "ignore"], timeout: PATIENCE_MS, windowsHide: true })
      let out = ""
      child.stdout.on("data", (data) => (out += data))
      child.stdin.on("error", () => {})
      child.on("error", () => resolve({}))
      child.on("close", () => resolve(read(out)))
      child.stdin.end(JSON.stringify(event))
    } catch {
      resolve({})
    }
  })
}

/** Tells hardwon at a moment after which opencode may be gone. */
function tellNow(event) {
  try {
    const input = JSON.stringify(event)
    const ran = spawnSync(PROGRAM, ARGS, { input, timeout: PATIENCE_MS, windowsHide: true, encoding: "utf8" })
    return read(ran.stdout)
  } catch {
    return {}
  }
}

// In the terminal, where a person types, plugins run in a worker of its own; under any other command they do not.
const TYPED = /\btui[\\/]worker\b/.test(process.argv[1] ?? "")
// `opencode run` is over as soon as the agent is idle.
const ENDS_WHEN_IDLE = process.argv.slice(2).includes("run")

export const Hardwon = async ({ client, directory }) => {
  // What is known of each session while opencode runs.
  const sessions = new Map()
  const session = (id) => {
    if (!sessions.has(id)) {
      sessions.set(id, { started: false, parent: undefined, standing: "", pending: new Map(), notes: new Map(), said: "", texts: new Map(), asked: false })
    }
    return sessions.get(id)
  }
  const about = (event, id, more) => ({
    v: 1, client: "opencode", event, session: id, parent: session(id).parent, cwd: directory, ...more,
  })
  const start = async (id, source) => {
    const its = session(id)
    if (its.started) return
    its.started = true
    its.standing = (await tell(about("start", id, { source }))).context ?? ""
  }
  const stop = (id) => {
    const its = session(id)
    const asked = its.asked || ENDS_WHEN_IDLE
    const answer = tellNow(about("stop", id, { said: its.said || undefined, asked, typed: TYPED }))
    its.asked = false
    if (answer.goOn) {
      its.asked = true
      // As the person's own words, so that the person reads them too.
      const body = { parts: [{ type: "text", text: answer.goOn }] }
      Promise.resolve(client.session.promptAsync({ path: { id }, body })).catch(() => {})
    }
  }
  const failed = async (part) => {
    const { id, state, sessionID, callID, tool } = part
    const event = about("called", sessionID, { call: callID, tool, args: state.input, output: state.error, failed: true })
    const { context } = await tell(event)
    if (context) session(sessionID).notes.set(id, context)
  }
  const seen = new Set()

  return {
    event: async ({ event }) => {
      const { type, properties: its = {} } = event ?? {}
      if (type === "session.created" && its.info?.id) {
        session(its.info.id).parent = its.info.parentID
        await start(its.info.id, "startup")
      } else if (type === "message.updated" && its.info?.role === "assistant") {
        session(its.info.sessionID).texts.set(its.info.id, "")
      } else if (type === "message.part.updated" && its.part?.type === "text") {
        const known = session(its.part.sessionID)
        if (known.texts.has(its.part.messageID)) known.said = its.part.text ?? ""
      } else if (type === "message.part.updated" && its.part?.type === "tool" && its.part.state?.status === "error") {
        // A tool that threw has no other event.
        if (!seen.has(its.part.id)) {
          seen.add(its.part.id)
          await failed(its.part)
        }
      } else if (type === "session.idle") {
        stop(its.sessionID)
      } else if (type === "session.deleted" && its.info?.id) {
        tellNow(about("end", its.info.id))
        sessions.delete(its.info.id)
      }
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      await start(sessionID, "resume")
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = typed.map((part) => part.text).join("\n")
      const { context } = await tell(about("prompt", sessionID, { prompt }))
      const last = parts.at(-1)
      // Behind the prompt, where it stays: another system prompt each turn would cost the whole cache.
      if (context && last) parts.push({ id: `${last.id}0`, sessionID, messageID: message.id, type: "text", text: context, synthetic: true })
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      if (!sessionID || !sessions.has(sessionID)) return
      const { standing } = session(sessionID)
      if (standing) output.system.push(standing)
    },
    "experimental.chat.messages.transform": async (_, { messages }) => {
      // The error of a tool that threw cannot be added to before.
      for (const part of messages.flatMap((message) => message.parts)) {
        const note = part.type === "tool" && session(part.sessionID).notes.get(part.id)
        if (note && part.state.status === "error" && !part.state.error.includes(note)) part.state.error += `\n\n${note}`
      }
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const { context, hold } = await tell(about("calling", sessionID, { call: callID, tool, args }))
      if (hold) throw new Error(hold)
      if (context) session(sessionID).pending.set(callID, context)
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      if (!output) return
      const text = typeof output.output === "string" ? output.output : output.content
      const { exit } = output.metadata ?? {}
      const more = { call: callID, tool, args, output: text, exit: exit ?? undefined, failed: output.isError }
      const { context } = await tell(about("called", sessionID, more))
      const { pending } = session(sessionID)
      const texts = [pending.get(callID), context].filter(Boolean)
      pending.delete(callID)
      for (const added of texts) {
        if (typeof output.output === "string") output.output += `\n\n${added}`
        else if (Array.isArray(output.content)) output.content.push({ type: "text", text: added })
      }
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      await tell(about("compact", sessionID))
    },
    dispose: async () => {
      for (const id of sessions.keys()) tellNow(about("end", id))
    },
  }
}
