import sharp from 'sharp'

export type DrawnLine = { text: string; left: number; top: number; pixels: number }

/** Writes lines of text on a sheet. The font comes as a file, so that it looks the same on every machine. */
export async function drawText(
  path: string,
  lines: DrawnLine[],
  { font, background = '#ffffff' }: { font: string; background?: string },
): Promise<string> {
  const drawn = await Promise.all(
    lines.map(async ({ text, left, top, pixels }) => {
      const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
      const options = { text: escaped, font: `DejaVu Sans ${pixels}`, fontfile: font, dpi: 72, rgba: true }
      return { input: await sharp({ text: options }).png().toBuffer(), left, top }
    }),
  )
  await sharp({ create: { width: 1000, height: 700, channels: 4, background } })
    .composite(drawn)
    .png()
    .toFile(path)
  return path
}
