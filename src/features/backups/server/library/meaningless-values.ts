import { z } from 'zod'
import { nameKey } from '#features/auth/server/store.ts'
import { Change } from '#features/bulk-actions/contract.ts'
import { MediaDetails, TagOrigin } from '#features/media/contract.ts'
import { isMediaMimeType } from '#features/media/mime-types.ts'

type Check = (value: unknown) => boolean

const fits =
  (shape: z.ZodType): Check =>
  (value) =>
    shape.safeParse(value).success

/** JSON that is kept as text. */
const holds =
  (shape: z.ZodType): Check =>
  (value) => {
    try {
      return shape.safeParse(JSON.parse(String(value))).success
    } catch {
      return false
    }
  }

/** A login compares with what the hash itself asks for: one of gigabytes and minutes would stop the server. */
const dearest = { m: 262_144, t: 10, p: 16 }

const isPasswordHash: Check = (value) => {
  const cost = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$[\w+/]+\$[\w+/]+$/.exec(String(value))
  return cost !== null && Number(cost[1]) <= dearest.m && Number(cost[2]) <= dearest.t && Number(cost[3]) <= dearest.p
}

const shape = MediaDetails.shape
const argon2id = 'should be an argon2id hash'

/** What the product reads these columns as: a value that is something else would fail every page that shows its row. */
const meanings: Record<string, Record<string, [isMeant: Check, inWords: string]>> = {
  users: { password_hash: [isPasswordHash, argon2id] },
  media: {
    blob: [fits(z.string().regex(/^[0-9a-f]{64}$/)), 'should be a sha256'],
    type: [fits(shape.type), 'should be image or video'],
    // Files are sent as what these rows say they are.
    mime_type: [(value) => isMediaMimeType(String(value)), 'should be of a picture or video'],
    size: [fits(z.number().nonnegative()), 'should not be negative'],
    playback: [fits(shape.playback), 'is unknown'],
    ai_status: [fits(shape.aiStatus), 'is unknown'],
    colours: [holds(shape.colours), 'is not valid JSON of colours'],
    exif: [holds(shape.exif), 'is not valid JSON of EXIF'],
    sprite: [holds(shape.sprite.unwrap().omit({ url: true })), 'is not valid JSON of a strip of frames'],
    source: [holds(z.object({ alt: z.string().optional(), context: z.string().optional() })), 'is not valid JSON'],
  },
  media_tags: { source: [fits(TagOrigin.shape.source), 'is unknown'] },
  collections: {
    branding: [holds(z.unknown()), 'is not valid JSON'],
    password_hash: [isPasswordHash, argon2id],
  },
  changes: { kind: [fits(Change.shape.kind), 'is unknown'] },
}

/** As far from 1970 as a date can be. */
const latestMs = 8.64e15
const isTime = (name: string, value: unknown) =>
  !name.endsWith('_at') || typeof value !== 'number' || Math.abs(value) <= latestMs

/** What has the right type and would still break the product later. */
export function findMeaninglessValue(table: string, row: Record<string, unknown>) {
  for (const [name, value] of Object.entries(row)) {
    if (value === null) continue
    if (!isTime(name, value)) return `"${name}" should be a time`
    const [isMeant, inWords] = meanings[table]?.[name] ?? []
    if (isMeant && !isMeant(value)) return `"${name}" ${inWords}`
  }
  if (table !== 'users') return null
  if (row.username_key !== nameKey(String(row.username))) return '"username_key" does not fit "username"'
  return row.email_key === nameKey(String(row.email)) ? null : '"email_key" does not fit "email"'
}
