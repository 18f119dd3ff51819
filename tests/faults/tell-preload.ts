import { once } from 'node:events'
import type { KillableServer } from './killable-server.ts'

/** Sends a message to the preloaded module of the server process, and waits for its answer. */
export async function tell<Answer>({ child }: Pick<KillableServer, 'child'>, message: object): Promise<Answer> {
  const heard = once(child, 'message')
  child.send(message)
  const [answer] = await heard
  return answer as Answer
}
