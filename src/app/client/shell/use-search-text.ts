import { useEffect, useEffectEvent, useState } from 'react'
import { useLibraryView } from '#features/media/client/use-library-view.ts'
import { maxSearchLength } from '#features/media/limits.ts'
import { joinSearch, parseSearch, takeFilters } from '#features/media/search-query.ts'

const restMs = 300

/**
 * The words of the search, which the box shows; its filters are chips in the library. A filter that is typed here becomes
 * such a chip when the search runs. The URL has both, and is the source of truth.
 */
export function useSearchText() {
  const [view, setView] = useLibraryView()
  const present = takeFilters(view.search)
  const [text, setTyped] = useState(present.rest)
  const [known, setKnown] = useState(present.words)
  const [fault, setFault] = useState<string>()
  if (known !== present.words) {
    setKnown(present.words)
    if (takeFilters(text, true).words !== present.words) setTyped(present.rest)
    setFault(undefined)
  }

  const setText = (typed: string) => {
    setTyped(typed)
    setFault(undefined)
  }

  /** Returns the search that runs now, or undefined if it cannot. */
  const submit = (typed: string, { isTyping = false } = {}) => {
    const { filters, words, rest } = takeFilters(typed, isTyping)
    const search = joinSearch(words, [...present.filters, ...filters])
    const wrong = faultOf(words, search)
    setFault(wrong)
    if (wrong) return undefined
    if (filters.length > 0) setTyped(rest)
    if (words === present.words && filters.length === 0) return view.search
    // Going back undoes the whole search, not its last letter.
    const isRefined = view.search !== '' && search !== '' && filters.length === 0
    setView({ search, tab: 'media', itemId: undefined }, { replace: isRefined })
    return search
  }

  /** Runs another search, with its own filters instead of the present ones. */
  const replace = (search: string) => {
    setText(takeFilters(search).rest)
    setView({ search, tab: 'media', itemId: undefined })
  }

  const submitRested = useEffectEvent((typed: string) => {
    // Not typed, but from the URL.
    if (typed.trim() !== present.words) submit(typed, { isTyping: true })
  })
  useEffect(() => {
    const timer = setTimeout(() => submitRested(text), restMs)
    return () => clearTimeout(timer)
  }, [text])
  return { text, setText, submit, replace, fault }
}

function faultOf(words: string, search: string) {
  const [fault] = parseSearch(words).faults
  if (fault) return fault.message
  return search.length > maxSearchLength ? `A search can have up to ${maxSearchLength} characters.` : undefined
}
