import type { z } from 'zod'
import type { Route } from '#platform/contract.ts'
import type { BoundRoute } from '#platform/server/http/scope.ts'
import { escapeHtml } from '#shared/escape.ts'
import { apiNotes } from './api-notes.ts'
import { accessWords, inOrder, schemaOf } from './openapi.ts'

/** Renders the API page as HTML without script. */
export function apiDocsPage(routes: BoundRoute[], version: string) {
  const groups = Map.groupBy(inOrder(routes), ({ route }) => escapeHtml(route.path.split('/')[2]!))
  const sections = [...groups].map(
    ([name, group]) => `<section><h2 id="${name}">${name}</h2>${group.map(entry).join('')}</section>`,
  )
  const links = [...groups.keys()].map((name) => `<a href="#${name}">${name}</a>`)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Albumen API</title><style>${style}</style></head><body><main><h1>Albumen API <small>${escapeHtml(version)}</small></h1>
<p>Generated from the contracts the server validates with. OpenAPI document: <a href="/api/openapi.json">openapi.json</a>.</p>
${apiNotes.map(paragraph).join('')}
<nav>${links.join(' ')}</nav>${sections.join('')}</main></body></html>`
}

const paragraph = (note: string) => `<p>${escapeHtml(note).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>`

function entry({ route, access }: BoundRoute) {
  const parts = [
    ['path', 'input', route.params],
    ['query', 'input', route.query],
    ['body', 'input', route.body],
    ['form fields', 'input', route.fields],
    [route.events ? 'event' : 'response', 'output', route.events ?? (route.file ? undefined : route.response)],
  ] as const
  const shapes = parts
    .filter(([, , schema]) => schema)
    .map(([name, io, schema]) => `<h4>${name}</h4><pre>${shapeOf(schema!, io)}</pre>`)
  return `<details><summary><b class="${route.method}">${route.method}</b> <code>${escapeHtml(route.path)}</code>
<span>${escapeHtml(route.summary)}</span><i>${accessWords[access]}</i></summary>${shapes.join('')}${fileWords(route)}</details>`
}

const fileWords = ({ file }: Route) =>
  file ? `<h4>response</h4><p>A file: ${file.map(escapeHtml).join(', ')}</p>` : ''

function shapeOf(schema: z.ZodType, io: 'input' | 'output') {
  return escapeHtml(JSON.stringify(schemaOf(schema, io), null, 2))
}

const style = `:root{color-scheme:light dark;--line:color-mix(in oklab,currentColor 15%,transparent)}
body{font:14px/1.5 system-ui,sans-serif;margin:0}main{max-width:60rem;margin:2rem auto;padding:0 1rem}
h1 small{opacity:.6;font-weight:400}h2{margin-top:2rem}nav a{margin-right:.6rem}
details{border:1px solid var(--line);border-radius:8px;margin:.4rem 0;padding:.4rem .8rem}
summary{cursor:pointer;display:flex;gap:.6rem;flex-wrap:wrap}summary span{opacity:.8;flex:1}summary i{opacity:.6}
b{min-width:4rem}pre{overflow:auto;background:var(--line);padding:.6rem;border-radius:6px}h4{margin:.6rem 0 .2rem}`
