import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { canonicalLanguage } from '#shared/languages.ts'
import { isProgram } from './programs.ts'

/** An invalid setting; its one-line message is printed when the start fails. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

const text = z.string().trim().min(1)
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address', abort: true })
const invalidDatabaseUrl =
  'must be a postgres:// address; write characters such as # / ? @ in the password as %23 %2F %3F %40'
/** The server's routes start at the root of its host, so an address with a path would break every link. */
const originUrl = httpUrl.refine(isOriginOnly, 'must be an address without a path, such as https://photos.example.com')
/** Over plain http, a network observer could read the key and the signed addresses. */
const secureUrl = httpUrl.refine(isSecure, 'must be an https address')
/** Only a shell expands ~ and variables; without one, a folder of that literal name would be created. */
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
  PUBLIC_URL: originUrl.optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: invalidDatabaseUrl }).optional(),
  S3_BUCKET: text.optional(),
  S3_REGION: text.default('us-east-1'),
  S3_ENDPOINT: httpUrl.optional(),
  S3_ACCESS_KEY_ID: text.optional(),
  S3_SECRET_ACCESS_KEY: text.optional(),
  S3_PREFIX: z.string().trim().default(''),
  S3_FORCE_PATH_STYLE: onOff.default(false),
  REGISTRATION: z.enum(['open', 'closed'], { error: 'must be open or closed' }).default('open'),
  DERIVED_GB: amount.max(1_000_000, 'must be at most 1000000').default(20),
  QUOTA_GB: amount.max(1_000_000, 'must be at most 1000000').default(10),
  AI_BASE_URL: httpUrl.optional(),
  AI_API_KEY: text.optional(),
  AI_MODEL: text.optional(),
  AI_TIMEOUT_SECONDS: seconds.default(30),
  AI_MONTHLY_LIMIT: count.optional(),
  AI_MONTHLY_LIMIT_PER_USER: count.optional(),
  AI_LOCAL: onOff.default(true),
  AI_LANGUAGE: text.transform(asLanguage).default('en'),
  AI_MODELS_DIR: folder.optional(),
  AI_HUB_URL: httpUrl.default('https://huggingface.co'),
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
 * [Note: One reader of the environment] Settings are parsed once, before anything else starts; no other file reads them
 * from `process.env`. `env-file.ts` adds those of `.env`, and the process pool passes a few variables to its children.
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
  if (!env.DATABASE_URL && Buffer.byteLength(dataDir) > maxDataDirBytes) {
    throw new ConfigError(
      `DATA_DIR must be at most ${maxDataDirBytes} bytes long on SQLite, which opens no longer paths (received ${Buffer.byteLength(dataDir)})`,
    )
  }
  return {
    role: env.ROLE,
    port: env.PORT,
    host: env.HOST,
    dataDir,
    // Normalized as browsers do (lower case, no default port), since it is compared with Host and Origin headers.
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
    derivedBytes: Math.floor(env.DERIVED_GB * 1024 ** 3),
    quotaBytes: Math.floor(env.QUOTA_GB * 1024 ** 3),
    ai: {
      isLocalOn: env.AI_LOCAL,
      language: env.AI_LANGUAGE,
      hubUrl: env.AI_HUB_URL,
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

/** The arguments after `npm start --` as settings, which take precedence over the environment. */
export function settingsFromArguments(args: string[]): Record<string, string> {
  try {
    const { role } = parseArgs({ args, options: { role: { type: 'string' } } }).values
    return role === undefined ? {} : { ROLE: role }
  } catch {
    throw new ConfigError(
      `"${args.join(' ')}" is not understood: only --role=web, --role=worker and --role=both can be given`,
    )
  }
}

/** SQLite opens paths of up to 504 bytes including the file's name, and gives no reason when it fails. */
const maxDataDirBytes = 490

/** URLs may contain a password, and error messages end up in logs. */
const mayHoldSecret = /KEY|SECRET|URL|ENDPOINT/

function requireTogether(env: Settings, what: string, one: keyof Settings, other: keyof Settings) {
  if (Boolean(env[one]) === Boolean(env[other])) return
  throw new ConfigError(`${env[one] ? other : one} is missing: ${what} needs both ${one} and ${other}`)
}

function asLanguage(tag: string, context: z.RefinementCtx) {
  const language = canonicalLanguage(tag)
  if (language) return language
  context.addIssue({ code: 'custom', message: 'must be a language tag such as en, de or pt-BR' })
  return z.NEVER
}

function isOriginOnly(address: string) {
  const { pathname, search, hash } = new URL(address)
  return /^\/*$/.test(pathname) && !search && !hash
}

/** An address on this machine is accepted without https. */
function isSecure(address: string) {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** The port is required, so that allowing one service of a host does not allow its others. */
function isHostAndPort(entry: string) {
  return /^[^\s/\\?#@*]+:[1-9]\d{0,4}$/.test(entry) && URL.canParse(`http://${entry}`)
}

/** An address, a network in CIDR notation, or a name that proxy-addr defines for private networks. */
function isNetwork(entry: string) {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true
  const [address = '', bits = '0', ...rest] = entry.split('/')
  const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!
  return rest.length === 0 && /^\d+$/.test(bits) && Number(bits) <= maxBits
}
