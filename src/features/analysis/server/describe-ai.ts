import { findMissingModels } from '#engines/ai/models/install-models.ts'
import type { AiProvider } from '#engines/ai/provider.ts'
import { countRows } from '#platform/server/db/count-rows.ts'
import type { Database } from '#platform/server/db/database.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { countJobs } from '#platform/server/jobs/store.ts'
import type { Ai } from './ai.ts'
import { loadUsage } from './budget.ts'
import { describeHub } from './hub/describe-hub.ts'

const hourMs = 3600_000
const kinds = ['analyze-media', 'analyze-now', 'ai-tag-run', 'ai-apply-run']
const maxFailures = 20

/** The AI status for administrators: providers, models, queue, throughput and failures. */
export async function describeAi({ db, slowReads, ai }: Pick<Database, 'db' | 'slowReads'> & { ai: Ai }) {
  // Read before the providers: a model that is shown as used is among them, and pages ask no more then.
  const hub = await describeHub(db, ai.hub)
  await Promise.all([ai.refreshModels(), ai.hub.refresh()])
  const jobs = (await countJobs(slowReads)).filter(({ kind }) => kinds.includes(kind))
  const countOf = (status: string) => jobs.reduce((sum, job) => sum + (job.status === status ? job.count : 0), 0)
  const missing = ai.local ? await findMissingModels(ai.models.directory) : []
  return {
    /** The preferred provider first. The others give it hints and stand in for it. */
    providers: providersOf(ai).map(describeProvider),
    models: { ...ai.models, missing },
    hub,
    queue: { waiting: countOf('waiting'), active: countOf('active'), failed: countOf('failed') },
    analysedInLastHour: await countRows(
      slowReads.selectFrom('media_analyses').where('created_at', '>', Date.now() - hourMs),
    ),
    failures: await listFailures(slowReads),
    usage: {
      sentThisMonth: (await loadUsage(db, 0)).all,
      monthlyLimit: ai.monthlyLimit.server ?? null,
      monthlyLimitPerUser: ai.monthlyLimit.perUser ?? null,
    },
  }
}

/** Sends a tiny picture to every provider. */
export async function checkProviders(ai: Ai) {
  await ai.hub.refresh()
  return Promise.all(
    providersOf(ai).map(async (provider) => {
      const health = await provider.health()
      if (provider === ai.endpoint) ai.noteHealth(health)
      return { name: provider.name, isOk: health.ok, message: health.message }
    }),
  )
}

/** When the endpoint last analyzed something for any process; undefined if it never has. */
export async function loadLastAnswer(db: Db, { name, model }: Pick<AiProvider, 'name' | 'model'>) {
  const { at } = await db
    .selectFrom('ai_results')
    .select(({ fn }) => fn.max<number | null>('created_at').as('at'))
    .where('provider', '=', name)
    .where('model', '=', model)
    .executeTakeFirstOrThrow()
  return at ?? undefined
}

const providersOf = ({ endpoint, hub, local }: Ai) =>
  [endpoint, hub.provider(), local].filter((provider) => provider !== undefined)

const describeProvider = ({ name, model, version, isPaid }: AiProvider) => ({ name, model, version, isPaid })

/** Grouped by reason, the most frequent first. Items are not named, as administrators must not see other users' media. */
async function listFailures(db: Db) {
  return db
    .selectFrom('ai_failures')
    .select((select) => ['code', 'message', select.fn.countAll<number>().as('count')])
    .groupBy(['code', 'message'])
    .orderBy((order) => order.fn.countAll(), 'desc')
    .limit(maxFailures)
    .execute()
}
