const mostAttempts = 20

/**
 * The JSON object in a model's answer, which small models wrap in thoughts, fences and chatter. Undefined when there
 * is none.
 */
export function extractJson(answer: string): unknown {
  const spoken = withoutThoughts(answer)
  const fenced = /```(?:json)?([\s\S]*?)```/i.exec(spoken)?.[1]
  for (const candidate of [spoken, fenced ?? '']) {
    const parsed = parseObject(candidate.trim())
    if (parsed !== undefined) return parsed
  }
  let start = spoken.indexOf('{')
  for (let attempt = 0; start >= 0 && attempt < mostAttempts; attempt++) {
    const end = endOfObject(spoken, start)
    const parsed = end > 0 ? parseObject(spoken.slice(start, end)) : undefined
    if (parsed !== undefined) return parsed
    start = spoken.indexOf('{', start + 1)
  }
  return undefined
}

/** Some servers cut the opening mark of a thought off, so everything before the last closing one goes. */
export function withoutThoughts(answer: string): string {
  const spoken = answer.split(/<\/think(?:ing)?>/).at(-1)!
  return spoken.replace(/<think(?:ing)?>[\s\S]*$/, '').trim()
}

/** Undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseObject(text: string): unknown {
  if (!text.startsWith('{')) return undefined
  const parsed = parseJson(text)
  if (parsed !== undefined) return parsed
  // Small models break lines within a text, and leave commas behind the last element.
  const mended = text.replace(/\p{Cc}/gu, ' ')
  return parseJson(mended) ?? parseJson(mended.replace(/,(\s*[}\]])/g, '$1'))
}

/** Position after the brace that closes the object, or 0 when it is never closed. */
function endOfObject(text: string, start: number): number {
  let depth = 0
  let isInString = false
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (isInString) {
      if (character === '\\') at++
      else if (character === '"') isInString = false
    } else if (character === '"') isInString = true
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return at + 1
  }
  return 0
}
