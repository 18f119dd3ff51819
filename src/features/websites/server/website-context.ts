import type { WebsiteContext } from '#engines/ai/provider.ts'
import type { WebsiteRow } from './store.ts'

/** What a model is told about a website; the first language is the main one. */
export function contextOfWebsite(website: WebsiteRow): WebsiteContext {
  const [language = 'en'] = JSON.parse(website.languages) as string[]
  return {
    name: website.name,
    language,
    tone: website.tone ?? undefined,
    audience: website.audience ?? undefined,
    keywords: website.keywords ?? undefined,
  }
}
