import { useEffect, useState } from 'react'

/** The value, once it has rested for this long. */
export function useDebouncedValue<Value>(value: Value, delayMs: number): Value {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return rested
}
