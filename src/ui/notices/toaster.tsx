import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import X from 'lucide-react/icons/x'
import { Action, Close, Description, Provider, Root, Title, Viewport } from 'radix-ui/toast'
import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Button } from '../button.tsx'
import { classNames } from '../class-names.ts'
import { IconButton } from '../icon-button.tsx'
import { Spinner } from '../spinner.tsx'
import { currentToast, dismissToast, spokenToast, subscribeToToasts, type Toast } from './toast.ts'
import { useCoversMainButton, useFocusOutsideTrap, useFocusReturn } from './toast-focus.ts'

const shownMs = 5000
/** Screen reader users need time to hear the message and to reach its action. */
const shownWithActionMs = 10_000
const sentence = 'wrap-anywhere text-pretty text-muted text-sm'

const viewportClasses = classNames(
  'fixed right-0 z-60 w-full p-4 outline-none empty:hidden',
  // At the top on phones, where sheets and the selection bar have their buttons at the bottom.
  'max-sm:top-0 max-sm:px-2 max-sm:pt-[max(0.5rem,env(safe-area-inset-top))]',
  // At the bottom elsewhere, above the selection bar.
  'sm:bottom-0 sm:in-[body:has([data-bar-below])]:bottom-26',
  'lg:in-[body:has([data-bar-below])]:bottom-16 sm:w-[25rem]',
  'sm:pb-[max(1rem,env(safe-area-inset-bottom))]',
  // At the top left, where dialogs have no buttons, when it would cover a main button.
  'sm:has-[[data-aside]]:top-0 sm:has-[[data-aside]]:right-auto sm:has-[[data-aside]]:bottom-auto!',
  'sm:has-[[data-aside]]:left-0',
)

/** Rendered once per page. F8 focuses the toast, a swipe to the right dismisses it. */
export function Toaster() {
  const current = useSyncExternalStore(subscribeToToasts, currentToast)
  const viewportRef = useRef<HTMLOListElement>(null)
  useFocusOutsideTrap(viewportRef)
  useHotkeyEverywhere(viewportRef)
  const returning = useFocusReturn(viewportRef)
  // Radix announces toasts too, but without spaces and only for a second, so its announcements go to a detached element.
  const [detached] = useState(() => document.createElement('div'))
  return (
    <Provider announcerContainer={detached} duration={shownMs} swipeDirection="right" swipeThreshold={50}>
      <SpokenToast toast={current} />
      {current && <ToastCard key={current.id} toast={current} />}
      <Viewport
        {...returning}
        ref={viewportRef}
        data-toasts
        hotkey={['F8']}
        // An open dialog hides everything but live regions from screen readers. SpokenToast announces the toast.
        aria-live="off"
        className={viewportClasses}
      />
    </Provider>
  )
}

/** Radix listens on the document, where keys that a text field or an open menu keeps to itself do not arrive. */
function useHotkeyEverywhere(viewportRef: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const focusToasts = ({ code }: KeyboardEvent) => code === 'F8' && viewportRef.current?.focus()
    window.addEventListener('keydown', focusToasts, { capture: true })
    return () => window.removeEventListener('keydown', focusToasts, { capture: true })
  }, [viewportRef])
}

/**
 * A live region that always exists, with a text that stays as long as the toast. A region that appears and disappears with
 * its text is gone before a screen reader, still reading a closing dialog, gets to it.
 */
function SpokenToast({ toast }: { toast: Toast | undefined }) {
  const text = toast?.isOpen && <span key={toast.id}>{spokenToast(toast)}</span>
  const isUrgent = toast?.tone === 'danger'
  return (
    <>
      <p aria-live="polite" aria-atomic="true" className="sr-only">
        {!isUrgent && text}
      </p>
      <p aria-live="assertive" aria-atomic="true" className="sr-only">
        {isUrgent && text}
      </p>
    </>
  )
}

function ToastCard({ toast }: { toast: Toast }) {
  const { id, title, description, reason, tone, action, isPending, isOpen } = toast
  const ref = useRef<HTMLLIElement>(null)
  const isCovering = useCoversMainButton(ref, isOpen)
  return (
    <Root
      ref={ref}
      data-aside={isCovering || undefined}
      open={isOpen}
      onOpenChange={(next) => !next && dismissToast(id)}
      duration={isPending ? Number.POSITIVE_INFINITY : action && shownWithActionMs}
      type={tone === 'danger' ? 'foreground' : 'background'}
      className={classNames(
        'pointer-events-auto relative flex items-start gap-3 rounded-md bg-overlay p-3.5 pr-11 shadow-dialog',
        'data-[state=closed]:animate-fade-out data-[state=open]:animate-rise-in data-[swipe=end]:animate-swipe-out',
        'data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x) data-[swipe=cancel]:translate-x-0 data-[swipe=cancel]:transition-transform',
        tone === 'danger' && 'outline outline-danger/50',
      )}
    >
      {isPending && <Spinner delayMs={0} className="mt-0.5" />}
      {tone === 'danger' && <CircleAlert aria-hidden="true" className="mt-px size-5 text-danger" />}
      {tone === 'success' && <CircleCheck aria-hidden="true" className="mt-px size-5 text-success" />}
      <div className="flex min-w-0 grow flex-col items-start">
        <Title className="text-pretty font-medium">{title}</Title>
        {description && <Description className={sentence}>{description}</Description>}
        {reason && <Description className={sentence}>{reason}</Description>}
        {action && (
          <Action altText={action.label} asChild>
            <Button size="sm" className="mt-2.5" onClick={action.onSelect}>
              {action.label}
            </Button>
          </Action>
        )}
      </div>
      <Close asChild>
        <IconButton label="Dismiss" icon={<X />} size="sm" hasTooltip={false} className="absolute! top-2.5 right-2.5" />
      </Close>
    </Root>
  )
}
