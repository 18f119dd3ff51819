import { until } from '../support/until.ts'
import type { Cluster } from './cluster.ts'
import { ask } from './pictures.ts'
import { counted, type Row } from './row.ts'

const frequencies = ['12hours', 'daily', 'weekly']
const turnsPerSlot = 5
const patienceMs = 120_000

type Listed = { backups: { id: string; type: string }[] }

/** The schedule is due on all processes at once, several times within the same slot, for each frequency. */
export const backups: Row = async (cluster) => {
  const { admin, query } = cluster
  const automatic = async () =>
    (await ask<Listed>(admin.through, '/api/admin/backups')).backups.filter(({ type }) => type === 'automatic').length
  await untilIdle(cluster)
  const before = await query<{ slot: string }>('SELECT slot FROM backups WHERE slot IS NOT NULL')
  for (const [index, frequency] of frequencies.entries()) {
    await admin.at(index)('POST', '/api/admin/backup-frequency', { frequency })
    for (let turn = 0; turn < turnsPerSlot; turn++) {
      await query("UPDATE schedules SET next_run_at = 0 WHERE kind = 'automatic-backup'")
      // A notification makes all processes check their schedules.
      await query("SELECT pg_notify('jobs', 'automatic-backup')")
      await untilIdle(cluster)
    }
  }
  const slots = await query<{ slot: string; count: number }>(
    'SELECT slot, count(*)::int AS count FROM backups WHERE slot IS NOT NULL GROUP BY slot',
  )
  const most = Math.max(0, ...slots.map(({ count }) => count))
  const made = await automatic()
  const failed = await query("SELECT 1 FROM jobs WHERE kind = 'automatic-backup' AND status = 'failed'")
  return [
    counted('one automatic backup for each slot, over all processes', {
      figure: `${made} backups for ${slots.length} slots after ${frequencies.length * turnsPerSlot} turns (${before.length} made before)`,
      toReach: `${frequencies.length} for ${frequencies.length}`,
      isReached: made === frequencies.length && slots.length === made && most === 1 && failed.length === 0,
    }),
  ]
}

async function untilIdle({ query }: Cluster) {
  const isIdle = async () => {
    const [row] = await query<{ open: number }>(`SELECT
      (SELECT count(*) FROM jobs WHERE kind = 'automatic-backup' AND status <> 'failed')::int
      + (SELECT count(*) FROM schedules WHERE kind = 'automatic-backup' AND next_run_at = 0)::int AS open`)
    return row!.open === 0
  }
  await until('a process has claimed the turn and its job has ended', isIdle, { withinMs: patienceMs, everyMs: 20 })
}
