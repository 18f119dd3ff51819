import type { FastifyInstance, InjectOptions } from 'fastify'
import type { MediaDetails } from '#features/media/contract.ts'
import { multipart, type TestFile } from './multipart.ts'
import { makeJpeg } from './pictures.ts'

/** One browser: keeps its cookies and sends HTTP requests to the product. */
export class TestUser {
  id = 0
  readonly cookies = new Map<string, string>()
  readonly #app: () => FastifyInstance

  constructor(app: () => FastifyInstance) {
    this.#app = app
  }

  /** For requests over a real socket. */
  get cookieHeader() {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  get = (url: string, headers?: Record<string, string>) => this.send({ method: 'GET', url, headers })
  post = (url: string, payload?: unknown) =>
    this.send({ method: 'POST', url, payload: payload as InjectOptions['payload'] })
  patch = (url: string, payload?: unknown) =>
    this.send({ method: 'PATCH', url, payload: payload as InjectOptions['payload'] })
  put = (url: string, payload?: unknown) =>
    this.send({ method: 'PUT', url, payload: payload as InjectOptions['payload'] })
  delete = (url: string) => this.send({ method: 'DELETE', url })

  /** Uploads files like the dialog. AI analysis is off unless a field turns it on. */
  upload(files: TestFile[], fields: Record<string, string> = {}) {
    return this.send({ method: 'POST', url: '/api/upload', ...multipart(files, { enableAi: 'false', ...fields }) })
  }

  /** Replaces the file of an item. */
  replace(id: number, name: string, bytes: Uint8Array) {
    return this.send({ method: 'POST', url: `/api/media/${id}/replace`, ...multipart([{ name, bytes }], {}, 'file') })
  }

  /** Uploads one new picture and returns the item. */
  async addPicture(name = 'picture.jpg', bytes?: Uint8Array): Promise<MediaDetails> {
    const answer = await this.upload([{ name, bytes: bytes ?? (await makeJpeg()) }])
    if (answer.statusCode !== 201) throw new Error(`Expected 201, received ${answer.statusCode} ${answer.body}`)
    return answer.json().media[0]
  }

  async send(options: InjectOptions) {
    const answer = await this.#app().inject({
      ...options,
      cookies: Object.fromEntries(this.cookies),
      headers: { ...options.headers },
    })
    for (const { name, value, maxAge } of answer.cookies) {
      if (maxAge === 0 || value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }
}
