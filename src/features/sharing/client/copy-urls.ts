import { copyText } from '#ui/copy-text.ts'
import { actAsButton } from './act-as-button.ts'
import { showPublicToast } from './public-toast.ts'

/** Turns the link to the list of addresses into a button that copies them. */
export function copyUrlsOnPress(link: HTMLAnchorElement) {
  const address = link.dataset.copy!
  actAsButton(link, async () => {
    try {
      await copyText(fetchUrls(address))
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
