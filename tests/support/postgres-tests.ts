import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsIn, root } from './source-files.ts'

/** Whoever takes a database for a test imports this, by itself or by way of another file. */
const theDatabase = 'tests/support/postgres.ts'

/** They need a database as they need a chair: what they are about, and what they cost, lies elsewhere. */
const onceIsEnough: Record<string, string[]> = {
  'what travels over HTTP': [
    'src/app/server/api-docs.test.ts',
    'src/app/server/pages.test.ts',
    'src/platform/server/http/answers.test.ts',
    'src/platform/server/http/large-bodies.test.ts',
    'src/platform/server/http/requests.test.ts',
    'src/platform/server/http/timeouts.test.ts',
    'src/features/sharing/server/page-faults.test.ts',
    'src/features/upload/server/connection.test.ts',
  ],
  'the bytes of pictures and films': [
    'src/features/media/server/files/derived-files.test.ts',
    'src/features/media/server/files/files.test.ts',
    'src/features/sharing/server/videos.test.ts',
  ],
  'pages of other websites': [
    'src/features/scraper/server/preview.test.ts',
    'src/features/scraper/server/preview-picture.test.ts',
    'src/features/scraper/server/see-page.test.ts',
  ],
}

/** The test files that are worth running a second time, on PostgreSQL. */
export function listPostgresTests(): string[] {
  const left = new Set(Object.values(onceIsEnough).flat())
  const gone = [...left].filter((path) => !existsSync(join(root, path)))
  if (gone.length > 0) throw new Error(`Expected test files that exist, received ${gone.join(', ')}`)
  return globSync('src/{app,features,platform}/**/server/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !left.has(path) && reaches(path, theDatabase))
}

/** What runs in production imports no tests, so the way leads through files of tests alone and is short. */
function reaches(path: string, goal: string, seen = new Set<string>()): boolean {
  if (path === goal) return true
  if (seen.has(path)) return false
  seen.add(path)
  const imported = importsIn(path, readFileSync(join(root, path), 'utf8'))
  return imported.filter((next) => next.endsWith('.ts')).some((next) => reaches(next, goal, seen))
}
