import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import X from 'lucide-react/icons/x'
import { Action, Close, Description, Provider, Root, Title, Viewport } from 'radix-ui/toast'
import { useRef, useState, useSyncExternalStore } from 'react'
import { Button } from '../button.tsx'
import { classNames } from '../class-names.ts'
import { useFocusBesideTrap } from '../focus/use-focus-beside-trap.ts'
import { useFocusReturn } from '../focus/use-focus-return.ts'
import { IconButton } from '../icon-button.tsx'
import { Spinner } from '../spinner.tsx'
import { currentToast, dismissToast, spokenToast, subscribeToToasts, type Toast } from './toast.ts'
import { useIsInTheWay } from './use-is-in-the-way.ts'

const shownMs = 5000
/** Whoever hears that something can be undone has to hear it out first, and then find the way there. */
const shownWithActionMs = 10_000
const sentence = 'wrap-anywhere text-pretty text-muted text-sm'

/** Stands once in the page. F8 brings the focus to the notice; a swipe to the right sends it away. */
export function Toaster() {
  const current = useSyncExternalStore(subscribeToToasts, currentToast)
  const viewportRef = useRef<HTMLOListElement>(null)
  useFocusBesideTrap(viewportRef)
  const returning = useFocusReturn(viewportRef)
  // Radix speaks too, of words without a space between them, and takes them away within a second: that is said nowhere.
  const [unheard] = useState(() => document.createElement('div'))
  return (
    <Provider announcerContainer={unheard} duration={shownMs} swipeDirection="right" swipeThreshold={50}>
      <SpokenToast toast={current} />
      {current && <ToastCard key={current.id} toast={current} />}
      <Viewport
        {...returning}
        ref={viewportRef}
        hotkey={['F8']}
        // An open dialog hides all else from screen readers, except what is live. SpokenToast announces it.
        aria-live="off"
        // On phones above: below stand the buttons of sheets and the bar of what is selected. Elsewhere over such a bar, or, if
        // that is in the way of a button, above and left, where no dialog has any.
        className="fixed right-0 z-60 w-full p-4 outline-none empty:hidden max-sm:top-0 max-sm:px-2 max-sm:pt-[max(0.5rem,env(safe-area-inset-top))] sm:bottom-0 sm:in-[body:has([data-bar-below])]:bottom-26 lg:in-[body:has([data-bar-below])]:bottom-16 sm:w-[25rem] sm:pb-[max(1rem,env(safe-area-inset-bottom))] sm:has-[[data-aside]]:top-0 sm:has-[[data-aside]]:right-auto sm:has-[[data-aside]]:bottom-auto! sm:has-[[data-aside]]:left-0"
      />
    </Provider>
  )
}

/**
 * Stands in the page before there is anything to say, and keeps its words as long as the notice is shown: what comes and
 * goes with its words is gone before a screen reader that has just read a closing dialog gets to it.
 */
function SpokenToast({ toast }: { toast: Toast | undefined }) {
  const words = toast?.isOpen && <span key={toast.id}>{spokenToast(toast)}</span>
  const isUrgent = toast?.tone === 'danger'
  return (
    <>
      <p aria-live="polite" aria-atomic="true" className="sr-only">
        {!isUrgent && words}
      </p>
      <p aria-live="assertive" aria-atomic="true" className="sr-only">
        {isUrgent && words}
      </p>
    </>
  )
}

function ToastCard({ toast }: { toast: Toast }) {
  const { id, title, description, reason, tone, action, isUnderWay, isOpen } = toast
  const ref = useRef<HTMLLIElement>(null)
  const isInTheWay = useIsInTheWay(ref, isOpen)
  return (
    <Root
      ref={ref}
      data-aside={isInTheWay || undefined}
      open={isOpen}
      onOpenChange={(next) => !next && dismissToast(id)}
      duration={isUnderWay ? Number.POSITIVE_INFINITY : action && shownWithActionMs}
      type={tone === 'danger' ? 'foreground' : 'background'}
      className={classNames(
        'pointer-events-auto relative flex items-start gap-3 rounded-md bg-overlay p-3.5 pr-11 shadow-dialog',
        'data-[state=closed]:animate-fade-out data-[state=open]:animate-rise-in data-[swipe=end]:animate-swipe-out',
        'data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x) data-[swipe=cancel]:translate-x-0 data-[swipe=cancel]:transition-transform',
        tone === 'danger' && 'outline outline-danger/50',
      )}
    >
      {isUnderWay && <Spinner delayMs={0} className="mt-0.5" />}
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
