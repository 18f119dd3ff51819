import { once } from 'node:events'
import type { KillableServer } from './killable-server.ts'

/** Says something to what was loaded before the product, and waits until it was heard. */
export async function tell<Answer>({ child }: Pick<KillableServer, 'child'>, message: object): Promise<Answer> {
  const heard = once(child, 'message')
  child.send(message)
  const [answer] = await heard
  return answer as Answer
}
