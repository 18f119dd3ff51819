import type { TestContext } from 'node:test'
import { startFakeImageKit } from '#tests/support/fake-imagekit.ts'
import { testApp } from '#tests/support/test-app.ts'

/** Makes a stalled connection fail soon after a restart. Other tests keep the default, as the machine may be slow. */
export const shortTimeout = { IMAGEKIT_TIMEOUT_SECONDS: '1' }

/** Starts the app with a fake ImageKit and an administrator. */
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
    moveBack: async () => (await admin.post('/api/admin/migrate-from-imagekit')).json(),
    /** The files at ImageKit, by name and visibility. */
    stored: () =>
      [...imageKit.files.values()].map(({ name, isPrivate }) => `${isPrivate ? 'private' : 'public'} ${name}`).sort(),
  }
}
