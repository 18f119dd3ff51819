import type { Db, Row } from '#platform/server/db/tables.ts'
import type { FocalPoint } from '#shared/cover-crop.ts'

export const focalColumns = ['own_focal_x', 'own_focal_y', 'found_focal_x', 'found_focal_y'] as const
type FocalColumns = Pick<Row<'media'>, (typeof focalColumns)[number]>

/** The owner's point, or the one that the AI found. Null: neither; crops then keep the center. */
export function focalPointOf(row: FocalColumns): FocalPoint | null {
  return pointOf(row.own_focal_x, row.own_focal_y) ?? pointOf(row.found_focal_x, row.found_focal_y)
}

export async function findFocalPoint(db: Db, mediaId: number) {
  const columns = db.selectFrom('media').select(focalColumns).where('id', '=', mediaId)
  const row = await columns.executeTakeFirst()
  return row ? focalPointOf(row) : null
}

const pointOf = (x: number | null, y: number | null) => (x === null || y === null ? null : { x, y })

export const isFocalPointOwn = (row: FocalColumns) => pointOf(row.own_focal_x, row.own_focal_y) !== null

export function focalColumnsOf({ own_focal_x, own_focal_y, found_focal_x, found_focal_y }: FocalColumns): FocalColumns {
  return { own_focal_x, own_focal_y, found_focal_x, found_focal_y }
}

/**
 * The columns to write for a point that the owner chose, or for null, which returns to the found one. A client that sends
 * a whole item back has not chosen the found point.
 */
export function ownFocalPoint(row: FocalColumns, chosen: FocalPoint | null) {
  const current = focalPointOf(row)
  if (chosen && current && chosen.x === current.x && chosen.y === current.y) return {}
  return chosenFocalPoint(chosen)
}

export const chosenFocalPoint = (chosen: FocalPoint | null) => ({
  own_focal_x: chosen && rounded(chosen.x),
  own_focal_y: chosen && rounded(chosen.y),
})

/** The columns to write for a point that the AI found. The owner's point is in other columns. */
export const foundFocalPoint = (found: FocalPoint | null) => ({
  found_focal_x: found && rounded(found.x),
  found_focal_y: found && rounded(found.y),
})

/** A ten-thousandth is finer than a pixel of any rendition. */
const rounded = (part: number) => Math.round(part * 10_000) / 10_000
