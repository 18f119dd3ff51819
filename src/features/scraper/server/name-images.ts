import { setImmediate as nextTurn } from 'node:timers/promises'
import { suggestNameByRules } from '#engines/ai/naming.ts'
import type { NameContext } from '#engines/ai/provider.ts'
import type { FoundImage } from '#engines/web/find-images/found-image.ts'
import { limitConcurrency } from '#shared/limit-concurrency.ts'

/** Names a picture by more than rules, such as a model's reading of the words around it. */
export type SuggestName = (context: NameContext) => Promise<string>

type Page = { title: string; suggestName?: SuggestName; signal?: AbortSignal }

/** A model is asked for the pictures that a person sees first, and no longer than they would wait. */
const suggestedAtMost = 48
const suggestedAtOnce = 4
const suggestWithinMs = 8000
const namesPerTurn = 500

/** A short readable name for each picture, unique on the page. */
export async function nameImages(images: FoundImage[], page: Page): Promise<string[]> {
  const names: string[] = []
  for (const image of images) {
    names.push(suggestNameByRules(contextOf(image, page)).name)
    // Thousands of names take a while; others are answered in between.
    if (names.length % namesPerTurn === 0) await nextTurn()
  }
  if (page.suggestName) await improveNames(names, images, page, page.suggestName)
  return makeUnique(names)
}

async function improveNames(names: string[], images: FoundImage[], page: Page, suggestName: SuggestName) {
  const deadline = AbortSignal.timeout(suggestWithinMs)
  const signal = page.signal ? AbortSignal.any([deadline, page.signal]) : deadline
  const inTurn = limitConcurrency(suggestedAtOnce)
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  const suggestions = images.slice(0, suggestedAtMost).map((image, index) =>
    inTurn(async () => {
      if (signal.aborted) return
      const name = await suggestName({ ...contextOf(image, page), signal })
      if (!signal.aborted && name.trim()) names[index] = name.trim()
      // The rules have given it a name already.
    }).catch(() => undefined),
  )
  await Promise.race([Promise.all(suggestions), stopped])
}

function contextOf(image: FoundImage, { title }: Page): NameContext {
  const { alt, caption, heading, linkText, fileName } = image
  return { alt, caption, title: image.title, heading, linkText, fileName, pageTitle: title }
}

/** " 2", " 3" … where a name was taken before; in one pass, since a gallery may call ten thousand pictures the same. */
export function makeUnique(names: string[]): string[] {
  const used = new Set<string>()
  const nextNumbers = new Map<string, number>()
  return names.map((name) => {
    const key = name.toLowerCase()
    let candidate = name
    let number = nextNumbers.get(key) ?? 2
    while (used.has(candidate.toLowerCase())) candidate = `${name} ${number++}`
    nextNumbers.set(key, number)
    used.add(candidate.toLowerCase())
    return candidate
  })
}
