// Zod tests whether it may compile schemas with `eval`. The content policy forbids that, and browsers report the attempt on
// every page with a form. This global must be set before Zod loads; importing `z.config` instead would add 4 kB to each page.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })

export {}
