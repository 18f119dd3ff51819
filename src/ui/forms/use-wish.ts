import { startTransition, useOptimistic } from 'react'

/** Does what is asked for. While that is under way the box shows the wish; then what `checked` says, kept or refused. */
export type OnCheckedChange = (isChecked: boolean) => unknown

/** What a box shows, and how it is told of a wish: without this it would jump back until the answer is there. */
export function useWish(checked: boolean | undefined, onCheckedChange: OnCheckedChange | undefined) {
  const [shown, showWish] = useOptimistic(checked)

  function wish(isChecked: boolean) {
    const work = onCheckedChange?.(isChecked)
    if (!(work instanceof Promise)) return
    startTransition(async () => {
      showWish(isChecked)
      // Whoever does the work tells why it failed; here the box only goes back.
      await work.catch(() => {})
    })
  }

  return [shown, wish] as const
}
