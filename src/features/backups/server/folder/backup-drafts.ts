import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { unlessMissing } from '#engines/storage/local-files.ts'
import { snapshotIn } from './snapshot-folder.ts'

/** What is being made, is lent or lies ready: in `tmp`, where the sweep removes what was forgotten. */
export function createBackupDrafts(root: string, log: FastifyBaseLogger) {
  function temporaryPath(name = randomBytes(12).toString('hex')) {
    return join(root, 'tmp', name)
  }

  async function listTemporary() {
    return (await unlessMissing(readdir(join(root, 'tmp')))) ?? []
  }

  /** Another name, under which nobody else looks for it: of several who reach for it at the same moment one has it. */
  async function takeTemporary(name: string) {
    const folder = temporaryPath()
    const isTaken = (await unlessMissing(rename(temporaryPath(name), folder))) !== null
    return isTaken ? draftIn(folder) : null
  }

  async function makeDraftFolder(name: string) {
    const draft = draftIn(temporaryPath(name))
    await mkdir(draft.folder, { mode: 0o700 })
    return draft
  }

  /** What kept it from its place may keep it from being removed too. That is told by whoever met it first; the sweep removes the rest. */
  const draftIn = (folder: string) => ({
    ...snapshotIn(folder),
    /** For the sweep, to which a draft that nothing has come into for a day is forgotten. */
    keepYoung: () => utimes(folder, new Date(), new Date()),
    [Symbol.asyncDispose]: () =>
      rm(folder, { recursive: true, force: true }).catch((error) =>
        log.warn({ err: error }, 'draft of a backup was left behind'),
      ),
  })

  return { temporaryPath, listTemporary, takeTemporary, makeDraftFolder }
}
