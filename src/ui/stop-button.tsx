import { Button, type ButtonProps } from './button.tsx'

type StopButtonProps = Pick<ButtonProps, 'size' | 'className'> & { isStopping: boolean; onStop: () => void }

/** Stays readable and keeps the focus while what was told to stop comes to its end. */
export function StopButton({ isStopping, onStop, ...look }: StopButtonProps) {
  return (
    <Button {...look} aria-disabled={isStopping} onClick={() => !isStopping && onStop()}>
      {isStopping ? 'Stopping…' : 'Stop'}
    </Button>
  )
}
