/** Words whose plural is not made with an s, or whose singular would be missed by the rules. */
const irregular: ReadonlyMap<string, string> = new Map([
  ['avalanches', 'avalanche'],
  ['axes', 'axe'],
  ['brownies', 'brownie'],
  ['buses', 'bus'],
  ['calories', 'calorie'],
  ['calves', 'calf'],
  ['canoes', 'canoe'],
  ['children', 'child'],
  ['collies', 'collie'],
  ['cookies', 'cookie'],
  ['elves', 'elf'],
  ['feet', 'foot'],
  ['foodies', 'foodie'],
  ['geese', 'goose'],
  ['halves', 'half'],
  ['hoodies', 'hoodie'],
  ['hooves', 'hoof'],
  ['horses', 'horse'],
  ['houses', 'house'],
  ['lives', 'life'],
  ['magpies', 'magpie'],
  ['men', 'man'],
  ['mice', 'mouse'],
  ['moustaches', 'moustache'],
  ['movies', 'movie'],
  ['mustaches', 'mustache'],
  ['oboes', 'oboe'],
  ['oxen', 'ox'],
  ['people', 'person'],
  ['persons', 'person'],
  ['pies', 'pie'],
  ['prairies', 'prairie'],
  ['quiches', 'quiche'],
  ['selfies', 'selfie'],
  ['smoothies', 'smoothie'],
  ['teeth', 'tooth'],
  ['thieves', 'thief'],
  ['ties', 'tie'],
  ['toes', 'toe'],
  ['veggies', 'veggie'],
  ['zombies', 'zombie'],
])

/** The same at the end of longer words: bookshelves, horseshoes, grandchildren, firemen (but no specimen). */
const irregularEndings: ReadonlyMap<RegExp, string> = new Map([
  [/(?<=(shel|wol|lea|loa|scar))ves$/, 'f'],
  [/(?<=(kni|wi))ves$/, 'fe'],
  [/(?<=child)ren$/, ''],
  [/(?<=wom|(business|camera|crafts|fire|fisher|gentle|police|sales|snow|sports)m)en$/, 'an'],
  [/(?<=shoe|necktie|(tip|mistle)toe|(head|tooth|stomach|back)ache)s$/, ''],
  [/(?<=(bon|cact|camp|chor|circ|croc|hibisc|hippopotam|lot|minib|octop|platyp|stat|vir|walr)us)es$/, ''],
  [/(?<=(clemat|ib|ir|mant|trell)is)es$/, ''],
])

/** Words that end in s and stay as they are. */
const unchanged: ReadonlySet<string> = new Set(
  `acoustics aerobics alias alps andes angeles arts asbestos athens athletics atlas bahamas barbados barracks belongings
  bias biceps billiards binoculars brussels cannes canvas chaos christmas clothes corps cosmos crossroads dallas diabetes
  downstairs dungarees economics electronics ethics eyeglasses fireworks flandres forceps gallows gas genetics glasses
  goggles graphics gymnastics headphones headquarters hen-of-the-woods hercules honduras indoors jeans kansas kudos laos
  leggings lens logistics maldives mars mathematics means mechanics molasses naples netherlands news oats olympics optics
  orleans outdoors outskirts overalls pajamas pancreas pants paris patas philippines physics pliers politics pyjamas
  pyrenees rhinoceros robotics rockies ruins sas scissors series seychelles shorts skis species sports stairs statistics
  sunglasses surroundings sweatpants texas thermos tights tongs triceps triceratops tropics trousers tweezers twins
  upstairs vegas versailles wales`.split(/\s+/),
)

/** An English word's singular; a word that is none already, or that is not English, mostly stays as it is. */
export function toSingular(word: string): string {
  const known = irregular.get(word)
  if (known) return known
  for (const [ending, singular] of irregularEndings) if (ending.test(word)) return word.replace(ending, singular)
  if (word.length < 4 || !word.endsWith('s') || unchanged.has(word) || /(ss|us|is)$/.test(word)) return word
  if (word.endsWith('es') && unchanged.has(word.slice(0, -2))) return word.slice(0, -2)
  const hyphen = word.lastIndexOf('-') + 1
  if (hyphen > 0) return word.slice(0, hyphen) + toSingular(word.slice(hyphen))
  if (/[^aeiou]ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(ch|sh|x|ss|zz|[^aeiou]o)es$/.test(word)) return word.slice(0, -2)
  return word.slice(0, -1)
}
