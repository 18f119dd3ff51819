import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Rolldown } from 'vite'

const root = fileURLToPath(new URL('.', import.meta.url))
const server = `http://127.0.0.1:${process.env.PORT ?? 3000}`

export default defineConfig({
  plugins: [react(), tailwindcss()],
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
 * Left alone, the bundler makes forty small files of what screens share, and small files compress badly: 16 kB more for
 * the library. So one file holds what every screen needs and what the library shares with another screen; what public
 * pages share with the application stays apart from it.
 */
function chunkOf(id: string, graph: Graph) {
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
    for (const module of found) for (const next of graph.getModuleInfo(module)?.importedIds ?? []) found.add(next)
    return found
  })
  return needed.has(id)
}

const remembered = new Map<string, Set<string>>()

function remember(key: string, find: () => Set<string>) {
  const known = remembered.get(key) ?? find()
  remembered.set(key, known)
  return known
}
