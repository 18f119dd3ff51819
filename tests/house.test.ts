import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig, settingNames } from '#platform/server/config.ts'
import { version } from '#shared/version.ts'
import { findDeniedWords } from './support/plain-words.ts'
import { listPostgresTests } from './support/postgres-tests.ts'
import {
  featureOf,
  findCycle,
  isForTests,
  isOurs,
  loadAllFiles,
  loadSourceFiles,
  pathExists,
  pathsNamedIn,
  roomOf,
  root,
  sideOf,
} from './support/source-files.ts'

const files = loadSourceFiles()
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const packageJson = JSON.parse(read('package.json'))
const { dependencies, devDependencies, optionalDependencies } = packageJson
const installed = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })

/** Every import of our own files, with both ends. */
const arrows = files.flatMap(({ path, imports }) => imports.filter(isOurs).map((to) => ({ from: path, to })))
const told = ({ from, to }: { from: string; to: string }) => `${from} imports ${to}`

/** A room may only import from the rooms below it. */
const roomsBelow: Record<string, string[]> = {
  app: ['features', 'engines', 'platform', 'ui', 'shared'],
  features: ['engines', 'platform', 'ui', 'shared'],
  engines: ['platform', 'shared'],
  platform: ['shared'],
  ui: ['shared'],
  shared: [],
}

/** All features may use `auth` and `media`; every other import between features is listed here with its reason. */
const featuresUsed: Record<string, string[]> = {
  // Conversion stores new media through the upload, and copies AI results of a picture to its WebP.
  conversion: ['upload', 'analysis'],
  // New files of an item are stored through the upload, and the AI forgets what it found in the earlier one.
  versions: ['upload', 'analysis'],
  // An upload into a collection adds the item to it in the same transaction.
  upload: ['collections'],
  // Scraped images are stored through the upload.
  scraper: ['upload'],
  // An audit reads pages and imports pictures as the scraper does, for a website with its logo and names, and its alt texts
  // are written by the AI and reviewed.
  audit: ['scraper', 'websites', 'analysis'],
  // Sample pictures are stored through the upload and described if an AI is configured; the second step is a collection.
  'first-steps': ['upload', 'analysis', 'collections'],
  // A website has presets of its own.
  websites: ['delivery'],
  // A collection belongs to the website that its company names, and begins with its branding.
  collections: ['websites'],
  // AI Rename names all images of a collection, and writes for its website.
  analysis: ['collections', 'websites'],
  // Public pages show collections with their branding, and the Embed panel copies their images.
  sharing: ['collections', 'delivery', 'websites'],
  // Synonyms among tags are found by the built-in AI.
  tags: ['analysis'],
  // Bulk actions apply these features to many items, and the history also lists changes by the AI.
  'bulk-actions': ['upload', 'collections', 'conversion', 'delivery', 'analysis', 'versions', 'tags'],
  // Importing rows validates recorded changes and presets by the contract of their feature, and checks the CSS of collections.
  // Backups from before there were websites have companies only.
  backups: ['bulk-actions', 'collections', 'delivery', 'websites'],
  // The panel shows data of these features.
  admin: ['backups', 'analysis', 'imagekit'],
}

/** May use the network without the guard of `engines/web`, since the administrator configures their addresses, not users. */
const ownClients = ['src/engines/ai/openai/', 'src/engines/ai/hub/', 'src/engines/imagekit/']

/** `process-pool.ts` passes a few variables to its children and reads none itself. */
const environmentReaders = ['src/platform/server/config.ts', 'src/platform/server/process-pool/process-pool.ts']

test('rooms import only from rooms below them', () => {
  const upward = arrows.filter(({ from, to }) => {
    const [room, other] = [roomOf(from), roomOf(to)]
    return room !== other && !roomsBelow[room]?.includes(other)
  })
  assert.deepEqual(upward.map(told), [])
})

test('features import only auth, media and the features listed for them', () => {
  const unnamed = arrows.filter(({ from, to }) => {
    const [feature, other] = [featureOf(from), featureOf(to)]
    if (!feature || !other || feature === other || other === 'auth') return false
    return feature === 'auth' || !['media', ...(featuresUsed[feature] ?? [])].includes(other)
  })
  assert.deepEqual(unnamed.map(told), [])
})

test('every allowed import between features is used', () => {
  const used = new Set(arrows.map(({ from, to }) => `${featureOf(from)} → ${featureOf(to)}`))
  const named = Object.entries(featuresUsed).flatMap(([from, to]) => to.map((other) => `${from} → ${other}`))
  assert.deepEqual(
    named.filter((arrow) => !used.has(arrow)),
    [],
  )
})

test('server code and client code do not import each other', () => {
  const crossing = arrows.filter(({ from, to }) => sideOf(to) !== 'both' && sideOf(to) !== sideOf(from))
  assert.deepEqual(crossing.map(told), [])
  const components = arrows.filter(({ from, to }) => sideOf(from) === 'server' && to.endsWith('.tsx'))
  assert.deepEqual(components.map(told), [])
})

test('client code and shared code import no Node modules', () => {
  const uses = files
    .filter(({ path }) => sideOf(path) !== 'server')
    .flatMap(({ path, imports }) =>
      imports.filter((name) => name.startsWith('node:')).map((to) => ({ from: path, to })),
    )
  assert.deepEqual(uses.map(told), [])
})

test('imports resolve to existing files, and not to tests', () => {
  const lost = arrows.filter(({ to }) => !pathExists(to) || isForTests(to))
  assert.deepEqual(lost.map(told), [])
  const toTests = files.filter(({ imports }) => imports.some((name) => name.startsWith('tests/')))
  assert.deepEqual(
    toTests.map(({ path }) => path),
    [],
  )
})

test('there are no circular imports', () => {
  assert.equal(findCycle(files)?.join('\n → '), undefined)
})

test('every export is used by another file', () => {
  const all = loadAllFiles()
  const importers = new Map<string, string[]>()
  for (const { text, imports } of all) {
    for (const path of imports) importers.set(path, [...(importers.get(path) ?? []), text])
  }
  const exported = /^export (?:async )?(?:const|let|function\*?|class|type|interface|enum) (\w+)/gm
  const unused = all.flatMap(({ path, text }) =>
    [...text.matchAll(exported)]
      .filter(([, name]) => !importers.get(path)?.some((other) => new RegExp(`\\b${name}\\b`).test(other)))
      .map(([, name]) => `${path} exports ${name}`),
  )
  assert.deepEqual(unused, [])
})

test('only the configuration reads the environment', () => {
  const readers = files.filter(({ text }) => /\bprocess\.env\b/.test(text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')))
  assert.deepEqual(
    readers.map(({ path }) => path),
    environmentReaders,
  )
})

test('the server uses the network only through the guarded client', () => {
  const callsOut =
    /(?<![.\w])(fetch|WebSocket|EventSource)\(|globalThis\.fetch|^import (?!type)[^']*'(node:)?(https?2?|tls|dgram)'/m
  // `node:net` reads addresses too.
  const opensSockets = /^import (?!type)(?!{( |,|type \w+|isIP(v\d)?\b)+})[^']*'(node:)?net'/m
  const leaving = files
    .filter(({ path }) => sideOf(path) === 'server' && !path.startsWith('src/engines/web/'))
    .filter(({ text, imports }) => imports.includes('undici') || callsOut.test(text) || opensSockets.test(text))
    .map(({ path }) => path)
  assert.deepEqual(
    leaving.filter((path) => !ownClients.some((folder) => path.startsWith(folder))),
    [],
  )
})

test('file URLs are converted by fileURLToPath, so that folders with spaces work', () => {
  const encoded = globSync('{src,scripts,tests}/**/*.{ts,tsx,js}', { cwd: root }).filter((path) =>
    /import\.meta\.url\)\.pathname/.test(read(path)),
  )
  assert.deepEqual(encoded, [])
})

test('no source file is longer than 400 lines', () => {
  const long = globSync('src/**/*.{ts,tsx,css,sql}', { cwd: root })
    // Tests may be longer.
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => ({ path, lines: read(path).split('\n').length - 1 }))
    .filter(({ lines }) => lines > 400)
  assert.deepEqual(long, [])
})

const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root })

test('every button has a tabIndex: see [Note: Buttons in Safari]', () => {
  const without = globSync('src/**/*.tsx', { cwd: root }).filter((path) =>
    [...read(path).matchAll(/<button\s(.*?)\n? *>\n/gs)].some(([, attributes]) => !attributes!.includes('tabIndex')),
  )
  assert.deepEqual(without, [])
})

test('documents refer to no document outside the repository', () => {
  const papers = /\bthe sheet\b|security sheet|the design named|\bthe specification\b|\bas specified\b|specified words/i
  assert.deepEqual(
    documents.filter((document) => papers.test(read(document))),
    [],
  )
})

test('documents name only paths that exist', () => {
  const missing = documents.flatMap((document) =>
    pathsNamedIn(document)
      .filter((path) => !pathExists(path) && !installed.includes(path))
      .map((path) => `${document} names ${path}`),
  )
  assert.deepEqual(missing, [])
})

test('every decision record has a number of its own, which is also in its title', () => {
  const paths = globSync('docs/decisions/*.md', { cwd: root }).sort()
  const numbers = paths.map((path) => path.slice('docs/decisions/'.length).split('-')[0]!)
  assert.deepEqual(numbers, [...new Set(numbers)])
  assert.deepEqual(
    paths.map((path) => read(path).split(' ')[1]),
    numbers,
  )
})

test('docs/dependencies.md has one line for each dependency, and for nothing else', () => {
  const explained = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \|.+\|.+\|$/gm)].map(([, name]) => name!)
  assert.deepEqual(explained.sort(), installed.toSorted())
})

test('.env.example lists every existing setting with a comment', () => {
  const lines = read('.env.example').split('\n')
  const listed = lines.flatMap((line) => /^#?([A-Z][A-Z0-9_]+)=/.exec(line)?.[1] ?? [])
  assert.deepEqual(listed.sort(), settingNames.toSorted())
  lines.forEach((line, index) => {
    if (/^#?[A-Z][A-Z0-9_]+=/.test(line)) assert.match(lines[index - 1] ?? '', /^# \S/, `${line} has no comment`)
  })
})

test('README.md lists every existing setting once', () => {
  const names = [...read('README.md').matchAll(/^\| (`[A-Z].*?`) \|/gm)].flatMap(([, cell]) => cell!.split(', '))
  assert.deepEqual(names.map((name) => name.replaceAll('`', '')).sort(), settingNames.toSorted())
})

test('the defaults in README.md and .env.example match the configuration', () => {
  // Some settings have an effect only with these.
  const others = {
    S3_BUCKET: 'albumen',
    AI_BASE_URL: 'http://localhost/v1',
    AI_MODEL: 'any',
    IMAGEKIT_PRIVATE_KEY: 'any',
    IMAGEKIT_URL_ENDPOINT: 'https://example.com',
  }
  const examples = new Map(
    [...read('.env.example').matchAll(/^#([A-Z0-9_]+)=(.+)$/gm)].map(([, ...pair]) => pair as [string, string]),
  )
  const rows = [...read('README.md').matchAll(/^\| `([A-Z0-9_]+)` \| ([^|]+) \|/gm)]
  const told = rows.map(([, name, value]) => ({ name: name!, value: value!.replace('`DATA_DIR`', './data') }))
  // The other defaults are described in words.
  const defaults = told.filter(({ value }) => /^[\w./-]+$/.test(value) && value !== 'none')
  assert.ok(defaults.length > 10)
  for (const { name, value } of defaults) {
    assert.deepEqual(loadConfig({ ...others, [name]: value }), loadConfig(others), `${name} in README.md`)
    assert.equal(examples.get(name), value, `${name} in .env.example`)
  }
})

test('CONTRIBUTING.md has a line for every command', () => {
  const told = [...read('CONTRIBUTING.md').matchAll(/^\| `npm (?:run )?([\w:-]+)` \|/gm)].map(([, name]) => name!)
  const commands = Object.keys(packageJson.scripts).filter((name) => !name.startsWith('pre'))
  assert.deepEqual(told.sort(), commands.sort())
})

test('every note has one definition, and every reference to a note resolves', () => {
  const found = files.flatMap(({ text }) => [...text.matchAll(/(see )?\[Note: ([^\]]+)\]/gi)])
  const titles = (isPointer: boolean) =>
    found.filter(([, see]) => Boolean(see) === isPointer).map(([, , title]) => title!)
  const written = titles(false)
  assert.deepEqual(
    written.filter((title, index) => written.indexOf(title) !== index),
    [],
  )
  assert.deepEqual(
    titles(true).filter((title) => !written.includes(title)),
    [],
  )
})

test('package.json and the source have the same version', () => {
  assert.equal(packageJson.version, version)
})

test('the PostgreSQL run includes the tests that use a database, directly or through another file', () => {
  const chosen = new Set(listPostgresTests())
  const isChosen = (path: string) => chosen.has(`src/${path}`)
  assert.ok(isChosen('platform/server/db/migrate.test.ts'))
  assert.ok(isChosen('features/imagekit/server/privacy.test.ts'), 'through its fixture')
  assert.ok(!isChosen('features/collections/server/custom-css.test.ts'), 'uses no database')
  assert.ok(!isChosen('platform/server/http/connection-limits.test.ts'), 'SQLite is enough')
})

test('names, comments, messages and documents use no archaic words', () => {
  assert.deepEqual(findDeniedWords(), [])
})
