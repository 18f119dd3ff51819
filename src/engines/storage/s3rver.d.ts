declare module 's3rver' {
  import type { AddressInfo } from 'node:net'
  import type { Readable } from 'node:stream'

  type Written = { size: number; md5: string }

  export default class S3rver {
    constructor(options: {
      address?: string
      port?: number
      silent?: boolean
      directory: string
      vhostBuckets?: boolean
      configureBuckets?: { name: string }[]
    })
    /** Koa's middleware list; the first entry is called first. */
    middleware: ((request: { method: string; path: string }, next: () => Promise<void>) => Promise<void>)[]
    /** The store that keeps objects on the disk. */
    store: {
      getResourcePath(bucket: string, key: string | undefined, resource: string): string
      putMetadata(bucket: string, key: string, metadata: object, md5: string): Promise<void>
      putObject(object: { bucket: string; key: string; content: Readable; metadata: object }): Promise<Written>
      putPart(bucket: string, uploadId: string, number: string, content: Readable): Promise<Written>
    }
    run(): Promise<AddressInfo>
    close(): Promise<void>
  }
}
