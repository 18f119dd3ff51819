import { backups } from './backups.ts'
import { jobs } from './jobs.ts'
import { killWeb } from './kill-web.ts'
import { limits } from './limits.ts'
import { liveEvents } from './live-events.ts'
import { queue } from './queue.ts'
import { restore } from './restore.ts'
import type { Row } from './row.ts'
import { rowSizes } from './row-sizes.ts'
import { sessions } from './sessions.ts'
import { throughput } from './throughput.ts'

/** In the order in which they are shown; what a restore takes back comes after it. */
export const rows: Record<string, Row> = {
  sessions,
  'live-events': liveEvents,
  limits,
  backups,
  restore,
  jobs,
  'kill-web': killWeb,
  throughput,
  queue,
  'row-sizes': rowSizes,
}
