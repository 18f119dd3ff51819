import Film from 'lucide-react/icons/film'
import ImageIcon from 'lucide-react/icons/image'
import { useEffect, useRef, useState } from 'react'

/** A small picture of a file that is still on this machine. */
export function FileThumbnail({ file }: { file: File }) {
  const boxRef = useRef<HTMLDivElement>(null)
  const isSeen = useIsSeen(boxRef)
  const url = useObjectUrl(isSeen ? file : undefined)
  const isVideo = file.type.startsWith('video/')
  const fill = 'absolute inset-0 size-full object-cover'
  return (
    <div
      ref={boxRef}
      className="relative grid size-10 shrink-0 place-items-center overflow-hidden rounded-sm bg-line text-faint"
    >
      {/* Seen where the browser cannot draw the file. */}
      {isVideo ? <Film aria-hidden="true" /> : <ImageIcon aria-hidden="true" />}
      {url && !isVideo && <img src={url} alt="" decoding="async" className={fill} onError={hide} />}
      {url && isVideo && (
        <video
          src={`${url}#t=0.1`}
          muted
          preload="metadata"
          // A picture like the others: Firefox would stop here on the way from button to button.
          tabIndex={-1}
          aria-hidden="true"
          className={fill}
          onError={hide}
        />
      )}
    </div>
  )
}

function hide({ currentTarget }: { currentTarget: HTMLElement }) {
  currentTarget.hidden = true
}

/** An address for a file, given back when it is not needed any more. */
function useObjectUrl(file: File | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!file) return
    const created = URL.createObjectURL(file)
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [file])
  return url
}

/** Two hundred pictures of a camera are not decoded before somebody scrolls to them. */
function useIsSeen(ref: React.RefObject<Element | null>): boolean {
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (moments) => {
        if (!moments.some(({ isIntersecting }) => isIntersecting)) return
        setIsSeen(true)
        observer.disconnect()
      },
      { rootMargin: '200px' },
    )
    if (ref.current) observer.observe(ref.current)
    return () => observer.disconnect()
  }, [ref])
  return isSeen
}
