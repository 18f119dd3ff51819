import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

type SourceFile = {
  /** From the root, with slashes: `src/features/auth/contract.ts`. */
  path: string
  text: string
  /** What it imports: a path from the root, or the name of a package. */
  imports: string[]
  /** Those of them that are loaded with the file; the others come later, when they are needed. */
  eagerImports: string[]
}

export const isForTests = (path: string) => /\.(test|fixture)\.tsx?$|\/testing(\/|\.ts$)/.test(path)

/** Everything that runs in production: no tests, nor what only tests use. */
export const loadSourceFiles = () => loadAllFiles().filter(({ path }) => path.startsWith('src/') && !isForTests(path))

export function loadAllFiles(): SourceFile[] {
  return globSync('{src,tests,scripts}/**/*.{ts,tsx,js}', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.endsWith('.d.ts'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      const eager = importsIn(path, text)
      const lazy = [...text.matchAll(lazyImport)].map(([, name]) => resolveImport(path, name!))
      return { path, text, imports: [...eager, ...lazy], eagerImports: eager }
    })
}

const eagerImport = /^\s*(?:(?:import|export)\b[^'"`;]*?\bfrom|import)\s*'([^']+)'/gm
const lazyImport = /\bimport\(\s*'([^']+)'/gm

/** What a file loads at once, as paths from the root or names of packages. */
export const importsIn = (path: string, text: string) =>
  [...text.matchAll(eagerImport)].map(([, name]) => resolveImport(path, name!))

function resolveImport(importer: string, name: string) {
  if (name.startsWith('#tests/')) return name.slice(1)
  if (name.startsWith('#')) return `src/${name.slice(1)}`
  return name.startsWith('.') ? join(dirname(importer), name).replaceAll('\\', '/') : name
}

export const isOurs = (imported: string) => imported.startsWith('src/')

/** `src/features/auth/server/routes.ts` lives in the room `features`. */
export const roomOf = (path: string) => path.split('/')[1]!

export const featureOf = (path: string) => (roomOf(path) === 'features' ? path.split('/')[2] : undefined)

/** Where a file may run: only in Node, only in the browser, or in both. */
export function sideOf(path: string): 'server' | 'client' | 'both' {
  if (path.startsWith('src/engines/') || path.includes('/server/')) return 'server'
  return path.startsWith('src/ui/') || path.includes('/client/') ? 'client' : 'both'
}

/** The first way round that is found, as a list of files; null when there is none. What is loaded later closes no circle. */
export function findCycle(files: SourceFile[]): string[] | null {
  const importsByPath = new Map(files.map(({ path, eagerImports }) => [path, eagerImports.filter(isOurs)]))
  const finished = new Set<string>()
  const trail: string[] = []

  function visit(path: string): string[] | null {
    if (finished.has(path)) return null
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    trail.push(path)
    for (const next of importsByPath.get(path) ?? []) {
      const cycle = visit(next)
      if (cycle) return cycle
    }
    trail.pop()
    finished.add(path)
    return null
  }

  for (const path of importsByPath.keys()) {
    const cycle = visit(path)
    if (cycle) return cycle
  }
  return null
}

/** The paths that a document names: what stands in code marks or links and looks like one. */
export function pathsNamedIn(document: string) {
  const text = readFileSync(join(root, document), 'utf8')
  const inCode = [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code!.split(/\s+/))
  const isPath = /^(\.?[\w@-]+\/)+[\w.*{},-]*$|^\.?[\w-]+(\.[\w*-]+)*\.(ts|tsx|js|json|md|sql|css|html|example)$/
  const roots = /^(src|tests|scripts|docs|public|app|features|engines|platform|ui|shared)\/|^[^/]+$/
  const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, link]) =>
    join(dirname(document), link!),
  )
  return [...inCode.filter((word) => isPath.test(word) && roots.test(word)), ...links]
}

/** True for a path from the root or from `src`, a pattern that matches something, or the bare name of a file somewhere. */
export function pathExists(path: string) {
  if (existsSync(join(root, path)) || existsSync(join(root, 'src', path))) return true
  const patterns = path.includes('/') ? [path, `src/${path}`] : [`{src,tests,scripts,docs}/**/${path}`]
  return globSync(patterns, { cwd: root }).length > 0
}
