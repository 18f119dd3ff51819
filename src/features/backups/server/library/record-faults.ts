import { z } from 'zod'
import { nameKey } from '#features/auth/server/store.ts'
import { Change } from '#features/bulk-actions/contract.ts'
import { Preset } from '#features/delivery/contract.ts'
import { FocalPoint, MediaDetails, TagOrigin } from '#features/media/contract.ts'
import { tagColors, versionCauses } from '#features/media/limits.ts'
import { isMediaMimeType } from '#features/media/mime-types.ts'
import { focalColumns } from '#features/media/server/focal-point.ts'
import { WebsiteBranding } from '#features/websites/contract.ts'
import { websiteKey } from '#features/websites/server/store.ts'
import type { Columns, DatabaseRecord, FileRecord, Kind } from './library-document.ts'

/** A message about what is wrong with a record, or null. */
export function findFault(table: string, columns: Columns, record: unknown): string | null {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return 'a row should be an object'
  const row = record as DatabaseRecord
  for (const name of Object.keys(row))
    if (!columns.has(name)) return `"${name.slice(0, 60)}" is not a column of ${table}`
  for (const [name, { kind, isRequired, isNullable }] of columns) {
    const value = row[name]
    if (value === undefined) {
      if (isRequired) return `"${name}" is missing`
    } else if (value === null) {
      if (!isNullable) return `"${name}" must not be empty`
    } else if (!isOfKind(value, kind)) return `"${name}" should be ${kindNames[kind]}`
  }
  return findInvalidValue(table, row)
}

const kindNames: Record<Kind, string> = {
  text: 'text',
  whole: 'a whole number',
  number: 'a number',
  bytes: 'bytes in base64',
}

function isOfKind(value: unknown, kind: Kind) {
  if (kind === 'whole') return Number.isSafeInteger(value)
  if (kind === 'number') return typeof value === 'number'
  if (typeof value !== 'string' || value.includes('\0')) return false
  return kind === 'text' || /^[A-Za-z0-9+/]*={0,2}$/.test(value)
}

type Check = (value: unknown) => boolean

const matches =
  (shape: z.ZodType): Check =>
  (value) =>
    shape.safeParse(value).success

/** For columns with JSON text. */
const isJsonOf =
  (shape: z.ZodType): Check =>
  (value) => {
    try {
      return shape.safeParse(JSON.parse(String(value))).success
    } catch {
      return false
    }
  }

/** Verifying a password costs what its hash says, so a hostile hash could ask for gigabytes and minutes. */
const maxHashCost = { m: 262_144, t: 10, p: 16 }

const isPasswordHash: Check = (value) => {
  const cost = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$[\w+/]+\$[\w+/]+$/.exec(String(value))
  return (
    cost !== null &&
    Number(cost[1]) <= maxHashCost.m &&
    Number(cost[2]) <= maxHashCost.t &&
    Number(cost[3]) <= maxHashCost.p
  )
}

const shape = MediaDetails.shape
const argon2id = 'should be an argon2id hash'

type Checks = Record<string, [isValid: Check, message: string]>

const fileChecks: Checks = {
  blob: [matches(z.string().regex(/^[0-9a-f]{64}$/)), 'should be a sha256'],
  // Files are served with this content type.
  mime_type: [(value) => isMediaMimeType(String(value)), 'should be of an image or video'],
  size: [matches(z.number().nonnegative()), 'should not be negative'],
  playback: [matches(shape.playback), 'is unknown'],
  colours: [isJsonOf(shape.colours), 'is not valid JSON of colours'],
  exif: [isJsonOf(shape.exif), 'is not valid JSON of EXIF'],
  sprite: [isJsonOf(shape.sprite.unwrap().omit({ url: true })), 'is not valid JSON of a strip of frames'],
  ...Object.fromEntries(
    focalColumns.map((column): [string, Checks[string]] => [
      column,
      [matches(FocalPoint.shape.x), 'should be between 0 and 1'],
    ]),
  ),
}

/** Checks of column values: an invalid value would break every page that shows its row. */
const columnChecks: Record<string, Checks> = {
  users: { password_hash: [isPasswordHash, argon2id] },
  media: {
    ...fileChecks,
    alt_texts: [isJsonOf(shape.altTexts), 'is not valid JSON of alt texts'],
    type: [matches(shape.type), 'should be image or video'],
    ai_status: [matches(shape.aiStatus), 'is unknown'],
    source: [isJsonOf(z.object({ alt: z.string().optional(), context: z.string().optional() })), 'is not valid JSON'],
  },
  media_versions: { ...fileChecks, cause: [matches(z.enum(versionCauses)), 'is unknown'] },
  tag_settings: { color: [matches(z.enum(tagColors)), 'is unknown'] },
  media_tags: { source: [matches(TagOrigin.shape.source), 'is unknown'] },
  collections: {
    branding: [isJsonOf(z.unknown()), 'is not valid JSON'],
    password_hash: [isPasswordHash, argon2id],
  },
  websites: {
    languages: [isJsonOf(z.array(z.string()).min(1)), 'is not valid JSON of languages'],
    branding: [isJsonOf(WebsiteBranding), 'is not valid JSON of branding'],
    presets: [isJsonOf(z.array(Preset)), 'is not valid JSON of presets'],
  },
  delivery_settings: { presets: [isJsonOf(z.array(Preset)), 'is not valid JSON of presets'] },
  runs: {
    kind: [matches(Change.shape.kind), 'is unknown'],
    status: [matches(z.literal('ended')), 'should be ended'],
    options: [isJsonOf(z.object({})), 'is not valid JSON'],
  },
  run_items: { state: [matches(z.enum(['done', 'undone'])), 'is unknown'] },
}

/** The latest time that a Date can hold. */
const latestMs = 8.64e15
const isTime = (name: string, value: unknown) =>
  !name.endsWith('_at') || typeof value !== 'number' || Math.abs(value) <= latestMs

/** Finds a value of the right type that would still break the app later. */
function findInvalidValue(table: string, row: Record<string, unknown>) {
  for (const [name, value] of Object.entries(row)) {
    if (value === null) continue
    if (!isTime(name, value)) return `"${name}" should be a time`
    const [isValid, message] = columnChecks[table]?.[name] ?? []
    if (isValid && !isValid(value)) return `"${name}" ${message}`
  }
  if (table === 'websites' && row.name_key !== websiteKey(String(row.name))) return '"name_key" does not fit "name"'
  if (table !== 'users') return null
  if (row.username_key !== nameKey(String(row.username))) return '"username_key" does not fit "username"'
  return row.email_key === nameKey(String(row.email)) ? null : '"email_key" does not fit "email"'
}

export function findFileFault(value: unknown) {
  const { sha256, bytes } = (value ?? {}) as Partial<FileRecord>
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return '"sha256" should be a sha256'
  return Number.isSafeInteger(bytes) && bytes! >= 0 ? null : '"bytes" should be a whole number'
}
