/** One of the words in a language's table: "Hund|m|Hunde"; without a plural it is not counted, like bread. */
export type Noun = { singular: string; gender: string; plural: string }

/** The words and phrases of one language, translated by hand; the keys of words, places and activities are tags. */
export type Wording = {
  phrases: {
    /** Each before a scene, and on its own. */
    kinds: Record<string, string[]>
    colon: string
    sunset: string
    night: string
    nightPlace: string
    air: string
    portrait: string
    page: string
    /** The text that stands in the picture takes the place of "%". */
    text: string
    withText: string
    unknown: string
  }
  /** Each on its own, and around a subject. */
  places: Record<string, string[]>
  courts: Record<string, string>
  /** What people do, in one form for any number of them, or for one and for more. */
  activities: Record<string, string | string[]>
  words: Record<string, string>
}

/** How a language puts articles and numbers before its nouns. */
export type Grammar = {
  /** "a dog" */
  one(noun: Noun): string
  /** What is not counted: "bread" */
  some(noun: Noun): string
  /** More than one without a number: "flowers" */
  several(noun: Noun): string
  /** "two dogs" for numbers from two to five */
  few(count: number, noun: Noun): string
  /** "about 8 dogs" */
  about(count: number, noun: Noun): string
  /** "many dogs" */
  many(noun: Noun): string
  /** The word between the last two of a list, before the last one. */
  and(last: string): string
}
