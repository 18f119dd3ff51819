import { hubModels, isComplete, totalBytes } from '#engines/ai/hub/catalog.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { HubModelState } from '../../contract.ts'
import type { Hub } from './hub.ts'
import { loadHubStates } from './states-store.ts'

/** The large models that an administrator can set up, used or not. */
export async function describeHub(db: Db, { url, modelsDirectory }: Hub): Promise<HubModelState[]> {
  const states = await loadHubStates(db)
  return Promise.all(
    hubModels.map(async (model): Promise<HubModelState> => {
      const { id, name, makes, licence, origin, repository } = model
      const { phase, message, doneBytes, secondsPerPicture } = states[id]
      return {
        id,
        name,
        makes,
        licence,
        origin,
        source: `${new URL(url).host}/${repository}`,
        bytes: totalBytes(model),
        doneBytes,
        phase,
        message,
        secondsPerPicture: secondsPerPicture ?? model.secondsPerPicture,
        isMeasured: secondsPerPicture !== null,
        isDownloaded: await isComplete(model, modelsDirectory),
      }
    }),
  )
}
