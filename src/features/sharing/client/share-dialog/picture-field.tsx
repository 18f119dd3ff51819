import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Thumbnail } from '#features/media/client/thumbnail.tsx'
import type { mediaApi } from '#features/media/contract.ts'
import { isPictureAddress, noPictureAddress } from '#features/websites/branding.ts'
import { call, failureReason } from '#platform/client/call.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'

type PictureFieldProps = { label: string; value: string; onChange: (address: string) => void }

/** An image from an https address or from the library. */
export function PictureField({ label, value, onChange }: PictureFieldProps) {
  const [isChoosing, setIsChoosing] = useState(false)
  const chooseRef = useRef<HTMLButtonElement>(null)
  /** The pressed button is removed by the change, so the focus moves to the field. */
  const change = (address: string) => {
    onChange(address)
    chooseRef.current?.focus()
  }
  return (
    <fieldset aria-label={label} className="min-w-0 space-y-2">
      <Field label={label} isOptional error={isPictureAddress(value) ? undefined : noPictureAddress}>
        <Input
          value={value}
          placeholder="https://"
          maxLength={2000}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value.trim())}
        />
      </Field>
      <div className="flex flex-wrap items-center gap-2">
        {value.startsWith('/files/') && (
          <img src={`${value}?w=320&format=webp`} alt="" className="h-8 max-w-16 rounded-sm bg-hover object-contain" />
        )}
        <Button ref={chooseRef} size="sm" aria-expanded={isChoosing} onClick={() => setIsChoosing(!isChoosing)}>
          Choose from library
        </Button>
        {value && (
          <Button size="sm" variant="quiet" onClick={() => change('')}>
            Remove {label.toLowerCase()}
          </Button>
        )}
      </div>
      {isChoosing && (
        <PicturePicker
          onPick={(address) => {
            change(address)
            setIsChoosing(false)
          }}
        />
      )}
    </fieldset>
  )
}

const pictures = (search: string) =>
  queryOptions({
    queryKey: ['media', 'picker', search],
    queryFn: ({ signal }) =>
      call<typeof mediaApi.list>(
        'GET /api/media',
        { query: { type: 'image', limit: 25, search: search || undefined } },
        { signal },
      ),
    placeholderData: keepPreviousData,
  })

function PicturePicker({ onPick }: { onPick: (address: string) => void }) {
  const [search, setSearch] = useState('')
  const { data, error, refetch } = useQuery(pictures(useDebouncedValue(search.trim(), 250)))
  const ref = useRef<HTMLDivElement>(null)
  const isThere = data !== undefined
  // The list opens in a scrolling column, mostly below its end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the loaded images determine the height
  useEffect(() => {
    ref.current?.scrollIntoView({ block: 'nearest' })
  }, [isThere])
  return (
    // The margin is the height of the sticky button at the end of the column.
    <div ref={ref} className="scroll-mb-20 space-y-2 rounded-md border border-line p-2">
      <Input
        aria-label="Search images"
        placeholder="Search your media..."
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <ul className="grid max-h-48 grid-cols-5 gap-1 overflow-y-auto">
        {data?.media.map((media) => (
          <li key={media.id}>
            <button
              type="button"
              tabIndex={0}
              aria-label={`Choose ${media.filename}`}
              onClick={() => onPick(media.originalUrl)}
              className="block w-full overflow-hidden rounded-sm"
            >
              <Thumbnail media={media} />
            </button>
          </li>
        ))}
      </ul>
      {error && !data && <LoadFailure what="images" why={failureReason(error)} onRetry={() => void refetch()} />}
      {data?.media.length === 0 && <p className="text-muted text-sm">No images found.</p>}
    </div>
  )
}
