import { cleanText } from './clean-text.ts'

/** Screen readers announce an image by themselves, and longer texts are read in parts; see docs/ai.md. */
export const goodAltText = { shortest: 60, longest: 125 } as const

/** "Image of", "Ein Bild von", "Photo de" and the like: words that say only that a picture is a picture. */
const openings = [
  /^(?:this |an? |the )?(?:image|picture|photo(?:graph)?|pic|snapshot)(?: (?:shows|showing|depicts|depicting|of)\b:?| ?:)/i,
  /^(?:dieses |das |ein |auf dem )?(?:bild|foto|fotografie|aufnahme)(?: (?:ist|sind|zeigt|von|mit|eines|einer)(?![\p{L}])| ?:)/iu,
  /^(?:cette |une |la |l['’])?(?:image|photo(?:graphie)?)(?: (?:montrant|montre|représentant|représente|de|du|des)(?![\p{L}])| d['’]| ?:)/iu,
  /^(?:esta |una |la )?(?:imagen|foto(?:grafía)?)(?: (?:que muestra|muestra|del?)(?![\p{L}])| ?:)/iu,
  /^(?:questa |un['’]|una |l['’]|la )?(?:immagine|foto(?:grafia)?)(?: (?:che mostra|mostra|di|del|della|dei|delle)(?![\p{L}])| d['’]| ?:)/iu,
  /^(?:esta |uma |a )?(?:imagem|foto(?:grafia)?)(?: (?:que mostra|mostra|mostrando|de|do|da|dos|das)(?![\p{L}])| ?:)/iu,
  /^(?:deze |dit |een |de )?(?:afbeelding|foto|plaatje)(?: (?:toont|laat|van|met)(?![\p{L}])| ?:)/iu,
]

/** A model's text as an alt text: one line of text, without an opening that says nothing, and short enough to be heard. */
export function tidyAltText(text: string): string {
  const plain = cleanText(text, 2000).replace(/^["“„«]\s*|\s*["”“»]$/gu, '')
  const opening = openings.find((each) => each.test(plain))
  const rest = opening ? plain.replace(opening, '').trim() : plain
  // Nothing but an opening is no description either, and is left for its reader to judge.
  return shortenToGood(rest ? rest.charAt(0).toUpperCase() + rest.slice(1) : plain)
}

const sentenceEnds = /[.!?](?=\s|$)|[。！？]/g
const clauseEnds = /[,;:](?=\s)|[、，]/g

/** Cut at the end of a sentence, else of a clause, else of a word. */
function shortenToGood(text: string): string {
  const { shortest, longest } = goodAltText
  if (text.length <= longest) return text
  const lastEnd = (ends: RegExp) =>
    [...text.matchAll(ends)].findLast(({ index }) => index >= shortest && index < longest)?.index
  const sentence = lastEnd(sentenceEnds)
  if (sentence !== undefined) return text.slice(0, sentence + 1)
  const clause = lastEnd(clauseEnds)
  return clause === undefined ? cleanText(text, longest) : text.slice(0, clause)
}
