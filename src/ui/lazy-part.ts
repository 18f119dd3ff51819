import { type ComponentType, lazy } from 'react'

/** The server was not reached, or has a newer version by now: not a fault in drawing. */
export class PartNotLoaded extends Error {
  override name = 'PartNotLoaded'
}

/** A component in a chunk of its own, loaded when it is first shown: `lazyPart(async () => (await import(…)).Part)`. */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => {
    try {
      return { default: await load() }
    } catch (cause) {
      throw new PartNotLoaded('A part of the page did not arrive', { cause })
    }
  })
}
