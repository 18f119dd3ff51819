export type Yaml = string | null | Yaml[] | { [key: string]: Yaml }

type Line = { number: number; indent: number; text: string }

/**
 * Parses the subset of YAML that this project uses: indented mappings and lists, plain and double-quoted scalars (as text),
 * and lists in brackets that are also JSON. Everything else is an error, so accepted files mean the same to every parser.
 */
export function readStrictYaml(source: string): Yaml {
  const lines = source.split('\n').flatMap((raw, index): Line[] => {
    const text = raw.trimStart()
    if (text === '' || text.startsWith('#')) return []
    const line = { number: index + 1, indent: raw.length - text.length, text }
    if (raw.includes('\t') || raw !== raw.trimEnd() || line.indent % 2 !== 0)
      refuse(line, 'two spaces a level, nothing else')
    return [line]
  })
  let next = 0
  const document = readBlock(0)
  if (next < lines.length) refuse(lines[next]!, 'a line of the same level')
  return document

  function readBlock(indent: number): Yaml {
    const first = lines[next]
    if (!first || first.indent !== indent) return null
    return first.text.startsWith('- ') ? readList(indent) : readMapping(indent)
  }

  function readList(indent: number) {
    const items: Yaml[] = []
    for (let line = lines[next]; line?.indent === indent && line.text.startsWith('- '); line = lines[next]) {
      items.push(readScalar(line, line.text.slice(2)))
      next++
    }
    return items
  }

  function readMapping(indent: number) {
    const mapping: { [key: string]: Yaml } = {}
    for (let line = lines[next]; line?.indent === indent; line = lines[next]) {
      const [, key, value] = /^([\w.-]+):(?: (.+))?$/.exec(line.text) ?? refuse(line, '"key: value"')
      if (key! in mapping) refuse(line, `"${key}" once`)
      next++
      mapping[key!] = value === undefined ? readBlock(indent + 2) : readScalar(line, value)
    }
    return mapping
  }
}

function readScalar(line: Line, text: string): Yaml {
  if (text.startsWith('[') || text.startsWith('"')) {
    try {
      return JSON.parse(text)
    } catch {
      refuse(line, 'JSON')
    }
  }
  // Other parsers would read these as more than text.
  if (/^[&*!|>'{%@`?,\]}#-]|: | #|:$/.test(text)) refuse(line, 'plain text')
  return text
}

function refuse({ number, text }: Line, expected: string): never {
  throw new Error(`Line ${number}: expected ${expected}, received "${text}"`)
}
