// Sets the theme before the first paint, so that no page flashes in the wrong one. Loaded in the head, without defer.
// It is a file of its own because the content policy forbids scripts inside the page; src/ui/theme/theme.ts takes over later.
;(() => {
  let preference = 'dark'
  try {
    preference = localStorage.getItem('albumen-theme')
  } catch {
    // Storage is forbidden: dark it is.
  }
  const isLight =
    preference === 'light' || (preference === 'system' && matchMedia('(prefers-color-scheme: light)').matches)
  const theme = isLight ? 'light' : 'dark'
  document.documentElement.dataset.theme = theme
  document.documentElement.style.colorScheme = theme
})()
