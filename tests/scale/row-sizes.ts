import pg from 'pg'
import { migrate } from '#platform/server/db/migrate.ts'
import { openPostgres } from '#platform/server/db/postgres.ts'
import type { Measurement } from '../support/measurements.ts'
import type { Row } from './row.ts'
import { addPhotographs, tagsEach } from './sample-photographs.ts'

const items = 20_000
const allowedBytes = 10 * 1024

/** The figures for `docs/scaling.md`: the size of described and tagged photographs, in their own database. */
export const rowSizes: Row = async ({ databaseUrl, query }) => {
  await query('CREATE DATABASE sizes')
  const url = new URL(databaseUrl)
  url.pathname = '/sizes'
  const database = await openPostgres(url.href)
  try {
    await migrate(database.migrations)
    await addPhotographs(database.db, items)
  } finally {
    await database.close()
  }
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    await client.query('VACUUM ANALYZE')
    return [await measure(client)]
  } finally {
    await client.end()
    await query('DROP DATABASE sizes')
  }
}

async function measure(client: pg.Client): Promise<Measurement> {
  const { rows } = await client.query<{ name: string; table_bytes: number; index_bytes: number }>(`
    SELECT relname AS name, pg_table_size(oid)::float8 AS table_bytes, pg_indexes_size(oid)::float8 AS index_bytes
    FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`)
  const each = (names: string[], size: 'table_bytes' | 'index_bytes') =>
    rows.filter(({ name }) => names.includes(name)).reduce((sum, row) => sum + row[size], 0) / items
  const parts = [
    ['media', ['media']],
    ['blobs', ['blobs']],
    ['tags', ['media_tags']],
    ['search', ['search_documents']],
    ['AI', ['ai_results', 'embeddings', 'seen', 'meanings', 'sketches', 'media_analyses']],
  ] as const
  const described = parts.map(([what, names]) => {
    const [table, index] = [each([...names], 'table_bytes'), each([...names], 'index_bytes')]
    return `${what} ${table.toFixed(0)} + ${index.toFixed(0)}`
  })
  const all = parts.flatMap(([, names]) => [...names])
  const total = each(all, 'table_bytes') + each(all, 'index_bytes')
  return {
    what: 'PostgreSQL: bytes for each item, rows + indexes',
    context: `${items.toLocaleString('en')} items, ${tagsEach} tags each`,
    figure: `${total.toFixed(0)} (${described.join(', ')})`,
    toReach: `at most ${allowedBytes}`,
    isReached: total <= allowedBytes,
  }
}
