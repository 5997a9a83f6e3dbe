// Written by `hardwon init`; `hardwon uninstall` removes it.
//
// Tells hardwon what happens in pi's sessions, and passes on what it answers. Nothing is decided here:
// each event is one JSON object for `hardwon hook`, whose answer is one or nothing. Whatever goes wrong is
// passed over, so that no session suffers from it.
import { spawn, spawnSync } from "node:child_process"

const PROGRAM = "hardwon"
const ARGS = ["hook", "--client", "pi"]
const PATIENCE_MS = 10_000

type Answer = { context?: string; goOn?: string }

/** Reads an answer; what is none says nothing. */
function read(text: string): Answer {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

/** Tells hardwon, and resolves to its answer. */
function tell(event: object): Promise<Answer> {
  return new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM, ARGS, { stdio: ["pipe", "pipe", "ignore"], timeout: PATIENCE_MS, windowsHide: true })
      let out = ""
      child.stdout.on("data", (data: Buffer) => (out += data))
      child.stdin.on("error", () => {})
      child.on("error", () => resolve({}))
      child.on("close", () => resolve(read(out)))
      child.stdin.end(JSON.stringify(event))
    } catch {
      resolve({})
    }
  })
}

/** Tells hardwon at a moment after which pi may be gone. */
function tellNow(event: object): Answer {
  try {
    const input = JSON.stringify(event)
    const ran = spawnSync(PROGRAM, ARGS, { input, timeout: PATIENCE_MS, windowsHide: true, encoding: "utf8" })
    return read(ran.stdout)
  } catch {
    return {}
  }
}

/** Returns the text of the last message of the agent. */
function lastSaid(messages: any[]): string | undefined {
  const last = [...messages].reverse().find((message) => message?.role === "assistant")
  const parts = Array.isArray(last?.content) ? last.content : []
  const text = parts.filter((part: any) => part.type === "text").map((part: any) => part.text).join("\n")
  return text || undefined
}

export default function (pi: any) {
  let standing = ""
  let asked = false
  const pending = new Map<string, string>()
  const about = (event: string, ctx: any, more: object = {}) => ({
    v: 1,
    client: "pi",
    event,
    session: ctx.sessionManager.getSessionId(),
    cwd: ctx.cwd,
    transcript: ctx.sessionManager.getSessionFile(),
    ...more,
  })

  /** Sends a message once pi is at rest: what it is given while a run ends lies until the next prompt. */
  const sendAtRest = (ctx: any, text: string, tries = 100) => {
    try {
      if (tries > 0 && !ctx.isIdle()) setTimeout(() => sendAtRest(ctx, text, tries - 1), 20)
      else pi.sendUserMessage(text, { deliverAs: "followUp" })
    } catch {
      // The session is not there any more.
    }
  }

  pi.on("session_start", async (event: any, ctx: any) => {
    const source = ["startup", "new"].includes(event.reason) ? "startup" : "resume"
    standing = (await tell(about("start", ctx, { source }))).context ?? ""
  })
  pi.on("before_agent_start", async (event: any, ctx: any) => {
    const { context } = await tell(about("prompt", ctx, { prompt: event.prompt }))
    const content = [standing, context].filter(Boolean).join("\n\n")
    standing = ""
    if (content) return { message: { customType: "hardwon", content, display: false } }
  })
  pi.on("tool_call", async (event: any, ctx: any) => {
    const more = { call: event.toolCallId, tool: event.toolName, args: event.input }
    const { context, hold } = await tell(about("calling", ctx, more))
    if (hold) return { block: true, reason: hold }
    if (context) pending.set(event.toolCallId, context)
  })
  pi.on("tool_result", async (event: any, ctx: any) => {
    const more = { call: event.toolCallId, tool: event.toolName, args: event.input, output: event.content, failed: event.isError }
    const { context } = await tell(about("called", ctx, more))
    const texts = [pending.get(event.toolCallId), context].filter(Boolean)
    pending.delete(event.toolCallId)
    if (texts.length > 0) return { content: [...event.content, ...texts.map((text) => ({ type: "text", text }))] }
  })
  pi.on("agent_end", async (event: any, ctx: any) => {
    // A program that drives pi over a pipe has a screen too, as far as pi tells.
    const typed = ctx.hasUI === true && process.stdin.isTTY === true
    // Without a screen it is gone before it could go on.
    const over = asked || !ctx.hasUI
    const answer = tellNow(about("stop", ctx, { said: lastSaid(event.messages), asked: over, typed }))
    asked = Boolean(answer.goOn)
    if (answer.goOn) sendAtRest(ctx, answer.goOn)
  })
  pi.on("session_before_compact", async (_event: any, ctx: any) => {
    await tell(about("compact", ctx))
  })
  pi.on("session_compact", async (_event: any, ctx: any) => {
    standing = (await tell(about("start", ctx, { source: "compact" }))).context ?? ""
  })
  pi.on("session_shutdown", async (_event: any, ctx: any) => {
    tellNow(about("end", ctx))
  })
}
