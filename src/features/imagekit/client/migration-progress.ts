import { type ImageKitMigration, type MigrationDirection, migrationTitles } from '../contract.ts'

type Counts = Pick<
  ImageKitMigration,
  'isRunning' | 'direction' | 'migrated' | 'copies' | 'total' | 'files' | 'onlyThere'
>

/**
 * The value of the progress bar: the progress of the running migration, or the share of items at ImageKit if none is running.
 */
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
  // A file that was moved back no longer counts among those at ImageKit.
  back: ({ migrated, files }) => [migrated, migrated + files],
}
