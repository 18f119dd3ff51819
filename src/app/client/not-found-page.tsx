import { Link } from 'wouter'
import { buttonClasses } from '#ui/button-classes.ts'

export function NotFoundPage() {
  return (
    <main className="grid min-h-dvh place-items-center px-6 py-12">
      <div className="flex max-w-md flex-col items-center text-center">
        <BlankPrint />
        <h1 className="mt-8 font-semibold text-2xl">Page Not Found</h1>
        <p className="mt-2 text-balance text-muted">
          No page exists at <code className="wrap-anywhere text-ink">{window.location.pathname}</code>. Did you forget
          to add it to the router?
        </p>
        <Link href="/" className={`${buttonClasses()} mt-6`}>
          Back to the library
        </Link>
      </div>
    </main>
  )
}

/** A card with its gold line, and on it a paper that was never exposed. The same in both themes, as prints are. */
function BlankPrint() {
  return (
    <svg viewBox="0 0 240 190" aria-hidden="true" className="w-56 drop-shadow-[0_12px_18px_oklch(0.1_0.02_60/0.25)]">
      <defs>
        <linearGradient id="blank-paper" x1="0" y1="0" x2="1" y2="1">
          <stop offset="0" stopColor="#e9dcc2" />
          <stop offset="1" stopColor="#cdb896" />
        </linearGradient>
      </defs>
      <g transform="rotate(-3 120 95)">
        <rect x="14" y="12" width="212" height="166" rx="5" fill="#f4ead6" />
        <rect x="24" y="22" width="192" height="126" rx="3" fill="none" stroke="#c79a52" />
        <rect x="29" y="27" width="182" height="116" rx="2" fill="url(#blank-paper)" />
        <path
          d="M120 44c17 0 29 24 29 43 0 17-12 30-29 30S91 104 91 87c0-19 12-43 29-43Z"
          fill="none"
          stroke="#a5835b"
          strokeDasharray="3 4"
        />
        <path stroke="#c79a52" d="M100 163h14M126 163h14" />
        <circle cx="120" cy="163" r="2" fill="#c79a52" />
      </g>
    </svg>
  )
}
