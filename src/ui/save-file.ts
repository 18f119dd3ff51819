/**
 * Lets the browser save what is known to be ready. Without a name it takes the server's. By a link that says so: going to
 * the address would count as leaving the page, and Firefox would end everything that the page has under way.
 */
export function saveFile(address: string, name = '') {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
}
