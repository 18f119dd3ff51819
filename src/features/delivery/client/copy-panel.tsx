import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CopyButton } from '#ui/copy-button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Select } from '#ui/forms/select.tsx'
import { Textarea } from '#ui/forms/textarea.tsx'
import { toastError, toastSuccess } from '#ui/notices/toast.ts'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'
import { maxEdge } from '../limits.ts'
import { makeSnippet, type SnippetFormat, type SnippetItem, type SnippetSize, snippetFormats } from '../snippets.ts'
import { deliveryQueries } from './queries.ts'
import { listSizes, withWeights } from './size-options.ts'
import { layouts, useCopyChoice } from './use-copy-choice.ts'

type Weighed = { id: number; originalUrl: string; bytes: number }

type CopyPanelProps = {
  items: readonly SnippetItem[]
  /** Set for a single item of the library: its files are weighed, and sizes of any width can be signed. */
  weighed?: Weighed
  /** Shown instead of the Copy button, for an item that is not public yet. */
  action?: (write: (items: readonly SnippetItem[]) => string) => React.ReactNode
  /** Reports the chosen size, for a preview. */
  onSizeChange?: (size: SnippetSize) => void
}

const hasLayout = (format: SnippetFormat) => format === 'img' || format === 'picture'
const signedFormats = ['auto', 'avif', 'webp', 'jpg', 'png'] as const

/** What to copy of one or many items, for use on a website. */
export function CopyPanel({ items, weighed, action, onSizeChange }: CopyPanelProps) {
  const [choice, change] = useCopyChoice()
  const [edges, setEdges] = useState({ width: '', height: '' })
  const { data: presets = [] } = useQuery(deliveryQueries.presets(weighed?.id))
  const options = listSizes(items, presets)
  const chosen = options.find(({ value }) => value === choice.size) ?? options[0]!
  const isCustom = chosen.value === 'custom'

  const wanted = options.flatMap((option) => option.wanted ?? [])
  const { data: weights } = useQuery({
    ...deliveryQueries.addresses(weighed?.id ?? 0, weighed?.originalUrl ?? '', wanted, true),
    enabled: weighed !== undefined && presets.length > 0,
  })
  const custom = useDebouncedValue(edges, 300)
  const [width, height] = [edgeOf(custom.width), edgeOf(custom.height)]
  const { data: signed, error } = useQuery({
    ...deliveryQueries.addresses(
      weighed?.id ?? 0,
      weighed?.originalUrl ?? '',
      signedFormats.map((format) => ({ format, width, height, fit: width && height ? 'cover' : undefined })),
    ),
    enabled: isCustom && weighed !== undefined && (width !== undefined || height !== undefined),
  })

  const preset = presets.find(({ name }) => chosen.value === `p:${name}`)
  const size: SnippetSize = isCustom
    ? { signed: signed && { files: Object.fromEntries(signedFormats.map((format, at) => [format, signed[at]!])) } }
    : { preset, maxWidth: Number(chosen.value) || undefined }
  const isReady = !isCustom || size.signed !== undefined
  const sizes = choice.layout in layouts ? layouts[choice.layout as keyof typeof layouts].sizes : choice.layout
  const write = (of: readonly SnippetItem[]) => makeSnippet(choice.format, of, { size, layout: sizes })
  const text = isReady ? write(items) : ''
  const label = snippetFormats[choice.format]

  return (
    <div className="space-y-4">
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Format">
          <Select
            value={choice.format}
            onValueChange={(format) => change({ format: format as SnippetFormat })}
            options={Object.entries(snippetFormats).map(([value, name]) => ({ value, label: name }))}
          />
        </Field>
        <Field label="Size">
          <Select
            value={chosen.value}
            onValueChange={(value) => {
              change({ size: value })
              const next = presets.find(({ name }) => value === `p:${name}`)
              onSizeChange?.({ preset: next, maxWidth: Number(value) || undefined })
            }}
            options={withWeights(options, weights, weighed?.bytes)}
          />
        </Field>
        {hasLayout(choice.format) && (
          <Field label="Width on the page">
            <Select
              value={choice.layout in layouts ? choice.layout : 'own'}
              onValueChange={(layout) => change({ layout: layout === 'own' ? sizes : layout })}
              options={[
                ...Object.entries(layouts).map(([value, { label: name }]) => ({ value, label: name })),
                { value: 'own', label: 'Custom…' },
              ]}
            />
          </Field>
        )}
        {hasLayout(choice.format) && !(choice.layout in layouts) && (
          <Field label="sizes attribute">
            <Input
              value={choice.layout}
              maxLength={200}
              spellCheck={false}
              onChange={(event) => change({ layout: event.target.value })}
            />
          </Field>
        )}
        {isCustom && (
          <div className="grid grid-cols-2 gap-3">
            {(['width', 'height'] as const).map((edge) => (
              <Field
                key={edge}
                label={edge === 'width' ? 'Width' : 'Height'}
                error={edge === 'width' && error ? `Enter a number from 1 to ${maxEdge}.` : undefined}
              >
                <Input
                  inputMode="numeric"
                  value={edges[edge]}
                  trailing="px"
                  onChange={(event) => setEdges({ ...edges, [edge]: event.target.value.replace(/\D/g, '') })}
                />
              </Field>
            ))}
          </div>
        )}
      </div>
      <Field label="Snippet" isLabelHidden>
        <Textarea
          readOnly
          rows={items.length > 1 || choice.format === 'picture' ? 7 : 4}
          value={text}
          className="font-mono text-xs"
        />
      </Field>
      {action ? (
        action(write)
      ) : (
        <CopyButton
          text={text}
          variant="primary"
          onCopied={() => toastSuccess('Copied to clipboard', `${label} copied successfully.`)}
          onFailed={() => toastError('Copy failed', "Couldn't copy to the clipboard. Select the text and copy it.")}
        />
      )}
    </div>
  )
}

const edgeOf = (text: string) => (text === '' ? undefined : Number(text))
