// Tells Toryo what an OpenCode session does: a JSON line for each event that matters, each message once.
import { appendFileSync } from "node:fs"

const STATES = new Set(["session.status", "session.idle", "session.error", "permission.asked", "permission.replied"])
const told = new Set()
const helpers = new Set() // sessions that the session itself started: their end is not the end

const isDone = ({ type, properties }) => {
  if (type === "message.updated") return properties.info?.role === "assistant" && properties.info.time?.completed
  if (type !== "message.part.updated") return false
  const part = properties.part ?? {}
  return part.type === "text" ? part.time?.end : part.type === "tool" && ["completed", "error"].includes(part.state?.status)
}

const isNews = (event) => {
  const { info, part, sessionID } = event.properties ?? {}
  if (event.type === "session.created" && info?.parentID) helpers.add(info.id)
  if (helpers.has(sessionID ?? info?.sessionID ?? part?.sessionID)) return event.type === "permission.asked"
  if (STATES.has(event.type)) return true
  const id = info?.id ?? part?.id
  if (!id || told.has(id) || !isDone(event)) return false
  told.add(id)
  return true
}

export const Toryo = async () => ({
  event: async ({ event }) => {
    const path = process.env.TORYO_SIGNALS
    if (path && isNews(event)) appendFileSync(path, JSON.stringify(event) + "\n")
  },
})
