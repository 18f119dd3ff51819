import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsIn, root } from './source-files.ts'

/** Every test that uses a database imports this file, directly or through others. */
const databaseFile = 'tests/support/postgres.ts'

/** These tests use a database but are not about one, so running them on SQLite is enough. */
const sqliteOnly: Record<string, string[]> = {
  'HTTP itself': [
    'src/app/server/api-docs.test.ts',
    'src/app/server/pages.test.ts',
    'src/platform/server/http/connection-limits.test.ts',
    'src/platform/server/http/large-bodies.test.ts',
    'src/platform/server/http/requests.test.ts',
    'src/platform/server/http/responses.test.ts',
    'src/features/sharing/server/page-errors.test.ts',
    'src/features/upload/server/connection.test.ts',
  ],
  'the bytes of images and videos': [
    'src/features/media/server/files/derived-files.test.ts',
    'src/features/media/server/files/files.test.ts',
    'src/features/sharing/server/videos.test.ts',
  ],
  'pages of other websites': [
    'src/features/scraper/server/preview.test.ts',
    'src/features/scraper/server/preview-picture.test.ts',
    'src/features/scraper/server/find-page-images.test.ts',
  ],
}

/** The test files that are also run on PostgreSQL. */
export function listPostgresTests(): string[] {
  const excluded = new Set(Object.values(sqliteOnly).flat())
  const missing = [...excluded].filter((path) => !existsSync(join(root, path)))
  if (missing.length > 0) throw new Error(`Expected test files that exist, received ${missing.join(', ')}`)
  return globSync('src/{app,features,platform}/**/server/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !excluded.has(path) && reaches(path, databaseFile))
}

/** Follows imports; production code imports no tests, so only a few test files are visited. */
function reaches(path: string, target: string, visited = new Set<string>()): boolean {
  if (path === target) return true
  if (visited.has(path)) return false
  visited.add(path)
  const imported = importsIn(path, readFileSync(join(root, path), 'utf8'))
  return imported.filter((next) => next.endsWith('.ts')).some((next) => reaches(next, target, visited))
}
