import X from 'lucide-react/icons/x'
import { Close, Description, Title } from 'radix-ui/dialog'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { classNames } from '../class-names.ts'
import { IconButton } from '../icon-button.tsx'
import { dirtyForms } from '../unsaved-changes.ts'
import { Modal } from './modal.tsx'

const widths = { sm: 'sm:w-[25rem]', md: 'sm:w-[32rem]', lg: 'sm:w-[44rem]', xl: 'sm:w-[60rem]' }

type DialogProps = {
  isOpen?: boolean
  onClose: () => void
  /** Contains the verb. */
  title: ReactNode
  description?: ReactNode
  size?: keyof typeof widths
  /** Keeps the upper edge in place on large screens, so that tabs do not move under the pointer when the height changes. */
  isTopAligned?: boolean
  /** While true, the dialog cannot be closed. */
  isLocked?: boolean
  role?: 'dialog' | 'alertdialog'
  /** Wraps the body and footer in one form. */
  onSubmit?: (event: FormEvent<HTMLFormElement>) => void
  /** Buttons; the primary one last, on the right. */
  footer?: ReactNode
  children?: ReactNode
}

/** On a landscape phone with an open keyboard, title and buttons would cover the focused field, so the whole dialog scrolls. */
const shortScreen = {
  dialog: '[@media(height<16rem)]:max-h-dvh! [@media(height<16rem)]:overflow-y-auto',
  part: '[@media(height<16rem)]:shrink-0 [@media(height<16rem)]:overflow-visible',
}

/** A modal dialog: centered on large screens, a bottom sheet on phones. */
export function Dialog(props: DialogProps) {
  const {
    isOpen,
    onClose,
    title,
    description,
    size = 'md',
    isTopAligned,
    isLocked,
    role,
    onSubmit,
    footer,
    children,
  } = props
  const [form] = useState({})
  useEffect(() => () => void dirtyForms.delete(form), [form])
  const markDirty = ({ nativeEvent }: FormEvent) => {
    if (nativeEvent instanceof InputEvent) dirtyForms.add(form)
  }
  const content = (
    <>
      {children && (
        <div
          className={classNames(
            'min-h-0 grow overflow-y-auto overscroll-contain px-5 pt-1',
            footer ? 'pb-1' : 'pb-5',
            shortScreen.part,
          )}
        >
          {children}
        </div>
      )}
      {footer && (
        <div className="flex shrink-0 flex-wrap justify-end gap-2 px-5 pt-4 pb-[max(1.25rem,env(safe-area-inset-bottom))] max-sm:*:grow">
          {footer}
        </div>
      )}
    </>
  )
  return (
    <Modal
      isOpen={isOpen}
      onClose={onClose}
      isLocked={isLocked}
      // A click outside, unlike Escape, is easily made by mistake and must not discard typed text.
      ignoresOutsideClick={() => dirtyForms.has(form)}
      role={role}
      className={classNames(
        'flex flex-col bg-overlay shadow-dialog',
        'max-sm:inset-x-0 max-sm:bottom-0 max-sm:max-h-[92dvh] max-sm:rounded-t-lg',
        'max-sm:data-[state=closed]:animate-sheet-out max-sm:data-[state=open]:animate-sheet-in',
        isTopAligned ? 'sm:top-[max(1rem,7.5dvh)]' : 'sm:top-1/2 sm:-translate-y-1/2',
        'sm:left-1/2 sm:-translate-x-1/2 sm:rounded-lg',
        'sm:max-h-[min(85dvh,52rem)] sm:max-w-[calc(100vw-2rem)]',
        'sm:data-[state=closed]:animate-rise-out sm:data-[state=open]:animate-rise-in',
        shortScreen.dialog,
        widths[size],
      )}
    >
      {/* Not a <header>, which would be a second banner landmark. */}
      <div className={classNames('shrink-0 px-5 pt-5 pr-14', children || footer ? 'pb-3' : 'pb-5')}>
        <Title className="text-balance font-semibold text-lg leading-snug">{title}</Title>
        {description && <Description className="mt-1 text-pretty text-muted">{description}</Description>}
      </div>
      {onSubmit ? (
        <form
          noValidate
          onSubmit={onSubmit}
          onInput={markDirty}
          className={classNames('flex min-h-0 grow flex-col', shortScreen.part)}
        >
          {content}
        </form>
      ) : (
        content
      )}
      {/* Last in the document, so that the first field or button gets the initial focus. */}
      {!isLocked && (
        <Close asChild>
          <IconButton label="Close" icon={<X />} size="sm" hasTooltip={false} className="absolute! top-4 right-4" />
        </Close>
      )}
    </Modal>
  )
}
