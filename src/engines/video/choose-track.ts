type Track = {
  /** Cameras and editors switch off what is kept beside the film: a second view, another language. */
  isSwitchedOn: boolean
  /** A cover that is not marked as one. */
  isSinglePicture?: boolean
}

/** Of several tracks of a kind the one that browsers play: the first that is switched on, and no cover while there is a film. */
export function chooseTrack<T>(tracks: T[], describe: (track: T) => Track): T | undefined {
  const rank = (track: T) => {
    const { isSwitchedOn, isSinglePicture } = describe(track)
    return (isSinglePicture ? 2 : 0) + (isSwitchedOn ? 0 : 1)
  }
  return tracks.toSorted((one, other) => rank(one) - rank(other))[0]
}
