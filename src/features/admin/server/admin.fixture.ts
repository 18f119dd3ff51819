import type { TestContext } from 'node:test'
import { type TestApp, testApp } from '#tests/support/test-app.ts'

/** An administrator, and a user with one image. */
export async function withLibrary(context: TestContext) {
  const product = await testApp(context)
  const admin = await product.register()
  const person = await product.register()
  const picture = await person.addPicture('beach.jpg')
  return { product, admin, person, picture }
}

export const tableCount = async ({ services }: TestApp, table: 'media' | 'users' | 'collections' | 'slugs') =>
  (await services.db.selectFrom(table).selectAll().execute()).length
