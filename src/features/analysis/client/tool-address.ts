import { useLocation, useSearch } from 'wouter'

const tools = ['duplicates', 'review'] as const
/** Screens next to the library. Like the library's filters they are kept in the query string of "/" and have no route. */
export type Tool = (typeof tools)[number]

export function useTool(): Tool | undefined {
  const [path] = useLocation()
  const given = new URLSearchParams(useSearch()).get('tool')
  return path === '/' ? tools.find((tool) => tool === given) : undefined
}

export const toolAddress = (tool: Tool) => `/?tool=${tool}`

export const reviewAddress = (runId: string, page = 1) =>
  `${toolAddress('review')}&run=${encodeURIComponent(runId)}${page > 1 ? `&page=${page}` : ''}`
