import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A folder that is removed after the test. */
export async function temporaryFolder(context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'albumen-test-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
