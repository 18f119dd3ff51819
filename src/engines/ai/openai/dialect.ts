/**
 * What an endpoint has been found to understand. Every server claims to speak OpenAI's protocol; few speak all of it.
 * The first complaint moves one step down, and the step is kept for all later calls.
 */
type Dialect = {
  format: 'json_schema' | 'json_object' | 'plain'
  tokensField: 'max_tokens' | 'max_completion_tokens'
  hasTemperature: boolean
  mostPictures: number
}

export const createDialect = (): Dialect => ({
  format: 'json_schema',
  tokensField: 'max_tokens',
  hasTemperature: true,
  mostPictures: Number.POSITIVE_INFINITY,
})

/** Adapts to a complaint about the request; false when the complaint is about something else. */
export function adaptDialect(dialect: Dialect, complaint: string): boolean {
  if (dialect.tokensField === 'max_tokens' && /max_completion_tokens/i.test(complaint)) {
    dialect.tokensField = 'max_completion_tokens'
    return true
  }
  if (dialect.hasTemperature && /temperature/i.test(complaint)) {
    dialect.hasTemperature = false
    return true
  }
  if (
    dialect.format !== 'plain' &&
    /response_format|json[ _]?(schema|object|mode)|schema|grammar|structured output/i.test(complaint)
  ) {
    dialect.format = dialect.format === 'json_schema' ? 'json_object' : 'plain'
    return true
  }
  // vLLM takes as many as it was started for, some models one.
  const most = /single image/i.test(complaint) ? 1 : Number(/at most (\d+) image/i.exec(complaint)?.[1])
  if (most > 0 && most < dialect.mostPictures) {
    dialect.mostPictures = most
    return true
  }
  return false
}

export function pickEvenly<T>(items: T[], most: number): T[] {
  if (items.length <= most) return items
  return Array.from({ length: most }, (_, index) => items[Math.floor((index * items.length) / most)]!)
}

type Picture = { data: Uint8Array; type?: 'image/jpeg' | 'image/png' }

export type Question = {
  model: string
  system: string
  prompt: string
  pictures: Picture[]
  jsonSchema: unknown
  maxTokens: number
}

export function buildRequest(question: Question, { format, tokensField, hasTemperature }: Dialect) {
  const { model, system, prompt, pictures, jsonSchema, maxTokens } = question
  const schemaNote = `\nAnswer with ONE JSON object that matches this JSON Schema, and nothing else:\n${JSON.stringify(jsonSchema)}`
  const responseFormat = {
    json_schema: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: jsonSchema } },
    json_object: { type: 'json_object' },
    plain: undefined,
  }[format]
  return {
    model,
    // Some gateways stream unless they are told.
    stream: false,
    [tokensField]: maxTokens,
    ...(hasTemperature ? { temperature: 0.2 } : {}),
    ...(responseFormat ? { response_format: responseFormat } : {}),
    messages: [
      { role: 'system', content: format === 'json_schema' ? system : system + schemaNote },
      { role: 'user', content: [{ type: 'text', text: prompt }, ...pictures.map(pictureContent)] },
    ],
  }
}

const pictureContent = ({ data, type = 'image/jpeg' }: Picture) => ({
  type: 'image_url',
  image_url: { url: `data:${type};base64,${Buffer.from(data).toString('base64')}` },
})
