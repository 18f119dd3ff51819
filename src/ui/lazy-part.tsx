import { type ComponentType, createContext, type ReactNode, useContext, useLayoutEffect, useState } from 'react'

/** The server was not reached, or has a newer version by now: not a fault in drawing. */
export class PartNotLoaded extends Error {
  override name = 'PartNotLoaded'
}

const Stopgap = createContext<ReactNode>(null)

/** What stands in the place of each part inside it that is still on its way; nothing, unless told. */
export function Meanwhile({ show = null, children }: { show?: ReactNode; children: ReactNode }) {
  return <Stopgap value={show}>{children}</Stopgap>
}

type Source<Props> = { Loaded?: ComponentType<Props>; load: () => Promise<void> }

/**
 * A component in a chunk of its own, loaded when it is first shown: `lazyPart(() => import(…), ({ Part }) => Part)`. Not
 * React's `lazy`: whatever had to be waited for, however shortly, `Suspense` shows 300 ms later.
 */
export function lazyPart<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
) {
  let hasFailed = false
  const source: Source<Props> = {
    async load() {
      const module = await load().catch((error) => {
        if (hasFailed) return importAnew<Module>(error)
        hasFailed = true
        throw error
      })
      source.Loaded = pick(module)
    },
  }
  const show = (props: Props) => <Loadable source={source} props={props} />
  return Object.assign(show, {
    source,
    /** Asks for it a moment before it is shown. If it does not arrive, it is asked for again then, and its absence told. */
    preload: () => source.load().catch(() => undefined),
  })
}

/**
 * Firefox, and Chromium at least up to 153, remember that a module did not come until the page is loaded anew: asked for
 * again, it fails without a request. Under another address it is another module. Safari asks again, and names no address.
 */
function importAnew<Module>(error: unknown): Promise<Module> {
  const address = /https?:\S+/.exec(String(error))?.[0]
  if (!address) throw error
  return import(/* @vite-ignore */ `${address.split('?')[0]}?again=${Date.now()}`)
}

function Loadable<Props extends object>({ source, props }: { source: Source<Props>; props: Props }) {
  const Part = useLoaded(source, true)
  const stopgap = useContext(Stopgap)
  return Part ? <Part {...props} /> : stopgap
}

/** Whether a part that is wanted is still on its way: for what is shown together with it. */
export function useIsMissing<Props>({ source }: { source: Source<Props> }, isWanted: boolean) {
  return useLoaded(source, isWanted) === undefined && isWanted
}

function useLoaded<Props>(source: Source<Props>, isWanted: boolean) {
  const [Part, setPart] = useState(() => source.Loaded)
  const [failure, setFailure] = useState<PartNotLoaded>()
  useLayoutEffect(() => {
    if (Part || !isWanted) return
    source.load().then(
      () => setPart(() => source.Loaded),
      (cause) => setFailure(new PartNotLoaded('A part of the page did not arrive', { cause })),
    )
  }, [source, Part, isWanted])
  if (failure) throw failure
  return Part
}
