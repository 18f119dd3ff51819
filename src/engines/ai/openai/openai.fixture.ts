import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import sharp from 'sharp'
import { shareImageEngine } from '#tests/support/shared-engines.ts'
import type { AiInput } from '../provider.ts'
import { startMisbehavingEndpoint } from '../testing/misbehaving-endpoint.ts'
import { createOpenAiProvider, type OpenAiOptions, type OpenAiProvider } from './openai-provider.ts'

/** An endpoint whose models each misbehave in their own way, and a picture with secrets to show them. */
export async function openAiForTests() {
  const directory = await mkdtemp(join(tmpdir(), 'openai-provider-'))
  const picture = join(directory, 'picture.jpg')
  await sharp({ create: { width: 2000, height: 1000, channels: 3, background: '#c86414' } })
    .withExif({ IFD0: { Copyright: 'secret owner' }, IFD3: { GPSLatitude: '46/1 0/1 0/1' } })
    .jpeg()
    .toFile(picture)
  const endpoint = await startMisbehavingEndpoint()
  const { shrink } = shareImageEngine()
  const providers: OpenAiProvider[] = []
  after(async () => {
    await Promise.all(providers.map((provider) => provider.close()))
    await endpoint.close()
    await rm(directory, { recursive: true, force: true })
  })

  function provide(model: string, options: Partial<OpenAiOptions> = {}): OpenAiProvider {
    const provider = createOpenAiProvider({
      baseUrl: endpoint.baseUrl,
      model,
      timeoutMs: 20_000,
      retryDelayMs: 1,
      shrink,
      ...options,
    })
    providers.push(provider)
    return provider
  }

  const ask = (model: string, input: Partial<AiInput> = {}, options: Partial<OpenAiOptions> = {}) =>
    provide(model, options).analyze({ frames: [picture], ...input })

  return { directory, picture, endpoint, provide, ask }
}
