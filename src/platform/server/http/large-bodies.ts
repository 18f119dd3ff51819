import type { Scope } from './scope.ts'

/** Routes that are bound in here take bodies of so many bytes; for every other a megabyte is enough. */
export function withLargeBodies<Caller>(scope: Scope<Caller>, maxBytes: number, bind: (part: Scope<Caller>) => void) {
  scope.app.register(async (app) => {
    app.addHook('onRoute', (route) => {
      route.bodyLimit = maxBytes
    })
    bind({ ...scope, app })
  })
}
