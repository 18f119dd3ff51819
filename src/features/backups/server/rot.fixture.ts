import { readFile, rm, writeFile } from 'node:fs/promises'
import type { TestApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

export async function blobOf({ services }: TestApp, id: number) {
  const media = services.db.selectFrom('media').select('blob').where('id', '=', id)
  return (await media.executeTakeFirstOrThrow()).blob
}

/** Flips one bit and keeps the size; a hard link to the library's file is affected too. */
export async function rot(path: string) {
  const bytes = await readFile(path)
  bytes[bytes.length >> 1]! ^= 1
  await writeFile(path, bytes)
}

/** Replaces a hard link by a copy first, so that the library's file stays intact. */
export async function rotAlone(path: string) {
  const bytes = await readFile(path)
  await rm(path)
  await writeFile(path, bytes)
  await rot(path)
}

/** The lost files that the System tab lists. */
export async function lostIn(admin: TestUser): Promise<string[]> {
  const { integrity } = (await admin.get('/api/admin/system')).json()
  return integrity.affected.map(({ id, state }: { id: number; state: string }) => `${id} ${state}`)
}
