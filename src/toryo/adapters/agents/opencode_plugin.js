// Tells Toryo what an OpenCode session does: a JSON line for each event that matters, each message once.
import { appendFileSync } from "node:fs"

const STATES = new Set(["session.status", "session.idle", "session.error", "permission.asked", "permission.replied"])
const told = new Set()

const isDone = ({ type, properties }) => {
  if (type === "message.updated") return properties.info?.role === "assistant" && properties.info.time?.completed
  if (type !== "message.part.updated") return false
  const part = properties.part ?? {}
  return part.type === "text" ? part.time?.end : part.type === "tool" && ["completed", "error"].includes(part.state?.status)
}

const isNews = (event) => {
  if (STATES.has(event.type)) return true
  const id = event.properties?.info?.id ?? event.properties?.part?.id
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
