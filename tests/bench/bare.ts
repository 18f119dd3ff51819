import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { startMeasured } from './product.ts'

const entryOf = (name: string) => fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
/** Headers that each server sets itself. */
const ownHeaders = ['connection', 'keep-alive', 'date', 'transfer-encoding']

/** Plain Fastify that sends the same bytes and headers as the product's response at an address. */
export async function startBare(folder: string, address: string, headers: Record<string, string>) {
  const { origin, pathname } = new URL(address)
  const pool = new Pool(origin)
  const response = await pool.request({ path: pathname, method: 'GET', headers })
  const bodyPath = join(folder, 'body')
  await writeFile(bodyPath, Buffer.from(await response.body.arrayBuffer()))
  await pool.destroy()
  const sent = Object.entries(response.headers).filter(([name]) => !ownHeaders.includes(name))
  return startMeasured(entryOf('bare-fastify'), {
    DATA_DIR: folder,
    BODY_PATH: bodyPath,
    HEADERS: JSON.stringify(Object.fromEntries(sent)),
  })
}

/** A server that only receives, hashes and stores what is sent to it. */
export const startBareReceiver = (folder: string) => startMeasured(entryOf('bare-receiver'), { DATA_DIR: folder })
