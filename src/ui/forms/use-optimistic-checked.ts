import { startTransition, useOptimistic } from 'react'

/** Handles a change. While its promise is pending, the control shows the new state; then again the `checked` prop. */
export type OnCheckedChange = (isChecked: boolean) => unknown

/** The shown state of a controlled checkbox, and its change handler; without it, the box would jump back until the request ends. */
export function useOptimisticChecked(checked: boolean | undefined, onCheckedChange: OnCheckedChange | undefined) {
  const [shown, setShown] = useOptimistic(checked)

  function change(isChecked: boolean) {
    const work = onCheckedChange?.(isChecked)
    if (!(work instanceof Promise)) return
    startTransition(async () => {
      setShown(isChecked)
      // The caller reports the error; the box only returns to its former state.
      await work.catch(() => {})
    })
  }

  return [shown, change] as const
}
