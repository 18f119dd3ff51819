import type { AiTag } from '../provider.ts'
import type { FrameFindings } from './analyse-frame.ts'
import { average } from './classifier.ts'

const mostLines = 100

/** One finding for a video: the tags that a third of its frames share, every line of text once. */
export function mergeFrames(frames: FrameFindings[]): FrameFindings {
  if (frames.length === 1) return frames[0]!
  return {
    tags: mergeTags(frames),
    lines: [...new Set(frames.flatMap(({ lines }) => lines))].slice(0, mostLines),
    colours: mostFrequent(frames.flatMap(({ colours }) => colours)).slice(0, 3),
    brightness: frames.reduce((sum, { brightness }) => sum + brightness, 0) / frames.length,
    features: average(frames.map(({ features }) => features)),
  }
}

function mergeTags(frames: FrameFindings[]): AiTag[] {
  const needed = Math.ceil(frames.length / 3)
  const seen = new Map<string, AiTag[]>()
  for (const { tags } of frames) {
    for (const tag of bestOfEach(tags)) seen.set(tag.name, [...(seen.get(tag.name) ?? []), tag])
  }
  return [...seen.values()].filter((tags) => tags.length >= needed).map(combine)
}

/** A frame may claim a tag by classifier and detector; it is still one frame. */
function bestOfEach(tags: AiTag[]): AiTag[] {
  const best = new Map<string, AiTag>()
  for (const tag of tags) {
    const known = best.get(tag.name)
    if (!known || tag.score > known.score) best.set(tag.name, { ...tag, count: tag.count ?? known?.count })
  }
  return [...best.values()]
}

function combine(tags: AiTag[]): AiTag {
  const { name, source } = tags[0]!
  const score = tags.reduce((sum, tag) => sum + tag.score, 0) / tags.length
  const counts = tags.flatMap(({ count }) => count ?? []).sort((a, b) => a - b)
  const count = counts[Math.floor(counts.length / 2)]
  return { name, source, score, ...(count === undefined ? {} : { count }) }
}

function mostFrequent(words: string[]): string[] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word)
}
