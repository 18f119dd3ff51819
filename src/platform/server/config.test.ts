import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { ConfigError, loadConfig, settingsFromArguments } from './config.ts'

test('the defaults are this machine, this folder, SQLite, open registration and 10 GB', () => {
  const config = loadConfig({})
  assert.deepEqual(
    [config.port, config.host, config.dataDir, config.databaseUrl, config.s3, config.publicUrl],
    [3000, '127.0.0.1', resolve('data'), undefined, undefined, undefined],
  )
  assert.deepEqual([config.isRegistrationOpen, config.quotaBytes, config.logLevel], [true, 10 * 1024 ** 3, 'info'])
  assert.deepEqual([config.trustProxy, config.scraper.allowHosts], [[], []])
  assert.equal(config.backupDir, resolve('data/backups'))
  assert.equal(config.role, 'both')
})

test('with PostgreSQL, ROLE may be both, web or worker', () => {
  for (const ROLE of ['both', 'web', 'worker'])
    assert.equal(loadConfig({ ROLE, DATABASE_URL: 'postgres://host/albumen' }).role, ROLE)
})

test('arguments after `npm start --` override the environment, and an unknown one is an error', () => {
  const settings = { ROLE: 'web', DATABASE_URL: 'postgres://host/albumen' }
  assert.equal(loadConfig(settings, settingsFromArguments(['--role=worker'])).role, 'worker')
  assert.equal(loadConfig(settings, settingsFromArguments([])).role, 'web')
  const message = '"--rôle=web" is not understood: only --role=web, --role=worker and --role=both can be given'
  assert.throws(() => settingsFromArguments(['--rôle=web']), new ConfigError(message))
})

test('an empty setting counts as unset', () => {
  const config = loadConfig({ PORT: '', DATABASE_URL: '  ', TRUST_PROXY: '', AI_MODEL: '' })
  assert.deepEqual([config.port, config.databaseUrl, config.trustProxy], [3000, undefined, []])
})

test('settings are parsed into numbers, paths, lists and booleans', () => {
  const config = loadConfig({
    PORT: '8080',
    DATA_DIR: '/srv/albumen',
    PUBLIC_URL: 'https://photos.example//',
    REGISTRATION: 'closed',
    QUOTA_GB: '0.5',
    TRUST_PROXY: 'loopback, 10.0.0.0/8 ,2001:db8::/32',
    SCRAPER_ALLOW_HOSTS: 'nas.home:8080, [fd00::5]:80,',
    AI_BASE_URL: 'http://localhost:1234/v1',
    AI_MODEL: 'llava',
    AI_TIMEOUT_SECONDS: '2.5',
    AI_LOCAL: '0',
  })
  assert.deepEqual([config.port, config.dataDir, config.publicUrl], [8080, '/srv/albumen', 'https://photos.example'])
  assert.deepEqual([config.isRegistrationOpen, config.quotaBytes], [false, 512 * 1024 ** 2])
  assert.deepEqual(config.trustProxy, ['loopback', '10.0.0.0/8', '2001:db8::/32'])
  assert.deepEqual(config.scraper.allowHosts, ['nas.home:8080', '[fd00::5]:80'])
  assert.deepEqual(config.ai.endpoint, {
    baseUrl: 'http://localhost:1234/v1',
    apiKey: undefined,
    model: 'llava',
    timeoutMs: 2500,
  })
  assert.equal(config.ai.isLocalOn, false)
  assert.equal(config.ai.modelsDir, '/srv/albumen/models')
})

test('PUBLIC_URL is normalized as browsers do', () => {
  const written = {
    'HTTPS://Photos.Example': 'https://photos.example',
    'https://photos.example:443/': 'https://photos.example',
    'http://photos.example:8080?': 'http://photos.example:8080',
    'https://bücher.example': 'https://xn--bcher-kva.example',
  }
  for (const [PUBLIC_URL, address] of Object.entries(written))
    assert.equal(loadConfig({ PUBLIC_URL }).publicUrl, address)
})

const wrong: [Record<string, string>, string][] = [
  [{ PORT: 'eighty' }, 'PORT must be a port number (received "eighty")'],
  [{ PORT: '-1' }, 'PORT must be a port number (received "-1")'],
  [{ PORT: '1.5' }, 'PORT must be a port number (received "1.5")'],
  [{ PORT: '65536' }, 'PORT must be a port number (received "65536")'],
  ...['DATA_DIR', 'BACKUP_DIR', 'AI_MODELS_DIR'].flatMap((name) =>
    ['~/albumen', '~ann/albumen', '$HOME/albumen'].map((path): [Record<string, string>, string] => [
      { [name]: path },
      `${name} must be a full path without ~ or $ (received "${path}")`,
    ]),
  ),
  [{ PUBLIC_URL: 'photos.example' }, 'PUBLIC_URL must be an http or https address'],
  ...['https://photos.example/albumen', 'https://photos.example/?a=1', 'https://photos.example/#a'].map(
    (PUBLIC_URL): [Record<string, string>, string] => [
      { PUBLIC_URL },
      'PUBLIC_URL must be an address without a path, such as https://photos.example.com',
    ],
  ),
  ...['mysql://ann:secret@host/x', 'postgres://ann:se#cret@host/x', 'postgres://ann:se/cret@host/x'].map(
    (DATABASE_URL): [Record<string, string>, string] => [
      { DATABASE_URL },
      'DATABASE_URL must be a postgres:// address; write characters such as # / ? @ in the password as %23 %2F %3F %40',
    ],
  ),
  [{ REGISTRATION: 'no' }, 'REGISTRATION must be open or closed (received "no")'],
  [{ QUOTA_GB: '0' }, 'QUOTA_GB must be more than 0 (received "0")'],
  [{ QUOTA_GB: '1e300' }, 'QUOTA_GB must be at most 1000000 (received "1e300")'],
  [{ AI_TIMEOUT_SECONDS: '2147484' }, 'AI_TIMEOUT_SECONDS must be at most 86400, which is a day (received "2147484")'],
  [{ AI_LANGUAGE: 'german' }, 'AI_LANGUAGE must be a language tag such as en, de or pt-BR (received "german")'],
  [{ AI_API_KEY: 'secret' }, 'AI_BASE_URL is missing: AI_API_KEY is the key of an endpoint'],
  [{ QUOTA_GB: 'much' }, 'QUOTA_GB must be a number (received "much")'],
  [{ AI_MONTHLY_LIMIT: '-1' }, 'AI_MONTHLY_LIMIT must not be negative (received "-1")'],
  [{ AI_LOCAL: 'perhaps' }, 'AI_LOCAL must be 1 or 0 (received "perhaps")'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be a level such as info or warn (received "loud")'],
  [{ TRUST_PROXY: '1' }, 'TRUST_PROXY must be a list of addresses or networks such as 10.0.0.0/8 (received "1")'],
  [
    { TRUST_PROXY: '10.0.0.0/33' },
    'TRUST_PROXY must be a list of addresses or networks such as 10.0.0.0/8 (received "10.0.0.0/33")',
  ],
  [
    { SCRAPER_ALLOW_HOSTS: 'nas.home:80,10.0.0.7' },
    'SCRAPER_ALLOW_HOSTS must be a list of host:port pairs such as nas.home:8080 (received "nas.home:80,10.0.0.7")',
  ],
  ...[
    '*:80',
    'nas.home',
    'nas.home:0',
    'nas.home:99999',
    'http://nas.home:80',
    'nas?x:80',
    'ann@nas:80',
    'nas:80/',
  ].map((entry): [Record<string, string>, string] => [
    { SCRAPER_ALLOW_HOSTS: entry },
    `SCRAPER_ALLOW_HOSTS must be a list of host:port pairs such as nas.home:8080 (received "${entry}")`,
  ]),
  [{ AI_MODEL: 'llava' }, 'AI_BASE_URL is missing: an AI endpoint needs both AI_BASE_URL and AI_MODEL'],
  [{ AI_BASE_URL: 'http://x' }, 'AI_MODEL is missing: an AI endpoint needs both AI_BASE_URL and AI_MODEL'],
  ...['http://ik.imagekit.io/ann', 'http://127.0.0.1.example/'].map(
    (IMAGEKIT_URL_ENDPOINT): [Record<string, string>, string] => [
      { IMAGEKIT_PRIVATE_KEY: 'secret', IMAGEKIT_URL_ENDPOINT },
      'IMAGEKIT_URL_ENDPOINT must be an https address',
    ],
  ),
  [{ IMAGEKIT_API_URL: 'http://api.imagekit.io' }, 'IMAGEKIT_API_URL must be an https address'],
  [{ IMAGEKIT_UPLOAD_URL: 'http://upload.imagekit.io' }, 'IMAGEKIT_UPLOAD_URL must be an https address'],
  [
    { IMAGEKIT_PRIVATE_KEY: 'secret' },
    'IMAGEKIT_URL_ENDPOINT is missing: ImageKit needs both IMAGEKIT_PRIVATE_KEY and IMAGEKIT_URL_ENDPOINT',
  ],
  [
    { S3_BUCKET: 'photos', S3_ACCESS_KEY_ID: 'secret' },
    'S3_SECRET_ACCESS_KEY is missing: S3 needs both S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY',
  ],
  ...['/nowhere/program', 'package.json', '/'].map((path): [Record<string, string>, string] => [
    { CHROMIUM_PATH: path },
    `CHROMIUM_PATH must be the path of an existing program (received "${path}")`,
  ]),
  [{ ROLE: 'web,worker' }, 'ROLE must be both, web or worker (received "web,worker")'],
  [{ ROLE: 'worker' }, 'ROLE=worker needs DATABASE_URL: on SQLite one process does everything'],
  [{ S3_ENDPOINT: 'http://minio:9000' }, 'S3_BUCKET is missing: without it the files stay on the local disk'],
]

test('an invalid setting is reported in one line, with its value unless it may be a secret', () => {
  for (const [settings, line] of wrong) {
    assert.throws(
      () => loadConfig(settings),
      (error: Error) => {
        assert.ok(error instanceof ConfigError)
        assert.equal(error.message, line)
        assert.doesNotMatch(error.message, /secret\b|\n/)
        return true
      },
    )
  }
})
