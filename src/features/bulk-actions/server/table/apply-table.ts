import type { Kysely } from 'kysely'
import type { z } from 'zod'
import type { ItemError } from '#features/media/server/not-found.ts'
import { listTagsByMedia } from '#features/media/server/store.ts'
import { AppError } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { TableChange } from '../../contract.ts'
import { changeAndRecord } from '../bulk-changes.ts'
import type { Batches } from '../each-item.ts'
import { asCell, type Values, valuesOf } from './columns.ts'
import { checkCell, writeValues } from './write-values.ts'

type Wanted = { rows: z.output<typeof TableChange>[]; title: string }

/** Applies reviewed rows as one change. An item that changed since the review fails alone and stays as it is. */
export async function applyTable(db: Kysely<Tables>, batches: Batches, { rows, title }: Wanted) {
  const wanted = new Map(rows.map((row) => [row.id, row.cells]))
  const errors: ItemError[] = []
  const outcome = await changeAndRecord(db, batches, { kind: 'table', title }, async (transaction, media) => {
    const tags = await listTagsByMedia(
      transaction,
      media.map(({ id }) => id),
    )
    const changed = []
    for (const row of media) {
      const now = valuesOf(
        row,
        (tags.get(row.id) ?? []).map(({ tag }) => tag),
      )
      const [before, after]: [Values, Values] = [{}, {}]
      let problem: string | undefined
      for (const cell of wanted.get(row.id)!) {
        const checked = checkCell(cell.column, cell.after, row)
        if (asCell(now[cell.column]) !== cell.before) problem ??= 'It was changed in the meantime.'
        else if ('message' in checked) problem ??= checked.message
        else {
          before[cell.column] = now[cell.column] ?? ''
          after[cell.column] = checked.value
        }
      }
      if (!problem) problem = await failureOf(() => writeValues(transaction, row, after))
      if (problem) errors.push({ id: row.id, message: problem })
      else changed.push({ mediaId: row.id, before: JSON.stringify(before), after: JSON.stringify(after) })
    }
    return changed
  })
  const failed = new Set(errors.map(({ id }) => id))
  return {
    ...outcome,
    changed: outcome.changed.filter((id) => !failed.has(id)),
    errors: [...outcome.errors, ...errors],
  }
}

/** Values are checked before any is written, so an expected failure has changed nothing. */
async function failureOf(work: () => Promise<void>) {
  try {
    await work()
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}
