import { useLocation } from 'wouter'
import { useTool } from '#features/analysis/client/tool-address.ts'

/** Tells one screen from another: the path, and which tool the library's path shows. */
export function useScreenName() {
  const [path] = useLocation()
  const tool = useTool()
  return tool ? `${path}?${tool}` : path
}
