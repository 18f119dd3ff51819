import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { loadConfig } from '#platform/server/config.ts'
import { hideSecrets, withoutSecrets } from '#platform/server/secrets.ts'

const fixture = new URL('./log-secrets.fixture.ts', import.meta.url)
const secrets = {
  imageKit: 'private_0123456789=',
  ai: 'sk-"quoted"-key',
  s3: 's3/secret+key',
  database: '12345678',
}
const settings = {
  IMAGEKIT_PRIVATE_KEY: secrets.imageKit,
  IMAGEKIT_URL_ENDPOINT: 'http://localhost/demo',
  AI_BASE_URL: 'http://localhost/v1',
  AI_MODEL: 'any',
  AI_API_KEY: secrets.ai,
  S3_BUCKET: 'photos',
  S3_ACCESS_KEY_ID: 'public-id',
  S3_SECRET_ACCESS_KEY: secrets.s3,
  DATABASE_URL: `postgres://albumen:${secrets.database}@localhost/albumen`,
}

test('a key that a service repeats in its error does not reach the log, nor does any other secret', async (context) => {
  const complaining = createServer((request, response) => {
    const { authorization = '' } = request.headers
    const [key] = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':')
    const message = `The key ${key} (${authorization}) is not known.`
    response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ message }))
  }).listen(0, '127.0.0.1')
  context.after(() => complaining.close().closeAllConnections())
  await once(complaining, 'listening')
  const IMAGEKIT_API_URL = `http://127.0.0.1:${(complaining.address() as AddressInfo).port}`
  const lines = Object.values(secrets).map((secret) => `before ${secret} after`)
  const child = fork(fixture, lines, {
    env: { PATH: process.env.PATH, ...settings, IMAGEKIT_API_URL },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const log = await text(child.stdout!)
  assert.match(log, /The key … \(Basic …\w+\) is not known/, 'the rest of the complaint is logged')
  const printed = log.trim().split('\n')
  assert.equal(printed.length, 1 + 2 * lines.length)
  for (const line of printed) {
    const shown = line.startsWith('{') ? JSON.parse(line) : line
    const strings = JSON.stringify(shown, (_name, value) => (typeof value === 'number' ? undefined : value))
    for (const secret of Object.values(secrets)) {
      for (const form of [
        secret,
        JSON.stringify(secret).slice(1, -1),
        Buffer.from(`${secret}:`).toString('base64').slice(0, -4),
      ])
        assert.ok(!strings.includes(form), line)
    }
  }
  assert.equal(JSON.parse(printed[1]!).msg, 'before … after')
  assert.equal(JSON.parse(printed[1]!).number, 12_345_678, 'numbers stay')
})

test('messages of foreign errors have no keys, and a password that is a plain word hides no word', () => {
  hideSecrets(loadConfig(settings))
  assert.equal(withoutSecrets(`Access with ${secrets.s3} denied`), 'Access with … denied')
  assert.equal(withoutSecrets(`Access with ${encodeURIComponent(secrets.s3)} denied`), 'Access with … denied')
  hideSecrets(loadConfig({ DATABASE_URL: 'postgres://albumen:password@localhost/albumen' }))
  assert.equal(withoutSecrets('Incorrect password.'), 'Incorrect password.')
})
