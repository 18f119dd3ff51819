import { useLocation, useSearch } from 'wouter'

const tools = ['duplicates', 'review'] as const
/** Screens beside the library. Like its places they are kept in the query string of "/" and are no routes of their own. */
export type Tool = (typeof tools)[number]

export function useTool(): Tool | undefined {
  const [path] = useLocation()
  const given = new URLSearchParams(useSearch()).get('tool')
  return path === '/' ? tools.find((tool) => tool === given) : undefined
}

export const toolAddress = (tool: Tool) => `/?tool=${tool}`

export const reviewAddress = (runId: string, page = 1) =>
  `${toolAddress('review')}&run=${encodeURIComponent(runId)}${page > 1 ? `&page=${page}` : ''}`
