/** Letters that Unicode does not decompose, or that a language writes with two letters. */
const letters: Record<string, string> = {
  ...pairs('ä ae ö oe ü ue ß ss æ ae œ oe ø oe å aa ð d đ d þ th ł l ħ h ı i ŋ n ə e'),
  // Russian, with the letters of Ukrainian, Belarusian, Bulgarian, Serbian and Macedonian.
  ...pairs('а a б b в v г g д d е e ё yo ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch'),
  ...pairs('ш sh щ shch ы y э e ю yu я ya і i ї yi є ye ґ g ў u ђ dj ј j љ lj њ nj ћ c џ dz ѓ gj ќ kj ѕ dz'),
  ъ: '',
  ь: '',
  ...pairs('α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o'),
}

function pairs(text: string): Record<string, string> {
  const parts = text.split(' ')
  return Object.fromEntries(parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1]!]] : [])))
}

/**
 * Lower-case ASCII for names on the web: Latin letters without accents, Cyrillic and Greek in Latin letters. Letters of
 * other scripts and all signs become spaces.
 */
export function transliterate(text: string): string {
  const composed = text.normalize('NFKC').toLowerCase().normalize('NFC')
  return (
    composed
      // "Don't" is one word.
      .replace(/['’ʼ`´]/g, '')
      .replace(/ο[υύ]/g, 'ou')
      .replace(/[^\x20-\x7e]/gu, (letter) => letters[letter] ?? withoutAccents(letter))
      .replace(/[^a-z0-9]+/g, ' ')
      .trim()
  )
}

/** An accented Cyrillic or Greek letter is found without its accent. */
function withoutAccents(letter: string): string {
  if (/\p{M}/u.test(letter)) return ''
  const plain = letter.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain.replace(/[^\x20-\x7e]/gu, (part) => letters[part] ?? ' ')
}
