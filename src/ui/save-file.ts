/**
 * Downloads a URL; without a name the server's is used. It clicks a link with a `download` attribute, since Firefox treats
 * navigation to the URL as leaving the page and aborts the page's requests.
 */
export function saveFile(url: string, name = '') {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
