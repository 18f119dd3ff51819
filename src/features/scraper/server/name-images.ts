import { setImmediate as nextTurn } from 'node:timers/promises'
import { suggestNameByRules } from '#engines/ai/naming.ts'
import type { NameContext } from '#engines/ai/provider.ts'
import type { FoundImage } from '#engines/web/find-images/found-image.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { uniqueNames } from '#shared/filenames.ts'

/** Names an image by more than rules, such as a model that reads the words around it. */
export type SuggestName = (context: NameContext) => Promise<string>

type Page = { title: string; suggestName?: SuggestName; signal?: AbortSignal }

/** The first meaningful source names the image, even if a later one is longer; after them a model is asked. */
const sourcesInOrder = ['alt', 'caption', 'title', 'heading', 'fileName'] as const
/** Only the images at the top of the page are sent to a model, so that the preview stays fast. */
const suggestedAtMost = 12
const suggestedAtOnce = 4
const suggestWithinMs = 8000
const namesPerTurn = 500

/** A short readable name for each image, unique on the page. */
export async function nameImages(images: FoundImage[], page: Page): Promise<string[]> {
  const names: string[] = []
  const unnamed: number[] = []
  for (const image of images) {
    const context = contextOf(image, page)
    const name = nameInOrder(context)
    if (!name) unnamed.push(names.length)
    names.push(name ?? suggestNameByRules(context).name)
    // Naming thousands of images takes a while, so other requests get a turn in between.
    if (names.length % namesPerTurn === 0) await nextTurn()
  }
  const { suggestName } = page
  const freeName = uniqueNames((name, count) => `${name} ${count}`)
  if (!suggestName || unnamed.length === 0) return names.map(freeName)
  const asked = unnamed.slice(0, suggestedAtMost).map((index) => ({ index, context: contextOf(images[index]!, page) }))
  const suggested = await suggestNames(asked, suggestName, page.signal)
  return names.map((name, index) => freeName(suggested.get(index) ?? name))
}

function nameInOrder(context: NameContext): string | undefined {
  for (const source of sourcesInOrder) {
    const { name, confidence } = suggestNameByRules({ [source]: context[source] })
    if (confidence > 0) return name
  }
}

type Asked = { index: number; context: NameContext }

/** The model's names by image index, as far as they came in time; the rules have named the others. */
async function suggestNames(asked: Asked[], suggestName: SuggestName, outer?: AbortSignal) {
  const names = new Map<number, string>()
  const deadline = AbortSignal.timeout(suggestWithinMs)
  const signal = outer ? AbortSignal.any([deadline, outer]) : deadline
  const inTurn = limitConcurrency(suggestedAtOnce)
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  const suggestions = asked.map(({ index, context }) =>
    inTurn(async () => {
      if (signal.aborted) return
      const name = (await suggestName({ ...context, signal })).trim()
      if (!signal.aborted && name) names.set(index, name)
      // On a limit, an outage or an unusable answer the rules' name stays.
    }).catch(() => undefined),
  )
  await Promise.race([Promise.all(suggestions), stopped])
  return names
}

function contextOf(image: FoundImage, { title }: Page): NameContext {
  const { alt, caption, heading, linkText, fileName } = image
  return { alt, caption, title: image.title, heading, linkText, fileName, pageTitle: title }
}
