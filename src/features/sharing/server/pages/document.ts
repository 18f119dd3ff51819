import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { escapeHtml } from '#shared/escape.ts'

/** The Open Graph data of a page. */
export type LinkPreview = {
  url: string
  title: string
  description: string
  image?: { url: string; width?: number; height?: number; alt: string }
  video?: { url: string; type: string }
}

type Page = {
  title: string
  preview?: LinkPreview
  themeColour?: string
  head: Html
  body: Html
  /** Only existing public pages are indexed. */
  isIndexed?: boolean
  /** The page does not name the product. */
  isWhiteLabel?: boolean
  /** The address of the site's own icon. */
  icon?: string
}

export function pageDocument(page: Page): string {
  const { title, preview, themeColour, head, body, isIndexed = false, isWhiteLabel = false, icon } = page
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${title}</title>
${!isIndexed && html`<meta name="robots" content="noindex">`}
${preview && previewTags(preview, isWhiteLabel)}
${themeColour && html`<meta name="theme-color" content="${themeColour}">`}
${icon ? html`<link rel="icon" href="${icon}">` : html`<link rel="icon" href="/favicon.svg" type="image/svg+xml">`}
${head}
</head>
<body>
<div id="root">${body}</div>
</body>
</html>
`.markup
}

function previewTags({ url, title, description, image, video }: LinkPreview, isWhiteLabel: boolean) {
  const property = (name: string, content?: string | number) =>
    content !== undefined && content !== '' && html`<meta property="${name}" content="${content}">\n`
  const named = (name: string, content?: string) =>
    content !== undefined && content !== '' && html`<meta name="${name}" content="${content}">\n`
  return [
    html`<link rel="canonical" href="${url}">\n`,
    named('description', description),
    !isWhiteLabel && property('og:site_name', 'Albumen'),
    property('og:type', video ? 'video.other' : 'website'),
    property('og:url', url),
    property('og:title', title),
    property('og:description', description),
    property('og:image', image?.url),
    property('og:image:width', image?.width),
    property('og:image:height', image?.height),
    property('og:image:alt', image?.alt),
    property('og:video', video?.url),
    property('og:video:type', video?.type),
    named('twitter:card', image ? 'summary_large_image' : 'summary'),
    named('twitter:title', title),
    named('twitter:description', description),
    named('twitter:image', image?.url),
    named('twitter:image:alt', image?.alt),
  ]
}

/** Markup that is safe to insert. Only `html` and `trusted` create it. */
export type Html = { readonly markup: string }
type Part = Html | string | number | false | null | undefined | readonly Part[]

/**
 * [Note: Pages are escaped by default] Values in the template are escaped unless they are the result of such a
 * template, so names, descriptions and branding cannot become markup by an oversight.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return { markup: strings.reduce((page, text, index) => page + render(parts[index - 1]) + text) }
}

function render(part: Part): string {
  if (part === false || part === null || part === undefined) return ''
  if (typeof part === 'object') return 'markup' in part ? part.markup : part.map(render).join('')
  return escapeHtml(String(part))
}

/** For markup of our own, such as the tags of the built client. */
export const trusted = (markup: string): Html => ({ markup })

export type ClientAssets = { styles: Html; scripts: Html }

/** The tags that the build wrote for public pages. Without a build the pages are unstyled, but still readable. */
export async function loadClientAssets(clientDir: string): Promise<ClientAssets> {
  const built = await readFile(join(clientDir, 'public.html'), 'utf8').catch(() => '')
  const styles = built.match(/<link\b[^>]*rel="stylesheet"[^>]*>/g) ?? []
  const scripts =
    built.match(/<link\b[^>]*rel="modulepreload"[^>]*>|<script\b[^>]*type="module"[^>]*><\/script>/g) ?? []
  return { styles: trusted(styles.join('')), scripts: trusted(scripts.join('')) }
}
