import type { User } from '#features/auth/contract.ts'
import { loadOwnedCollection } from '#features/collections/server/store.ts'
import { mediaApi } from '#features/media/contract.ts'
import { maxExampleBytes } from '#features/media/limits.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { describeDetails, describeMedia, describeOne, loadOwnedMedia } from '#features/media/server/store.ts'
import type { Database } from '#platform/server/db/database.ts'
import { abortOnDisconnect, type Call, handle, handleUpload } from '#platform/server/http/handle.ts'
import { withLargeBodies } from '#platform/server/http/large-bodies.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { describeProgress } from '#platform/server/runs/runs-store.ts'
import { analysisApi } from '../contract.ts'
import { countSkipped } from './alt-texts/alt-texts-store.ts'
import { sentenceFor as altTextSentenceFor, estimateAltTexts, writeAltTexts } from './alt-texts/write-many.ts'
import type { AnalysisServices } from './analyze-media.ts'
import { dismissDuplicates, undoDismissal } from './likeness/dismissals.ts'
import { findDuplicates } from './likeness/duplicates.ts'
import { createExampleSketches } from './likeness/example.ts'
import { countPictureVersions, listPictureVersions } from './likeness/picture-versions.ts'
import { analyzeNow, cancelAnalysis } from './on-demand.ts'
import { renameCollection } from './rename.ts'
import { revertAnalysis } from './revert.ts'
import { applyReview, chooseProposal, discardReview, listReviews, loadReview } from './runs/review.ts'
import {
  describeRun,
  isOfAltTexts,
  listPastRuns,
  listRunErrors,
  loadOwnedRun,
  revertRun,
  stopTagging,
} from './runs/runs.ts'
import { estimateRun, sentenceFor, tagMany } from './runs/tag-many.ts'
import { suggestTags } from './suggest.ts'

type Services = AnalysisServices & Pick<Database, 'slowReads'>

/** Reviewed names of a whole collection: enough for a hundred thousand names of usual length. */
const maxNamesBytes = 16 * 1024 * 1024

/** One picture, and one byte more than allowed, so that a larger one is noticed. */
const exampleUpload = { limits: { fileSize: maxExampleBytes + 1, files: 1, fields: 0, parts: 1, headerPairs: 50 } }

export function analysisRoutes(scope: Scope<User>, services: Services) {
  const { db, events } = services
  const load = (call: Call<User>, id: number) => loadOwnedMedia(db, call.user.id, id)

  handle(scope, mediaApi.analyze, async ({ params }, call) =>
    describeOne(db, await analyzeNow(services, await load(call, params.id)), call.origin),
  )
  handle(scope, mediaApi.cancelAnalysis, async ({ params }, call) => {
    const row = await cancelAnalysis(services, await load(call, params.id))
    await announceMedia(events, call.user.id, [row.id])
    return describeOne(db, row, call.origin)
  })
  handle(scope, mediaApi.suggestTags, async ({ params }, call) => ({
    suggestedTags: await suggestTags(services, await load(call, params.id)),
  }))
  handle(scope, analysisApi.revert, async ({ params }, call) => {
    const row = await revertAnalysis(db, await load(call, params.id))
    await announceMedia(events, call.user.id, [row.id])
    return describeOne(db, row, call.origin)
  })
  const sketchExample = createExampleSketches(services)
  handleUpload(scope, analysisApi.example, exampleUpload, async ({ user, request, reply }) => {
    const sketch = await sketchExample(user.id, request, abortOnDisconnect(reply))
    return { example: Buffer.from(sketch).toString('base64url') }
  })
  handle(scope, analysisApi.duplicates, async ({ query }, call) => {
    const { groups, total, next } = await findDuplicates(services, call.user.id, query)
    const versions = await countPictureVersions(db, groups.flat())
    const described = await Promise.all(groups.map((rows) => describeDetails(db, rows, call.origin)))
    const withVersions = described.map((group) =>
      group.map((media) => ({ ...media, versionCount: versions.get(media.id) ?? 1 })),
    )
    return { total, next, groups: withVersions }
  })
  handle(scope, analysisApi.pictureVersions, async ({ params }, call) => {
    const versions = await listPictureVersions(db, await load(call, params.id))
    return { media: await describeMedia(db, versions, call.origin) }
  })
  handle(scope, analysisApi.dismissDuplicates, ({ body }, { user }) => dismissDuplicates(services, user.id, body))
  handle(scope, analysisApi.undoDismissal, ({ params }, { user }) =>
    undoDismissal(services, user.id, params.dismissalId),
  )
  handle(scope, analysisApi.estimate, ({ body }, { user }) => estimateRun(services, user.id, body))
  handle(scope, analysisApi.bulkTag, ({ body }, { user }) => tagMany(services, user.id, body))
  handle(scope, analysisApi.estimateAltTexts, ({ body }, { user }) => estimateAltTexts(services, user.id, body))
  handle(scope, analysisApi.bulkAltText, ({ body }, { user }) => writeAltTexts(services, user.id, body))
  handle(scope, analysisApi.runs, async ({ query }, { user }) => ({
    runs: await listPastRuns(db, user.id, query.limit),
  }))
  handle(scope, analysisApi.run, async ({ params }, { user }) => {
    const run = await loadOwnedRun(db, user.id, params.runId)
    const described = await describeRun(db, run.id)
    const { pause } = await describeProgress(db, run)
    const message = isOfAltTexts(run)
      ? altTextSentenceFor(described, await countSkipped(db, run.id))
      : sentenceFor(described)
    return { ...described, message, errors: await listRunErrors(db, run.id), pause }
  })
  handle(scope, analysisApi.cancelRun, async ({ params }, { user }) =>
    stopTagging(services, await loadOwnedRun(db, user.id, params.runId)),
  )
  handle(scope, analysisApi.revertRun, async ({ params }, { user }) =>
    revertRun(services, await loadOwnedRun(db, user.id, params.runId)),
  )
  reviewRoutes(scope, services)
  withLargeBodies(scope, maxNamesBytes, (part) =>
    handle(part, analysisApi.renameCollection, async ({ params, body }, { user }) =>
      renameCollection(services, await loadOwnedCollection(db, user.id, params.id), body),
    ),
  )
}

function reviewRoutes(scope: Scope<User>, services: Services) {
  const load = ({ user }: Call<User>, runId: string) => loadOwnedRun(services.db, user.id, runId)

  handle(scope, analysisApi.reviews, async (_input, { user }) => ({ reviews: await listReviews(services, user.id) }))
  handle(scope, analysisApi.review, async ({ params, query }, call) =>
    loadReview(services, await load(call, params.runId), query, call.origin),
  )
  handle(scope, analysisApi.chooseProposal, async ({ params, body }, call) =>
    chooseProposal(services, await load(call, params.runId), {
      mediaId: params.id,
      choice: body,
      origin: call.origin,
    }),
  )
  handle(scope, analysisApi.applyReview, async ({ params }, call) =>
    applyReview(services, await load(call, params.runId)),
  )
  handle(scope, analysisApi.discardReview, async ({ params }, call) => {
    const run = await discardReview(services, await load(call, params.runId))
    return { message: 'The suggestions were discarded. No items were changed.', run }
  })
}
