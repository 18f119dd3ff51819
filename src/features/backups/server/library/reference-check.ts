import type { DatabaseRecord } from './columns.ts'

/** Which table a column's number stands for. */
const pointsTo: Record<string, string> = {
  owner_id: 'users',
  media_id: 'media',
  collection_id: 'collections',
  change_id: 'changes',
}
const unique: Record<string, string[]> = {
  users: ['id', 'username_key', 'email_key'],
  media: ['id', 'public_slug'],
  collections: ['id', 'public_slug'],
  changes: ['id'],
}

/** Tells of each record, in order, whether what it points to has come before, and whether its names are its own. */
export function createReferenceCheck() {
  const seen = new Map<string, Set<unknown>>()
  const valuesOf = (table: string, column: string) => {
    const key = `${table}.${column}`
    const values = seen.get(key) ?? new Set()
    seen.set(key, values)
    return values
  }

  return function findFault(table: string, record: DatabaseRecord): string | null {
    for (const [column, target] of Object.entries(pointsTo)) {
      const value = record[column]
      if (value !== undefined && value !== null && !valuesOf(target, 'id').has(value)) {
        return `this row of ${table} points to a row of ${target} that is not there`
      }
    }
    for (const column of unique[table] ?? []) {
      const value = record[column]
      if (value === undefined || value === null) continue
      const values = valuesOf(table, column)
      if (values.has(value)) return `another row has the same name or number ("${column}")`
      values.add(value)
    }
    return null
  }
}
