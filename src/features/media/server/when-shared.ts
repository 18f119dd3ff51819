import { sql } from 'kysely'
import type { Row } from '#platform/server/db/tables.ts'

type SharedUntil = Pick<Row<'collections'>, 'is_public' | 'share_expires_at'>

/** Public and not expired, as a condition on collections. */
export const whenShared = (now: number) =>
  sql<boolean>`(collections.is_public = 1 AND (collections.share_expires_at IS NULL OR collections.share_expires_at > ${now}))`

/** The same check on a row. */
export const isShared = ({ is_public, share_expires_at }: SharedUntil, now: number) =>
  is_public === 1 && (share_expires_at === null || share_expires_at > now)
