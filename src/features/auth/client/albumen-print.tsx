/** A mountain lake as an albumen print on its card. It is an image, so its browns are the same in both themes. */
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
        <linearGradient id="print-mist" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#f3e2c2" stopOpacity="0" />
          <stop offset="1" stopColor="#f3e2c2" stopOpacity="0.75" />
        </linearGradient>
        <radialGradient id="print-sun">
          <stop offset="0" stopColor="#fffdf6" />
          <stop offset="0.12" stopColor="#fffaea" />
          <stop offset="0.2" stopColor="#fff3d6" stopOpacity="0.75" />
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
          <circle cx="312" cy="104" r="110" fill="url(#print-sun)" />
          <path
            fill="url(#print-far)"
            d="M50 170l20-12 14 6 24-26 12 8 22-20 18 22 16-8 30 30 30-16 26 12 28-34 12 10 18-14 22 26 18-8 26 28 24-10 20 8v50H50Z"
          />
          <path
            fill="url(#print-middle)"
            d="M50 198l22-8 16 4 24-32 14 6 12-14 20-34 18-30 8 12 10-4 14 26 10 6 18 30 16 10 22 22 30 8 24-14 22 10 30-18 20 8 20 14 10 4v28H50Z"
          />
          <path fill="#f7ecd6" opacity="0.85" d="M176 90l8 12 10-4 9 17-9-3-5 9-8-8-6 13-5-9-7 5Z" />
          <path
            fill="#3d2818"
            opacity="0.3"
            d="M184 102l10-4 14 26 10 6 18 30 16 10 22 22-34-2-24-24-6-26-14-10-4-14ZM112 162l14 6 4 20-18-2Z"
          />
          <rect x="50" y="150" width="380" height="66" fill="url(#print-mist)" />
          <rect x="50" y="212" width="380" height="80" fill="url(#print-lake)" />
          <path fill="#5c3e29" opacity="0.32" d="M96 212h166l-22 16-20 4-14 20-18 22-14-24-22-8-20-18Z" />
          <path
            stroke="#fff6e2"
            strokeWidth="1.6"
            strokeLinecap="round"
            opacity="0.7"
            d="M286 218h52M296 224h38M300 231h26M290 238h44M304 246h18M296 254h30M306 263h14"
          />
          <path
            fill="url(#print-near)"
            d="M50 226c26-4 52-2 80 8 26 9 44 15 66 17-22 6-42 9-62 19-24 12-50 20-84 22ZM430 210c-20 1-38 7-54 17-12 8-20 13-24 17 16 3 30 10 40 22 11 13 22 24 38 26Z"
          />
          <path
            fill="#2f1d0f"
            d={`${spruce(78, 240, 52)}${spruce(96, 243, 36)}${spruce(112, 246, 46)}${spruce(130, 248, 26)}`}
          />
          <path fill="#2f1d0f" d={`${spruce(402, 234, 50)}${spruce(386, 236, 32)}${spruce(416, 232, 38)}`} />
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

/** The outline of a spruce with its foot at this point; its branches widen downwards in five tiers. */
function spruce(x: number, foot: number, height: number): string {
  const tiers = 5
  const right: string[] = []
  const left: string[] = []
  for (let tier = 1; tier <= tiers; tier++) {
    const y = foot - height * (1 - tier / (tiers + 0.6))
    const reach = height * 0.055 * tier
    right.push(`L${x + reach} ${y}L${x + reach * 0.45} ${y - height * 0.025}`)
    left.unshift(`L${x - reach * 0.45} ${y - height * 0.025}L${x - reach} ${y}`)
  }
  return `M${x} ${foot - height}${right.join('')}L${x + 1} ${foot}L${x - 1} ${foot}${left.join('')}Z`
}
