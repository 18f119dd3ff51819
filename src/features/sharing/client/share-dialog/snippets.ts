import { escapeHtml, escapeMarkdown } from '#shared/escape.ts'
import type { SharedImage } from '../../contract.ts'

export type SnippetFormat = 'html' | 'markdown' | 'json' | 'iframe'

const widths = [640, 1280, 1920]

/** The code that shows these images on another website. */
export function makeSnippet(
  format: SnippetFormat,
  images: readonly SharedImage[],
  page: { url: string; title: string },
) {
  if (format === 'iframe') {
    return `<iframe src="${escapeHtml(`${page.url}?embed=1`)}" title="${escapeHtml(page.title)}" width="100%" height="600" loading="lazy" style="border:0"></iframe>`
  }
  if (format === 'json') return JSON.stringify(images, null, 2)
  return images.map(format === 'html' ? toHtml : toMarkdown).join('\n')
}

function toHtml({ url, width, height, alt }: SharedImage) {
  const sizes = widths.filter((_width, index) => index === 0 || !width || widths[index - 1]! < width)
  const srcset = sizes.map((candidate) => `${sized(url, candidate)} ${candidate}w`).join(', ')
  const size = width && height ? ` width="${width}" height="${height}"` : ''
  return `<img src="${escapeHtml(sized(url, 1280))}" srcset="${escapeHtml(srcset)}" sizes="100vw"${size} alt="${escapeHtml(alt)}" loading="lazy">`
}

const sized = (url: string, width: number) => `${url.split('?')[0]}?w=${width}&format=webp`

/** Parentheses would end the URL too early. */
function toMarkdown({ url, alt }: SharedImage) {
  return `![${escapeMarkdown(alt)}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`
}
