import { type ImageKitMigration, type MigrationDirection, migrationTitles } from '../contract.ts'

type Counts = Pick<
  ImageKitMigration,
  'isRunning' | 'direction' | 'migrated' | 'copies' | 'total' | 'files' | 'onlyThere'
>

/** What the bar shows: while something runs, how far that is, from its beginning to its end; else how much is there. */
export function migrationProgress(state: Counts) {
  const [done, all] = state.isRunning ? shares[state.direction](state) : shares.out(state)
  return {
    label: state.isRunning ? migrationTitles[state.direction] : 'Items at ImageKit',
    value: (100 * done) / Math.max(1, all),
    detail: `${done.toLocaleString('en')} of ${all.toLocaleString('en')}`,
  }
}

const shares: Record<MigrationDirection, (state: Counts) => [done: number, all: number]> = {
  out: ({ copies, total }) => [copies, total],
  free: ({ onlyThere, files }) => [onlyThere, files],
  // A file that is back no longer counts as one of those there.
  back: ({ migrated, files }) => [migrated, migrated + files],
}
