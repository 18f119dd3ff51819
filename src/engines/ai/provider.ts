import type { FocalPoint } from '#shared/cover-crop.ts'

/** What every source of descriptions, tags and names has in common. */
export type AiTag = {
  name: string
  /** 0 to 1. */
  score: number
  source: 'classifier' | 'detector' | 'ocr' | 'rule' | 'model'
  /** How many of it are in the picture, where they were counted. */
  count?: number
}

/**
 * A word that a picture may be about, although not surely enough for a tag, and how likely it is. Impressions are never
 * shown; they only place an item among others of a similar meaning.
 */
export type Impression = { word: string; likelihood: number }

export type AiUsage = { promptTokens: number; completionTokens: number }

export type AiAnalysis = {
  title: string
  description: string
  tags: AiTag[]
  /** Words that stand in the picture, line by line. */
  text: string
  /** 1,280 int8 numbers for `compareEmbeddings`, or null where the provider makes none. */
  embedding: Uint8Array | null
  /** int8 numbers that the same provider's vectors of texts can be compared with; only SigLIP makes them. */
  seen?: Uint8Array
  /** Only some providers have them. */
  impressions?: Impression[]
  /** What crops keep in view; only the built-in AI looks for it. */
  focalPoint?: FocalPoint | null
  provider: string
  model: string
  version: string
  usage?: AiUsage
}

/**
 * Goes around each question that is really sent to a provider which costs money, an attempt to mend an answer included.
 * Throws instead of sending when there is nothing left to pay with.
 */
export type Pay = (send: () => Promise<{ isFree: boolean }>) => Promise<void>

/** For whom a picture is named or described; the owner's words. */
export type WebsiteContext = {
  name: string
  /** A BCP 47 tag. */
  language: string
  tone?: string
  audience?: string
  keywords?: string
}

/**
 * [Note: A model is told only what can be seen]
 * What it writes may be published with the picture, and no instruction makes a model keep a place to itself. So a model is
 * not told where, when and with what a picture was taken.
 */
export type AiInput = {
  /** Paths of upright still images: one for a picture, up to 12 for a video. */
  frames: string[]
  /** A short one may have a single frame too. */
  isVideo?: boolean
  /** An earlier finding, usually the local provider's. */
  hints?: AiAnalysis
  /** Tags that the library already uses; their spelling is preferred. */
  vocabulary?: string[]
  /** Only the endpoint takes it into account. */
  website?: WebsiteContext
  /** Of the description and the tags, where they are not for a website; only the endpoint takes it into account. */
  language?: string
  signal?: AbortSignal
  pay?: Pay
}

export type AltTextInput = Pick<AiInput, 'frames' | 'isVideo' | 'hints' | 'website' | 'signal' | 'pay'> & {
  languages: string[]
}

/** One text for each language. */
export type WrittenAltTexts = { texts: Record<string, string>; usage: AiUsage }

/** Known texts that could name a picture; all of them may come from an untrusted page. */
export type NameContext = {
  company?: string
  /** A person's words about the whole set, e.g. "spring catalog". */
  context?: string
  website?: WebsiteContext
  caption?: string
  alt?: string
  title?: string
  linkText?: string
  heading?: string
  pageTitle?: string
  fileName?: string
  tags?: string[]
  description?: string
  ocr?: string
  signal?: AbortSignal
  pay?: Pay
}

export type AiHealth = { ok: boolean; message: string }

export type AiProvider = {
  name: string
  model: string
  version: string
  /** What it is asked may cost money. */
  isPaid: boolean
  /** Tries the provider for real and says in one sentence what is wrong. */
  health(): Promise<AiHealth>
  analyze(input: AiInput): Promise<AiAnalysis>
  /** A short readable name without an extension, never empty; fails as `analyze` does. */
  suggestName(context: NameContext): Promise<string>
  close(): Promise<void>
}

export const mostFrames = 12
