import { announceMedia } from '#features/media/server/announce.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { describeMedia, lockItem, updateMedia } from '#features/media/server/store.ts'
import { changedAltTexts } from '#features/media/server/words.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { NotNow, type RunKind } from '#platform/server/runs/runs.ts'
import { endRun, type Run } from '#platform/server/runs/runs-store.ts'
import type { AnalysisServices } from '../analyze-media.ts'
import { asFailure } from '../failures.ts'
import { saveChoice } from '../runs/review-store.ts'
import { type AltTextOptions, altTextKind, applyAltTextKind } from '../runs/runs.ts'
import { maxCompared, type Suggestions } from '../runs/suggestions.ts'
import { type AppliedAltTexts, listSuggested, type SuggestedItem } from './alt-texts-store.ts'
import { changesOf } from './changes.ts'

export function altTextSuggestions({ db }: { db: Db }, run: Pick<Run, 'id' | 'options'>): Suggestions<SuggestedItem> {
  const { overwrite } = JSON.parse(run.options) as AltTextOptions
  const changes = ({ media, suggested }: SuggestedItem) => changesOf(media, suggested.texts, overwrite)
  return {
    list: (connection, mediaId) => listSuggested(connection, run.id, { mediaId }),
    listComparable: (connection) => listSuggested(connection, run.id, { limit: maxCompared }),
    findUnchanged: async (items) => new Set(items.filter((item) => changes(item).length === 0)),
    async save(transaction, { media, choice: before }, { isAccepted, refusedLanguages }) {
      await saveChoice(transaction, run.id, media.id, {
        isRejected: isAccepted === undefined ? before.isRejected : !isAccepted,
        languages: refusedLanguages ?? before.languages,
      })
    },
    async describe(items, origin) {
      const rows = items.map(({ media }) => media)
      const described = await describeMedia(db, rows, origin)
      return items.map((item, index) => {
        const { provider, model, note } = item.suggested
        const { isRejected, languages } = item.choice
        return {
          media: described[index]!,
          isAccepted: !isRejected,
          provider,
          model,
          note,
          description: null,
          tags: [],
          altTexts: changes(item).map((change) => ({ ...change, isAccepted: !languages.includes(change.language) })),
        }
      })
    },
  }
}

/** How the job applies the reviewed alt texts. */
export function applyAltTextRuns({ db, events, log }: AnalysisServices): RunKind {
  return {
    kind: applyAltTextKind,
    takes: 'found',
    runsAtOnce: 2,
    itemsAtOnce: 1,
    itemsPerJob: 100,
    // Suggestions that were not applied return to the review and can be applied again.
    interrupted: async (run) => void (await endRun(db, run, { kind: altTextKind, status: 'ended' })),
    begin: (run, { signal }) => {
      const { overwrite } = JSON.parse(run.options) as AltTextOptions
      return async ({ media_id }, mark) => {
        const [item] = await listSuggested(db, run.id, { mediaId: media_id! })
        if (!item) return
        const apply = db.transaction().execute(async (transaction) => {
          const row = await lockItem(transaction, item.media)
          const accepted = changesOf(row, item.suggested.texts, overwrite).filter(
            ({ language }) => !item.choice.isRejected && !item.choice.languages.includes(language),
          )
          if (accepted.length === 0) return mark(transaction, { state: 'rejected' })
          await updateMedia(transaction, row.id, { alt_texts: changedAltTexts(row, textsOf(accepted)) })
          await indexMedia(transaction, [row.id])
          await mark(transaction, { state: 'done', output: JSON.stringify(accepted) })
        })
        await apply.catch((error) => {
          throw signal.aborted || error instanceof NotNow ? error : asFailure(error, log)
        })
        await announceMedia(events, item.media.owner_id, [item.media.id])
      }
    },
  }
}

const textsOf = (changes: AppliedAltTexts) =>
  Object.fromEntries(changes.map(({ language, after }) => [language, after]))
