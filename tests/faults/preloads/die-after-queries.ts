import { StatementSync } from 'node:sqlite'

// Loaded before the product: `process.send({ dieAfter: ['^insert', '^commit'] })` ends it as if by kill -9, right after a
// query has run whose text and values match the last of these, those before it having come before.
let awaited: RegExp[] = []

function look(text: string, values: unknown) {
  if (!awaited[0]?.test(`${text} ${values}`)) return
  awaited.shift()
  if (awaited.length === 0) process.kill(process.pid, 'SIGKILL')
}

type Called = (...args: unknown[]) => unknown
const statements = StatementSync.prototype as unknown as Record<string, Called>
for (const name of ['all', 'run']) {
  const real = statements[name]!
  statements[name] = function (this: StatementSync, ...values) {
    const result = real.apply(this, values)
    look(this.sourceSQL, values)
    return result
  }
}

if (process.env.DATABASE_URL) {
  const { default: pg } = await import('pg')
  const clients = pg.Client.prototype as unknown as Record<'query', Called>
  const real = clients.query
  clients.query = function (text, values, ...others) {
    const result = real.call(this, text, values, ...others) as Promise<unknown> | undefined
    void result?.then?.(
      () => look(String(text), values),
      () => {
        // The caller handles this error.
      },
    )
    return result
  }
}

process.on('message', (message) => {
  awaited = (message as { dieAfter: string[] }).dieAfter.map((pattern) => new RegExp(pattern, 'i'))
  process.send?.('heard')
})
