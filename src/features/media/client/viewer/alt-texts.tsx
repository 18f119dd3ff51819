import { languageName } from '#shared/languages.ts'
import type { ViewedMedia } from '../../contract.ts'
import { PanelSection } from './panel-section.tsx'

/** What websites say of the item, by language. */
export function AltTexts({ media: { altTexts, isDecorative } }: { media: ViewedMedia }) {
  const texts = Object.entries(altTexts)
  if (texts.length === 0 && !isDecorative) return null
  return (
    <PanelSection title="Alt text">
      {isDecorative ? (
        <p className="text-muted text-sm">Decorative. Websites show it with an empty alt text.</p>
      ) : (
        <dl className="flex flex-col gap-2 text-sm">
          {texts.map(([language, text]) => (
            <div key={language}>
              <dt className="text-faint">{languageName(language)}</dt>
              <dd lang={language} dir="auto" className="wrap-anywhere text-pretty">
                {text}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </PanelSection>
  )
}
