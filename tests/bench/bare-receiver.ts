import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { nodeDisk, syncAndClose } from '#engines/storage/disk.ts'
import { createWriteBehind } from '#engines/storage/receive.ts'

// The least work for storing bytes by their hash: receiving, hashing, writing and syncing them as one file.
const path = join(process.env.DATA_DIR!, 'received')

async function receive(request: IncomingMessage) {
  const hash = createHash('sha256')
  const file = await nodeDisk.create(path)
  const behind = createWriteBehind(file)
  for await (const piece of request) {
    const taken = behind.write(piece)
    hash.update(piece)
    await taken
  }
  await behind.end()
  await syncAndClose(file)
  return hash.digest('hex')
}

const server = createServer(async (request, response) => {
  response.end(request.method === 'POST' ? await receive(request) : '')
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`Open http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
