import { string as cssString, url as cssUrl, tokenize, tokenTypes } from 'css-tree'
import type { Candidate } from './found-image.ts'

const picturedProperties = new Set(['background', 'background-image'])

/** The most pictures in one style sheet, and in one `image-set`. */
const maxPictures = 10_000
const maxCandidates = 50

/**
 * The pictures that CSS paints as backgrounds, each with its candidates (several within one `image-set`). Custom
 * properties count, since site builders keep backgrounds in them; fonts, cursors, masks and imports do not.
 */
export function findCssImages(css: string): Candidate[][] {
  const pictures: Candidate[][] = []
  let property = ''
  let lastIdent = ''
  /** Whether a declaration may begin with the next identifier. */
  let isAtStart = true
  let depth = 0
  /** The parenthesis depth inside the current `image-set(`, and the picture it describes. */
  let set: { depth: number; picture: Candidate[] } | undefined
  let isInUrl = false

  const isPictured = () => picturedProperties.has(property) || property.startsWith('--')

  function add(address: string) {
    if (!isPictured() || !address || pictures.length >= maxPictures) return
    const candidate: Candidate = { address, origin: 'src' }
    if (!set) pictures.push([candidate])
    else if (set.picture.length < maxCandidates) set.picture.push(candidate)
  }

  function leaveParenthesis() {
    if (set && depth <= set.depth) {
      if (set.picture.length > 0) pictures.push(set.picture)
      set = undefined
    }
    depth = Math.max(0, depth - 1)
    isInUrl = false
  }

  function startDeclaration() {
    while (depth > 0) leaveParenthesis()
    property = ''
    lastIdent = ''
    isAtStart = true
  }

  tokenize(css, (type, start, end) => {
    switch (type) {
      case tokenTypes.WhiteSpace:
      case tokenTypes.Comment:
        return
      case tokenTypes.Semicolon:
      case tokenTypes.LeftCurlyBracket:
      case tokenTypes.RightCurlyBracket:
        return startDeclaration()
      case tokenTypes.Ident:
        lastIdent = isAtStart ? css.slice(start, end).toLowerCase() : ''
        isAtStart = false
        return
      case tokenTypes.Colon:
        if (lastIdent) property = lastIdent
        lastIdent = ''
        return
      case tokenTypes.Url:
        return add(cssUrl.decode(css.slice(start, end)))
      case tokenTypes.Function: {
        const name = css.slice(start, end).toLowerCase()
        depth++
        isInUrl = name === 'url('
        if (/^(-webkit-)?image-set\($/.test(name)) set ??= { depth, picture: [] }
        return
      }
      case tokenTypes.String:
        if (isInUrl || set?.depth === depth) add(cssString.decode(css.slice(start, end)))
        return
      case tokenTypes.Dimension: {
        const density = /^(\d+(?:\.\d+)?)(x|dppx)$/i.exec(css.slice(start, Math.min(end, start + 20)))?.[1]
        const candidate = set?.picture.at(-1)
        if (candidate && density) candidate.density = Number(density)
        return
      }
      case tokenTypes.LeftParenthesis:
        depth++
        return
      case tokenTypes.RightParenthesis:
        return leaveParenthesis()
      default:
        lastIdent = ''
        isAtStart = false
    }
  })
  startDeclaration()
  return pictures
}
