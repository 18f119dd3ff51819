declare module 's3rver' {
  import type { AddressInfo } from 'node:net'

  export default class S3rver {
    constructor(options: {
      address?: string
      port?: number
      silent?: boolean
      directory: string
      vhostBuckets?: boolean
      configureBuckets?: { name: string }[]
    })
    /** Koa's own list: what stands first is asked first. */
    middleware: ((request: { method: string; path: string }, next: () => Promise<void>) => Promise<void>)[]
    run(): Promise<AddressInfo>
    close(): Promise<void>
  }
}
