import { sql } from 'kysely'
import type { ImageKitEngine } from '#engines/imagekit/imagekit-engine.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { Ai, HealthReport } from '#features/analysis/server/ai.ts'
import { loadLastAnswer } from '#features/analysis/server/describe-ai.ts'
import type { BackupFolder } from '#features/backups/server/folder/backup-folder.ts'
import { countCopies } from '#features/imagekit/server/store.ts'
import type { Config, SettingName } from '#platform/server/config.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { withoutSecrets } from '#platform/server/secrets.ts'
import { formatBytes } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { version } from '#shared/version.ts'
import type { Health, SystemFacts } from '../contract.ts'
import { loadIntegrityReport } from './integrity.ts'
import { checkSetup } from './setup.ts'

/** A response this recent counts as healthy. */
const recentMs = 3600_000

type Services = {
  db: Db
  slowReads: Db
  storage: Storage
  backupFolder: BackupFolder
  config: Config
  ai: Ai
  imageKit: ImageKitEngine | undefined
}

export async function loadSystemFacts(services: Services, origin: string): Promise<SystemFacts> {
  const health = await checkHealth(services)
  const ai = health.find(({ name }) => name === 'AI')
  return {
    version,
    environment: 'Production',
    settings: listSettings(services.config),
    health,
    setup: await checkSetup({ config: services.config, ai, origin }),
    integrity: await loadIntegrityReport(services.slowReads),
  }
}

const secret = (value: string | undefined) => (value ? 'set' : 'not set')

/** The effective settings by environment variable; for secrets, only whether they are set. */
function listSettings(config: Config) {
  const { s3, ai, imageKit, scraper } = config
  const onOff = (isOn: boolean) => (isOn ? 'on' : 'off')
  const values: Record<SettingName, string | number | undefined> = {
    ROLE: config.role,
    HOST: config.host,
    PORT: config.port,
    PUBLIC_URL: config.publicUrl,
    DATA_DIR: config.dataDir,
    BACKUP_DIR: config.backupDir,
    DATABASE_URL: shown(config.databaseUrl),
    S3_BUCKET: s3?.bucket,
    S3_REGION: s3?.region,
    S3_ENDPOINT: shown(s3?.endpoint),
    S3_PREFIX: s3?.prefix,
    S3_FORCE_PATH_STYLE: s3 && onOff(s3.forcePathStyle),
    S3_ACCESS_KEY_ID: secret(s3?.accessKeyId),
    S3_SECRET_ACCESS_KEY: secret(s3?.secretAccessKey),
    REGISTRATION: config.isRegistrationOpen ? 'open' : 'closed',
    DERIVED_GB: formatBytes(config.derivedBytes, { isTrimmed: true }),
    QUOTA_GB: formatBytes(config.quotaBytes, { isTrimmed: true }),
    AI_LOCAL: onOff(ai.isLocalOn),
    AI_LANGUAGE: ai.language,
    AI_MODELS_DIR: ai.modelsDir,
    AI_HUB_URL: shown(ai.hubUrl),
    AI_BASE_URL: shown(ai.endpoint?.baseUrl),
    AI_MODEL: ai.endpoint?.model,
    AI_API_KEY: secret(ai.endpoint?.apiKey),
    AI_TIMEOUT_SECONDS: ai.endpoint && ai.endpoint.timeoutMs / 1000,
    AI_MONTHLY_LIMIT: ai.monthlyLimit.server,
    AI_MONTHLY_LIMIT_PER_USER: ai.monthlyLimit.perUser,
    IMAGEKIT_URL_ENDPOINT: shown(imageKit?.urlEndpoint),
    IMAGEKIT_PRIVATE_KEY: secret(imageKit?.privateKey),
    IMAGEKIT_API_URL: shown(imageKit?.apiUrl),
    IMAGEKIT_UPLOAD_URL: shown(imageKit?.uploadUrl),
    IMAGEKIT_TIMEOUT_SECONDS: imageKit && imageKit.timeoutMs / 1000,
    SCRAPER_ALLOW_HOSTS: scraper.allowHosts.join(', '),
    SCRAPER_RENDER: onOff(scraper.isRenderingOn),
    CHROMIUM_PATH: scraper.chromiumPath,
    TRUST_PROXY: config.trustProxy.join(', '),
    LOG_LEVEL: config.logLevel,
  }
  return Object.entries(values).map(([name, value]) => ({
    name,
    value: value === undefined || value === '' ? 'not set' : `${value}`,
  }))
}

/** URLs may contain a password, or keys in their query. */
function shown(address: string | undefined) {
  return address && withoutPassword(address)
}

function withoutPassword(address: string) {
  const url = new URL(address)
  if (url.password) url.password = '***'
  url.search = ''
  return url.href
}

async function checkHealth(services: Services): Promise<Health[]> {
  const { db, slowReads, storage, backupFolder, config, ai, imageKit } = services
  return Promise.all([
    reached('Database', config.databaseUrl ? 'Connected (PostgreSQL)' : 'Connected (SQLite)', () =>
      sql`SELECT 1`.execute(db),
    ),
    reached('Storage', config.s3 ? `Connected to bucket ${config.s3.bucket}` : 'Folder is writable', () =>
      storage.check(),
    ),
    reached('Backups', `Stored in ${config.backupDir}`, () => backupFolder.checkWritable()),
    aiHealth(ai, config.ai, db),
    imageKitHealth(config, imageKit, slowReads),
  ])
}

async function reached(name: Health['name'], message: string, check: () => Promise<unknown>): Promise<Health> {
  try {
    await check()
    return { name, status: 'ok', message }
  } catch (error) {
    return { name, status: 'down', message: error instanceof Error ? withoutSecrets(error.message) : 'No response' }
  }
}

async function aiHealth(ai: Ai, { endpoint }: Config['ai'], db: Db): Promise<Health> {
  await Promise.all([ai.refreshModels(), ai.hub.refresh()])
  const { state, message } = ai.models
  const rest = ai.pauseReason()
  if (rest) return { name: 'AI', status: 'down', message: rest.message }
  if (endpoint && ai.endpoint) {
    const who = `${endpoint.model} by ${new URL(endpoint.baseUrl).host}`
    return endpointHealth(who, ai.lastHealth(), await loadLastAnswer(db, ai.endpoint))
  }
  const larger = ai.hub.provider()
  if (larger) return { name: 'AI', status: 'ok', message: `Larger models in use: ${larger.model}` }
  return { name: 'AI', status: state === 'off' ? 'off' : state === 'missing' ? 'down' : 'ok', message }
}

/** Opening the page makes no request, since each one may cost money; it shows the last known state. */
function endpointHealth(who: string, seen: HealthReport | undefined, answeredAt = 0): Health {
  const name = 'AI'
  if (seen && !seen.ok && seen.at > answeredAt) return { name, status: 'down', message: seen.message }
  const at = Math.max(answeredAt, seen?.at ?? 0)
  if (at === 0) return { name, status: 'unknown', message: `${who}: no requests yet` }
  const time = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  return {
    name,
    status: at > Date.now() - recentMs ? 'ok' : 'unknown',
    message: `${who}: last response at ${time} UTC`,
  }
}

async function imageKitHealth({ imageKit }: Config, engine: ImageKitEngine | undefined, db: Db): Promise<Health> {
  if (imageKit && engine) return reached('ImageKit', `${new URL(imageKit.urlEndpoint).host}: connected`, engine.check)
  const needs = 'Needs IMAGEKIT_PRIVATE_KEY and IMAGEKIT_URL_ENDPOINT'
  const { onlyThere } = await countCopies(db)
  if (onlyThere === 0) return { name: 'ImageKit', status: 'off', message: needs }
  const files = countOf(onlyThere, 'file is', 'files are')
  return { name: 'ImageKit', status: 'down', message: `${needs}: ${files} stored only there` }
}
