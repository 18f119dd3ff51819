import { trashDays } from '#features/media/limits.ts'
import { derivedNames, fileAddress, originalAddress } from '#features/media/server/media-addresses.ts'
import type { Owned } from '#features/media/server/owned.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { isCurrent, listVersions } from '#features/media/server/versions.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { Version } from '../contract.ts'

const trashMs = trashDays * 24 * 3600_000
const iso = (time: number) => new Date(time).toISOString()
type Described = Awaited<ReturnType<typeof listVersions>>[number]

export async function describeVersions(db: Db, media: Owned<MediaRow>, username: string): Promise<Version[]> {
  const rows = await listVersions(db, media)
  if (rows.length > 0) return rows.map((row) => toVersion(media, row))
  const only = { id: null, cause: 'upload' as const, made_at: media.created_at, username, is_expiring: 0 as const }
  return [toVersion(media, { ...media, ...only, replaced_at: null })]
}

type Listed = Omit<Described, 'id' | 'media_id' | 'made_by'> & { id: number | null }

function toVersion(media: MediaRow, row: Listed): Version {
  const file = { id: media.id, blob: row.blob, filename: row.filename }
  // An earlier file is served only to the owner who asks for it; other requests for its address get the current one.
  const suffix = isCurrent(row) ? '' : '?earlier=1'
  return {
    id: row.id,
    isCurrent: isCurrent(row),
    filename: row.filename,
    mimeType: row.mime_type,
    size: row.size,
    width: row.width,
    height: row.height,
    cause: row.cause,
    madeBy: row.username,
    madeAt: iso(row.made_at),
    expiresAt: row.is_expiring === 1 && row.replaced_at !== null ? iso(row.replaced_at + trashMs) : null,
    thumbnailUrl: fileAddress(file, derivedNames.thumbnail) + suffix,
    originalUrl: originalAddress(file) + suffix,
  }
}
