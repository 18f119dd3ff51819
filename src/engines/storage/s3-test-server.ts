import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import S3rver from 's3rver'

/** Called with each request, such as `PUT blobs/ab/…`, and a function that continues it, so that a test can delay it. */
export type RequestHook = (question: string, proceed: () => Promise<void>) => Promise<void>

/** An S3 server on the loopback for tests; the caller removes `directory`. */
export async function startS3TestServer(directory: string, hook: RequestHook = (_question, proceed) => proceed()) {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: 'albumen' }],
  })
  server.middleware.unshift(({ method, path }, next) => hook(`${method} ${path.replace('/albumen/', '')}`, next))
  respondWhenWritten(server)
  const { port } = await server.run()
  return {
    options: {
      bucket: 'albumen',
      endpoint: `http://127.0.0.1:${port}`,
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      forcePathStyle: true,
    },
    /** Path of an object's bytes on the server, so that a test can damage or age them. */
    fileOf: (key: string) => join(directory, 'albumen', `${key}._S3rver_object`),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** Responds after the bytes are written, like a real bucket. The server itself responds too early and accepts incomplete uploads. */
function respondWhenWritten({ store }: S3rver) {
  store.putObject = async ({ bucket, key, content, metadata }) => {
    const written = await write(content, store.getResourcePath(bucket, key, 'object'))
    await store.putMetadata(bucket, key, metadata, written.md5)
    return written
  }
  store.putPart = async (bucket, uploadId, number, content) => {
    const path = join(store.getResourcePath(bucket, undefined, 'uploads'), uploadId, String(number))
    const written = await write(content, path)
    await writeFile(`${path}.md5`, written.md5)
    return written
  }
}

async function write(content: Readable, path: string) {
  const md5 = createHash('md5')
  let size = 0
  await mkdir(dirname(path), { recursive: true })
  await pipeline(
    content,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        md5.update(chunk)
        size += chunk.length
        yield chunk
      }
    },
    createWriteStream(path),
  )
  return { size, md5: md5.digest('hex') }
}
