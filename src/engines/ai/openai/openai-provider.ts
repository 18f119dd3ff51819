import { crc32, deflateSync } from 'node:zlib'
import ipaddr from 'ipaddr.js'
import { toWords } from '#shared/name-words.ts'
import { tidyAltText } from '../alt-text.ts'
import { cleanLines, cleanText } from '../clean-text.ts'
import { aiError, asAiError } from '../errors.ts'
import { compose, nameWrittenByPeople, suggestNameByRules } from '../naming.ts'
import type { AiHealth, AiInput, AiProvider, AltTextInput, NameContext, WrittenAltTexts } from '../provider.ts'
import { normaliseTags } from '../tags.ts'
import { altTextPrompt, altTextShape, altTextSystemPrompt, altTextVersion } from './alt-text-prompt.ts'
import { createChat, pickEvenly } from './chat.ts'
import {
  AcceptedAnalysis,
  AnalysisShape,
  analysisPrompt,
  ColourShape,
  NameShape,
  namePrompt,
  promptVersion,
  systemPrompt,
} from './prompts.ts'
import { createTransport, type TransportOptions } from './transport.ts'

export type OpenAiOptions = TransportOptions & {
  model: string
  /** What may leave the house: a small JPEG without any metadata. Decoders are others' work. */
  shrink(picture: { path: string; edge: number }): Promise<{ data: Uint8Array }>
}

/** Only a model that can be instructed writes alt texts. */
export type OpenAiProvider = AiProvider & {
  altTextVersion: string
  writeAltTexts(input: AltTextInput): Promise<WrittenAltTexts>
}

const sentEdge = 1024
/** Every frame costs tokens; these many tell what a video shows. */
const mostSentFrames = 6
const tagScore = 0.9

/** Any OpenAI-compatible endpoint. Its answers are a stranger's words: cut, cleaned and never acted upon. */
export function createOpenAiProvider({ model, shrink, ...options }: OpenAiOptions): OpenAiProvider {
  const transport = createTransport(options)
  const chat = createChat(transport, model)

  async function shrinkAll(frames: string[]) {
    try {
      return await Promise.all(frames.map((path) => shrink({ path, edge: sentEdge })))
    } catch (error) {
      throw asAiError(error)
    }
  }

  async function prepare({ frames, signal }: Pick<AiInput, 'frames' | 'signal'>) {
    if (frames.length === 0) throw aiError('unreadable', 'There is no image to analyze.')
    const pictures = await shrinkAll(pickEvenly(frames, mostSentFrames))
    signal?.throwIfAborted()
    return pictures
  }

  async function analyze(input: AiInput) {
    const pictures = await prepare(input)
    const { answer, usage } = await chat.ask({
      system: systemPrompt(input.website?.language ?? input.language),
      prompt: (sentFrames) => analysisPrompt(input, sentFrames),
      pictures,
      shape: AnalysisShape,
      accepted: AcceptedAnalysis,
      signal: input.signal,
      pay: input.pay,
    })
    const tags = answer.tags.map((name) => ({ name, score: tagScore, source: 'model' as const }))
    return {
      title: cleanText(answer.title, 80),
      description: cleanText(answer.description, 2000),
      tags: normaliseTags(tags, input.vocabulary ?? []),
      text: input.hints?.text || cleanLines(answer.text.split('\n'), 5000),
      embedding: input.hints?.embedding ?? null,
      provider: 'openai',
      model,
      version: promptVersion,
      usage,
    }
  }

  async function writeAltTexts(input: AltTextInput): Promise<WrittenAltTexts> {
    const pictures = await prepare(input)
    const shape = altTextShape(input.languages)
    const { answer, usage } = await chat.ask({
      system: altTextSystemPrompt,
      prompt: (sentFrames) => altTextPrompt(input, sentFrames),
      pictures,
      shape,
      accepted: shape,
      signal: input.signal,
      pay: input.pay,
    })
    const texts = Object.entries(answer).map(([language, text]) => [language, tidyAltText(text)] as const)
    return { texts: Object.fromEntries(texts.filter(([, text]) => text !== '')), usage }
  }

  /** Rules first, the model second. Fails as an analysis does. */
  async function suggestName(context: NameContext): Promise<string> {
    const written = nameWrittenByPeople(context)
    if (written) return written
    const { answer } = await chat.ask({
      system: systemPrompt(context.website?.language),
      prompt: () => namePrompt(context),
      pictures: [],
      shape: NameShape,
      accepted: NameShape,
      signal: context.signal,
      pay: context.pay,
    })
    const words = toWords(answer.name)
    return words.length > 0 ? compose(words, { company: context.company }) : suggestNameByRules(context).name
  }

  async function health(): Promise<AiHealth> {
    try {
      const { answer } = await chat.ask({
        system: systemPrompt(),
        prompt: () => 'Which colour fills this picture?',
        pictures: [{ data: redSquare(), type: 'image/png' }],
        shape: ColourShape,
        accepted: ColourShape,
        retries: 0,
      })
      const hasSeen = /\b(red|reddish|crimson|scarlet|rot|rouge|rojo|rosso)\b/i.test(answer.colour)
      if (hasSeen) return { ok: true, message: `"${model}" responds and can see images.` }
      return { ok: false, message: `"${model}" responds but did not see the test image. Choose a model with vision.` }
    } catch (error) {
      const { message, cause } = error as Error
      return { ok: false, message: typeof cause === 'string' ? `${message} The endpoint says: ${cause}` : message }
    }
  }

  return {
    name: 'openai',
    model,
    version: promptVersion,
    isPaid: !isLocalEndpoint(options.baseUrl),
    health,
    analyze,
    altTextVersion: `${altTextVersion}+alt`,
    writeAltTexts,
    suggestName,
    close: transport.close,
  }
}

/** An endpoint on this machine or in the local network costs nothing. */
function isLocalEndpoint(baseUrl: string): boolean {
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() !== 'unicast'
  return !host.includes('.') || /\.(local|internal|lan|home\.arpa)$/.test(host)
}

const edge = 96

/** A red square as PNG: small, and a model that sees at all can name its colour. */
function redSquare(): Buffer {
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(edge * 3, Buffer.of(220, 20, 20))])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(edge, 0)
  header.writeUInt32BE(edge, 4)
  // Eight bits a channel, three channels; compression, filter and interlace are the defaults.
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
  const pixels = deflateSync(Buffer.concat(Array.from({ length: edge }, () => row)))
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
