import { useLocation } from 'wouter'
import { useTool } from '#features/analysis/client/tool-address.ts'

/** Identifies a screen by its path, and by the tool in the library's query string. */
export function useScreenName() {
  const [path] = useLocation()
  const tool = useTool()
  return tool ? `${path}?${tool}` : path
}
