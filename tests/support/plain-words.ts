import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './source-files.ts'

/** Archaic words and idioms; each has a plain replacement, such as user, visitor, again, permanently or next to. */
const denied = [
  'whoever',
  'whatever',
  'somebody',
  'nobody',
  'anybody',
  'anew',
  'lest',
  'for good',
  'beside',
  'all the same',
  'in (?:its|their|his|her) turn',
  'comes? to mind',
]

const searched = [
  '{src,tests,scripts,docs,public}/**/*.{ts,tsx,js,mjs,css,sql,md,html}',
  '*.{md,ts,html,yaml}',
  '{.env.example,Dockerfile}',
]
const thisFile = 'tests/support/plain-words.ts'

/** An idiom may be broken by the end of a comment's line. */
const space = String.raw`\s+(?:(?:\*|//|#)\s+)?`
const pattern = new RegExp(String.raw`\b(?:${denied.join('|').replaceAll(' ', space)})\b`, 'gi')

/** The denied words in the names and texts of all files, as `path:line: word`. */
export function findDeniedWords() {
  return globSync(searched, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path !== thisFile)
    .sort()
    .flatMap((path) => [
      ...deniedIn(path).map(({ word }) => `${path}: ${word} in its name`),
      ...deniedIn(readFileSync(join(root, path), 'utf8')).map(({ line, word }) => `${path}:${line}: ${word}`),
    ])
}

function deniedIn(text: string) {
  // `useFocusBeside`, `for_good` and `use-focus-beside` are read as words.
  const words = text.replace(/([a-z\d])(?=[A-Z])/g, '$1 ').replace(/[_-]/g, ' ')
  return [...words.matchAll(pattern)].map(({ 0: word, index }) => ({
    word: word.replace(/\s+/g, ' '),
    line: words.slice(0, index).split('\n').length,
  }))
}
