import type { TestContext } from 'node:test'
import { startFakeImageKit } from '#tests/support/fake-imagekit.ts'
import { testApp } from '#tests/support/test-app.ts'

/** For a restart: a line that stalls is given up soon. Everybody else has time, however slow the machine is. */
export const impatient = { IMAGEKIT_TIMEOUT_SECONDS: '1' }

/** The product with an ImageKit of its own, and an administrator. */
export async function withImageKit(context: TestContext, settings: Record<string, string> = {}) {
  const imageKit = await startFakeImageKit(context)
  const product = await testApp(context, { ...imageKit.settings, IMAGEKIT_TIMEOUT_SECONDS: '60', ...settings })
  const admin = await product.register()
  return {
    imageKit,
    product,
    admin,
    migrate: async () => (await admin.post('/api/admin/migrate-to-imagekit')).json(),
    free: async () => (await admin.post('/api/admin/migrate-to-imagekit/free-local')).json(),
    comeBack: async () => (await admin.post('/api/admin/migrate-from-imagekit')).json(),
    /** What lies there, by name and whether anyone may see it. */
    stored: () =>
      [...imageKit.files.values()].map(({ name, isPrivate }) => `${isPrivate ? 'private' : 'public'} ${name}`).sort(),
  }
}
