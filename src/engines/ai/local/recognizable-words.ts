import { toSingular } from '../singular.ts'
import detected from './labels/coco.json' with { type: 'json' }
import heads from './labels/heads.json' with { type: 'json' }
import classes from './labels/imagenet.json' with { type: 'json' }

const names = [
  ...classes.flatMap(({ label, groups }) => [label.toLowerCase(), ...groups]),
  ...heads.concepts.map(({ name }) => name),
  ...detected.flatMap((label) => label ?? []),
]
/** "guitar" is the last word of "acoustic guitar"; "hot dog" and "hotdog" are the same. */
const words = new Set(names.flatMap((name) => [name, name.split(' ').at(-1)!]).map(withoutSpaces))

/** Whether this is the name of something that the built-in AI recognizes where it is shown. */
export function isRecognizable(text: string): boolean {
  return words.has(withoutSpaces(text.trim().toLowerCase().split(/\s+/).map(toSingular).join(' ')))
}

function withoutSpaces(name: string) {
  return name.replaceAll(' ', '')
}
