import { classNames } from '#ui/class-names.ts'

/** On a phone held upright the word stands below the icon. In landscape a higher bar would cover half of the screen. */
export const barAction = classNames(
  '[@media(width<48rem)_and_(height>=30rem)]:h-12!',
  '[@media(width<48rem)_and_(height>=30rem)]:px-2!',
  '[@media(width<48rem)_and_(height>=30rem)]:text-xs!',
  '[@media(width<48rem)_and_(height>=30rem)]:[&>span]:flex-col',
  '[@media(width<48rem)_and_(height>=30rem)]:[&>span]:gap-0.5',
)

type BarLabelProps = {
  /** Part of the button's name, for small screens. */
  short: string
  children: string
}

/** The words of a button in the selection bar. Its accessible name is always the long one. */
export function BarLabel({ short, children }: BarLabelProps) {
  return (
    <>
      <span className="[@media(height<30rem)]:hidden md:hidden">{short}</span>
      <span className="[@media(height<30rem)]:hidden max-md:hidden">{children}</span>
    </>
  )
}
