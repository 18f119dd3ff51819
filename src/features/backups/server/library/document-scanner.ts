import { invalid } from '#platform/errors.ts'

/** One value of the document: a record of a table or a header field. */
type DocumentPart = { table: string | null; name: string; value: unknown; line: number }

/** Far above any real record; a file with one endless value is refused before it fills the memory. */
const maxValueLength = 16 * 1024 * 1024

type Capture = { text: string; line: number; depth: number; isInString: boolean; isEscaped: boolean }

type Expected = 'document' | 'key' | 'colon' | 'value' | 'comma' | 'nothing'

/**
 * Reads `{ "format": …, "tables": { "users": [ {…}, … ], … } }` piece by piece, in any layout, and never holds more than
 * one record. What is not JSON, or not of this form, is refused with its line.
 */
function createDocumentScanner() {
  let line = 1
  let expected: Expected = 'document'
  /** What the scanner is inside of. */
  let level: 'document' | 'tables' | 'table' = 'document'
  let isFirst = true
  let table: string | null = null
  let name = ''
  let capture: Capture | null = null

  const fault = (message = 'this is not valid JSON', at = line) => invalid(`Line ${at}: ${message}.`, { line: at })

  function parse(text: string, at: number): unknown {
    try {
      return JSON.parse(text)
    } catch {
      throw fault(undefined, at)
    }
  }

  function* finishValue(text: string, at: number): Generator<DocumentPart> {
    capture = null
    const value = parse(text, at)
    if (expected === 'key') {
      if (typeof value !== 'string') throw fault()
      name = value
      expected = 'colon'
      return
    }
    expected = 'comma'
    yield { table: level === 'table' ? table : null, name, value, line: at }
  }

  function open(character: string) {
    if (expected === 'value' && level === 'document' && name === 'tables') {
      if (character !== '{') throw fault('"tables" should hold the tables by name')
      level = 'tables'
    } else if (expected === 'value' && level === 'tables') {
      if (character !== '[') throw fault(`"${name.slice(0, 60)}" should hold a list of rows`)
      level = 'table'
      table = name
    } else return false
    expected = level === 'table' ? 'value' : 'key'
    isFirst = true
    return true
  }

  function close(character: string) {
    const isDue = expected === 'comma' || isFirst
    if (!isDue || character !== (level === 'table' ? ']' : '}')) throw fault()
    if (level === 'document') expected = 'nothing'
    else {
      level = level === 'table' ? 'tables' : 'document'
      expected = 'comma'
    }
    isFirst = false
  }

  /** A single character outside of any value. */
  function take(character: string) {
    if (expected === 'document') {
      if (character !== '{') throw fault('this is not an Albumen database')
      expected = 'key'
      return
    }
    if (expected === 'nothing') throw fault('something follows the end of the document')
    if (character === '}' || character === ']') return close(character)
    if (expected === 'colon' || expected === 'comma') {
      if (character !== (expected === 'colon' ? ':' : ',')) throw fault()
      expected = expected === 'comma' && level !== 'table' ? 'key' : 'value'
      return
    }
    isFirst = false
    if (open(character)) return
    if (expected === 'key' && character !== '"') throw fault()
    capture = { text: '', line, depth: 0, isInString: false, isEscaped: false }
  }

  function* push(text: string): Generator<DocumentPart> {
    let start = 0
    for (let index = 0; index < text.length; index++) {
      if (capture) index = nextRelevantIndex(text, index, capture)
      const character = text[index]
      if (character === undefined) break
      if (character === '\n') line++
      if (!capture) {
        if (character === ' ' || character === '\n' || character === '\r' || character === '\t') continue
        // Some editors write a byte order mark first.
        if (character === '\uFEFF' && expected === 'document') continue
        take(character)
        if (!capture) continue
        start = index
      }
      const value: Capture = capture
      if (value.isInString) {
        if (value.isEscaped) value.isEscaped = false
        else if (character === '\\') value.isEscaped = true
        else if (character === '"') value.isInString = false
        if (value.isInString || value.depth > 0) continue
        yield* finishValue(value.text + text.slice(start, index + 1), value.line)
      } else if (character === '"') {
        value.isInString = true
      } else if (character === '{' || character === '[') {
        value.depth++
      } else if (character === '}' || character === ']') {
        if (value.depth > 0) value.depth--
        else {
          yield* finishValue(value.text + text.slice(start, index), value.line)
          close(character)
          continue
        }
        if (value.depth === 0) yield* finishValue(value.text + text.slice(start, index + 1), value.line)
      } else if (character === ',' && value.depth === 0) {
        yield* finishValue(value.text + text.slice(start, index), value.line)
        take(character)
      }
    }
    if (!capture) return
    capture.text += text.slice(start)
    if (capture.text.length > maxValueLength) throw fault('this row is too long', capture.line)
  }

  function end() {
    if (expected !== 'nothing') throw fault('the file ends here, in the middle of the document')
  }

  return { push, end, lineNumber: () => line }
}

const relevantCharacters = { text: /["\\\n]/g, record: /["{}[\]\n]/g, value: /["{}[\],\n]/g }

/** Skips characters that cannot end the value. */
function nextRelevantIndex(text: string, from: number, { depth, isInString, isEscaped }: Capture) {
  if (isEscaped) return from
  const pattern = isInString
    ? relevantCharacters.text
    : depth > 0
      ? relevantCharacters.record
      : relevantCharacters.value
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex - 1 : text.length
}

export async function* scanDocument(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<DocumentPart> {
  const scanner = createDocumentScanner()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  for await (const chunk of chunks) yield* scanner.push(decode(chunk, { stream: true }))
  yield* scanner.push(decode(new Uint8Array(), {}))
  scanner.end()

  function decode(chunk: Uint8Array, options: TextDecodeOptions) {
    try {
      return decoder.decode(chunk, options)
    } catch {
      throw invalid(`Line ${scanner.lineNumber()}: this is not text.`, { line: scanner.lineNumber() })
    }
  }
}
