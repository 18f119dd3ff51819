import { parseArgs } from 'node:util'
import type { Fault } from '../tests/faults/fault.ts'
import { watchOthers } from '../tests/faults/machine-load.ts'
import { type Measurement, printMeasurements, recordMeasurements } from '../tests/support/measurements.ts'

// `npm run test:faults` causes every failure that can be shown on one machine, and checks what is left.
// `npm run test:faults -- kill-upload disk-full` runs only these, `--rounds=20` runs fewer rounds, and `--within=10` limits
// each kill test to ten minutes. `--record` writes the figures to docs/measurements.md.
const faults: Record<string, () => Promise<Fault>> = {
  'kill-upload': async () => (await import('../tests/faults/kill-upload.ts')).killUpload,
  'kill-conversion': async () => (await import('../tests/faults/kill-conversion.ts')).killConversion,
  'kill-replace': async () => (await import('../tests/faults/kill-replace.ts')).killReplace,
  'kill-backup': async () => (await import('../tests/faults/kill-backups.ts')).killBackup,
  'kill-restore': async () => (await import('../tests/faults/kill-backups.ts')).killRestore,
  'kill-archive-upload': async () => (await import('../tests/faults/kill-archive-upload.ts')).killArchiveUpload,
  'kill-migration': async () => (await import('../tests/faults/kill-migration.ts')).killMigration,
  'disk-full': async () => (await import('../tests/faults/disk-full.ts')).diskFull,
  'failing-disk': async () => (await import('../tests/faults/failing-disk.ts')).failingDisk,
  'corrupt-file': async () => (await import('../tests/faults/corrupt-file.ts')).corruptFile,
  'mutated-files': async () => (await import('../tests/faults/mutated-files.ts')).mutatedFiles,
  'decoder-bombs': async () => (await import('../tests/faults/decoder-bombs.ts')).decoderBombs,
  'child-hang': async () => (await import('../tests/faults/child-hang.ts')).childHang,
  'database-restart': async () => (await import('../tests/faults/database-restart.ts')).databaseRestart,
  'clock-shift': async () => (await import('../tests/faults/clock-shift.ts')).clockShift,
  'open-streams': async () => (await import('../tests/faults/open-streams.ts')).openStreams,
  'sync-order': async () => (await import('../tests/faults/sync-order.ts')).syncOrder,
  'kill-imagekit': async () => (await import('../tests/faults/kill-imagekit.ts')).killImageKit,
  'ten-thousand': async () => (await import('../tests/faults/ten-thousand.ts')).tenThousandItems,
  viewers: async () => (await import('../tests/faults/viewers.ts')).viewers,
  'many-files': async () => (await import('../tests/faults/large-uploads.ts')).manyFiles,
  'large-file': async () => (await import('../tests/faults/large-uploads.ts')).largeFile,
  'slow-clients': async () => (await import('../tests/faults/slow-clients.ts')).slowClients,
  'hostile-web': async () => (await import('../tests/faults/hostile-web.ts')).hostileWeb,
  'backup-while-uploading': async () => (await import('../tests/faults/backup-state.ts')).backupWhileUploading,
  'backup-reset-restore': async () => (await import('../tests/faults/backup-state.ts')).backupResetRestore,
  'random-walk': async () => (await import('../tests/faults/random-walk.ts')).randomWalk,
  'login-flood': async () => (await import('../tests/faults/login-flood.ts')).loginFlood,
  soak: async () => (await import('../tests/faults/soak.ts')).soak,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    within: { type: 'string', default: '60' },
    minutes: { type: 'string', default: '30' },
    record: { type: 'boolean', default: false },
  },
})
const unknown = positionals.filter((name) => !(name in faults))
if (unknown.length > 0) {
  console.error(`Expected names out of ${Object.keys(faults).join(', ')}, received "${unknown.join(' ')}"`)
  process.exit(2)
}
if (process.platform !== 'linux') {
  console.error('Memory and the load of the machine are read from /proc, so this runs on Linux only.')
  process.exit(2)
}
let isCut = false

/** Fewer rounds than promised are fine for a look, but not for the record. */
function rounds(promised: number) {
  const wanted = Number(values.rounds ?? promised)
  if (values.record && wanted < promised) isCut = true
  return wanted
}

/** Ends after the given time on a busy machine; the figure says how many rounds there were. */
function* eachRound(promised: number) {
  const end = performance.now() + Number(values.within) * 60_000
  for (let round = 0; round < rounds(promised); round++) {
    if (performance.now() >= end) {
      isCut = true
      return
    }
    yield round
  }
}
const rows: Measurement[] = []
for (const name of positionals.length > 0 ? positionals : Object.keys(faults)) {
  const begin = performance.now()
  process.stdout.write(`== ${name}\n`)
  const measured = await measure(name)
  for (const { what, context, figure, isReached } of measured)
    process.stdout.write(`${isReached ? '✔' : '✖'} ${what}: ${figure} (${context})\n`)
  process.stdout.write(`== ${name} took ${((performance.now() - begin) / 1000).toFixed(0)} s\n`)
  rows.push(...measured)
}
const command = 'npm run test:faults'
if (values.record) await recordMeasurements(command, rows)
else printMeasurements(command, rows)
process.exit(rows.every(({ isReached }) => isReached) ? 0 : 1)

/** A broken promise is a line of its own, and the other faults still run. */
async function measure(name: string): Promise<Measurement[]> {
  const ofOthers = watchOthers()
  try {
    const fault = await faults[name]!()
    isCut = false
    const measured = await fault({ rounds, eachRound, minutes: Number(values.minutes) })
    const load = ofOthers()
    return measured.map((row) => ({
      ...row,
      context: [row.context, load].filter((text) => text !== '').join('; '),
      // The promise held, but for fewer rounds than promised.
      isReached: row.isReached && !isCut,
    }))
  } catch (error) {
    console.error(error)
    const figure = error instanceof Error ? error.message.split('\n')[0]! : String(error)
    return [{ what: name, context: ofOthers(), figure, toReach: 'to hold', isReached: false }]
  }
}
