import type { TestUser } from '#tests/support/test-user.ts'

export async function addPictures(user: TestUser, names: string[]) {
  const ids: number[] = []
  for (const name of names) ids.push((await user.addPicture(name)).id)
  return ids
}
