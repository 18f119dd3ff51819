import { useQuery } from '@tanstack/react-query'
import Merge from 'lucide-react/icons/merge'
import X from 'lucide-react/icons/x'
import { useId, useState } from 'react'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { useListFocus } from '#ui/focus/use-list-focus.ts'
import { IconButton } from '#ui/icon-button.tsx'
import type { LibraryTag, TagPair } from '../contract.ts'
import { type UndoChange, useDismissPair, useMergeTags } from './mutations.ts'
import { tagQueries } from './queries.ts'

const shownFirst = 3
const reasons = { plural: 'Singular and plural', spelling: 'Similar spelling', meaning: 'Similar meaning' }

/** Tags that are likely the same, each pair with a button that merges it. */
export function LikelyPairs({ undo }: { undo: UndoChange }) {
  const { data } = useQuery(tagQueries.pairs())
  const [areAllShown, setAreAllShown] = useState(false)
  const headingId = useId()
  const pairs = data?.pairs ?? []
  const list = useListFocus<HTMLUListElement>(pairs.map(keyOf).join())
  if (pairs.length === 0) return null
  const shown = areAllShown ? pairs : pairs.slice(0, shownFirst)
  return (
    <section aria-labelledby={headingId} className="rounded-md border border-line bg-surface p-3.5">
      <h2 id={headingId} className="font-medium">
        Possibly the same <span className="figures font-normal text-muted">{pairs.length}</span>
      </h2>
      <ul {...list} aria-labelledby={headingId} className="mt-1 divide-y divide-line">
        {shown.map((pair) => (
          <Pair key={keyOf(pair)} pair={pair} undo={undo} />
        ))}
      </ul>
      {pairs.length > shown.length && (
        <Button size="sm" variant="quiet" onClick={() => setAreAllShown(true)}>
          Show {countOf(pairs.length - shown.length, 'more pair')}
        </Button>
      )}
    </section>
  )
}

const keyOf = ({ tags }: TagPair) => JSON.stringify(tags.map(({ tag }) => tag))

function Pair({ pair: { tags, reason }, undo }: { pair: TagPair; undo: UndoChange }) {
  const merge = useMergeTags(undo)
  const dismiss = useDismissPair()
  const [isTurned, setIsTurned] = useState(false)
  const [into, from] = isTurned ? [tags[1], tags[0]] : tags
  const names = tags.map(({ tag }) => tag)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <div className="min-w-32 grow basis-0">
        <p className="wrap-anywhere">
          <Counted tag={from} /> <span className="text-muted">into</span> <Counted tag={into} />
        </p>
        <p className="text-muted text-xs">{reasons[reason]}</p>
      </div>
      <div className="flex items-center gap-1">
        <Button size="sm" variant="quiet" onClick={() => setIsTurned(!isTurned)} aria-label={`Swap: keep ${from.tag}`}>
          Swap
        </Button>
        <Button
          size="sm"
          icon={<Merge />}
          isPending={merge.isPending}
          aria-label={`Merge ${from.tag} into ${into.tag}`}
          onClick={() => merge.mutate({ from: [from.tag], into: into.tag })}
        >
          Merge
        </Button>
        <IconButton
          size="sm"
          label={`Keep ${names.join(' and ')} apart`}
          icon={<X />}
          onClick={() => dismiss.mutate(names)}
        />
      </div>
    </li>
  )
}

const Counted = ({ tag: { tag, count } }: { tag: LibraryTag }) => (
  <span>
    <bdi className="font-medium">{tag}</bdi>{' '}
    <span className="figures text-muted text-xs">{count.toLocaleString('en')}</span>
  </span>
)
