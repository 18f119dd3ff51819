// Zod tries out whether it may write code for its schemas. The content policy refuses, which browsers report on every page
// with a form, so it is told not to try before it is loaded. Its own call for that would bring 4 kB of it to every screen.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })

export {}
