/** The number of bytes in which a page's own charset declaration is searched. */
const prescanBytes = 4096

/** The text of a page: by its byte order mark, else the header's charset, else its own `<meta>`, else by trial. */
export function decodeHtml(bytes: Uint8Array, contentType: string): string {
  const decoder =
    markedDecoder(bytes) ?? decoderNamed(charsetOfHeader(contentType)) ?? decoderNamed(charsetOfPage(bytes))
  return decoder ? decoder.decode(bytes) : decodeByTrial(bytes)
}

function markedDecoder(bytes: Uint8Array): TextDecoder | undefined {
  const [a, b, c] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return new TextDecoder('utf-8')
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be')
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le')
  return undefined
}

function charsetOfHeader(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1]
}

function charsetOfPage(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, prescanBytes))
    .toString('latin1')
    .replace(/<!--[\s\S]*?-->/g, '')
  const label =
    /<meta\s[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(start)?.[1] ??
    /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)/i.exec(start)?.[1]
  // A declaration that was readable as ASCII proves that the page is not UTF-16.
  return label && /^utf-?16/i.test(label) ? 'utf-8' : label
}

function decoderNamed(label: string | undefined): TextDecoder | undefined {
  if (!label) return undefined
  try {
    return new TextDecoder(label)
  } catch {
    // An unknown charset is ignored, as browsers do.
    return undefined
  }
}

function decodeByTrial(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
