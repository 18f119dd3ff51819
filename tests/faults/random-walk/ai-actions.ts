import assert from 'node:assert/strict'
import type { analysisApi } from '#features/analysis/contract.ts'
import { until } from '../../support/until.ts'
import { type Actor, asking, chooseIds, expectStatus, type MakeAct, reloadItem } from './action.ts'
import { anyShelf } from './collection-actions.ts'
import { anyItem } from './item-actions.ts'
import { read } from './reading.ts'
import { call, said } from './world.ts'

const analyze: MakeAct = (actor) => {
  const item = anyItem(actor)
  if (!item) return
  return {
    touches: [item.id],
    ask: asking(actor, 'POST', `/api/media/${item.id}/analyze`),
    async learn(answer) {
      expectStatus(answer, 200)
      await learnWords(actor, item.id)
    },
  }
}

/** Checks that the analysis changed only the description and the tags. */
async function learnWords(actor: Actor, id: number) {
  const { aiDescription: _old, tags: _before, ...same } = actor.person.items.get(id)!
  const { aiDescription: _new, tags: _after, ...now } = await reloadItem(actor, id)
  assert.deepEqual(now, same)
}

const revert: MakeAct = (actor) => {
  const item = anyItem(actor)
  if (!item) return
  return {
    touches: [item.id],
    ask: asking(actor, 'POST', `/api/media/${item.id}/revert-analysis`),
    async learn({ status, text }) {
      assert.ok(status === 200 || status === 409, text)
      await learnWords(actor, item.id)
    },
  }
}

/** Renames items by AI, and sometimes undoes it. */
const rename: MakeAct = (actor) => {
  const { person, random, world, send } = actor
  const shelf = anyShelf(actor)
  if (!shelf) return
  const isReverted = random.chance(0.5)
  return {
    touches: shelf.members,
    ask: asking(actor, 'POST', `/api/collections/${shelf.id}/ai-rename`, { company: random.word() }),
    async learn(answer) {
      if (answer.status === 400) return
      expectStatus(answer, 200)
      const { names, runId } = said<typeof analysisApi.renameCollection>(answer)
      if (isReverted && runId) {
        expectStatus(await call(world, send, 'POST', `/api/ai-runs/${runId}/revert`), 200)
        return expectUnchanged(actor, shelf.members)
      }
      for (const { id, from, to } of names) {
        const item = person.items.get(id)!
        assert.equal(from, item.filename)
        item.filename = to
      }
      await expectUnchanged(actor, shelf.members)
    },
  }
}

/** Starts an AI run, and sometimes undoes it and checks that all items are as before. */
const tagMany: MakeAct = (actor) => {
  const { random, world, send } = actor
  const chosen = chooseIds(actor, 3)
  if (!chosen) return
  const isReview = random.chance(0.4)
  const isReverted = random.chance(0.5)
  return {
    touches: chosen.own,
    async ask() {
      const answer = await call(world, send, 'POST', '/api/media/bulk-ai-tag', {
        mediaIds: chosen.own,
        review: isReview,
      })
      if (answer.status !== 200) return answer
      await untilRunIs(actor, said<typeof analysisApi.bulkTag>(answer).run.runId, (status) => status !== 'running')
      return answer
    },
    async learn(answer) {
      expectStatus(answer, 200)
      const { runId } = said<typeof analysisApi.bulkTag>(answer).run
      if (isReview) {
        await expectUnchanged(actor, chosen.own)
        const ending = await call(world, send, isReverted ? 'DELETE' : 'POST', reviewPath(runId, isReverted))
        expectStatus(ending, 200)
        if (isReverted) return expectUnchanged(actor, chosen.own)
        await untilRunIs(actor, runId, (status) => status === 'done')
      }
      if (isReverted) {
        expectStatus(await call(world, send, 'POST', `/api/ai-runs/${runId}/revert`), 200)
        return expectUnchanged(actor, chosen.own)
      }
      for (const id of chosen.own) await learnWords(actor, id)
    },
  }
}

const untilRunIs = ({ world, send }: Actor, runId: string, isSo: (status: string) => boolean) =>
  until('the run is as far', async () => {
    const { status } = await read<typeof analysisApi.run>(world, send, `/api/ai-runs/${runId}`)
    return isSo(status)
  })

const reviewPath = (runId: string, isDiscarded: boolean) => `/api/ai-reviews/${runId}${isDiscarded ? '' : '/apply'}`

async function expectUnchanged(actor: Actor, ids: number[]) {
  for (const id of ids) {
    const before = structuredClone(actor.person.items.get(id)!)
    assert.deepEqual(await reloadItem(actor, id), before, 'nothing of a run is left')
  }
}

export const aiActs: [weight: number, make: MakeAct][] = [
  [1, analyze],
  [1, revert],
  [1, rename],
  [1, tagMany],
]
