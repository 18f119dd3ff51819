import { useMemo, useState } from 'react'

/** Select mode and the set of selected ids, which is kept across pages but not across lists. */
export type Selection = {
  isActive: boolean
  ids: ReadonlySet<number>
  start: (ids?: Iterable<number>) => void
  stop: () => void
  /** With `isRange`, toggles all items of the page between the last toggled one and this one. */
  toggle: (id: number, page: readonly number[], isRange?: boolean) => void
  /** Selects the items of the page between `from`, or where an extension before began, and `to`, and no longer those beyond. */
  extend: (from: number, to: number, page: readonly number[]) => void
  replace: (ids: Iterable<number>) => void
  add: (ids: Iterable<number>) => void
  /** Deselects items that have left the list. If none remains selected, select mode ends. */
  deselect: (ids: Iterable<number>) => void
}

type State = {
  isActive: boolean
  ids: ReadonlySet<number>
  anchor?: number
  /** The last extension: where it began, and what had been selected before. */
  extension?: { anchor: number; before: ReadonlySet<number> }
}

const none: State = { isActive: false, ids: new Set() }

/** The selection ends with the list, so that users do not delete items that they selected elsewhere and no longer see. */
export function useSelection(list: string): Selection {
  const [{ state, selectedIn }, setSelected] = useState({ state: none, selectedIn: list })
  if (selectedIn !== list) setSelected({ state: none, selectedIn: list })
  // Stable per list, so that selecting one card does not render all others.
  const actions = useMemo((): Omit<Selection, 'isActive' | 'ids'> => {
    /** Ignores late calls from a list that the user has left. */
    const change = (next: (before: State) => State) =>
      setSelected((now) => (now.selectedIn === list ? { ...now, state: next(now.state) } : now))
    return {
      start: (ids = []) => change(() => ({ isActive: true, ids: new Set(ids) })),
      stop: () => change(() => none),
      toggle: (id, page, isRange = false) => change((before) => toggled(before, id, page, isRange)),
      extend: (from, to, page) => change((before) => extended(before, from, to, page)),
      replace: (ids) => change(({ anchor }) => ({ isActive: true, ids: new Set(ids), anchor })),
      add: (ids) =>
        change(({ anchor, ids: before }) => ({ isActive: true, ids: new Set([...before, ...ids]), anchor })),
      deselect: (ids) =>
        change((before) => {
          const left = new Set(before.ids)
          for (const id of ids) left.delete(id)
          return left.size === 0 ? none : { isActive: true, ids: left, anchor: before.anchor }
        }),
    }
  }, [list])
  return { isActive: state.isActive, ids: state.ids, ...actions }
}

function toggled(state: State, id: number, page: readonly number[], isRange: boolean): State {
  const ids = new Set(state.ids)
  if (isRange && state.anchor !== undefined && page.includes(state.anchor)) {
    for (const between of rangeOf(page, state.anchor, id)) ids.add(between)
  } else if (!ids.delete(id)) ids.add(id)
  return { isActive: true, ids, anchor: id }
}

function extended(state: State, from: number, to: number, page: readonly number[]): State {
  const { anchor, before } = state.extension ?? { anchor: from, before: state.ids }
  if (!page.includes(anchor)) return extended({ ...state, extension: undefined }, from, to, page)
  const ids = new Set([...before, ...rangeOf(page, anchor, to)])
  return { isActive: true, ids, anchor: to, extension: { anchor, before } }
}

function rangeOf(page: readonly number[], from: number, to: number) {
  const [first, last] = [page.indexOf(from), page.indexOf(to)].sort((a, b) => a - b) as [number, number]
  return page.slice(first, last + 1)
}
