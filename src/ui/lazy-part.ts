import { type ComponentType, lazy } from 'react'

/** A component in a chunk of its own, loaded when it is first shown: `lazyPart(async () => (await import(…)).Part)`. */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await load() }))
}
