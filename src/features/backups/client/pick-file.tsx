import { type ChangeEvent, type ReactNode, useRef } from 'react'
import { Button } from '#ui/button.tsx'
import { toastError } from '#ui/notices/toast.ts'

type PickFileProps = {
  /** The accepted extension, with its dot. */
  accept: '.zip' | '.json'
  refusal: string
  icon: ReactNode
  isPending: boolean
  onPick: (file: File) => void
  children: ReactNode
}

/** A button that picks one file. The extension is checked again, because browsers do not check dropped files. */
export function PickFile({ accept, refusal, icon, isPending, onPick, children }: PickFileProps) {
  const inputRef = useRef<HTMLInputElement>(null)
  const pick = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0]
    // Allows picking the same file again.
    event.target.value = ''
    if (!file) return
    if (file.name.toLowerCase().endsWith(accept)) onPick(file)
    else toastError('Wrong file', refusal)
  }
  return (
    <>
      <input ref={inputRef} type="file" accept={accept} hidden onChange={pick} />
      <Button icon={icon} isPending={isPending} onClick={() => inputRef.current?.click()}>
        {children}
      </Button>
    </>
  )
}
