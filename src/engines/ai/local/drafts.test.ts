import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AiTag } from '../provider.ts'
import { describeIn, draftAltText, draftLanguageOf, draftLanguages } from './drafts.ts'
import detected from './labels/coco.json' with { type: 'json' }
import { groupsOf } from './labels/groups.ts'
import heads from './labels/heads.json' with { type: 'json' }
import classes from './labels/imagenet.json' with { type: 'json' }
import de from './languages/de.json' with { type: 'json' }
import es from './languages/es.json' with { type: 'json' }
import fr from './languages/fr.json' with { type: 'json' }
import it from './languages/it.json' with { type: 'json' }
import nl from './languages/nl.json' with { type: 'json' }
import pt from './languages/pt.json' with { type: 'json' }
import { findNoun } from './languages/tell.ts'
import type { Wording } from './languages/wording.ts'
import { placeTags } from './scene.ts'
import { hiddenGroups, preferredWords, renamedClasses } from './tag-rules.ts'

const tables: Record<string, Wording> = { de, es, fr, it, nl, pt }

/** "2 dog" was counted, "beach" was not. */
function tagsOf(words: string): AiTag[] {
  return words.split(', ').map((word) => {
    const [, count, name = word] = /^(\d+) (.+)$/.exec(word) ?? []
    return { name, score: 0.9, source: 'detector', ...(count ? { count: Number(count) } : {}) }
  })
}

const tell = (language: string, words: string, text = '') =>
  draftAltText(language, { tags: tagsOf(words), text, isVideo: false })

type Told = Record<'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl', string>

/** The same scene in six languages. */
const scenes: [promise: string, words: string, told: Told][] = [
  [
    'two animals at a place at sunset',
    '2 dog, beach, sunset',
    {
      de: 'Zwei Hunde an einem Strand bei Sonnenuntergang.',
      fr: 'Deux chiens sur une plage au coucher du soleil.',
      es: 'Dos perros en una playa al atardecer.',
      it: 'Due cani su una spiaggia al tramonto.',
      pt: 'Dois cachorros em uma praia ao pôr do sol.',
      nl: 'Twee honden op een strand bij zonsondergang.',
    },
  ],
  [
    'one animal takes the article of its gender',
    '1 dog, beach',
    {
      de: 'Ein Hund an einem Strand.',
      fr: 'Un chien sur une plage.',
      es: 'Un perro en una playa.',
      it: 'Un cane su una spiaggia.',
      pt: 'Um cachorro em uma praia.',
      nl: 'Een hond op een strand.',
    },
  ],
  [
    'a feminine noun',
    '1 cow, pasture',
    {
      de: 'Eine Kuh auf einer Weide.',
      fr: 'Une vache dans un pâturage.',
      es: 'Una vaca en un prado.',
      it: 'Una mucca in un pascolo.',
      pt: 'Uma vaca em um pasto.',
      nl: 'Een koe in een weide.',
    },
  ],
  [
    'numbers and vague numbers',
    '3 horse, 8 cow, 30 sheep',
    {
      de: 'Drei Pferde, etwa 8 Kühe und viele Schafe.',
      fr: 'Trois chevaux, environ 8 vaches et beaucoup de moutons.',
      es: 'Tres caballos, unas 8 vacas y muchas ovejas.',
      it: 'Tre cavalli, circa 8 mucche e molte pecore.',
      pt: 'Três cavalos, cerca de 8 vacas e muitas ovelhas.',
      nl: 'Drie paarden, ongeveer 8 koeien en veel schapen.',
    },
  ],
  [
    'a number with a gender',
    '2 cow',
    {
      de: 'Zwei Kühe.',
      fr: 'Deux vaches.',
      es: 'Dos vacas.',
      it: 'Due mucche.',
      pt: 'Duas vacas.',
      nl: 'Twee koeien.',
    },
  ],
  [
    'what people do, alone and together',
    '2 person, tennis, 2 tennis racket',
    {
      de: 'Zwei Personen beim Tennisspielen.',
      fr: 'Deux personnes jouant au tennis.',
      es: 'Dos personas jugando al tenis.',
      it: 'Due persone che giocano a tennis.',
      pt: 'Duas pessoas jogando tênis.',
      nl: 'Twee mensen die tennissen.',
    },
  ],
  [
    'one person who does something',
    '1 person, surfing, sea',
    {
      de: 'Eine Person beim Surfen am Meer.',
      fr: 'Une personne faisant du surf au bord de la mer.',
      es: 'Una persona haciendo surf junto al mar.',
      it: 'Una persona che fa surf in riva al mare.',
      pt: 'Uma pessoa surfando à beira-mar.',
      nl: 'Een persoon die surft aan zee.',
    },
  ],
  [
    'what is not counted has no article, or the one of its language',
    'bread, coffee',
    {
      de: 'Brot und Kaffee.',
      fr: 'Du pain et du café.',
      es: 'Pan y café.',
      it: 'Pane e caffè.',
      pt: 'Pão e café.',
      nl: 'Brood en koffie.',
    },
  ],
  [
    'what is seldom alone is in the plural',
    'flower, garden',
    {
      de: 'Blumen in einem Garten.',
      fr: 'Des fleurs dans un jardin.',
      es: 'Flores en un jardín.',
      it: 'Fiori in un giardino.',
      pt: 'Flores em um jardim.',
      nl: 'Bloemen in een tuin.',
    },
  ],
  [
    'a pair is one thing in one language and several in another',
    '1 scissors',
    {
      de: 'Eine Schere.',
      fr: 'Des ciseaux.',
      es: 'Tijeras.',
      it: 'Forbici.',
      pt: 'Uma tesoura.',
      nl: 'Een schaar.',
    },
  ],
  [
    'a place without a subject, in its surroundings',
    'lake, mountain',
    {
      de: 'Ein See in den Bergen.',
      fr: 'Un lac dans les montagnes.',
      es: 'Un lago en las montañas.',
      it: 'Un lago tra le montagne.',
      pt: 'Um lago nas montanhas.',
      nl: 'Een meer in de bergen.',
    },
  ],
  [
    'a bird in the air',
    '2 bird, sky',
    {
      de: 'Zwei Vögel am Himmel.',
      fr: 'Deux oiseaux dans le ciel.',
      es: 'Dos pájaros en el cielo.',
      it: 'Due uccelli nel cielo.',
      pt: 'Dois pássaros no céu.',
      nl: 'Twee vogels in de lucht.',
    },
  ],
  [
    'a drawing',
    '1 cat, drawing',
    {
      de: 'Zeichnung: eine Katze.',
      fr: 'Dessin\u00a0: un chat.',
      es: 'Dibujo: un gato.',
      it: 'Disegno: un gatto.',
      pt: 'Desenho: um gato.',
      nl: 'Tekening: een kat.',
    },
  ],
  [
    'an empty court',
    'tennis, sport',
    {
      de: 'Ein leerer Tennisplatz.',
      fr: 'Un court de tennis vide.',
      es: 'Una pista de tenis vacía.',
      it: 'Un campo da tennis vuoto.',
      pt: 'Uma quadra de tênis vazia.',
      nl: 'Een lege tennisbaan.',
    },
  ],
  [
    'a city at night',
    'city, night',
    {
      de: 'Eine Stadt bei Nacht.',
      fr: 'Une ville de nuit.',
      es: 'Una ciudad de noche.',
      it: 'Una città di notte.',
      pt: 'Uma cidade à noite.',
      nl: 'Een stad ’s nachts.',
    },
  ],
]

for (const [promise, words, told] of scenes)
  test(`drafts in six languages: ${promise}`, async () => {
    for (const [language, sentence] of Object.entries(told)) assert.equal(await tell(language, words), sentence)
  })

/** What only one language does. */
const rules: [language: string, words: string, told: string][] = [
  ['de', 'great white shark', 'Ein Weißer Hai.'],
  ['de', '2 french bulldog', 'Zwei Französische Bulldoggen.'],
  ['fr', '2 horse, 12 bird', 'Deux chevaux et beaucoup d’oiseaux.'],
  ['fr', '12 hamster', 'Beaucoup de hamsters.'],
  ['fr', '12 boathouse', 'Beaucoup de hangars à bateaux.'],
  ['fr', 'clothing, 1 person', 'Une personne et des vêtements.'],
  ['es', 'bald eagle', 'Un águila calva.'],
  ['es', '2 bald eagle', 'Dos águilas calvas.'],
  ['es', 'dog, church', 'Un perro y una iglesia.'],
  ['it', '1 zebra', 'Una zebra.'],
  ['it', '1 backpack', 'Uno zaino.'],
  ['it', 'hyena', 'Una iena.'],
  ['it', 'orange', 'Un’arancia.'],
  ['it', 'skunk', 'Una moffetta.'],
  ['it', 'ostrich', 'Uno struzzo.'],
  ['it', '2 apple', 'Due mele.'],
  ['pt', '2 lion', 'Dois leões.'],
  ['pt', '12 apple', 'Muitas maçãs.'],
  ['nl', 'siberian husky', 'Een Siberische husky.'],
]

test('each language keeps its own rules of articles, elision and plurals', async () => {
  for (const [language, words, told] of rules) assert.equal(await tell(language, words), told)
})

test('a word without a translation is told by the most special group that has one', async () => {
  assert.equal(await tell('de', 'airedale'), 'Ein Hund.')
  assert.equal(await tell('fr', 'barn spider'), 'Une araignée.')
  assert.equal(await tell('es', 'drake'), 'Un pato.')
})

test('text in the picture is quoted as the language does, where it leaves the alt text short enough', async () => {
  assert.equal(await tell('de', '1 cat', 'FOR\nSALE'), 'Eine Katze. Der Text lautet „FOR / SALE“.')
  assert.equal(await tell('fr', '1 cat', 'FOR SALE'), 'Un chat. On peut lire\u00a0: «\u00a0FOR SALE\u00a0».')
  assert.equal(await tell('de', '1 cat', 'word '.repeat(30)), 'Eine Katze.')
})

test('where nothing was recognized there is no alt text, and the description says so', async () => {
  assert.equal(await draftAltText('de', { tags: [], text: '', isVideo: false }), undefined)
  const told = await describeIn('de', { tags: [], text: '', isVideo: false })
  assert.equal(told, 'Ein Bild, das die integrierte KI nicht erkennt.')
})

test('variants of a language use its words, and other languages are not written', async () => {
  assert.deepEqual(['de-AT', 'pt-BR', 'en-GB', 'sv', 'ja'].map(draftLanguageOf), [
    'de',
    'pt',
    'en',
    undefined,
    undefined,
  ])
  assert.equal(draftLanguages.length, 7)
  assert.equal(await tell('ja', '1 cat'), undefined)
})

/** Every word that can become a tag. */
const vocabulary = [
  ...new Set(
    [
      ...classes.flatMap(({ label, groups }) => [label.toLowerCase(), ...groups]),
      ...heads.concepts.map(({ name }) => name),
      ...detected.flatMap((label) => label ?? []),
    ]
      .map((word) => (renamedClasses.has(word) ? renamedClasses.get(word) : word))
      .map((word) => preferredWords.get(word ?? '') ?? word)
      .flatMap((word) => (word && !hiddenGroups.has(word) ? word : [])),
  ),
]

test('all six tables have the same words, and each a plural, or none on purpose', () => {
  const words = Object.keys(de.words)
  assert.ok(words.length >= 500)
  for (const [language, { words: table, places }] of Object.entries(tables)) {
    assert.deepEqual(Object.keys(table), words, language)
    assert.deepEqual(Object.keys(places).sort(), [...placeTags].sort(), language)
    for (const [word, entry] of Object.entries(table))
      assert.match(entry, /^[^|]+\|[mfn]?\|[^|]*$|^\|[mfn]?\|[^|]+$/, `${language}: ${word}`)
  }
})

test('1,000 of the words that the models know are told in each language, themselves or by their group', () => {
  const untold = vocabulary.filter((word) => !findNoun(de, word) && !(placeTags as readonly string[]).includes(word))
  assert.ok(vocabulary.length - untold.length >= 1000, `${untold.length} of ${vocabulary.length}: ${untold.join(', ')}`)
  for (const word of untold)
    assert.deepEqual(
      groupsOf(word).filter((group) => group in de.words),
      [],
      word,
    )
})
