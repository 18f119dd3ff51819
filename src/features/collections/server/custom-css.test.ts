import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCss } from './custom-css.ts'

const reasonsOf = (css: string) => checkCss(css).refused.map(({ reason }) => reason)

test('harmless CSS rules are kept and scoped to the page of the collection', () => {
  const { css, refused } = checkCss(`
    .pub-title { color: #f00; font-size: clamp(1rem, 4vw, 3rem) }
    h1, .pub-item:hover img { letter-spacing: .1em }
    .pub-item:nth-child(2n + 1)::after { content: "x" }
    @media (min-width: 600px) { .pub-grid { gap: 4px } }
  `)
  assert.deepEqual(refused, [])
  assert.equal(
    css,
    [
      '.pub-root .pub-title{color:#f00;font-size:clamp(1rem,4vw,3rem)}',
      '.pub-root h1,.pub-root .pub-item:hover img{letter-spacing:.1em}',
      '.pub-root .pub-item:nth-child(2n+1)::after{content:"x"}',
      '@media (min-width:600px){.pub-root .pub-grid{gap:4px}}',
    ].join('\n'),
  )
})

test('a refused CSS rule is reported with its line and its reason', () => {
  const { css, refused } = checkCss(
    '.a { color: red; position: fixed }\n.b { background: url(https://evil.example/x) }',
  )
  assert.equal(css, '.pub-root .a{color:red}')
  assert.deepEqual(refused, [
    { text: 'position: fixed', reason: 'The property position is not allowed.', line: 1 },
    {
      text: 'background: url(https://evil.example/x)',
      reason: 'url() is not allowed: a page must not fetch what its owner did not choose here.',
      line: 2,
    },
  ])
})

test('a refused condition or string removes no other rule', () => {
  const { css, refused } = checkCss(`.a { color: red }
    @media (width < 600px) { .b { color: red } }
    .c::before { content: "<"; color: red }
    @media (width > 600px) { .d { color: red } }`)
  const kept = [
    '.pub-root .a{color:red}',
    '.pub-root .c::before{color:red}',
    '@media (width>600px){.pub-root .d{color:red}}',
  ]
  assert.equal(css, kept.join('\n'))
  assert.deepEqual(
    refused.map(({ reason, line }) => [reason, line]),
    [
      ['Use min-width or max-width here; the < sign is not allowed.', 2],
      ['This value contains something that is not allowed, such as < or url(.', 3],
    ],
  )
})

test('CSS that escapes its scope, fetches or reads data is refused', () => {
  const attempts = [
    '@import "https://evil.example/x.css";',
    '@import url(//evil.example);',
    '@font-face { font-family: x; src: url(x) }',
    '@charset "utf-8";',
    '@namespace svg url(http://www.w3.org/2000/svg);',
    '@keyframes x { from { color: red } }',
    '@layer x { .a { color: red } }',
    '@supports (display: grid) { .a { color: red } }',
    '</style><script>alert(1)</script>',
    '.a { color: red </style><script>alert(1)</script> }',
    'body { display: none }',
    'html .a { color: red }',
    '~ .outside { color: red }',
    '+ .outside { color: red }',
    ':root { color: red }',
    ':has(.a) { color: red }',
    ':is(html) { color: red }',
    ':not(.a) { color: red }',
    ':nth-child(1 of [href^="a"]) { color: red }',
    '.a:nth-last-child(2n of :has(img)) { color: red }',
    '.a:nth-child(odd of html) { color: red }',
    'input[value^=a] { color: red }',
    '.a\\{ } { color: red }',
    '.a { background: image-set("x.png" 1x) }',
    '.a { background: URL(x) }',
    '.a { background: u\\72l(x) }',
    '.a { color: var(--secret) }',
    '.a { content: attr(href) }',
    '.a { width: expression(alert(1)) }',
    '.a { behavior: url(#default#time2) }',
    '.a { -moz-binding: url(x) }',
    '.a { --x: url(x) }',
    '.a { position: absolute; z-index: 9 }',
    '.a { .b { color: red } }',
    '.a { & html { color: red } }',
    '.a { cursor: url(x), auto }',
    '.a { mask: element(#x) }',
    '@media (min-width: 1px) { @import "x"; }',
    '<!-- .a { color: red } -->',
  ]
  for (const attempt of attempts) {
    const { css } = checkCss(attempt)
    assert.ok(reasonsOf(attempt).length > 0, `nothing was refused in ${attempt}`)
    assert.doesNotMatch(
      css,
      /url|import|<|\\|html|body|:root|outside|fixed|absolute|var\(|attr|expression|\[|:has| of /i,
      attempt,
    )
    for (const rule of css.split('\n').filter(Boolean)) assert.match(rule, /^\.pub-root /)
  }
})

test('malformed CSS causes no server error, and CSS nested too deeply is refused before it is parsed', () => {
  const brackets = '('.repeat(9500)
  const calculation = `${'calc('.repeat(2000)}1px${')'.repeat(2000)}`
  for (const deep of [
    `@media ${brackets}{a{color:red}}`,
    `@media ${'('.repeat(1000)}width${')'.repeat(1000)}{a{color:red}}`.repeat(9),
    `a{width:${calculation}}`,
    '{'.repeat(20_000),
    '(('.repeat(9000),
  ]) {
    assert.equal(checkCss(deep).css, '')
    assert.deepEqual(reasonsOf(deep), ['This style sheet is nested too deeply.'])
  }
  for (const rubbish of ['@media '.repeat(2500), '/*', '"', '\u0000\uffff', '']) assert.equal(checkCss(rubbish).css, '')
  assert.equal(checkCss(`.a{content:"${'('.repeat(100)}"}`).refused.length, 0, 'in a text brackets are letters')
})
