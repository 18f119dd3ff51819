import type { TestContext } from 'node:test'
import { startMisbehavingEndpoint } from '#engines/ai/testing/misbehaving-endpoint.ts'
import { multipart } from '#tests/support/multipart.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

/** Starts the app with an AI endpoint that behaves as the model's name says. The built-in AI is off. */
export async function productWithEndpoint(context: TestContext, model: string, settings: Record<string, string> = {}) {
  const endpoint = await startMisbehavingEndpoint()
  context.after(endpoint.close)
  const product = await testApp(context, {
    AI_BASE_URL: endpoint.baseUrl,
    AI_MODEL: model,
    AI_TIMEOUT_SECONDS: '60',
    ...settings,
  })
  return { product, endpoint }
}

/** Uploads a picture with AI analysis and waits until all jobs are done. */
export async function uploadWithAi({ settled }: TestApp, user: TestUser, name = 'picture.jpg', bytes?: Uint8Array) {
  const answer = await user.upload([{ name, bytes: bytes ?? (await makeJpeg()) }], { enableAi: 'true' })
  if (answer.statusCode !== 201) throw new Error(`Expected 201, received ${answer.statusCode} ${answer.body}`)
  await settled()
  return (await user.get(`/api/media/${answer.json().media[0].id}`)).json()
}

/** Sends a picture to search with. */
export function sketchExample(user: TestUser, bytes: Uint8Array, field = 'picture') {
  const form = multipart([{ name: 'example.png', bytes }], {}, field)
  return user.send({ method: 'POST', url: '/api/media/example', ...form })
}
