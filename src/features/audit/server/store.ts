import { asOwned, type Owned } from '#features/media/server/owned.ts'
import { notFound } from '#platform/errors.ts'
import { countRows } from '#platform/server/db/count-rows.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { findRun, type Run, type RunItem, underWay } from '#platform/server/runs/runs-store.ts'
import type { Measured } from '../contract.ts'
import type { PictureFacts } from '../problems.ts'

/**
 * [Note: Audits are runs] An audit is a run whose items are pages, and each measuring of it is another run, whose items are
 * pictures. Both are removed after a day; nothing that was fetched or converted is kept, only what was found out.
 */
export const auditKind = 'audit-run'
export const measuringKind = 'audit-measuring'
export const keptForMs = 24 * 3600_000

export type AuditOptions = { website: string; isTruncated: boolean }
type PageInput = { url: string }
/** `foundOn` is the page, so that the guard knows who named the address. */
export type MeasuringInput = { url: string; foundOn: string; shownWidth: number | null }
/** A small JPEG for the report, as Base64. */
export type MeasuringOutput = Measured & { thumbnail: { data: string; width: number; height: number } | null }

export type StoredPicture = PictureFacts & {
  url: string
  originalUrl: string
  alternatives: string[]
  name: string
  context: string
  height: number | null
}
/** `pageUrl` is the final address, after redirects. */
export type PageOutput = { pageUrl: string; title: string; hint: string | null; pictures: StoredPicture[] }

export const optionsOf = ({ options }: Run): AuditOptions => JSON.parse(options)
export const pageOf = ({ input }: RunItem): PageInput => JSON.parse(input!)
export const foundOn = ({ output }: RunItem): PageOutput | null => (output ? JSON.parse(output) : null)
export const measuringOf = ({ input }: RunItem): MeasuringInput => JSON.parse(input!)
export const measuredIn = ({ output }: RunItem): MeasuringOutput | null => (output ? JSON.parse(output) : null)

/** Also finds the measurings of an audit, by comparing the whole text. */
export const measuringOptions = (auditId: number) => ({ auditId })

export async function loadOwnedAudit(db: Db, ownerId: number, id: number): Promise<Owned<Run>> {
  const run = await findRun(db, id)
  if (run?.owner_id !== ownerId || run.kind !== auditKind) throw notFound('Audit')
  return asOwned(run)
}

const runsOf = (db: Db, ownerId: number, kind: string) =>
  db.selectFrom('runs').where('owner_id', '=', ownerId).where('kind', '=', kind)

export async function listAudits(db: Db, ownerId: number): Promise<Run[]> {
  return runsOf(db, ownerId, auditKind)
    .selectAll()
    .where('updated_at', '>=', Date.now() - keptForMs)
    .orderBy('id', 'desc')
    .limit(50)
    .execute()
}

export async function countAuditsUnderWay(db: Db, ownerId: number) {
  return countRows(runsOf(db, ownerId, auditKind).where('status', 'in', underWay))
}

export async function listMeasurings(db: Db, { id, owner_id }: Owned<Run>): Promise<Run[]> {
  return runsOf(db, owner_id!, measuringKind)
    .selectAll()
    .where('options', '=', JSON.stringify(measuringOptions(id)))
    .orderBy('id')
    .execute()
}
