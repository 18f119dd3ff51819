import { Button, type ButtonProps } from './button.tsx'

type StopButtonProps = Pick<ButtonProps, 'size' | 'className'> & { isStopping: boolean; onStop: () => void }

/** Stays readable and focused while the work is stopping. */
export function StopButton({ isStopping, onStop, ...buttonProps }: StopButtonProps) {
  return (
    <Button {...buttonProps} aria-disabled={isStopping} onClick={() => !isStopping && onStop()}>
      {isStopping ? 'Stopping…' : 'Stop'}
    </Button>
  )
}
