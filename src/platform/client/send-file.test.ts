import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { z } from 'zod'
import { route } from '#platform/contract.ts'
import { ApiError } from './call.ts'
import { sendFile } from './send-file.ts'

const restore = route({ method: 'POST', path: '/api/restore', summary: 'For the test', response: z.object({}) })

/** Sends a file through a fake XMLHttpRequest that ends at once, with the given response or without one. */
function send(context: TestContext, answer?: { status: number; responseText: string }) {
  class FakeRequest {
    upload = {}
    statusText = 'status text'
    status = answer?.status
    responseText = answer?.responseText
    onload = () => {}
    onloadend = () => {}
    open() {}
    send() {
      queueMicrotask(() => {
        if (answer) this.onload()
        this.onloadend()
      })
    }
  }
  Object.assign(globalThis, { XMLHttpRequest: FakeRequest })
  context.after(() => Reflect.deleteProperty(globalThis, 'XMLHttpRequest'))
  return sendFile<typeof restore>('POST /api/restore', 'file', new File(['x'], 'backup.zip'))
}

test('the response to a file is parsed as JSON', async (context) => {
  assert.deepEqual(await send(context, { status: 200, responseText: '{"done":1}' }), { done: 1 })
})

test('a response that is not JSON and an error status reject', async (context) => {
  await assert.rejects(send(context, { status: 200, responseText: '<h1>Please log in</h1>' }), /could not be read/)
  await assert.rejects(send(context, { status: 502, responseText: '' }), new ApiError(502, 'status text'))
})

test('a request that ends without a response rejects as a lost connection', async (context) => {
  await assert.rejects(send(context), /connection was lost/)
})
