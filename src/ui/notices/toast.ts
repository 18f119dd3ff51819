import { createListeners } from '../listeners.ts'

type ToastTone = 'neutral' | 'success' | 'danger'

export type ToastOptions = {
  title: string
  description?: string
  /** Why, below what is described: as a rule the server's own sentence. */
  reason?: string
  tone?: ToastTone
  /** One thing to do about it, such as Undo. */
  action?: { label: string; onSelect: () => void }
  /** It is not over: the notice stays until the one that tells of the end. */
  isUnderWay?: boolean
}

export type Toast = ToastOptions & { id: number; tone: ToastTone; isOpen: boolean }

let current: Toast | undefined
let lastId = 0
const listeners = createListeners()

/** Shows a notice. There is one at a time: a new one takes the place of the last. */
export function toast(options: ToastOptions) {
  show({ tone: 'neutral', ...options, id: ++lastId, isOpen: true })
}

export function toastSuccess(title: string, description?: string, action?: ToastOptions['action']) {
  toast({ title, description, action, tone: 'success' })
}

export function toastError(title: string, description?: string, reason?: string) {
  toast({ title, description, reason, tone: 'danger' })
}

/** Nobody wonders about what is done within this time. */
const wonderMs = 1000

/**
 * Says that something goes on once that has lasted a while; what was told meanwhile is newer, and stays. Whoever asks for it
 * tells how it ended, well or not.
 */
export async function toastWhile<T>(title: string, work: Promise<T>): Promise<T> {
  const lastBefore = lastId
  const timer = setTimeout(() => lastId === lastBefore && toast({ title, isUnderWay: true }), wonderMs)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}

/** A dismissed notice stays known, closed, until the next one, so that it can leave with its animation. */
export function dismissToast(id: number) {
  if (current?.id === id && current.isOpen) show({ ...current, isOpen: false })
}

/** As it is read aloud, sentence by sentence. What can be done about it is reached by a key, which nobody guesses. */
export function spokenToast({ title, description, reason, action }: ToastOptions): string {
  const sentences = [title, description, reason, action && `Press F8 to reach ${action.label}`]
  return sentences
    .map((words) => words?.replace(/[^.!?…]$/, '$&.'))
    .filter(Boolean)
    .join(' ')
}

export function currentToast(): Toast | undefined {
  return current
}

export const subscribeToToasts = listeners.subscribe

function show(next: Toast) {
  current = next
  listeners.tell()
}
