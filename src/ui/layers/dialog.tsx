import X from 'lucide-react/icons/x'
import { Close, Description, Title } from 'radix-ui/dialog'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { classNames } from '../class-names.ts'
import { typedForms } from '../history-guard.ts'
import { IconButton } from '../icon-button.tsx'
import { Modal } from './modal.tsx'

const widths = { sm: 'sm:w-[25rem]', md: 'sm:w-[32rem]', lg: 'sm:w-[44rem]', xl: 'sm:w-[60rem]' }

type DialogProps = {
  isOpen?: boolean
  onClose: () => void
  /** Says the verb. */
  title: ReactNode
  description?: ReactNode
  size?: keyof typeof widths
  /** Cannot be closed while this holds. */
  isLocked?: boolean
  role?: 'dialog' | 'alertdialog'
  /** Makes the body and footer one form. */
  onSubmit?: (event: FormEvent<HTMLFormElement>) => void
  /** Buttons; the primary one last, so that it stands right. */
  footer?: ReactNode
  children?: ReactNode
}

/** Above the keyboard of a phone on its side title and buttons would leave nothing of the field that is typed in. */
const scrollsAsAWhole = {
  dialog: '[@media(height<16rem)]:max-h-dvh! [@media(height<16rem)]:overflow-y-auto',
  part: '[@media(height<16rem)]:shrink-0 [@media(height<16rem)]:overflow-visible',
}

/** One question. Centred on large screens, a sheet from below on phones. */
export function Dialog(props: DialogProps) {
  const { isOpen, onClose, title, description, size = 'md', isLocked, role, onSubmit, footer, children } = props
  const [form] = useState({})
  useEffect(() => () => void typedForms.delete(form), [form])
  const noteTyping = ({ nativeEvent }: FormEvent) => {
    if (nativeEvent instanceof InputEvent) typedForms.add(form)
  }
  const inside = (
    <>
      {children && (
        <div
          className={classNames(
            'min-h-0 grow overflow-y-auto overscroll-contain px-5 pt-1',
            footer ? 'pb-1' : 'pb-5',
            scrollsAsAWhole.part,
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
      // A press beside the dialog, unlike Escape, is easily made by mistake: it does not throw away what was typed.
      keepsOnPress={() => typedForms.has(form)}
      role={role}
      className={classNames(
        'flex flex-col bg-overlay shadow-dialog',
        'max-sm:inset-x-0 max-sm:bottom-0 max-sm:max-h-[92dvh] max-sm:rounded-t-lg',
        'max-sm:data-[state=closed]:animate-sheet-out max-sm:data-[state=open]:animate-sheet-in',
        'sm:top-1/2 sm:left-1/2 sm:max-h-[min(85dvh,52rem)] sm:max-w-[calc(100vw-2rem)] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-lg',
        'sm:data-[state=closed]:animate-rise-out sm:data-[state=open]:animate-rise-in',
        scrollsAsAWhole.dialog,
        widths[size],
      )}
    >
      {/* No <header>, which would be a second banner of the page. */}
      <div className={classNames('shrink-0 px-5 pt-5 pr-14', children || footer ? 'pb-3' : 'pb-5')}>
        <Title className="text-balance font-semibold text-lg leading-snug">{title}</Title>
        {description && <Description className="mt-1 text-pretty text-muted">{description}</Description>}
      </div>
      {onSubmit ? (
        <form
          noValidate
          onSubmit={onSubmit}
          onInput={noteTyping}
          className={classNames('flex min-h-0 grow flex-col', scrollsAsAWhole.part)}
        >
          {inside}
        </form>
      ) : (
        inside
      )}
      {/* Last, so that the focus starts at the first field or button. */}
      {!isLocked && (
        <Close asChild>
          <IconButton label="Close" icon={<X />} size="sm" hasTooltip={false} className="absolute! top-4 right-4" />
        </Close>
      )}
    </Modal>
  )
}
