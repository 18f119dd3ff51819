import { countOf } from '#shared/count.ts'
import { aiName } from '../ai-name.ts'
import type { AiEstimate, AltTextEstimate } from '../contract.ts'

/** Describes an estimate: first the number of items, then the duration, then the cost. */
export function estimateWords(estimate: AiEstimate): string[] {
  const { images, alreadyKnown, estimatedSeconds, estimatedTokens, isPaid, remainingThisMonth } = estimate
  const fresh = images - alreadyKnown
  if (fresh === 0) return [`${countOf(images, 'item')} already analyzed; results will be reused.`]
  const known = alreadyKnown > 0 ? `; ${alreadyKnown.toLocaleString('en')} already analyzed` : ''
  const lines = [
    `${countOf(fresh, 'item')} to analyze with ${aiName(estimate.provider, estimate.model)}${known}.`,
    `Takes ${durationWords(estimatedSeconds)}.`,
  ]
  if (isPaid) {
    lines.push(`Images are sent to a paid service: about ${countOf(roundedTokens(estimatedTokens), 'token')}.`)
  }
  if (remainingThisMonth !== null && remainingThisMonth < fresh) {
    lines.push(`This month's limit allows only ${countOf(remainingThisMonth, 'more item')}.`)
  }
  return lines
}

/** What would be written by whom, and what is skipped and why. */
export function altTextEstimateWords(estimate: AltTextEstimate): string[] {
  const { images, decorative, complete, provider, model, isPaid, remainingThisMonth } = estimate
  const isDraft = provider !== 'openai'
  return [
    ...(decorative > 0 ? [`${countOf(decorative, 'decorative item')} skipped.`] : []),
    ...(complete > 0 ? [`${countOf(complete, 'item')} skipped: nothing is missing.`] : []),
    ...(images > 0 && isDraft ? [`Drafts by ${aiName(provider, model)}, from what it recognizes.`] : []),
    ...(images > 0 && !isDraft ? [`Written by ${aiName(provider, model)}.`] : []),
    ...(images > 0 && isPaid ? ['Images are sent to a paid service, one request per item.'] : []),
    ...(remainingThisMonth !== null && remainingThisMonth < images
      ? [`This month's limit allows only ${countOf(remainingThisMonth, 'more item')}.`]
      : []),
  ]
}

function durationWords(seconds: number): string {
  if (seconds < 90) return `about ${countOf(Math.max(1, Math.ceil(seconds / 5) * 5), 'second')}`
  if (seconds < 5400) return `about ${countOf(Math.round(seconds / 60), 'minute')}`
  return `about ${countOf(Math.round(seconds / 3600), 'hour')}`
}

/** Rounded, as six exact digits would suggest a precision that an estimate lacks. */
function roundedTokens(tokens: number): number {
  const unit = tokens < 1000 ? 10 : 1000
  return Math.max(unit, Math.round(tokens / unit) * unit)
}
