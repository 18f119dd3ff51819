import ScanSearch from 'lucide-react/icons/scan-search'
import Search from 'lucide-react/icons/search'
import X from 'lucide-react/icons/x'
import { type DragEvent, type KeyboardEvent, useId, useRef, useState } from 'react'
import { useSearchByPicture } from '#features/analysis/client/search-by-picture.ts'
import { useUser } from '#features/auth/client/queries.ts'
import { goToFirstResult } from '#features/media/client/first-result.ts'
import { libraryCommands } from '#features/media/client/library-commands.ts'
import { maxSearchLength } from '#features/media/limits.ts'
import { classNames } from '#ui/class-names.ts'
import { Input } from '#ui/forms/input.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { Kbd } from '#ui/keys/kbd.tsx'
import { useHotkey } from '#ui/keys/use-hotkey.ts'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent } from '#ui/lazy-component.tsx'
import { useMediaQuery } from '#ui/use-media-query.ts'
import { rememberSearch } from './recent-searches.ts'
import type { Chosen, SuggestionKeys } from './search-suggestions.tsx'
import { useSearchText } from './use-search-text.ts'

const SearchSuggestions = lazyComponent(
  () => import('./search-suggestions.tsx'),
  ({ SearchSuggestions }) => SearchSuggestions,
)

/** Searches the library from any screen, debounced, and suggests filters while the user types. See `useSearchText`. */
export function SearchBox() {
  const inputRef = useRef<HTMLInputElement>(null)
  const formRef = useRef<HTMLFormElement>(null)
  const { text, setText, submit, replace, fault } = useSearchText()
  const userId = useUser()?.id
  const id = useId()
  const keysRef = useRef<SuggestionKeys>(null)
  const [isSuggesting, setIsSuggesting] = useState(false)
  const [list, setList] = useState<{ activeId?: string }>()
  const stopSuggesting = () => setIsSuggesting(false)
  const hasKeyboard = useMediaQuery('(pointer: fine)')
  useHotkey(libraryCommands.search.hotkey, () => inputRef.current?.focus())

  const run = () => {
    stopSuggesting()
    const search = submit(text)
    if (search && userId !== undefined) rememberSearch(userId, search)
    return search
  }
  const choose = (chosen: Chosen) => {
    inputRef.current?.focus()
    if (chosen.kind === 'recent') replace(chosen.search)
    else {
      setText(chosen.text)
      if (!chosen.isWhole) return
      const search = submit(chosen.text, { isTyping: true })
      if (search && userId !== undefined) rememberSearch(userId, search)
    }
    stopSuggesting()
  }
  const clear = () => {
    stopSuggesting()
    setText('')
    submit('')
    inputRef.current?.focus()
  }
  const leaveWithKeys = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (keysRef.current?.(event)) return event.preventDefault()
    if (event.key === 'ArrowDown' && event.altKey) {
      event.preventDefault()
      return setIsSuggesting(true)
    }
    if (event.key === 'Enter' || event.key === 'ArrowDown') {
      event.preventDefault()
      const search = run()
      if (search !== undefined) goToFirstResult(search, event.currentTarget)
    }
    if (event.key !== 'Escape') return
    event.preventDefault()
    if (text) clear()
    else inputRef.current?.blur()
  }
  const searchByPicture = useSearchByPicture()
  const [isOver, setIsOver] = useState(false)
  const pictureRef = useRef<HTMLInputElement>(null)
  /** Returns whether there was a file, so that the browser does not handle it too. */
  const take = (files: FileList | null | undefined) => {
    const [picture] = files ?? []
    if (picture && !searchByPicture.isPending) searchByPicture.mutate(picture)
    return picture !== undefined
  }
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')
  const drop = (event: DragEvent) => {
    setIsOver(false)
    if (hasFiles(event) && take(event.dataTransfer.files)) event.preventDefault()
  }
  const pictureButton = (
    <IconButton
      label="Search by picture"
      icon={<ScanSearch />}
      size="sm"
      isPending={searchByPicture.isPending}
      // The press must not move the focus here: on a phone the box would grow, and the button leave the finger.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => pictureRef.current?.click()}
      // On a phone its place belongs to the placeholder until the field is used.
      className={text ? undefined : 'max-sm:group-not-focus-within/search:hidden'}
    />
  )
  const clearButton = (
    <IconButton
      label="Clear search"
      icon={<X />}
      size="sm"
      hasTooltip={false}
      // Keeps the focus in the field: in Safari the press would move it, and the box would collapse under the pointer.
      onMouseDown={(event) => event.preventDefault()}
      onClick={clear}
    />
  )
  const hint = hasKeyboard && <Kbd keys="/" className="pointer-events-none" />
  return (
    // On a phone the box covers the whole bar while it has the focus.
    <search>
      <form
        ref={formRef}
        className={classNames(
          'group/search max-sm:focus-within:absolute max-sm:focus-within:inset-x-2 max-sm:focus-within:top-2.5',
          'max-sm:focus-within:z-10 max-sm:focus-within:bg-canvas',
        )}
        onSubmit={(event) => {
          event.preventDefault()
          run()
        }}
        onDragEnter={(event) => setIsOver(hasFiles(event))}
        onDragLeave={(event) => setIsOver(event.currentTarget.contains(event.relatedTarget as Node | null))}
        onDrop={drop}
      >
        <input
          ref={pictureRef}
          type="file"
          hidden
          accept="image/jpeg,image/png,image/gif,image/webp"
          aria-label="Picture to search with"
          onChange={({ target }) => {
            take(target.files)
            // Without this, choosing the same file again would fire no change event.
            target.value = ''
          }}
        />
        <Input
          ref={inputRef}
          type="search"
          variant="filled"
          aria-label="Search your media"
          placeholder={isOver ? 'Drop to find similar items' : 'Search your media...'}
          enterKeyHint="search"
          autoComplete="off"
          spellCheck={false}
          maxLength={maxSearchLength}
          value={text}
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={list !== undefined}
          aria-controls={list && `${id}-list`}
          aria-activedescendant={list?.activeId}
          aria-invalid={fault !== undefined}
          aria-describedby={fault && `${id}-fault`}
          onChange={(event) => {
            setText(event.target.value)
            // An emptied field shows everything again, which the list must not cover.
            setIsSuggesting(event.target.value !== '')
          }}
          onClick={() => setIsSuggesting(true)}
          onBlur={(event) => {
            if (formRef.current?.contains(event.relatedTarget)) return
            stopSuggesting()
            // A filter that was still being typed applies too.
            submit(text)
          }}
          onKeyDown={leaveWithKeys}
          onPaste={(event) => take(event.clipboardData.files) && event.preventDefault()}
          leading={<Search />}
          className={classNames(
            '[&>input]:text-ellipsis',
            (text || hasKeyboard) && '[&>input]:pr-18',
            !text &&
              'max-sm:[&>input]:placeholder:text-base max-sm:not-focus-within:[&>input]:pl-8! max-sm:not-focus-within:[&>input]:pr-0.5!',
            isOver && 'rounded-md ring-2 ring-accent',
          )}
          trailing={
            <span className="flex items-center gap-0.5">
              {text ? clearButton : hint}
              {pictureButton}
            </span>
          }
        />
        {fault && (
          <p
            id={`${id}-fault`}
            role="alert"
            className="absolute top-full mt-1 rounded-sm bg-overlay px-3 py-2 text-danger text-sm shadow-float"
          >
            {fault}
          </p>
        )}
        {isSuggesting && !fault && (
          <LazyBoundary onFailed={stopSuggesting}>
            <SearchSuggestions
              id={`${id}-list`}
              text={text}
              anchorRef={formRef}
              keysRef={keysRef}
              onShow={setList}
              onChoose={choose}
              onDismiss={stopSuggesting}
            />
          </LazyBoundary>
        )}
      </form>
    </search>
  )
}
