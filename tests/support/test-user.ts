import type { FastifyInstance, InjectOptions } from 'fastify'

/** One browser: keeps its cookies and talks to the product through its front door. */
export class TestUser {
  id = 0
  readonly cookies = new Map<string, string>()
  readonly #app: () => FastifyInstance

  constructor(app: () => FastifyInstance) {
    this.#app = app
  }

  get = (url: string, headers?: Record<string, string>) => this.send({ method: 'GET', url, headers })
  post = (url: string, payload?: unknown) =>
    this.send({ method: 'POST', url, payload: payload as InjectOptions['payload'] })
  patch = (url: string, payload?: unknown) =>
    this.send({ method: 'PATCH', url, payload: payload as InjectOptions['payload'] })
  put = (url: string, payload?: unknown) =>
    this.send({ method: 'PUT', url, payload: payload as InjectOptions['payload'] })
  delete = (url: string) => this.send({ method: 'DELETE', url })

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
