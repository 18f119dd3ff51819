/** The logo, an oval portrait in a frame that also resembles an egg. Dark in both themes. */
export function Logo() {
  return (
    <svg viewBox="0 0 32 32" fill="none" aria-hidden="true" data-theme="dark" className="size-7 shrink-0">
      <rect width="32" height="32" rx="7.5" className="fill-raised" />
      <rect x="3.25" y="3.25" width="25.5" height="25.5" rx="5.25" strokeWidth="1.25" className="stroke-line-strong" />
      <path
        d="M16 6.5c3.9 0 7 6 7 10.6 0 4.5-3.1 7.4-7 7.4s-7-2.9-7-7.4C9 12.5 12.1 6.5 16 6.5Z"
        className="fill-ink"
      />
      <circle cx="16" cy="17.4" r="3.6" className="fill-accent" />
    </svg>
  )
}
