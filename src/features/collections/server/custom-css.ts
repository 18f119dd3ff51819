import { type CssNode, generate, type List, parse, type Rule, type Selector, tokenize, tokenTypes } from 'css-tree'
import type { RefusedCss } from '../contract.ts'

/** Every rule is scoped to this element of the public page. */
const container = '.pub-root'

/** Text that must never reach a page: checked in each part, for a precise report, and once more in the result. */
const suspicious = /[<\\]|@import|url\(|expression\(|javascript:/i

/**
 * [Note: Custom CSS is rebuilt] The output is generated piece by piece from the parts of the parsed sheet that are
 * known to be harmless, so the owner's text never reaches a visitor as it is. Removed parts are reported with the
 * reason.
 */
export function checkCss(source: string): { css: string; refused: RefusedCss[] } {
  const refused: RefusedCss[] = []
  if (isNestedTooDeeply(source)) {
    return { css: '', refused: [{ text: '', reason: 'This style sheet is nested too deeply.', line: 1 }] }
  }
  const sheet = parse(source, { positions: true, parseCustomProperty: true })
  const css = sheet.type === 'StyleSheet' ? rulesOf(sheet.children, source, refused).join('\n') : ''
  if (suspicious.test(css)) {
    return { css: '', refused: [...refused, { text: '', reason: 'This style sheet cannot be used.', line: 1 }] }
  }
  return { css, refused }
}

function rulesOf(nodes: List<CssNode>, source: string, refused: RefusedCss[]): string[] {
  const rules: string[] = []
  for (const node of nodes) {
    const refuse = (reason: string, part: CssNode = node) => void refused.push(refusal(part, reason, source))
    if (node.type === 'Comment' || node.type === 'WhiteSpace') continue
    if (node.type === 'Rule') rules.push(...ruleOf(node, refuse))
    else if (node.type !== 'Atrule') refuse('This is not valid CSS.')
    else if (node.name.toLowerCase() !== 'media') refuse(`@${node.name} is not allowed; only @media is.`)
    else if (!node.prelude || !node.block || contains(node.prelude, 'Raw')) refuse('This condition is not valid.')
    else if (suspicious.test(generate(node.prelude))) refuse(noRange)
    else {
      const inside = rulesOf(node.block.children, source, refused)
      if (inside.length > 0) rules.push(`@media ${generate(node.prelude)}{${inside.join('\n')}}`)
    }
  }
  return rules
}

const noRange = 'Use min-width or max-width here; the < sign is not allowed.'

type Refuse = (reason: string, part?: CssNode) => void

function ruleOf(rule: Rule, refuse: Refuse): string[] {
  if (rule.prelude.type !== 'SelectorList') {
    refuse('This selector is not valid.')
    return []
  }
  const selectors: string[] = []
  for (const selector of rule.prelude.children) {
    const reason = selector.type === 'Selector' ? faultOfSelector(selector) : 'This selector is not valid.'
    if (reason) refuse(reason, selector)
    else selectors.push(`${container} ${generate(selector)}`)
  }
  const declarations: string[] = []
  for (const node of rule.block.children) {
    const reason = faultOfDeclaration(node)
    if (reason) refuse(reason, node)
    else declarations.push(generate(node))
  }
  if (selectors.length === 0 || declarations.length === 0) return []
  return [`${selectors.join(',')}{${declarations.join(';')}}`]
}

const outside = new Set(['html', 'body', 'head', 'script', 'style', 'link', 'meta', 'iframe'])

function faultOfSelector(selector: Selector): string | null {
  if (selector.children.first?.type === 'Combinator') return 'A selector must start with an element or a class.'
  if (generate(selector).includes('\\')) return 'Backslashes are not allowed in selectors.'
  for (const node of selector.children) {
    if (node.type === 'AttributeSelector') return 'Attribute selectors are not allowed.'
    if (node.type === 'TypeSelector' && outside.has(node.name.toLowerCase())) {
      return 'Only elements inside the page can be styled, not the page itself.'
    }
    if (node.type === 'PseudoClassSelector' && !allowedPseudoClasses.has(node.name.toLowerCase())) {
      return `:${node.name} is not allowed.`
    }
    // `:nth-child(1 of …)` contains selectors, which are not checked here.
    if (node.type === 'PseudoClassSelector' && contains(node, 'Selector')) return `:${node.name}() takes numbers only.`
    if (node.type === 'PseudoElementSelector' && !allowedPseudoElements.has(node.name.toLowerCase())) {
      return `::${node.name} is not allowed.`
    }
    if (!allowedSelectorNodes.has(node.type) || contains(node, 'Raw')) return 'This selector is not valid.'
  }
  return null
}

const allowedSelectorNodes = new Set<CssNode['type']>([
  'TypeSelector',
  'ClassSelector',
  'IdSelector',
  'Combinator',
  'PseudoClassSelector',
  'PseudoElementSelector',
])

function faultOfDeclaration(node: CssNode): string | null {
  if (node.type === 'Rule' || node.type === 'Atrule') return 'Nested rules are not allowed.'
  if (node.type !== 'Declaration') return 'This is not valid CSS.'
  const property = node.property.toLowerCase()
  if (property.startsWith('--')) return 'Custom properties are not allowed.'
  if (!allowedProperties.has(property)) return `The property ${node.property} is not allowed.`
  const { value } = node
  if (value.type === 'Raw' || contains(value, 'Raw')) return 'This value is not valid.'
  if (contains(value, 'Url')) return 'url() is not allowed: a page must not fetch what its owner did not choose here.'
  const unknown = find(value, (part) => part.type === 'Function' && !allowedFunctions.has(part.name.toLowerCase()))
  if (unknown?.type === 'Function') return `${unknown.name}() is not allowed.`
  const text = generate(value)
  if (text.includes('\\')) return 'Backslashes are not allowed in values.'
  return suspicious.test(text) ? 'This value contains something that is not allowed, such as < or url(.' : null
}

const contains = (node: CssNode, type: CssNode['type']) => find(node, (part) => part.type === type) !== null

/** A depth-first search over all children of a node; css-tree's own walk skips some of them. */
function find(node: CssNode, matches: (node: CssNode) => boolean): CssNode | null {
  if (matches(node)) return node
  for (const part of Object.values(node)) {
    if (typeof part !== 'object' || part === null) continue
    const parts: Iterable<CssNode> = Symbol.iterator in part ? part : 'type' in part ? [part] : []
    for (const child of parts) {
      const found = find(child, matches)
      if (found) return found
    }
  }
  return null
}

const maxShown = 80

function refusal({ loc }: CssNode, reason: string, source: string): RefusedCss {
  if (!loc) return { text: '', reason, line: 1 }
  const text = source.slice(loc.start.offset, loc.end.offset).replace(/\s+/g, ' ').trim()
  return { text: text.length > maxShown ? `${text.slice(0, maxShown)}…` : text, reason, line: loc.start.line }
}

const opening = new Set<number>([
  tokenTypes.Function,
  tokenTypes.LeftParenthesis,
  tokenTypes.LeftSquareBracket,
  tokenTypes.LeftCurlyBracket,
])
const closing = new Set<number>([
  tokenTypes.RightParenthesis,
  tokenTypes.RightSquareBracket,
  tokenTypes.RightCurlyBracket,
])
/** A gradient within a calculation within a rule within a condition needs fewer than ten levels. */
const deepest = 32

/**
 * The parser's time grows with the square of the nesting depth, to seconds for 20 kB, until its stack overflows. So the
 * brackets are counted before parsing.
 */
function isNestedTooDeeply(source: string) {
  let depth = 0
  let most = 0
  tokenize(source, (type) => {
    if (opening.has(type)) most = Math.max(most, ++depth)
    else if (closing.has(type)) depth = Math.max(0, depth - 1)
  })
  return most > deepest
}

const names = (text: string) => new Set(text.trim().split(/\s+/))

/** Color, type, spacing, borders, boxes and the grid, but nothing that leaves the page's flow or fetches anything. */
const allowedProperties = names(`
  color background background-color background-image background-position background-size background-repeat
  background-clip opacity accent-color caret-color
  font font-family font-size font-style font-weight font-variant font-variant-numeric font-stretch font-feature-settings
  line-height letter-spacing word-spacing text-align text-transform text-decoration text-decoration-color
  text-decoration-line text-decoration-style text-decoration-thickness text-underline-offset text-indent text-shadow
  text-wrap text-overflow white-space hyphens overflow-wrap word-break
  margin margin-top margin-right margin-bottom margin-left margin-block margin-inline
  padding padding-top padding-right padding-bottom padding-left padding-block padding-inline
  border border-top border-right border-bottom border-left border-color border-style border-width border-radius
  border-top-left-radius border-top-right-radius border-bottom-left-radius border-bottom-right-radius
  outline outline-color outline-offset outline-style outline-width box-shadow
  width min-width max-width height min-height max-height aspect-ratio box-sizing object-fit object-position
  display visibility gap row-gap column-gap columns column-count column-width
  grid-template-columns grid-auto-rows grid-column grid-row
  align-items align-content align-self justify-content justify-items justify-self place-items place-content
  flex flex-basis flex-direction flex-grow flex-shrink flex-wrap order
  list-style list-style-type vertical-align cursor content filter mix-blend-mode
  transform transform-origin transition transition-property transition-duration transition-timing-function
`)

const allowedFunctions = names(`
  rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark
  calc min max clamp minmax repeat fit-content round abs
  linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient
  cubic-bezier steps
  translate translatex translatey scale scalex scaley rotate skew skewx skewy
  blur brightness contrast drop-shadow grayscale hue-rotate invert saturate sepia opacity
`)

const allowedPseudoClasses = names(`
  hover focus focus-visible focus-within active visited link first-child last-child only-child first-of-type
  last-of-type only-of-type nth-child nth-last-child nth-of-type nth-last-of-type empty
`)

const allowedPseudoElements = names('before after first-letter first-line marker placeholder selection')
