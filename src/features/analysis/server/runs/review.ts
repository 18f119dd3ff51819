import type { Kysely } from 'kysely'
import { tagKey } from '#engines/ai/tags.ts'
import { paginationOf } from '#features/media/server/listing/listing.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { describeMedia } from '#features/media/server/store.ts'
import { listOwnTags } from '#features/media/server/tags.ts'
import { conflict, notFound } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Proposal, ProposalChoice } from '../../contract.ts'
import type { Ai } from '../ai.ts'
import { chooseTags } from '../apply.ts'
import { countProposed, listProposed, type ProposedItem, saveChoice } from './proposals-store.ts'
import { describeRun, holdRun, listRunErrors, type RunRow } from './runs-store.ts'

type Services = { db: Kysely<Tables>; ai: Ai }
type Page = { page: number; limit: number }

/** What the run would change, as the items are now; what a person changed since the run is heeded. */
export async function loadReview(services: Services, run: Owned<RunRow>, { page, limit }: Page, origin: string) {
  const { db } = services
  mustWait(run)
  const { total, rejected } = await countProposed(db, run.id)
  const items = await listProposed(db, run.id, { offset: (page - 1) * limit, limit })
  return {
    run: await describeRun(db, run.id),
    accepted: total - rejected,
    items: await describeProposals(services, items, origin),
    pagination: paginationOf({ page, limit }, total),
    errors: await listRunErrors(db, run.id),
  }
}

export async function chooseProposal(
  services: Services,
  run: Owned<RunRow>,
  { mediaId, choice, origin }: { mediaId: number; choice: ProposalChoice; origin: string },
): Promise<Proposal> {
  const { db } = services
  await db.transaction().execute(async (transaction) => {
    // One choice after another, so that each knows of the one before; and none once they are being written.
    mustWait(await holdRun(transaction, run.id))
    const { choice: before } = await loadItem(transaction)
    await saveChoice(transaction, run.id, mediaId, {
      isRejected: choice.isAccepted === undefined ? before.isRejected : !choice.isAccepted,
      isDescriptionRefused:
        choice.isDescriptionAccepted === undefined ? before.isDescriptionRefused : !choice.isDescriptionAccepted,
      tags: choice.refusedTags ?? before.tags,
    })
  })
  const [proposal] = await describeProposals(services, [await loadItem(db)], origin)
  return proposal!

  async function loadItem(connection: Db) {
    const [found] = await listProposed(connection, run.id, { mediaId, limit: 1 })
    if (!found) throw notFound('Proposal')
    return found
  }
}

const whatBecameOfIt: Partial<Record<RunRow['status'], string>> = {
  running: 'The analysis is still running.',
  discarded: 'These suggestions were discarded.',
}

export function mustWait({ status }: Pick<RunRow, 'status'>) {
  if (status === 'review') return
  throw conflict(whatBecameOfIt[status] ?? 'These suggestions have already been reviewed.', { status })
}

async function describeProposals({ db, ai }: Services, items: ProposedItem[], origin: string): Promise<Proposal[]> {
  const described = await describeMedia(
    db,
    items.map(({ media }) => media),
    origin,
  )
  return Promise.all(
    items.map(async ({ media, proposal, choice }, index): Promise<Proposal> => {
      const { words: vocabulary } = await ai.vocabularyOf(media.owner_id)
      const before = await listOwnTags(db, media.id)
      const after = await chooseTags(db, media, { before, analysis: proposal, vocabulary })
      const isRefused = new Set(choice.tags.map(tagKey))
      const willBe = new Set(after.map(({ tag }) => tag))
      const was = new Set(before.map(({ tag }) => tag))
      const isSame = (media.ai_description ?? '') === proposal.description
      return {
        media: described[index]!,
        isAccepted: !choice.isRejected,
        provider: proposal.provider,
        model: proposal.model,
        note: proposal.shortfall?.message ?? null,
        description:
          media.ai_description_source === 'person' || isSame
            ? null
            : {
                before: media.ai_description,
                after: proposal.description,
                isAccepted: !choice.isDescriptionRefused,
              },
        tags: [
          ...after.map(({ tag }) => ({
            tag,
            change: was.has(tag) ? ('kept' as const) : ('added' as const),
            isAccepted: was.has(tag) || !isRefused.has(tagKey(tag)),
          })),
          ...before
            .filter(({ tag }) => !willBe.has(tag))
            .map(({ tag }) => ({ tag, change: 'dropped' as const, isAccepted: !isRefused.has(tagKey(tag)) })),
        ],
      }
    }),
  )
}
