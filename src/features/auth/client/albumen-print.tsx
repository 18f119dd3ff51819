/** A mountain lake as an albumen print on its card. A picture, not interface: its browns are the same in both themes. */
export function AlbumenPrint({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 480 372" aria-hidden="true" className={className}>
      <defs>
        <linearGradient id="print-sky" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#c9a67c" />
          <stop offset="0.55" stopColor="#e6cda6" />
          <stop offset="1" stopColor="#f3e4c6" />
        </linearGradient>
        <linearGradient id="print-far" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#b08c66" />
          <stop offset="1" stopColor="#e2c9a3" />
        </linearGradient>
        <linearGradient id="print-middle" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#7d5a3e" />
          <stop offset="1" stopColor="#c3a078" />
        </linearGradient>
        <linearGradient id="print-near" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#4a3122" />
          <stop offset="1" stopColor="#6d4c34" />
        </linearGradient>
        <linearGradient id="print-lake" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#dcc098" />
          <stop offset="1" stopColor="#8a6647" />
        </linearGradient>
        <radialGradient id="print-sun">
          <stop offset="0" stopColor="#fff6e0" />
          <stop offset="0.3" stopColor="#fff1d2" stopOpacity="0.9" />
          <stop offset="1" stopColor="#fff1d2" stopOpacity="0" />
        </radialGradient>
        <radialGradient id="print-vignette" cx="0.5" cy="0.46" r="0.72">
          <stop offset="0.55" stopColor="#2a190f" stopOpacity="0" />
          <stop offset="1" stopColor="#2a190f" stopOpacity="0.55" />
        </radialGradient>
        <filter id="print-grain" x="0" y="0" width="1" height="1">
          <feTurbulence type="fractalNoise" baseFrequency="0.9" numOctaves="2" seed="4" />
          <feColorMatrix values="0 0 0 0 0.2  0 0 0 0 0.12  0 0 0 0 0.06  0 0 0 -1.4 1" />
        </filter>
        <clipPath id="print-edge">
          <rect x="50" y="40" width="380" height="252" rx="2" />
        </clipPath>
      </defs>

      <rect x="40" y="16" width="400" height="340" rx="6" fill="#d9c7a8" transform="rotate(3.2 240 186)" />
      <g transform="rotate(-1.6 240 186)">
        <rect x="26" y="14" width="428" height="344" rx="6" fill="#f4ead6" />
        <rect x="42" y="32" width="396" height="268" rx="4" fill="none" stroke="#c79a52" strokeWidth="1.2" />
        <g clipPath="url(#print-edge)">
          <rect x="50" y="40" width="380" height="252" fill="url(#print-sky)" />
          <circle cx="300" cy="112" r="96" fill="url(#print-sun)" />
          <circle cx="300" cy="112" r="15" fill="#fffaf0" opacity="0.9" />
          <path
            fill="url(#print-far)"
            d="M50 176l34-26 22 12 42-46 26 24 20-14 44 48 30-22 34 28 36-34 30 24 26-16 36 34v40H50Z"
          />
          <path
            fill="url(#print-middle)"
            d="M50 196l28-8 30-34 24 18 46-62 18 26 14-8 40 54 36 14 30-20 28 18 38-26 48 30v22H50Z"
          />
          <path fill="#f6e9cf" opacity="0.8" d="M178 110l18 26-10 8-7-11-9 14-8-6Z" />
          <rect x="50" y="212" width="380" height="80" fill="url(#print-lake)" />
          <path fill="#6d4c34" opacity="0.35" d="M110 212h150l-40 34-26-10-20 26-34-30Z" />
          <path
            stroke="#fff4dc"
            strokeWidth="2"
            strokeLinecap="round"
            opacity="0.65"
            d="M282 222h40M288 230h26M276 239h46M290 249h20M284 260h30"
          />
          <path
            fill="url(#print-near)"
            d="M50 232c30-6 60-2 88 8s44 14 62 14c-20 8-44 10-62 20s-50 18-88 18ZM430 214c-22 0-40 6-58 16s-22 14-22 14c18 2 34 10 44 22s20 26 36 26Z"
          />
          <path
            fill="#35220f"
            d="M84 240l-9-3 7-10-6-2 7-11-5-2 7-14 3-8 3 8 7 14-5 2 7 11-6 2 7 10-9 3v6h-8Zm26 6-7-2 5-8-4-1 5-9-3-1 5-11 2-6 2 6 5 11-3 1 5 9-4 1 5 8-7 2v5h-6Zm284-22-8-2 6-9-5-2 6-10-4-2 6-12 3-7 3 7 6 12-4 2 6 10-5 2 6 9-8 2v6h-8Z"
          />
          <rect x="50" y="40" width="380" height="252" fill="url(#print-vignette)" />
          <rect x="50" y="40" width="380" height="252" filter="url(#print-grain)" opacity="0.16" />
        </g>
        <path stroke="#c79a52" strokeWidth="1" d="M196 329h88" />
        <circle cx="240" cy="329" r="7" fill="#f4ead6" />
        <circle cx="240" cy="329" r="3" fill="#c79a52" />
      </g>
    </svg>
  )
}
