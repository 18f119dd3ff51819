import { lazy } from '#shared/lazy.ts'
import { cleanText } from '../clean-text.ts'
import type { Picture } from '../picture.ts'
import { hubModelById } from './catalog.ts'
import { loadTransformers, openOptions, toImage } from './transformers.ts'

export type Florence = {
  /** One to three English sentences. `onStep` is called for every word, which may take a second. */
  describe(picture: Picture, onStep: () => void): Promise<string>
}

const task = '<DETAILED_CAPTION>'
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
  return {
    async describe(picture, onStep) {
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
      return toSentences(process.batch_decode(tokens, { skip_special_tokens: true })[0] ?? '')
    },
  }
}

const opening = /^(?:in )?(?:the|this) (?:image|picture|photo|photograph) (?:shows|features|depicts|is of|contains) /i
const tag = /<[^<>]{0,40}>/g

/** What the model wrote as plain text: without its own marks, without "The image shows", and ending with a whole sentence. */
export function toSentences(written: string): string {
  const text = cleanText(written.replaceAll(tag, ' '), longestCaption).replace(opening, '')
  const whole = /[.!?]$/.test(text) ? text : text.replace(/(?<=[.!?])\s[^.!?]*$/, '')
  return whole.charAt(0).toUpperCase() + whole.slice(1)
}
