import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'

// Plain Fastify sending bytes from memory, the fastest that a server based on Fastify can be.
const body = readFileSync(process.env.BODY_PATH!)
const headers = JSON.parse(process.env.HEADERS!) as Record<string, string>
const app = Fastify({ logger: false })
app.get('/*', (_request, reply) => reply.headers(headers).send(body))
await app.listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`Open http://127.0.0.1:${(app.server.address() as AddressInfo).port}\n`)
process.on('SIGTERM', () => process.exit(0))
