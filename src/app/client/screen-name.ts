import { useLocation } from 'wouter'
import { useTool } from '#features/analysis/client/tool-address.ts'

/** Tells one screen from another: the path, and which tool the library's path shows. */
export function useScreenName() {
  const [path] = useLocation()
  return path + (useTool() ?? '')
}
