import { parse } from 'parse5'

type Element = { nodeName: string; attrs?: { name: string; value: string }[]; childNodes?: Element[]; value?: string }

/** All elements of a document, as a browser would parse them. */
export function elementsOf(page: string): (Element & { at: Record<string, string> })[] {
  const found: (Element & { at: Record<string, string> })[] = []
  const visit = (node: Element) => {
    if (node.attrs) found.push({ ...node, at: Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])) })
    for (const child of node.childNodes ?? []) visit(child)
  }
  visit(parse(page) as unknown as Element)
  return found
}

/** The title and meta tags that link previews are made from. */
export function previewOf(page: string) {
  const elements = elementsOf(page)
  const metas = elements.filter(({ nodeName }) => nodeName === 'meta')
  const title = elements.find(({ nodeName }) => nodeName === 'title')?.childNodes?.[0]?.value
  return { title, ...Object.fromEntries(metas.map(({ at }) => [at.property ?? at.name, at.content])) } as Record<
    string,
    string | undefined
  >
}
