/** Lets the browser save what is known to be ready. Without a name it takes the server's. */
export function saveFile(address: string, name = '') {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
}
