/** "Beach, , SUN, beach" is beach and sun: comma-separated, trimmed, lower-case, none empty, none twice. */
export function parseTags(text: string): string[] {
  const tags = text
    .split(',')
    .map((tag) => tag.trim().toLowerCase())
    .filter(Boolean)
  return [...new Set(tags)]
}
