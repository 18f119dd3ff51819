/** Text as it is searched and sorted: without regard to case, accents and width. The same on both databases. */
export function fold(text: string) {
  return (
    text
      // First those that stand by themselves: putting them in order takes time with the square of their number.
      .replace(/\p{M}/gu, '')
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll('ß', 'ss')
      .replaceAll('ø', 'o')
      .replaceAll('ł', 'l')
      .replaceAll('æ', 'ae')
      .replaceAll('œ', 'oe')
      .replaceAll('đ', 'd')
      .replaceAll('ı', 'i')
      .replaceAll('ς', 'σ')
  )
}

/** A key under which names sort as people expect: "img 2" before "img 10". */
export function sortKey(name: string) {
  return fold(name)
    .replace(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, '').padStart(12, '0'))
    .slice(0, 300)
}
