import { resolve } from 'node:path'
import { z } from 'zod'

/** A setting that makes no sense; the start stops with this one line. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

const text = z.string().trim().min(1)
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })
const onOff = z
  .enum(['0', '1', 'true', 'false'], { error: 'must be 1 or 0' })
  .transform((value) => value === '1' || value === 'true')
const commaList = z.string().transform((value) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean),
)

const Environment = z.object({
  PORT: z.coerce
    .number({ error: 'must be a port number' })
    .int()
    .min(0)
    .max(65_535, 'must be a port number')
    .default(3000),
  HOST: text.default('127.0.0.1'),
  DATA_DIR: text.default('./data'),
  PUBLIC_URL: httpUrl.optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' }).optional(),
  S3_BUCKET: text.optional(),
  S3_REGION: text.default('us-east-1'),
  S3_ENDPOINT: httpUrl.optional(),
  S3_ACCESS_KEY_ID: text.optional(),
  S3_SECRET_ACCESS_KEY: text.optional(),
  S3_PREFIX: z.string().trim().default(''),
  S3_FORCE_PATH_STYLE: onOff.default(false),
  REGISTRATION: z.enum(['open', 'closed'], { error: 'must be open or closed' }).default('open'),
  QUOTA_GB: z.coerce.number({ error: 'must be a number' }).positive('must be more than 0').default(10),
  AI_BASE_URL: httpUrl.optional(),
  AI_API_KEY: text.optional(),
  AI_MODEL: text.optional(),
  AI_TIMEOUT_SECONDS: z.coerce.number({ error: 'must be a number' }).positive('must be more than 0').default(30),
  AI_MONTHLY_LIMIT: z.coerce.number({ error: 'must be a whole number' }).int().min(0).optional(),
  AI_LOCAL: onOff.default(true),
  AI_MODELS_DIR: text.optional(),
  IMAGEKIT_PRIVATE_KEY: text.optional(),
  IMAGEKIT_URL_ENDPOINT: httpUrl.optional(),
  IMAGEKIT_API_URL: httpUrl.optional(),
  IMAGEKIT_UPLOAD_URL: httpUrl.optional(),
  BACKUP_DIR: text.optional(),
  SCRAPER_ALLOW_HOSTS: commaList.default([]),
  SCRAPER_RENDER: onOff.default(false),
  FFMPEG_PATH: text.optional(),
  TRUST_PROXY: commaList.default([]),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be a level such as info or warn',
    })
    .default('info'),
})

export type Config = ReturnType<typeof loadConfig>

/** [Note: One reader of the environment] Parsed once, before anything else starts; no other file reads `process.env`. */
export function loadConfig(environment: Record<string, string | undefined>) {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()))
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!
    throw new ConfigError(`${path.join('.')} ${message} (received "${given[String(path[0])]}")`)
  }
  const env = parsed.data
  if (Boolean(env.AI_BASE_URL) !== Boolean(env.AI_MODEL)) {
    throw new ConfigError(
      `${env.AI_BASE_URL ? 'AI_MODEL' : 'AI_BASE_URL'} is missing: an AI endpoint needs both AI_BASE_URL and AI_MODEL`,
    )
  }
  if (Boolean(env.IMAGEKIT_PRIVATE_KEY) !== Boolean(env.IMAGEKIT_URL_ENDPOINT)) {
    const missing = env.IMAGEKIT_PRIVATE_KEY ? 'IMAGEKIT_URL_ENDPOINT' : 'IMAGEKIT_PRIVATE_KEY'
    throw new ConfigError(`${missing} is missing: ImageKit needs both IMAGEKIT_PRIVATE_KEY and IMAGEKIT_URL_ENDPOINT`)
  }
  const dataDir = resolve(env.DATA_DIR)
  return {
    port: env.PORT,
    host: env.HOST,
    dataDir,
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
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
      monthlyLimit: env.AI_MONTHLY_LIMIT,
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
          }
        : undefined,
    backupDir: resolve(env.BACKUP_DIR ?? `${dataDir}/backups`),
    scraper: { allowHosts: env.SCRAPER_ALLOW_HOSTS, isRenderingOn: env.SCRAPER_RENDER },
    ffmpegPath: env.FFMPEG_PATH,
    trustProxy: env.TRUST_PROXY,
    logLevel: env.LOG_LEVEL,
  }
}
