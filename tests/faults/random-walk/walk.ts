import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { expectAcknowledged } from './acknowledged.ts'
import type { Act } from './action.ts'
import {
  bringBack,
  comeBackFromImageKit,
  deletePerson,
  download,
  makeBackup,
  moveToImageKit,
  resetLibrary,
  restoreBackup,
} from './admin-actions.ts'
import { checkStored, untilQuiet, untilTidy } from './check-database.ts'
import { checkFiles, checkPerson, checkTotals } from './check-responses.ts'
import { checkVisitors } from './check-visitors.ts'
import { follow } from './follower.ts'
import { createRandom } from './random.ts'
import { adopt, readLibrary } from './read-library.ts'
import { actsOfPeople, all, createWalkers } from './walkers.ts'
import { createWorld, signIn, signUp, type WorldOptions } from './world.ts'

const peopleCount = 3
const sessionsEach = 3

type Walked = { acts: number; checks: number; kills: number; restores: number }

export async function walk(
  seed: number,
  { steps = 20, ...options }: WorldOptions & { steps?: number } = {},
): Promise<Walked> {
  const random = createRandom(seed)
  await using world = await createWorld(options)
  const walked: Walked = { acts: 0, checks: 0, kills: 0, restores: 0 }
  const { inTurn, atOnce } = createWalkers(world, random, walked)
  const knownFiles = new Set<string>()
  for (let number = 1; number <= peopleCount; number++) await signUp(world, `person${number}`, sessionsEach)
  let followers = await followAll()

  await inTurn(steps)
  await check()
  const early = await makeBackup(world)
  const remembered = rememberPeople()
  await atOnce(steps)
  await takeOver()
  await inTurn(steps / 2)
  await check()
  await kill(() => inTurn(steps, { isCut: true }))
  await inTurn(steps / 2)
  await check()
  const file = await download(world, random.pick(['backup', 'database']))
  const kept = rememberPeople()
  await all([moveToImageKit(world), inTurn(steps / 2)])
  await check()
  await kill(() => atOnce(steps, { isCut: true }))
  const [midway] = await all([makeBackup(world), atOnce(steps)])
  await takeOver()
  await replaced(() => bringBack(world, file))
  await become(kept)
  const leaver = await signUp(world, `leaver${seed}`, sessionsEach)
  await all([atOnce(steps), delay(random.below(1500)).then(() => deletePerson(world, leaver))])
  await takeOver()
  await replaced(() => restoreBackup(world, midway))
  await takeOver()
  await all([comeBackFromImageKit(world), atOnce(steps)])
  await takeOver()
  await all([atOnce(steps), resetLibrary(world)])
  assert.deepEqual(await world.query('SELECT id FROM media UNION ALL SELECT id FROM collections'), [], 'all is gone')
  await replaced(() => restoreBackup(world, early))
  await become(remembered)
  await inTurn(steps / 4)
  await check()
  await reopen()
  await untilTidyAfterStart()
  return walked

  async function followAll() {
    return Promise.all(world.people.map((person) => follow(world, person)))
  }

  async function check() {
    await untilQuiet(world)
    await checkStored(world)
    await checkTotals(world)
    for (const person of world.people) {
      await checkPerson(world, person)
      await checkFiles(world, person, knownFiles)
      await checkVisitors(world, person)
    }
    for (const follower of followers) await follower.check()
    walked.checks++
    world.turn++
  }

  async function takeOver() {
    await untilQuiet(world)
    for (const person of world.people) await adopt(world, person)
    await check()
  }

  /** Checks that acknowledged changes survived the kill; interrupted ones may be done or not. */
  async function kill(act: () => Promise<(Act | undefined)[]>) {
    await Promise.all(followers.map((follower) => follower.close()))
    const walking = act()
    await delay(300 + random.below(2500))
    await world.library.server.kill()
    const cuts = await walking
    await world.library.start()
    walked.kills++
    await untilQuiet(world)
    for (const [index, person] of world.people.entries()) {
      if (cuts.length > 0) expectAcknowledged(person, await readLibrary(world, person), cuts[index])
      await adopt(world, person)
    }
    followers = await followAll()
    await check()
    await untilTidyAfterStart()
  }

  async function untilTidyAfterStart() {
    if (!options.settings?.DATABASE_URL) await untilTidy(world)
  }

  async function reopen() {
    await Promise.all(followers.map((follower) => follower.close()))
    await world.library.server.kill()
    await world.library.start()
    followers = await followAll()
    await check()
    await Promise.all(followers.map((follower) => follower.close()))
  }

  function rememberPeople() {
    return world.people.map(({ id, items, shelves, movedSlugs }) => structuredClone({ id, items, shelves, movedSlugs }))
  }

  /** Sets the model to the remembered library, as after a restore, undoing all later changes. */
  async function become(library: ReturnType<typeof rememberPeople>) {
    for (const person of world.people) {
      Object.assign(person, structuredClone(library.find(({ id }) => id === person.id)), { changes: [] })
    }
    await check()
  }

  /**
   * Replaces the library while all users act; none of their changes may be in the new one. A replacement waits only for
   * requests of its own process, so with several processes it runs after the actions.
   */
  async function replaced(replace: () => Promise<void>) {
    await Promise.all(followers.map((follower) => follower.close()))
    const acting = atOnce(steps, { acts: actsOfPeople })
    if (options.processes !== undefined && options.processes > 1) await acting
    await all([acting, delay(random.below(1000)).then(replace)])
    walked.restores++
    knownFiles.clear()
    for (const person of world.people) {
      person.sessions = []
      while (person.sessions.length < sessionsEach) await signIn(world, person)
    }
    followers = await followAll()
  }
}
