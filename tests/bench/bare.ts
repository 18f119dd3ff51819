import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { startMeasured } from './product.ts'

const entryOf = (name: string) => fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
/** Said by every server for itself. */
const ownHeaders = ['connection', 'keep-alive', 'date', 'transfer-encoding']

/** Bare Fastify that sends the very bytes and headers which the product answers at an address. */
export async function startBare(folder: string, address: string, headers: Record<string, string>) {
  const { origin, pathname } = new URL(address)
  const pool = new Pool(origin)
  const answer = await pool.request({ path: pathname, method: 'GET', headers })
  const bodyPath = join(folder, 'body')
  await writeFile(bodyPath, Buffer.from(await answer.body.arrayBuffer()))
  await pool.destroy()
  const sent = Object.entries(answer.headers).filter(([name]) => !ownHeaders.includes(name))
  return startMeasured(entryOf('bare-fastify'), {
    DATA_DIR: folder,
    BODY_PATH: bodyPath,
    HEADERS: JSON.stringify(Object.fromEntries(sent)),
  })
}

/** A server that takes in what is sent to it, under its hash, and does nothing else. */
export const startBareReceiver = (folder: string) => startMeasured(entryOf('bare-receiver'), { DATA_DIR: folder })
