type Track = {
  /** Cameras and editors switch off what is kept beside the film: a second view, another language. */
  isSwitchedOn: boolean
  /** A cover that is not marked as one. */
  isSinglePicture?: boolean
}

/** Of several tracks of a kind the one that browsers play: the first that is switched on. */
export function chooseTrack<T>(tracks: T[], describe: (track: T) => Track): T | undefined {
  const rank = (track: T) => {
    const { isSwitchedOn, isSinglePicture } = describe(track)
    return (isSwitchedOn ? 0 : 2) + (isSinglePicture ? 1 : 0)
  }
  return tracks.toSorted((one, other) => rank(one) - rank(other))[0]
}
