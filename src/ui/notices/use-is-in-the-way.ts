import { type RefObject, useLayoutEffect, useState } from 'react'

/** Dialogs open, grow and are scrolled: so often it is looked what lies below. */
const lookMs = 200

/** Whether the notice must leave its usual place, since a main button of a dialog lies there; it does so once. */
export function useIsInTheWay(ref: RefObject<HTMLElement | null>, isOpen: boolean): boolean {
  const [isInTheWay, setIsInTheWay] = useState(false)
  useLayoutEffect(() => {
    if (!isOpen || isInTheWay) return
    const look = () => setIsInTheWay(coversMainButton(ref.current))
    look()
    const timer = setInterval(look, lookMs)
    return () => clearInterval(timer)
  }, [ref, isOpen, isInTheWay])
  return isInTheWay
}

function coversMainButton(notice: HTMLElement | null) {
  const place = notice?.getBoundingClientRect()
  return [...document.querySelectorAll('[role$=dialog][data-state=open] [data-main]')].some((button) => {
    const { left, right, top, bottom } = button.getBoundingClientRect()
    return place && left < place.right && right > place.left && top < place.bottom && bottom > place.top
  })
}
