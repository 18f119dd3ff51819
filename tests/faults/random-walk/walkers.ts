import type { Act, Actor, MakeAct } from './action.ts'
import { aiActs } from './ai-actions.ts'
import { bulkActs } from './bulk-actions.ts'
import { shelfActs } from './collection-actions.ts'
import { itemActs } from './item-actions.ts'
import type { Person } from './model.ts'
import type { Random } from './random.ts'
import { uploadActs } from './upload-actions.ts'
import type { World } from './world.ts'

type Weighed = [weight: number, make: MakeAct]

const drawn = (acts: Weighed[]) => acts.flatMap(([weight, make]) => Array<MakeAct>(weight).fill(make))

/** Actions that are complete when their response arrives; an AI analysis may still be running. */
export const actsOfPeople = drawn([...uploadActs, ...itemActs, ...shelfActs, ...bulkActs])
const allActs = [...actsOfPeople, ...drawn(aiActs)]

type Options = {
  /** The server is killed meanwhile; a walker stops when it loses the connection. */
  isCut?: boolean
  acts?: MakeAct[]
}

/** Simulated users who perform random actions one after the other, and count them. */
export function createWalkers(world: World, random: Random, walked: { acts: number }) {
  return { inTurn, atOnce }

  /** All users act at once, each with one action at a time in any of their sessions. */
  async function inTurn(count: number, { isCut = false }: Options = {}) {
    return all(world.people.map((person) => walkAlone(person, random.fork(), { count, isCut })))
  }

  async function walkAlone(person: Person, own: Random, { count, isCut }: { count: number; isCut: boolean }) {
    for (let step = 0; step < count; step++) {
      const act = await nextAct(person, own)
      try {
        const answer = await act.ask()
        walked.acts++
        await act.learn(answer)
      } catch (error) {
        if (isCut && isConnectionLost(error)) return act
        if (error instanceof Error) error.message = `${person.username}: ${error.message}`
        throw error
      }
    }
    return undefined
  }

  async function nextAct(person: Person, own: Random, acts = allActs): Promise<Act> {
    for (;;) {
      const actor: Actor = { world, person, random: own, send: own.pick(person.sessions) }
      const act = await own.pick(acts)(actor)
      if (act) return act
    }
  }

  /** All sessions of all users act at once. The order is not checked, but invalid states are. */
  async function atOnce(count: number, { isCut = false, acts = allActs }: Options = {}) {
    const lanes = world.people.flatMap((person) => person.sessions.map(() => ({ person, own: random.fork() })))
    world.isCrowded = true
    await all(
      lanes.map(async ({ person, own }) => {
        for (let step = 0; step < count / 3; step++) {
          try {
            const act = await nextAct(person, own, acts)
            await act.ask()
            walked.acts++
          } catch (error) {
            if (isCut && isConnectionLost(error)) return
            throw error
          }
        }
      }),
    ).finally(() => {
      world.isCrowded = false
    })
    // The order of concurrent changes is not defined, so the interrupted actions are not checked.
    return []
  }
}

/** Waits for all, even if one of them fails, so that none continues after the server has stopped. */
export async function all<T extends readonly unknown[] | []>(work: T): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work)
  return Promise.all(work) as Promise<{ [K in keyof T]: Awaited<T[K]> }>
}

function isConnectionLost(error: unknown) {
  return error instanceof TypeError && /^(?:fetch failed|terminated)$/.test(error.message)
}
