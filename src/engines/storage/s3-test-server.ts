import { join } from 'node:path'
import S3rver from 's3rver'

/** Called with each request, such as `PUT blobs/ab/…`, and how to go on with it: to make one wait for another. */
export type Around = (question: string, proceed: () => Promise<void>) => Promise<void>

/** An S3 server on the loopback for tests; `directory` is the caller's to remove. */
export async function startS3TestServer(directory: string, around: Around = (_question, proceed) => proceed()) {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: 'albumen' }],
  })
  server.middleware.unshift(({ method, path }, next) => around(`${method} ${path.replace('/albumen/', '')}`, next))
  const { port } = await server.run()
  return {
    options: {
      bucket: 'albumen',
      endpoint: `http://127.0.0.1:${port}`,
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      forcePathStyle: true,
    },
    /** Where the server keeps an object's bytes: to damage them, or to make them old. */
    fileOf: (key: string) => join(directory, 'albumen', `${key}._S3rver_object`),
    [Symbol.asyncDispose]: () => server.close(),
  }
}
