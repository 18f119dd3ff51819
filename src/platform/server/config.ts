import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { isProgram } from './programs.ts'

/** A setting that makes no sense; the start stops with this one line. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

const text = z.string().trim().min(1)
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address', abort: true })
const noDatabase = 'must be a postgres:// address; write characters such as # / ? @ in the password as %23 %2F %3F %40'
/** The product answers at the top of its host: an address below it would make every link a dead one. */
const topUrl = httpUrl.refine(isTop, 'must be an address without a path, such as https://photos.example.com')
/** A key, and what is signed with it, would be anybody's who listens on the way. */
const secureUrl = httpUrl.refine(isSecure, 'must be an https address')
/** Only a shell knows whose home ~ is, and what a variable holds: elsewhere it would be a folder of that name. */
const folder = text.refine((path) => !/^(~|\$[A-Z{])/.test(path), 'must be a full path without ~ or $')
const program = text.refine(isProgram, { error: 'must be the path of an existing program', abort: true })
const onOff = z
  .enum(['0', '1', 'true', 'false'], { error: 'must be 1 or 0' })
  .transform((value) => value === '1' || value === 'true')
const commaList = z.string().transform((value) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean),
)

const portNumber = z.coerce
  .number('must be a port number')
  .int('must be a port number')
  .min(0, 'must be a port number')
  .max(65_535, 'must be a port number')
const amount = z.coerce.number('must be a number').positive('must be more than 0')
const seconds = amount.max(86_400, 'must be at most 86400, which is a day')
const count = z.coerce.number('must be a whole number').int('must be a whole number').min(0, 'must not be negative')

const Environment = z.object({
  ROLE: z.enum(['both', 'web', 'worker'], { error: 'must be both, web or worker' }).default('both'),
  PORT: portNumber.default(3000),
  HOST: text.default('127.0.0.1'),
  DATA_DIR: folder.default('./data'),
  PUBLIC_URL: topUrl.optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: noDatabase }).optional(),
  S3_BUCKET: text.optional(),
  S3_REGION: text.default('us-east-1'),
  S3_ENDPOINT: httpUrl.optional(),
  S3_ACCESS_KEY_ID: text.optional(),
  S3_SECRET_ACCESS_KEY: text.optional(),
  S3_PREFIX: z.string().trim().default(''),
  S3_FORCE_PATH_STYLE: onOff.default(false),
  REGISTRATION: z.enum(['open', 'closed'], { error: 'must be open or closed' }).default('open'),
  QUOTA_GB: amount.max(1_000_000, 'must be at most 1000000').default(10),
  AI_BASE_URL: httpUrl.optional(),
  AI_API_KEY: text.optional(),
  AI_MODEL: text.optional(),
  AI_TIMEOUT_SECONDS: seconds.default(30),
  AI_MONTHLY_LIMIT: count.optional(),
  AI_MONTHLY_LIMIT_PER_USER: count.optional(),
  AI_LOCAL: onOff.default(true),
  AI_MODELS_DIR: folder.optional(),
  IMAGEKIT_PRIVATE_KEY: text.optional(),
  IMAGEKIT_URL_ENDPOINT: secureUrl.optional(),
  IMAGEKIT_API_URL: secureUrl.optional(),
  IMAGEKIT_UPLOAD_URL: secureUrl.optional(),
  IMAGEKIT_TIMEOUT_SECONDS: seconds.default(30),
  BACKUP_DIR: folder.optional(),
  SCRAPER_ALLOW_HOSTS: commaList
    .refine((entries) => entries.every(isHostAndPort), 'must be a list of host:port pairs such as nas.home:8080')
    .default([]),
  SCRAPER_RENDER: onOff.default(false),
  CHROMIUM_PATH: program.optional(),
  TRUST_PROXY: commaList
    .refine((entries) => entries.every(isNetwork), 'must be a list of addresses or networks such as 10.0.0.0/8')
    .default([]),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be a level such as info or warn',
    })
    .default('info'),
})

type Settings = z.infer<typeof Environment>
export type SettingName = keyof Settings
export const settingNames: readonly string[] = Object.keys(Environment.shape)

export type Config = ReturnType<typeof loadConfig>

/**
 * [Note: One reader of the environment] Parsed once, before anything else starts; no other file reads settings from
 * `process.env`. `env-file.ts` puts those of `.env` there, and the pool of child processes hands a few variables on.
 */
export function loadConfig(
  environment: Record<string, string | undefined> = process.env,
  fromArguments: Record<string, string> = {},
) {
  const all = { ...environment, ...fromArguments }
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value?.trim()))
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!
    const name = String(path[0])
    throw new ConfigError(`${name} ${message}${mayHoldSecret.test(name) ? '' : ` (received "${given[name]}")`}`)
  }
  const env = parsed.data
  requireTogether(env, 'an AI endpoint', 'AI_BASE_URL', 'AI_MODEL')
  if (env.AI_API_KEY && !env.AI_BASE_URL) {
    throw new ConfigError('AI_BASE_URL is missing: AI_API_KEY is the key of an endpoint')
  }
  requireTogether(env, 'ImageKit', 'IMAGEKIT_PRIVATE_KEY', 'IMAGEKIT_URL_ENDPOINT')
  requireTogether(env, 'S3', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY')
  if (!env.S3_BUCKET && (env.S3_ENDPOINT || env.S3_ACCESS_KEY_ID)) {
    throw new ConfigError('S3_BUCKET is missing: without it the files stay on the local disk')
  }
  if (env.ROLE !== 'both' && !env.DATABASE_URL) {
    throw new ConfigError(`ROLE=${env.ROLE} needs DATABASE_URL: on SQLite one process does everything`)
  }
  const dataDir = resolve(env.DATA_DIR)
  if (!env.DATABASE_URL && Buffer.byteLength(dataDir) > longestDataDir) {
    throw new ConfigError(
      `DATA_DIR must be at most ${longestDataDir} bytes long on SQLite, which opens no longer paths (received ${Buffer.byteLength(dataDir)})`,
    )
  }
  return {
    role: env.ROLE,
    port: env.PORT,
    host: env.HOST,
    dataDir,
    // As browsers write it, whose Host and Origin are compared with it: in small letters, without the usual port.
    publicUrl: env.PUBLIC_URL && new URL(env.PUBLIC_URL).origin,
    databaseUrl: env.DATABASE_URL,
    s3: env.S3_BUCKET
      ? {
          bucket: env.S3_BUCKET,
          region: env.S3_REGION,
          endpoint: env.S3_ENDPOINT,
          accessKeyId: env.S3_ACCESS_KEY_ID,
          secretAccessKey: env.S3_SECRET_ACCESS_KEY,
          prefix: env.S3_PREFIX,
          forcePathStyle: env.S3_FORCE_PATH_STYLE,
        }
      : undefined,
    isRegistrationOpen: env.REGISTRATION === 'open',
    quotaBytes: Math.floor(env.QUOTA_GB * 1024 ** 3),
    ai: {
      isLocalOn: env.AI_LOCAL,
      modelsDir: resolve(env.AI_MODELS_DIR ?? `${dataDir}/models`),
      monthlyLimit: { server: env.AI_MONTHLY_LIMIT, perUser: env.AI_MONTHLY_LIMIT_PER_USER },
      endpoint:
        env.AI_BASE_URL && env.AI_MODEL
          ? {
              baseUrl: env.AI_BASE_URL,
              apiKey: env.AI_API_KEY,
              model: env.AI_MODEL,
              timeoutMs: env.AI_TIMEOUT_SECONDS * 1000,
            }
          : undefined,
    },
    imageKit:
      env.IMAGEKIT_PRIVATE_KEY && env.IMAGEKIT_URL_ENDPOINT
        ? {
            privateKey: env.IMAGEKIT_PRIVATE_KEY,
            urlEndpoint: env.IMAGEKIT_URL_ENDPOINT.replace(/\/+$/, ''),
            apiUrl: env.IMAGEKIT_API_URL,
            uploadUrl: env.IMAGEKIT_UPLOAD_URL,
            timeoutMs: env.IMAGEKIT_TIMEOUT_SECONDS * 1000,
          }
        : undefined,
    backupDir: resolve(env.BACKUP_DIR ?? `${dataDir}/backups`),
    scraper: {
      allowHosts: env.SCRAPER_ALLOW_HOSTS,
      isRenderingOn: env.SCRAPER_RENDER,
      chromiumPath: env.CHROMIUM_PATH,
    },
    trustProxy: env.TRUST_PROXY,
    logLevel: env.LOG_LEVEL,
  }
}

/** SQLite takes 504, with the name of a file; of one that it cannot open it would not say why. */
const longestDataDir = 490

/** Addresses may carry a password, and what stops the start ends up in logs. */
const mayHoldSecret = /KEY|SECRET|URL|ENDPOINT/

function requireTogether(env: Settings, what: string, one: keyof Settings, other: keyof Settings) {
  if (Boolean(env[one]) === Boolean(env[other])) return
  throw new ConfigError(`${env[one] ? other : one} is missing: ${what} needs both ${one} and ${other}`)
}

function isTop(address: string) {
  const { pathname, search, hash } = new URL(address)
  return /^\/*$/.test(pathname) && !search && !hash
}

/** Or one that never leaves this machine. */
function isSecure(address: string) {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** With the port, so that letting in one service of a machine does not let in the others. */
function isHostAndPort(entry: string) {
  return /^[^\s/\\?#@*]+:[1-9]\d{0,4}$/.test(entry) && URL.canParse(`http://${entry}`)
}

/** An address, a network in CIDR form, or one of the names that stand for the usual private networks. */
function isNetwork(entry: string) {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true
  const [address = '', bits = '0', ...rest] = entry.split('/')
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!
  return rest.length === 0 && /^\d+$/.test(bits) && Number(bits) <= longest
}
