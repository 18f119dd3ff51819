import { createListeners } from '../listeners.ts'

type ToastTone = 'neutral' | 'success' | 'danger'

export type ToastOptions = {
  title: string
  description?: string
  /** The reason, usually the server's message. */
  reason?: string
  tone?: ToastTone
  /** One action, such as Undo. */
  action?: { label: string; onSelect: () => void }
  /** The work goes on: the toast stays until the next one reports the result. */
  isPending?: boolean
}

export type Toast = ToastOptions & { id: number; tone: ToastTone; isOpen: boolean }

let current: Toast | undefined
let lastId = 0
const listeners = createListeners()

/** Shows a toast, which replaces the current one. */
export function toast(options: ToastOptions) {
  show({ tone: 'neutral', ...options, id: ++lastId, isOpen: true })
}

export function toastSuccess(title: string, description?: string, action?: ToastOptions['action']) {
  toast({ title, description, action, tone: 'success' })
}

export function toastError(title: string, description?: string, reason?: string) {
  toast({ title, description, reason, tone: 'danger' })
}

/** Shorter work shows no toast. */
const pendingDelayMs = 1000

/** Shows a pending toast for longer work, unless another toast was shown meanwhile. The caller reports the result. */
export async function toastWhile<T>(title: string, work: Promise<T>): Promise<T> {
  const lastBefore = lastId
  const timer = setTimeout(() => lastId === lastBefore && toast({ title, isPending: true }), pendingDelayMs)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}

/** A dismissed toast is kept, closed, until the next one, so that its exit animation can run. */
export function dismissToast(id: number) {
  if (current?.id === id && current.isOpen) show({ ...current, isOpen: false })
}

/** The text that screen readers announce: full sentences, with the key that reaches the action. */
export function spokenToast({ title, description, reason, action }: ToastOptions): string {
  const sentences = [title, description, reason, action && `Press F8 to reach ${action.label}`]
  return sentences
    .map((text) => text?.replace(/[^.!?…]$/, '$&.'))
    .filter(Boolean)
    .join(' ')
}

export function currentToast(): Toast | undefined {
  return current
}

export const subscribeToToasts = listeners.subscribe

function show(next: Toast) {
  current = next
  listeners.notify()
}
