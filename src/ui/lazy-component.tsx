import { type ComponentType, createContext, type ReactNode, useContext, useLayoutEffect, useState } from 'react'

/** A chunk could not be loaded, because the server is unreachable or has a newer version. */
export class ChunkLoadError extends Error {
  override name = 'ChunkLoadError'
}

const Fallback = createContext<ReactNode>(null)

/** Sets what lazy components inside it show while they load; by default nothing. */
export function LazyFallback({ show = null, children }: { show?: ReactNode; children: ReactNode }) {
  return <Fallback value={show}>{children}</Fallback>
}

type Source<Props> = { Loaded?: ComponentType<Props>; load: () => Promise<void> }

/**
 * A component in a chunk of its own, loaded when it is first rendered: `lazyComponent(() => import(…), ({ Part }) => Part)`.
 * It replaces React's `lazy`, since `Suspense` delays content by 300 ms even after a short wait.
 */
export function lazyComponent<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
) {
  let hasFailed = false
  const source: Source<Props> = {
    async load() {
      const module = await load().catch((error) => {
        if (hasFailed) return importAgain<Module>(error)
        hasFailed = true
        throw error
      })
      source.Loaded = pick(module)
    },
  }
  const show = (props: Props) => <Loadable source={source} props={props} />
  return Object.assign(show, {
    source,
    /** Starts loading in advance. A failure is ignored, since rendering loads again and reports it. */
    preload: () => source.load().catch(() => undefined),
  })
}

/**
 * Firefox, and Chromium at least up to 153, cache the failure of a module until the page is reloaded, so the second import uses
 * another URL. Safari requests it again by itself; its error does not contain the URL.
 */
function importAgain<Module>(error: unknown): Promise<Module> {
  const address = /https?:\S+/.exec(String(error))?.[0]
  if (!address) throw error
  return import(/* @vite-ignore */ `${address.split('?')[0]}?again=${Date.now()}`)
}

function Loadable<Props extends object>({ source, props }: { source: Source<Props>; props: Props }) {
  const Part = useLoaded(source, true)
  const fallback = useContext(Fallback)
  return Part ? <Part {...props} /> : fallback
}

/** Whether a component that is to be shown is still loading. */
export function useIsLoading<Props>({ source }: { source: Source<Props> }, isNeeded: boolean) {
  return useLoaded(source, isNeeded) === undefined && isNeeded
}

function useLoaded<Props>(source: Source<Props>, isNeeded: boolean) {
  const [Part, setPart] = useState(() => source.Loaded)
  const [failure, setFailure] = useState<ChunkLoadError>()
  useLayoutEffect(() => {
    if (Part || !isNeeded) return
    source.load().then(
      () => setPart(() => source.Loaded),
      (cause) => setFailure(new ChunkLoadError('A part of the page could not be loaded', { cause })),
    )
  }, [source, Part, isNeeded])
  if (failure) throw failure
  return Part
}
