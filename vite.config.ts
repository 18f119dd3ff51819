import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

const root = fileURLToPath(new URL('.', import.meta.url))
const server = `http://127.0.0.1:${process.env.PORT ?? 3000}`

export default defineConfig({
  plugins: [slimContracts(), dropNames(), react(), tailwindcss()],
  build: {
    outDir: 'dist/client',
    emptyOutDir: true,
    target: 'es2023',
    chunkSizeWarningLimit: 400,
    // Every browser that reads this build knows modulepreload.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Public pages are a document of their own, with nothing of the application in it.
      input: ['index.html', 'public.html'],
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: chunkOf, debugName: 'shared' }],
        },
      },
    },
  },
  // With the host that the browser asked for: the server compares it with the origin of a change.
  server: { port: 5173, proxy: { '^/(api|files|public|assets)/': { target: server, changeOrigin: false } } },
})

type Graph = Rolldown.ChunkingContext

/**
 * What screens share would fall apart into forty small files, one for each set of screens, and small files compress
 * badly: 134 kB for the library instead of 118. So one file holds what every screen needs, and what the library shares
 * with another; what public pages share with the application stays apart from it.
 */
function chunkOf(id: string, graph: Graph) {
  // The schemas of a contract are read by few of those that import it.
  if (/\/contract\.ts$|\/zod\//.test(id)) return null
  if (isNeededBy(clientFile('public-main.ts'), id, graph)) return countUsers(id, graph) > 0 ? 'public-shared' : null
  const isOfLibrary = ['signed-in-area.tsx', 'library-screen.tsx'].some((file) =>
    isNeededBy(clientFile(file), id, graph),
  )
  return isNeededBy(clientFile('main.tsx'), id, graph) || (isOfLibrary && countUsers(id, graph) > 1) ? 'shared' : null
}

const clientFile = (name: string) => `${root}src/app/client/${name}`

/** How many parts of the application, each loaded by itself, need the module. */
function countUsers(id: string, graph: Graph) {
  const parts = remember('parts', () => {
    const seen = new Set([clientFile('main.tsx')])
    const found = new Set(seen)
    for (const module of seen) {
      const { importedIds = [], dynamicallyImportedIds = [] } = graph.getModuleInfo(module) ?? {}
      for (const next of [...importedIds, ...dynamicallyImportedIds]) seen.add(next)
      for (const part of dynamicallyImportedIds) found.add(part)
    }
    return found
  })
  return [...parts].filter((part) => isNeededBy(part, id, graph)).length
}

/** Whether a file needs the module at once, not only after loading something more. */
function isNeededBy(file: string, id: string, graph: Graph) {
  const needed = remember(file, () => {
    const found = new Set([file])
    for (const module of found) for (const next of importsOf(module, graph)) found.add(next)
    return found
  })
  return needed.has(id)
}

/** One file names all that Radix is made of; of these our floating layers use one, and no screen should load the others. */
function importsOf(module: string, graph: Graph) {
  const imported = graph.getModuleInfo(module)?.importedIds ?? []
  return module.endsWith('/radix-ui/dist/internal.mjs')
    ? imported.filter((id) => id.includes('/react-dismissable-layer/'))
    : imported
}

const remembered = new Map<string, Set<string>>()

function remember(key: string, find: () => Set<string>) {
  const known = remembered.get(key) ?? find()
  remembered.set(key, known)
  return known
}

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

/** Radix calls something after every function to keep its name for people, and so the function itself, also where nobody uses it. */
function dropNames(): Plugin {
  return {
    name: 'drop-names',
    apply: 'build',
    transform: {
      filter: { id: /\/@radix-ui\/[^/]+\/dist\/index\.mjs$/ },
      handler: (code) => ({
        code: code.replace(/^\s*__name\([\w$]+, "[^"]*"\);$|static \{\s*__name\(this, "[^"]*"\);\s*\}/gm, ''),
        map: null,
      }),
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

const serverOnly = new Set(['summary', 'params', 'query', 'body', 'fields', 'success', 'response', 'file'])

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
