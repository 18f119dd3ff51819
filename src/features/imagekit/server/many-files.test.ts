import assert from 'node:assert/strict'
import { CompiledQuery, type RootOperationNode } from 'kysely'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { withImageKit } from './imagekit.fixture.ts'
import { countCopies, findWithoutCopy } from './store.ts'

onOneDatabase('the copies at ImageKit are found by an index', async (context) => {
  const { db } = (await withImageKit(context)).product.services
  const asked: RootOperationNode[] = []
  const watched = db.withPlugin({
    transformQuery: ({ node }) => {
      asked.push(node)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  await findWithoutCopy(watched, 0)
  await countCopies(watched)
  const steps: string[] = []
  for (const node of asked) {
    const { sql, parameters } = db.getExecutor().compileQuery(node, { queryId: 'explained' })
    const { rows } = await db.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`EXPLAIN QUERY PLAN ${sql}`, [...parameters]),
    )
    steps.push(...rows.map(({ detail }) => detail))
  }
  // Comparing each item with each file took 15 seconds for 6,000 files and blocked all requests.
  const ofFiles = steps.filter((step) => /\b(original|shown)\b/.test(step))
  assert.equal(ofFiles.length, 4)
  for (const step of ofFiles) assert.match(step, / USING INDEX imagekit_(originals|public_copies)\b/)
})
