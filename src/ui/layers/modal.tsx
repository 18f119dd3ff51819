import { Content, Description, Portal, Root, Title } from 'radix-ui/dialog'
import { createContext, type ReactNode, useContext, useLayoutEffect, useRef } from 'react'
import { classNames } from '../class-names.ts'
import { leadLostFocusOn } from '../focus/take-lost-focus.ts'
import { useCountedModal } from './open-modals.ts'
import { useEscape } from './use-escape.ts'

/** The room that a dialog was opened from: questions asked in a dark room are dark too. */
const ModalTheme = createContext<'dark' | undefined>(undefined)

type ModalProps = {
  /** Left out by what is only there while it is open. */
  isOpen?: boolean
  onClose: () => void
  /** Cannot be closed by Escape or a press outside. */
  isLocked?: boolean
  /** Whether a press outside would lose something, and does not close it. */
  keepsOnPress?: () => boolean
  role?: 'dialog' | 'alertdialog'
  /** Its name when no visible title inside gives one. */
  label?: string
  /** Said with the name, and again whenever it changes. */
  description?: string
  /** A room of its own, whatever the page's theme. */
  theme?: 'dark'
  /** Whoever opens it is at no button of it yet: keys that press one do what the whole of it does. */
  isFocusedItself?: boolean
  /** Where the focus goes when it closes; back to where it came from without an answer. */
  focusAfter?: () => HTMLElement | null
  className?: string
  children: ReactNode
}

/** The layer under Dialog and Drawer: backdrop, focus kept inside and given back, page held still. Place and looks come by class. */
export function Modal({
  isOpen = true,
  onClose,
  isLocked = false,
  keepsOnPress,
  role = 'dialog',
  label,
  description,
  theme: ownTheme,
  isFocusedItself = false,
  focusAfter,
  className,
  children,
}: ModalProps) {
  const outerTheme = useContext(ModalTheme)
  const theme = ownTheme ?? outerTheme
  const openerRef = useRef<Element>(null)
  useCountedModal(isOpen)
  useEscape(isOpen, () => !isLocked && onClose())
  return (
    <Root open={isOpen} onOpenChange={() => !isLocked && onClose()}>
      <Portal>
        <div
          aria-hidden="true"
          data-theme={theme}
          data-state={isOpen ? 'open' : 'closed'}
          // A dialog that outlives the press keeps the focus where it was, and Enter goes on to send its form.
          onMouseDown={(event) => event.preventDefault()}
          className="pointer-events-auto fixed inset-0 z-40 bg-backdrop data-[state=closed]:animate-fade-out data-[state=open]:animate-fade-in"
        />
        <Content
          role={role}
          aria-modal={role === 'alertdialog' || undefined}
          data-theme={theme}
          className={classNames('fixed z-40 outline-none', className)}
          // See [Note: One Escape, one layer].
          onEscapeKeyDown={(event) => event.preventDefault()}
          onInteractOutside={(event) => keepsOnPress?.() && event.preventDefault()}
          onOpenAutoFocus={(event) => {
            // Opened anew before the focus was back from the last time, it came from where it came from then.
            if (document.activeElement !== document.body) openerRef.current = document.activeElement
            if (!isFocusedItself) return
            event.preventDefault()
            ;(event.target as HTMLElement).focus()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            const next = focusAfter?.()
            if (next && next !== openerRef.current) next.focus()
            else if (openerRef.current instanceof HTMLElement) openerRef.current.focus({ preventScroll: true })
            // What was deleted or given up here may have taken its button along.
            leadLostFocusOn()
          }}
        >
          {label && <Title className="sr-only">{label}</Title>}
          {description !== undefined && (
            <Description aria-live="polite" aria-atomic="true" className="sr-only">
              {description}
            </Description>
          )}
          <ModalTheme value={theme}>{children}</ModalTheme>
          <FocusLetGo />
        </Content>
      </Portal>
    </Root>
  )
}

/**
 * Safari scrolls to the place of a field that is taken away with the focus in it. A dialog's place is the end of the
 * document, and the page would jump there: just before, the field lets go of the focus.
 */
function FocusLetGo() {
  useLayoutEffect(() => () => (document.activeElement as HTMLElement | null)?.blur(), [])
  return null
}
