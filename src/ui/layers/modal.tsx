import { Content, Description, Portal, Root, Title } from 'radix-ui/dialog'
import { createContext, type ReactNode, useContext, useLayoutEffect, useRef } from 'react'
import { classNames } from '../class-names.ts'
import { hasFocusedControl, recoverLostFocus } from '../focus/lost-focus.ts'
import { useOpenModal } from './open-modals.ts'
import { useEscape } from './use-escape.ts'

/** The theme of the dialog around this one: a dialog opened from the dark viewer is dark too. */
const ModalTheme = createContext<'dark' | undefined>(undefined)

type ModalProps = {
  /** Omitted by dialogs that are only rendered while open. */
  isOpen?: boolean
  onClose: () => void
  /** Prevents closing by Escape or a click outside. */
  isLocked?: boolean
  /** Whether a click outside must not close the dialog, since it would discard changes. */
  ignoresOutsideClick?: () => boolean
  role?: 'dialog' | 'alertdialog'
  /** The accessible name, when there is no visible title. */
  label?: string
  /** Announced with the name, and again when it changes. */
  description?: string
  /** A theme of its own, independent of the page's. */
  theme?: 'dark'
  /** Focuses the dialog instead of its first button, so that its own keyboard shortcuts work at once. */
  hasInitialFocus?: boolean
  /** The element that gets the focus on close; by default the element that opened the dialog. */
  focusAfter?: () => HTMLElement | null
  className?: string
  children: ReactNode
}

const backdropClasses = classNames(
  'pointer-events-auto fixed inset-0 z-40 bg-backdrop',
  'data-[state=closed]:animate-fade-out data-[state=open]:animate-fade-in',
)

/** The base of Dialog and Drawer: backdrop, focus trap and scroll lock. Position and style come from `className`. */
export function Modal({
  isOpen = true,
  onClose,
  isLocked = false,
  ignoresOutsideClick,
  role = 'dialog',
  label,
  description,
  theme: ownTheme,
  hasInitialFocus = false,
  focusAfter,
  className,
  children,
}: ModalProps) {
  const outerTheme = useContext(ModalTheme)
  const theme = ownTheme ?? outerTheme
  const openerRef = useRef<Element>(null)
  useOpenModal(isOpen)
  useEscape(isOpen, () => !isLocked && onClose())
  return (
    <Root open={isOpen} onOpenChange={() => !isLocked && onClose()}>
      <Portal>
        <div
          aria-hidden="true"
          data-theme={theme}
          data-state={isOpen ? 'open' : 'closed'}
          // Keeps the focus in a dialog that stays open after the click, so that Enter still submits its form.
          onMouseDown={(event) => event.preventDefault()}
          className={backdropClasses}
        />
        <Content
          role={role}
          aria-modal={role === 'alertdialog' || undefined}
          data-theme={theme}
          className={classNames('fixed z-40 outline-none', className)}
          // See [Note: One Escape, one layer].
          onEscapeKeyDown={(event) => event.preventDefault()}
          onInteractOutside={(event) => ignoresOutsideClick?.() && event.preventDefault()}
          onOpenAutoFocus={(event) => {
            // When the dialog is reopened before the focus has returned, the previous opener still applies.
            if (document.activeElement !== document.body) openerRef.current = document.activeElement
            if (!hasInitialFocus) return
            event.preventDefault()
            ;(event.target as HTMLElement).focus()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            // This runs a moment after the dialog has gone, when the user may already have focused something else.
            if (hasFocusedControl()) return
            const next = focusAfter?.()
            if (next && next !== openerRef.current) next.focus()
            else if (openerRef.current instanceof HTMLElement) openerRef.current.focus({ preventScroll: true })
            // The opener may have been removed, e.g. with a deleted item.
            recoverLostFocus()
          }}
        >
          {label && <Title className="sr-only">{label}</Title>}
          {description !== undefined && (
            <Description aria-live="polite" aria-atomic="true" className="sr-only">
              {description}
            </Description>
          )}
          <ModalTheme value={theme}>{children}</ModalTheme>
          <BlurOnUnmount />
        </Content>
      </Portal>
    </Root>
  )
}

/**
 * Safari scrolls to the position of a removed field that had the focus. A dialog is at the end of the document, so the page
 * would jump there; blurring the field first prevents that.
 */
function BlurOnUnmount() {
  useLayoutEffect(() => () => (document.activeElement as HTMLElement | null)?.blur(), [])
  return null
}
