import { copyText } from '#ui/copy-text.ts'
import { actAsButton } from './act-as-button.ts'
import { showPublicToast } from './public-toast.ts'

/** Turns the link to the list of URLs into a button that copies them. */
export function copyUrlsOnPress(link: HTMLAnchorElement) {
  const address = link.dataset.copy!
  const ask = navigator.clipboard ? () => fetchUrls(address) : askAhead(link, address)
  actAsButton(link, async () => {
    try {
      await copyText(ask())
      showPublicToast('Copied to clipboard', 'URLs copied successfully.')
    } catch {
      showPublicToast('Copy failed', 'Could not copy URLs to clipboard.', 'danger')
    }
  })
}

/**
 * Without https, Safari copies only what is available at the moment of the press, so the URLs are prefetched on touch,
 * hover or focus. If they arrive too late, the next press copies them.
 */
function askAhead(link: HTMLAnchorElement, address: string) {
  let urls: Promise<string> | undefined
  const ask = () => {
    urls ??= fetchUrls(address)
    urls.catch(() => {
      urls = undefined
    })
    return urls
  }
  for (const arrival of ['pointerenter', 'focus']) link.addEventListener(arrival, ask)
  return ask
}

async function fetchUrls(address: string) {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`Expected the addresses, received ${answer.status}`)
  const { urls } = (await answer.json()) as { urls: string[] }
  return urls.join('\n')
}
