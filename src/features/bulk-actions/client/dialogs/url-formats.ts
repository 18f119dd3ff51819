import { escapeCsvCell, escapeHtml, escapeMarkdown } from '#shared/escape.ts'

type PublicItem = { filename: string; publicUrl: string }

const csvCell = (text: string) => `"${escapeCsvCell(text).replaceAll('"', '""')}"`

/** The formats in which a list of addresses can be copied. */
export const urlFormats = {
  lines: { label: 'Plain text', format: (items: PublicItem[]) => items.map(({ publicUrl }) => publicUrl).join('\n') },
  markdown: {
    label: 'Markdown',
    format: (items: PublicItem[]) =>
      items.map(({ filename, publicUrl }) => `- [${escapeMarkdown(filename)}](${publicUrl})`).join('\n'),
  },
  html: {
    label: 'HTML',
    format: (items: PublicItem[]) =>
      items
        .map(({ filename, publicUrl }) => `<a href="${escapeHtml(publicUrl)}">${escapeHtml(filename)}</a>`)
        .join('\n'),
  },
  csv: {
    label: 'CSV',
    format: (items: PublicItem[]) =>
      ['"Name","URL"', ...items.map(({ filename, publicUrl }) => `${csvCell(filename)},${csvCell(publicUrl)}`)].join(
        '\r\n',
      ),
  },
}
export type UrlFormat = keyof typeof urlFormats
