import { useQuery } from '@tanstack/react-query'
import CircleAlert from 'lucide-react/icons/circle-alert'
import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import { collectionQueries } from '#features/collections/client/queries.ts'
import { useCollectionNaming } from '#features/collections/client/use-collection-naming.ts'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { Dialog } from '#ui/layers/dialog.tsx'
import { Progress } from '#ui/progress.tsx'
import { FilePicker } from './file-picker.tsx'
import { SelectedFiles } from './selected-files.tsx'
import { defaultChoices, limitText, toUploadFields } from './upload-choices.ts'
import { UploadOptions } from './upload-options.tsx'
import { countByStatus, isCancellable, isUploadable, itemsInProgress, overallPercent } from './upload-queue.ts'
import { closeUpload, openUpload, useUploadStore } from './upload-store.ts'
import { overallText, targetText } from './upload-text.ts'
import type { UploadState } from './uploader.ts'
import { addToUploader, useUploader } from './use-uploader.ts'

/** Closing the dialog keeps the upload and the selection; only Cancel discards the files. */
export function UploadDialog({ isOpen }: { isOpen: boolean }) {
  const [choices, setChoices] = useState(defaultChoices)
  const reset = () => {
    setChoices(defaultChoices)
    closeUpload()
  }
  const { uploader, queue, isUploading, samples, run } = useUploader({ onComplete: reset })
  const fields = (sequence: number) => toUploadFields(choices, sequence)
  /** A stable callback, so that typing a prefix does not re-render thousands of rows. */
  const latestFields = useRef(fields)
  useLayoutEffect(() => {
    latestFields.current = fields
  })
  const retry = useCallback((id: number) => uploader.retry(id, latestFields.current), [uploader])
  const discard = () => {
    uploader.clear()
    reset()
  }

  const { items } = queue
  const { data: collections = [] } = useQuery(collectionQueries.summaries())
  const open = useUploadStore().collectionId
  const smart = collections.find(({ id, query }) => id === open && query !== null)
  const collectionId = smart ? undefined : open
  const target = targetText(items.length > 0 ? items : [{ collectionId }], collections)
  const naming = useCollectionNaming(items[0]?.collectionId ?? collectionId)
  const ready = items.filter(isUploadable).length
  return (
    <>
      {!isOpen && <UploadPill {...{ queue, isUploading, samples, run }} onOpen={() => openUpload()} />}
      <Dialog
        isOpen={isOpen}
        onClose={closeUpload}
        title="Upload Media"
        description={
          target ? `Add to ${target}` : smart && `Add to your library. "${smart.name}" shows what matches its search.`
        }
        footer={
          isUploading ? (
            <>
              <Progress
                label="Uploading"
                value={overallPercent(itemsInProgress(queue))}
                detail={overallText({ queue, samples, run })}
                className="w-full pb-2"
              />
              <Button key="stop" disabled={!items.some(isCancellable)} onClick={uploader.cancelAll}>
                Cancel all
              </Button>
              {/* The same button as before: it keeps the focus, so that a second key press does not cancel. */}
              <Button key="upload" variant="primary" isInactive>
                Uploading
              </Button>
            </>
          ) : (
            <>
              {/* With refused files only, there is nothing left to cancel. */}
              <Button key="discard" onClick={discard}>
                {items.length > 0 && ready === 0 ? 'Done' : 'Cancel'}
              </Button>
              <Button key="upload" variant="primary" disabled={ready === 0} onClick={() => uploader.upload(fields)}>
                {ready > 0 ? `Upload ${countOf(ready, 'file')}` : 'Upload'}
              </Button>
            </>
          )
        }
      >
        {/* The system's file picker covers the list, so the change is announced. */}
        <p aria-live="polite" aria-atomic="true" className="sr-only">
          {isUploading
            ? `Uploading ${countOf(run.size, 'file')}`
            : items.length > 0 && `${countOf(items.length, 'file')} chosen`}
        </p>
        <div className="flex flex-col gap-5">
          {!isUploading && (
            <>
              <FilePicker
                limit={limitText(choices)}
                isCompact={items.length > 0}
                onPick={(files) => addToUploader(uploader, { files, unreadable: 0, collectionId })}
              />
              <UploadOptions
                choices={choices}
                onChange={(change) => setChoices({ ...choices, ...change })}
                filenames={items.map(({ file }) => file.name)}
                naming={naming}
              />
            </>
          )}
          {items.length > 0 && (
            <SelectedFiles
              items={items}
              nowMs={samples.at(-1)?.atMs ?? 0}
              onRemove={uploader.remove}
              onCancel={uploader.cancel}
              onRetry={retry}
              onClear={isUploading ? undefined : uploader.clear}
            />
          )}
        </div>
      </Dialog>
    </>
  )
}

/** Stands in for the closed dialog while an upload runs or has unfinished files. Opens the dialog. */
function UploadPill({ queue, isUploading, samples, run, onOpen }: UploadState & { onOpen: () => void }) {
  const { failed, refused, cancelled } = countByStatus(queue)
  const left = failed + refused + cancelled
  if (!isUploading && left === 0) return null
  return (
    <button
      type="button"
      tabIndex={0}
      onClick={onOpen}
      className={classNames(
        'fixed right-4 bottom-[max(1rem,env(safe-area-inset-bottom))] z-30 w-80 max-w-[calc(100vw-2rem)]',
        'in-[body:has([data-bar-below])]:bottom-30 lg:in-[body:has([data-bar-below])]:bottom-20',
        'animate-rise-in rounded-md bg-overlay px-3.5 py-2.5 text-left shadow-float hover:bg-raised',
      )}
    >
      {isUploading ? (
        <Progress
          label="Uploading"
          value={overallPercent(itemsInProgress(queue))}
          detail={overallText({ queue, samples, run })}
        />
      ) : (
        <span className="flex items-center gap-2 text-sm">
          <CircleAlert aria-hidden="true" className="text-danger" />
          {countOf(left, 'file was', 'files were')} not uploaded
        </span>
      )}
    </button>
  )
}
