export function playOrPause(film: HTMLVideoElement | null) {
  // Where the browser does not let it play, its button is there.
  if (film?.paused) film.play().catch(() => {})
  else film?.pause()
}
