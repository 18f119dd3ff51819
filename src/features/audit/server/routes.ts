import type { Readable } from 'node:stream'
import { createZip } from '#engines/archive/write-zip.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import type { User } from '#features/auth/contract.ts'
import type { RunServices } from '#features/scraper/server/runs.ts'
import { loadOwnedWebsite } from '#features/websites/server/store.ts'
import { abortOnDisconnect, handle, handleFile, sendAsFile } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { auditApi } from '../contract.ts'
import type { AuditServices } from './audit-pages.ts'
import { importPictures, resumeAudit, startAudit, startMeasuring, stopAudit } from './audits.ts'
import { describeAudit, describePictures, describeSummary, listPictures, requirePictures } from './describe-audit.ts'
import { auditFiles } from './files-zip.ts'
import type { ConvertServices } from './measure-pictures.ts'
import { auditReport } from './report.ts'
import { listAudits, loadOwnedAudit, optionsOf } from './store.ts'

type Services = RunServices & AuditServices & ConvertServices & { db: RunServices['db']; videos: VideoEngine }

export function auditRoutes(scope: Scope<User>, services: Services) {
  const { db } = services
  const load = (user: User, id: number) => loadOwnedAudit(db, user.id, id)
  const loadWebsite = async (user: User, id: number | undefined) =>
    id === undefined ? undefined : loadOwnedWebsite(db, user.id, id)

  handle(scope, auditApi.create, async ({ body }, { user, reply }) => {
    const audit = await startAudit(services, user.id, { ...body, signal: abortOnDisconnect(reply) })
    return describeAudit(db, audit)
  })
  handle(scope, auditApi.list, async (_input, { user }) => {
    const audits = await listAudits(db, user.id)
    return { audits: await Promise.all(audits.map((audit) => describeSummary(db, audit))) }
  })
  handle(scope, auditApi.get, async ({ params }, { user }) => describeAudit(db, await load(user, params.id)))
  handle(scope, auditApi.pictures, async ({ params, query }, { user }) => {
    const { page, limit, onPage, problem } = query
    const all = await listPictures(db, await load(user, params.id))
    const wanted = all.filter(
      ({ pages, problems }) =>
        (onPage === undefined || pages.includes(onPage)) && (problem === undefined || problems.includes(problem)),
    )
    const shown = wanted.slice((page - 1) * limit, page * limit)
    return { pictures: await describePictures(db, user.id, shown), totalCount: wanted.length }
  })
  handle(scope, auditApi.stop, async ({ params }, { user }) => ({
    message: await stopAudit(services, await load(user, params.id)),
  }))
  handle(scope, auditApi.resume, async ({ params }, { user }) => {
    await resumeAudit(services, await load(user, params.id))
    return describeAudit(db, await load(user, params.id))
  })
  handle(scope, auditApi.measure, async ({ params, body }, { user }) => {
    const audit = await load(user, params.id)
    await startMeasuring(services, audit, body.pictures)
    return describeAudit(db, audit)
  })
  handle(scope, auditApi.import, async ({ params, body }, { user }) => {
    const audit = await load(user, params.id)
    const { pictures: keys, namePattern } = body
    const website = await loadWebsite(user, body.websiteId)
    const run = await importPictures(services, audit, { keys, namePattern, website })
    return { runId: run.id }
  })
  handleFile(scope, auditApi.report, async ({ params, query }, { user, reply }) => {
    const audit = await load(user, params.id)
    const website = await loadWebsite(user, query.websiteId)
    const report = await auditReport(services, { audit, website, signal: abortOnDisconnect(reply) })
    return sendAsFile(reply, fileName(audit, 'pdf'), 'application/pdf').send(report as Readable)
  })
  handleFile(scope, auditApi.files, async ({ params, query }, { user, reply, origin }) => {
    const audit = await load(user, params.id)
    const website = await loadWebsite(user, query.websiteId)
    const pictures = await requirePictures(db, audit, query.pictures)
    const wanted = { ownerId: user.id, pictures, format: query.format, website, origin }
    const files = auditFiles(services, { ...wanted, signal: abortOnDisconnect(reply) })
    return sendAsFile(reply, fileName(audit, 'zip')).send(createZip(files))
  })
}

function fileName(audit: Parameters<typeof optionsOf>[0], extension: string) {
  const website = optionsOf(audit).website.replace(/[^a-z0-9.-]/gi, '-')
  return `audit-${website}-${new Date(audit.created_at).toISOString().slice(0, 10)}.${extension}`
}
