import { z } from 'zod'
import { HubModelState } from '#features/analysis/contract.ts'
import { Password, Registration } from '#features/auth/contract.ts'
import { RestoredCounts } from '#features/backups/contract.ts'
import { Id, IdParams } from '#features/media/contract.ts'
import { FileField, route } from '#platform/contract.ts'

/** Rows of this panel are snake_case, like those of the database viewer. */
export const AdminUser = z.object({
  id: z.number(),
  username: z.string(),
  email: z.string(),
  is_admin: z.boolean(),
  media_count: z.number(),
  collection_count: z.number(),
  storage_used: z.number(),
  created_at: z.string(),
})
export type AdminUser = z.infer<typeof AdminUser>

export const AdminStats = z.object({
  totalUsers: z.number(),
  totalMedia: z.number(),
  totalCollections: z.number(),
  totalStorage: z.number(),
  adminUsers: z.number(),
  recentActivity: z.object({
    recentMedia: z.array(
      z.object({ id: z.number(), filename: z.string(), username: z.string(), created_at: z.string() }),
    ),
    recentUsers: z.array(
      z.object({
        id: z.number(),
        username: z.string(),
        email: z.string(),
        is_admin: z.boolean(),
        created_at: z.string(),
      }),
    ),
  }),
})
export type AdminStats = z.infer<typeof AdminStats>

/** Per day, the size of those files that exist today. */
export const StorageHistory = z.object({
  days: z.array(z.object({ day: z.string(), bytes: z.number(), files: z.number() })),
})
export type StorageHistory = z.infer<typeof StorageHistory>

export const JobsOverview = z.object({
  kinds: z.array(z.object({ kind: z.string(), waiting: z.number(), active: z.number(), failed: z.number() })),
  failures: z.array(
    z.object({ id: z.number(), kind: z.string(), error: z.string(), attempts: z.number(), failedAt: z.string() }),
  ),
})
export type JobsOverview = z.infer<typeof JobsOverview>

export const Health = z.object({
  name: z.enum(['Database', 'Storage', 'Backups', 'AI', 'ImageKit']),
  status: z.enum(['ok', 'down', 'off', 'unknown']),
  message: z.string(),
})
export type Health = z.infer<typeof Health>

export const IntegrityReport = z.object({
  isRunning: z.boolean(),
  total: z.number(),
  /** The files read since the check began. */
  checked: z.number(),
  damaged: z.number(),
  missing: z.number(),
  /** Every file was read or uploaded since then; null before the first check. */
  checkedAt: z.string().nullable(),
  /** Some of the items whose bytes are damaged or missing. */
  affected: z.array(z.object({ id: z.number(), filename: z.string(), username: z.string(), state: z.string() })),
})
export type IntegrityReport = z.infer<typeof IntegrityReport>

/** An item of the list that an administrator goes through once. */
export const SetupCheck = z.object({
  name: z.enum(['Backups', 'AI', 'HTTPS']),
  isDone: z.boolean(),
  message: z.string(),
})
export type SetupCheck = z.infer<typeof SetupCheck>

export const SystemFacts = z.object({
  version: z.string(),
  environment: z.string(),
  settings: z.array(z.object({ name: z.string(), value: z.string() })),
  health: z.array(Health),
  setup: z.array(SetupCheck),
  integrity: IntegrityReport,
})
export type SystemFacts = z.infer<typeof SystemFacts>

/** The models for descriptions and tags, their queue, throughput and failures. */
export const AiState = z.object({
  /** The first one is preferred; the others assist and are its fallbacks. */
  providers: z.array(z.object({ name: z.string(), model: z.string(), version: z.string(), isPaid: z.boolean() })),
  models: z.object({
    state: z.enum(['off', 'unknown', 'ready', 'installing', 'missing']),
    message: z.string(),
    directory: z.string(),
    missing: z.array(z.string()),
  }),
  /** Large models that can be set up from here. */
  hub: z.array(HubModelState),
  queue: z.object({ waiting: z.number(), active: z.number(), failed: z.number() }),
  analysedInLastHour: z.number(),
  /** Items whose last analysis failed, by reason. */
  failures: z.array(z.object({ code: z.string(), message: z.string(), count: z.number() })),
  usage: z.object({
    sentThisMonth: z.number(),
    monthlyLimit: z.number().nullable(),
    monthlyLimitPerUser: z.number().nullable(),
  }),
})
export type AiState = z.infer<typeof AiState>

export const AiVerdict = z.object({ name: z.string(), isOk: z.boolean(), message: z.string() })
export type AiVerdict = z.infer<typeof AiVerdict>

const UserId = z.object({ userId: Id })
const HubModel = HubModelState.pick({ id: true })
const Message = z.object({ message: z.string() })

export const DatabaseImport = z.object({
  message: z.string(),
  imported: RestoredCounts,
  /** Files in neither the library nor a backup: their items are restored without bytes. */
  missingFiles: z.number(),
})
export type DatabaseImport = z.infer<typeof DatabaseImport>

export const adminApi = {
  stats: route({ method: 'GET', path: '/api/admin/stats', summary: 'Get library statistics', response: AdminStats }),
  storageHistory: route({
    method: 'GET',
    path: '/api/admin/storage-history',
    summary: 'Get storage use over the last 30 days',
    response: StorageHistory,
  }),
  users: route({ method: 'GET', path: '/api/admin/users', summary: 'List all accounts', response: z.array(AdminUser) }),
  addUser: route({
    method: 'POST',
    path: '/api/admin/users',
    summary: 'Create an account, even when registration is closed',
    body: Registration,
    success: 201,
    response: Message.extend({ id: z.number(), username: z.string() }),
  }),
  setAdmin: route({
    method: 'PATCH',
    path: '/api/admin/users/:userId/admin',
    summary: 'Grant or revoke administrator rights',
    params: UserId,
    body: z.object({ isAdmin: z.boolean() }),
    response: Message.extend({ username: z.string(), isAdmin: z.boolean() }),
  }),
  resetPassword: route({
    method: 'PATCH',
    path: '/api/admin/users/:userId/password',
    summary: 'Reset the password of a user and end their sessions',
    params: UserId,
    body: z.object({ newPassword: Password }),
    response: Message.extend({ username: z.string() }),
  }),
  deleteUser: route({
    method: 'DELETE',
    path: '/api/admin/users/:userId',
    summary: 'Permanently delete an account with its media and collections',
    params: UserId,
    response: Message.extend({ username: z.string() }),
  }),
  downloadDatabase: route({
    method: 'GET',
    path: '/api/admin/database/download',
    summary: 'Download all rows as one JSON file',
    file: ['application/json'],
    response: z.never(),
  }),
  uploadDatabase: route({
    method: 'POST',
    path: '/api/admin/database/upload',
    summary: 'Replace all rows with those of a JSON file (multipart field "database")',
    fields: z.object({ database: FileField }),
    response: DatabaseImport,
  }),
  resetDatabase: route({
    method: 'POST',
    path: '/api/admin/database/reset',
    summary: 'Delete everything except your account and the backups',
    response: Message,
  }),
  jobs: route({
    method: 'GET',
    path: '/api/admin/jobs',
    summary: 'List queued, running and failed background jobs',
    response: JobsOverview,
  }),
  retryJob: route({
    method: 'POST',
    path: '/api/admin/jobs/:id/retry',
    summary: 'Retry a failed job',
    params: IdParams,
    response: Message,
  }),
  dismissJob: route({
    method: 'DELETE',
    path: '/api/admin/jobs/:id',
    summary: 'Dismiss a failed job',
    params: IdParams,
    response: Message,
  }),
  system: route({
    method: 'GET',
    path: '/api/admin/system',
    summary: 'Get the version, current settings and health',
    response: SystemFacts,
  }),
  ai: route({
    method: 'GET',
    path: '/api/admin/ai',
    summary: 'Get AI status: providers, models, queue, rate, failures and usage',
    response: AiState,
  }),
  checkAi: route({
    method: 'POST',
    path: '/api/admin/ai/check',
    summary: 'Test each AI provider with a tiny image',
    response: z.object({ verdicts: z.array(AiVerdict) }),
  }),
  setUpHubModel: route({
    method: 'POST',
    path: '/api/admin/ai/hub-models/:id',
    summary: 'Download a large AI model, examine it, and use it if it passes',
    params: HubModel,
    response: Message,
  }),
  stopHubModel: route({
    method: 'DELETE',
    path: '/api/admin/ai/hub-models/:id',
    summary: 'Stop using or downloading a large AI model; its files are kept',
    params: HubModel,
    response: Message,
  }),
  checkIntegrity: route({
    method: 'POST',
    path: '/api/admin/integrity-check',
    summary: 'Verify every stored file against its hash',
    response: Message,
  }),
}
