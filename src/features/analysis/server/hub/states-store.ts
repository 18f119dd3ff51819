import { z } from 'zod'
import { type HubModelId, hubModelIds } from '#engines/ai/hub/catalog.ts'
import { changeSetting, loadSetting } from '#platform/server/db/settings.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { hubPhases } from '../../contract.ts'

/** How far a model of the hub is, shared by all processes. Off by default. */
const HubState = z.object({
  phase: z.enum(hubPhases),
  /** Of the setup that may change it; an earlier one stops. */
  attempt: z.string(),
  message: z.string(),
  doneBytes: z.number(),
  /** Measured by the examination. */
  secondsPerPicture: z.number().nullable(),
  /** Pictures that are less similar to a search are not found by it. */
  leastSimilarity: z.number().optional(),
})
export type HubState = z.infer<typeof HubState>

export const unused: HubState = { phase: 'off', attempt: '', message: '', doneBytes: 0, secondsPerPicture: null }

const nameOf = (id: HubModelId) => `hub-model-${id}`

async function loadHubState(db: Db, id: HubModelId): Promise<HubState> {
  const stored = await loadSetting(db, nameOf(id))
  return stored ? HubState.parse(JSON.parse(stored)) : unused
}

export async function loadHubStates(db: Db): Promise<Record<HubModelId, HubState>> {
  const states = await Promise.all(hubModelIds.map(async (id) => [id, await loadHubState(db, id)] as const))
  return Object.fromEntries(states) as Record<HubModelId, HubState>
}

/** Changes the state under a lock; `change` returns undefined to leave it. Returns the state before. */
export async function changeHubState(
  transaction: Db,
  id: HubModelId,
  change: (state: HubState) => Partial<HubState> | undefined,
): Promise<HubState> {
  const before = await changeSetting(transaction, { name: nameOf(id), initial: JSON.stringify(unused) }, (value) => {
    const state = HubState.parse(JSON.parse(value))
    return JSON.stringify({ ...state, ...change(state) })
  })
  return HubState.parse(JSON.parse(before))
}
