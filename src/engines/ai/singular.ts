/** Words whose plural is not made with an s, or whose singular would be missed by the rules. */
const irregular: ReadonlyMap<string, string> = new Map([
  ['brownies', 'brownie'],
  ['buses', 'bus'],
  ['calves', 'calf'],
  ['children', 'child'],
  ['cookies', 'cookie'],
  ['feet', 'foot'],
  ['geese', 'goose'],
  ['halves', 'half'],
  ['horses', 'horse'],
  ['houses', 'house'],
  ['knives', 'knife'],
  ['leaves', 'leaf'],
  ['lenses', 'lens'],
  ['loaves', 'loaf'],
  ['men', 'man'],
  ['mice', 'mouse'],
  ['movies', 'movie'],
  ['people', 'person'],
  ['persons', 'person'],
  ['pies', 'pie'],
  ['selfies', 'selfie'],
  ['shelves', 'shelf'],
  ['shoes', 'shoe'],
  ['teeth', 'tooth'],
  ['ties', 'tie'],
  ['wives', 'wife'],
  ['wolves', 'wolf'],
  ['women', 'woman'],
  ['zombies', 'zombie'],
])

/** Words that end in s and stay as they are. */
const unchanged: ReadonlySet<string> = new Set(
  `alps angeles arts athens athletics atlas bahamas barracks bias binoculars brussels canvas chaos christmas clothes
  cosmos crossroads diabetes fireworks gas glasses goggles graphics gymnastics headphones headquarters jeans kansas
  leggings maldives mathematics means naples netherlands news orleans pajamas pants paris philippines physics politics
  pyjamas ruins sas scissors series shorts skis species sports stairs sunglasses texas tights trousers twins vegas
  versailles wales`.split(/\s+/),
)

/** An English word's singular; a word that is none already, or that is not English, mostly stays as it is. */
export function toSingular(word: string): string {
  const known = irregular.get(word)
  if (known) return known
  if (word.length < 4 || !word.endsWith('s') || unchanged.has(word) || /(ss|us|is)$/.test(word)) return word
  if (/[^aeiou]ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(ch|sh|x|ss|zz|[^aeiou]o)es$/.test(word)) return word.slice(0, -2)
  return word.slice(0, -1)
}
