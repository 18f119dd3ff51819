/** Where on a page a picture was seen. */
export type ImageSource =
  | 'img'
  | 'picture'
  | 'link'
  | 'css'
  | 'attribute'
  | 'video'
  | 'svg'
  | 'meta'
  | 'preload'
  | 'json-ld'

/** One picture of a page, its largest known version first. */
export type FoundImage = {
  /** An http(s) address, or a `data:` URI that holds the picture itself. */
  url: string
  /** Other versions of the same picture, larger ones first, for when `url` fails or is too large to look at. */
  alternatives: string[]
  alt: string
  title?: string
  caption?: string
  heading?: string
  linkText?: string
  /** The words on the page that tell most about the picture: its caption, else title, link text or heading. */
  context?: string
  /** Named after the address, without the marks of a size. */
  fileName: string
  /** As the page states them; only the bytes tell for sure. */
  width?: number
  height?: number
  source: ImageSource
  /** Where and how the page shows it, in the order of the page; the first ones when there are many. */
  places: Place[]
}

/** How one element of a page shows a picture. */
export type Place = {
  source: ImageSource
  /** The version that a browser with a large, dense screen loads there. */
  url: string
  /** The number of this element among all that show pictures, from 0. */
  order: number
  /** Absent when the element has no alternative text; empty when it is marked as decorative. */
  alt?: string
  /** In CSS pixels, as far as attributes or a rendered page tell. */
  shownWidth?: number
  /** In CSS pixels from the top of the rendered page. */
  top?: number
  /** Whether the browser knows the shape before the picture has loaded. */
  hasDimensions: boolean
  isLazy: boolean
}

/** What said that a picture can be had at an address. */
export type Origin =
  | 'src'
  | 'srcset'
  /** A lazy-loading attribute: `src` then holds a placeholder. */
  | 'lazy'
  /** An attribute or link that promises a larger version. */
  | 'full'
  | 'other'

export type Candidate = {
  /** As written on the page. */
  address: string
  origin: Origin
  width?: number
  height?: number
  density?: number
  /** A MIME type, where the page states one. */
  type?: string
}

/** One place of a page at which a picture was seen; several sightings may show the same picture. */
export type Sighting = {
  source: ImageSource
  candidates: Candidate[]
  alt: string
  title?: string
  caption?: string
  heading?: string
  linkText?: string
  /** Inside `<noscript>`: usually a repetition of the lazy picture before it. */
  isFallback?: boolean
  /** The size at which the page shows it. */
  width?: number
  height?: number
  /** Only for elements that show pictures. */
  display?: Display
}

export type Display = {
  alt?: string
  sizes?: string
  hasDimensions: boolean
  isLazy: boolean
  /** Measured by the renderer. */
  box?: { width: number; top: number }
}
