import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

const server = `http://127.0.0.1:${process.env.PORT ?? 3000}`

export default defineConfig({
  plugins: [slimContracts(), react(), tailwindcss()],
  build: {
    outDir: 'dist/client',
    emptyOutDir: true,
    target: 'es2023',
    chunkSizeWarningLimit: 400,
    // Public pages are a document of their own, with nothing of the application in it.
    rolldownOptions: { input: ['index.html', 'public.html'] },
  },
  // With the host that the browser asked for: the server compares it with the origin of a change.
  server: { port: 5173, proxy: { '^/(api|files)/': { target: server, changeOrigin: false } } },
})

/**
 * In the browser a call needs its method, its address and its types; the schemas check on the server, and in the few
 * forms that import one. So a contract becomes two modules, the schemas and the calls without theirs, and a schema that
 * nobody imports goes. That keeps 25 kB of zod off every screen that has no form.
 */
function slimContracts(): Plugin {
  return {
    name: 'slim-contracts',
    apply: 'build',
    transform: {
      filter: { id: /\/contract\.ts(\?calls)?$/ },
      order: 'post',
      handler(code, id) {
        const constants = this.parse(code).body.flatMap(constantsOf)
        const tables = constants.filter(({ name }) => name.endsWith('Api'))
        const edits = constants.flatMap(({ value }) => makeDroppable(value))
        const isCalls = id.endsWith('?calls')
        for (const { value, statement } of tables) edits.push(...(isCalls ? cutSchemas(value) : [cut(statement)]))
        const names = tables.map(({ name }) => name).join(', ')
        const calls = isCalls || !names ? '' : `\nexport { ${names} } from ${JSON.stringify(`${id}?calls`)}\n`
        return { code: apply(edits, code) + calls, map: null, moduleSideEffects: false }
      },
    },
  }
}

type Statement = ReturnType<Rolldown.PluginContext['parse']>['body'][number]
type Constant = ReturnType<typeof constantsOf>[number]
type Edit = { start: number; end: number; text: string }

function constantsOf(statement: Statement) {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (declaration?.type !== 'VariableDeclaration') return []
  return declaration.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' && init ? [{ name: id.name, value: init, statement }] : [],
  )
}

/** Making a schema changes nothing in the world; the bundler cannot know that of a chain of calls unless it is told. */
function makeDroppable({ type, start, end }: Constant['value']): Edit[] {
  if (type !== 'CallExpression') return []
  return [
    { start, end: start, text: '/* @__PURE__ */ (() => ' },
    { start: end, end, text: ')()' },
  ]
}

const serverOnly = new Set(['summary', 'params', 'query', 'body', 'fields', 'success', 'response'])

/** From every `route({ … })` of a table what only the server reads. `events` stays: streams are parsed with it. */
function cutSchemas(table: Constant['value']): Edit[] {
  if (table.type !== 'ObjectExpression') return []
  return table.properties.flatMap((call) => {
    if (call.type !== 'Property' || call.value.type !== 'CallExpression') return []
    const [definition] = call.value.arguments
    if (definition?.type !== 'ObjectExpression') return []
    return definition.properties
      .filter((part) => part.type === 'Property' && part.key.type === 'Identifier' && serverOnly.has(part.key.name))
      .map(cut)
  })
}

function cut({ start, end }: { start: number; end: number }): Edit {
  return { start, end, text: '' }
}

/** From the end, so that positions stay true; with a property goes the comma behind it. */
function apply(edits: Edit[], code: string) {
  return edits
    .toSorted((first, second) => second.start - first.start)
    .reduce((text, { start, end, text: replacement }) => {
      const rest = replacement ? text.slice(end) : text.slice(end).replace(/^\s*,/, '')
      return text.slice(0, start) + replacement + rest
    }, code)
}
