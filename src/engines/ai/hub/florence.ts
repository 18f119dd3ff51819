import { lazy } from '#shared/lazy.ts'
import { cleanText } from '../clean-text.ts'
import type { Picture } from '../picture.ts'
import type { AiTag } from '../provider.ts'
import { hubModelById } from './catalog.ts'
import { loadTransformers, openOptions, toImage } from './transformers.ts'

export type Florence = {
  /** One to three English sentences. `onStep` is called for every word, which may take a second. */
  describe(picture: Picture, onStep: () => void): Promise<string>
  /** The words of the regions that it sees, the largest first, with their number. */
  findRegions(picture: Picture, onStep: () => void): Promise<AiTag[]>
}

const captionTask = '<DETAILED_CAPTION>'
const regionTask = '<OD>'
const mostTokens = 96
const longestCaption = 600

export function openFlorence(modelsDirectory: string): Florence {
  const { repository } = hubModelById('florence2')
  const opened = lazy(async () => {
    const library = await loadTransformers(modelsDirectory)
    const process = await library.AutoProcessor.from_pretrained(repository, { local_files_only: true })
    const model = await library.Florence2ForConditionalGeneration.from_pretrained(repository, openOptions)
    return { library, process, model }
  })

  async function write(picture: Picture, task: string, onStep: () => void, isPlain: boolean): Promise<string> {
    const { library, process, model } = await opened.get()
    onStep()
    const inputs = await process(toImage(library, picture), process.construct_prompts(task))
    const tokens = await model.generate({
      ...inputs,
      max_new_tokens: mostTokens,
      do_sample: false,
      num_beams: 1,
      streamer: { put: onStep, end: onStep },
    })
    return process.batch_decode(tokens, { skip_special_tokens: isPlain })[0] ?? ''
  }

  return {
    describe: async (picture, onStep) => toSentences(await write(picture, captionTask, onStep, true)),
    findRegions: async (picture, onStep) => toRegionTags(await write(picture, regionTask, onStep, false)),
  }
}

const opening = /^(?:in )?(?:the|this) (?:image|picture|photo|photograph) (?:shows|features|depicts|is of|contains) /i
const tag = /<[^<>]{0,40}>/g

/** A word and one or more boxes of four numbers: left, top, right and bottom in thousandths. */
const region = /([^<>]+)((?:<loc_\d{1,3}>)+)/g
const longestRegionWord = 40
const mostRegionWords = 15
/** The model gives no probability; the larger a region is, the more the picture is about it. */
const scoreOf = (share: number) => 0.6 + 0.35 * Math.sqrt(Math.min(1, share))

export function toRegionTags(written: string): AiTag[] {
  const found = new Map<string, { count: number; share: number }>()
  for (const [, label = '', places = ''] of written.matchAll(region)) {
    const name = cleanText(label, longestRegionWord).toLowerCase()
    const edges = [...places.matchAll(/\d+/g)].map(Number)
    const known = found.get(name) ?? { count: 0, share: 0 }
    for (let at = 0; at + 4 <= edges.length; at += 4) {
      const [left, top, right, bottom] = edges.slice(at, at + 4) as [number, number, number, number]
      known.count++
      known.share = Math.max(known.share, (Math.max(0, right - left) * Math.max(0, bottom - top)) / 1_000_000)
    }
    if (name && known.count > 0) found.set(name, known)
  }
  const tags = [...found].map(([name, { count, share }]) => ({
    name,
    count,
    score: scoreOf(share),
    source: 'model' as const,
  }))
  return tags.sort((one, other) => other.score - one.score).slice(0, mostRegionWords)
}

/** What the model wrote as plain text: without its own marks, without "The image shows", and ending with a whole sentence. */
export function toSentences(written: string): string {
  const text = cleanText(written.replaceAll(tag, ' '), longestCaption).replace(opening, '')
  const whole = /[.!?]$/.test(text) ? text : text.replace(/(?<=[.!?])\s[^.!?]*$/, '')
  return whole.charAt(0).toUpperCase() + whole.slice(1)
}
