import type { Notifications } from '#platform/server/db/database.ts'
import { workOnRuns } from '#platform/server/runs/runs.ts'
import { migrationRuns } from './migration.ts'
import { configured, type ImageKitServices } from './routes.ts'
import { hasPublicCopies } from './store.ts'
import { tidyImageKit } from './tidy.ts'

const tidyKind = 'tidy-imagekit'

type Services = ImageKitServices & { notifications: Notifications }

export async function workOnImageKit(services: Services) {
  const { db, jobs, log, notifications } = services
  workOnRuns(
    services,
    migrationRuns(db, () => configured(services)),
  )
  jobs.work(tidyKind, { concurrency: 1 }, async (_payload, { signal }) => {
    if (services.imageKit) await tidyImageKit(configured(services), signal)
  })
  if (services.imageKit) await jobs.schedule(tidyKind, '* * * * *')
  // An item that becomes private should not stay public at ImageKit until the next scheduled cleanup.
  notifications.subscribe('events', (payload) => {
    void tidyAfter(changedMedia(payload)).catch((error) => log.warn({ err: error }, 'ImageKit cleanup was postponed'))
  })

  async function tidyAfter(ids: number[] | 'any') {
    if (services.imageKit && (await hasPublicCopies(db, ids))) await jobs.enqueue(db, tidyKind, {}, { key: 'changed' })
  }
}

/** The items that an event names, or any for events that name none. */
function changedMedia(payload: string) {
  if (payload === '') return 'any'
  const { event } = JSON.parse(payload) as { event: { type: string; ids?: number[] } }
  if (event.type === 'reset') return 'any'
  return event.type === 'media' ? (event.ids ?? []) : []
}
