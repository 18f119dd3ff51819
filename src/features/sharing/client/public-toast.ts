import { element } from './elements.ts'

const durationMs = 5000
let shown: HTMLElement | undefined

/** One toast at a time, as in the application. */
export function showPublicToast(title: string, description: string, tone: 'neutral' | 'danger' = 'neutral') {
  shown?.remove()
  const toast = element('div', { class: 'pub-toast', role: tone === 'danger' ? 'alert' : 'status', 'data-tone': tone })
  // An open lightbox would cover the toast and hide it from screen readers.
  const place = document.querySelector('dialog[open]') ?? document.body
  place.append(toast)
  // The text is added after the element, because screen readers announce only changes.
  toast.append(element('b', {}, title), ' ', description)
  shown = toast
  setTimeout(() => toast.remove(), durationMs)
}
