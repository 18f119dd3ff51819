import type { ColumnType, Generated } from 'kysely'

export type Flag = 0 | 1
export type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>
/** A number that the database sets to 0 in a new row. */
export type Counter = Generated<number>
