import CloudUpload from 'lucide-react/icons/cloud-upload'
import Plus from 'lucide-react/icons/plus'
import X from 'lucide-react/icons/x'
import type { ClipboardEvent, FormEvent } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { useListFocus } from '#ui/focus/use-list-focus.ts'
import { Input } from '#ui/forms/input.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import type { FlowState } from './scrape-flow.ts'
import { areAllBlank } from './url-rows.ts'
import type { Scraper } from './use-scraper.ts'

export function UrlsForm({ scraper, state }: { scraper: Scraper; state: FlowState }) {
  const { flow, dispatch, uploadUrls } = scraper
  const isBusy = state === 'uploading' || state === 'analyzing'
  const isBlank = areAllBlank(flow.rows)
  const list = useListFocus<HTMLDivElement>(flow.rows.map(({ id }) => id).join())

  /** The focus moves to the new row. */
  function add() {
    flushSync(() => dispatch({ type: 'row-added' }))
    list.ref.current?.lastElementChild?.querySelector('input')?.focus()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    uploadUrls()
  }

  /** Pasted lines become one row each; the input itself would join them. */
  function paste(event: ClipboardEvent<HTMLInputElement>, id: number) {
    const text = event.clipboardData.getData('text')
    if (!/[\r\n]/.test(text.trim())) return
    event.preventDefault()
    dispatch({ type: 'row-typed', id, text: text.trim() })
  }

  return (
    <Card>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <fieldset className="flex flex-col gap-2" disabled={isBusy}>
          <legend className="pb-1.5 font-medium text-sm">Image URLs</legend>
          <div {...list} className="flex flex-col gap-2">
            {flow.rows.map(({ id, text }, index) => (
              <div key={id} className="flex items-center gap-2">
                <Input
                  type="url"
                  inputMode="url"
                  spellCheck={false}
                  aria-label={`Image URL ${index + 1}`}
                  aria-describedby="urls-hint"
                  placeholder="https://example.com/image.jpg"
                  value={text}
                  onPaste={(event) => paste(event, id)}
                  onChange={(event) => dispatch({ type: 'row-typed', id, text: event.target.value })}
                  // As in the other form: a disabled submit button reports nothing.
                  onKeyDown={(event) => event.key === 'Enter' && isBlank && uploadUrls()}
                />
                {flow.rows.length > 1 && (
                  <IconButton
                    label={`Remove URL ${index + 1}`}
                    icon={<X />}
                    onClick={() => dispatch({ type: 'row-removed', id })}
                  />
                )}
              </div>
            ))}
          </div>
          <p id="urls-hint" className="text-muted text-sm">
            Direct URLs of jpg, png, gif and webp images. Paste a list to add one URL per line.
          </p>
        </fieldset>
        <div className="flex flex-wrap gap-2">
          <Button icon={<Plus aria-hidden="true" />} disabled={isBusy} onClick={add}>
            Add Another URL
          </Button>
          <Button
            type="submit"
            icon={<CloudUpload aria-hidden="true" />}
            isPending={state === 'uploading'}
            disabled={isBlank || state === 'analyzing'}
          >
            Upload Images
          </Button>
        </div>
      </form>
    </Card>
  )
}
