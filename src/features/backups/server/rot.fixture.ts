import { readFile, rm, writeFile } from 'node:fs/promises'
import type { TestApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

export async function blobOf({ services }: TestApp, id: number) {
  const media = services.db.selectFrom('media').select('blob').where('id', '=', id)
  return (await media.executeTakeFirstOrThrow()).blob
}

/** One bit, with the size as it was; in the library's file too, where both are names of one file. */
export async function rot(path: string) {
  const bytes = await readFile(path)
  bytes[bytes.length >> 1]! ^= 1
  await writeFile(path, bytes)
}

/** As on a disk of its own: the library's file is another one. */
export async function rotAlone(path: string) {
  const bytes = await readFile(path)
  await rm(path)
  await writeFile(path, bytes)
  await rot(path)
}

/** What the System tab says is lost. */
export async function lostIn(admin: TestUser): Promise<string[]> {
  const { integrity } = (await admin.get('/api/admin/system')).json()
  return integrity.affected.map(({ id, state }: { id: number; state: string }) => `${id} ${state}`)
}
