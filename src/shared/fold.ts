/** Normalizes text for searching and sorting: case, accents and width make no difference, on either database. */
export function fold(text: string) {
  return (
    text
      // Loose combining marks go first, because NFKD sorts them in quadratic time.
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

/** Pads numbers, so that names sort naturally: "img 2" before "img 10". */
export function sortKey(name: string) {
  return fold(name)
    .replace(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, '').padStart(12, '0'))
    .slice(0, 300)
}
