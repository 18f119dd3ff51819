import { copyText } from '#ui/copy-text.ts'
import { showPublicToast } from './public-toast.ts'

/** Turns the link to the list of addresses into a button that copies them. */
export function copyUrlsOnPress(link: HTMLAnchorElement) {
  const address = link.dataset.copy!
  let urls: Promise<string> | undefined
  const load = () => {
    urls ??= fetchUrls(address).catch((error) => {
      // The line may be back at the next press.
      urls = undefined
      throw error
    })
    return urls
  }
  link.setAttribute('role', 'button')
  // Fetched a moment before the press: some browsers copy only in the very moment of it.
  for (const sign of ['pointerenter', 'focus'] as const)
    link.addEventListener(sign, () => void load().catch(() => undefined), { once: true })
  link.addEventListener('click', async (event) => {
    event.preventDefault()
    try {
      await copyText(await load())
      showPublicToast('Copied to clipboard', 'URLs copied successfully.')
    } catch {
      showPublicToast('Copy failed', 'Could not copy URLs to clipboard.', 'danger')
    }
  })
}

async function fetchUrls(address: string) {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`Expected the addresses, received ${answer.status}`)
  const { urls } = (await answer.json()) as { urls: string[] }
  return urls.join('\n')
}
