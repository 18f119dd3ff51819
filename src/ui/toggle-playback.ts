export function togglePlayback(video: HTMLVideoElement | null) {
  // The browser may refuse to play; the video's own button then remains.
  if (video?.paused) video.play().catch(() => {})
  else video?.pause()
}
