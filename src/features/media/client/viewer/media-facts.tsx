import type { ViewedMedia } from '../../contract.ts'
import { openUnfiltered } from '../../library-view.ts'
import { ListLink } from '../list-link.tsx'
import { factsOf } from './facts.ts'

const linkClasses = 'underline decoration-line-strong underline-offset-3 hover:decoration-current'

export function MediaFacts({ media }: { media: ViewedMedia }) {
  const collections = [...media.collections, ...(media.smartCollections ?? [])]
  return (
    <dl className="figures grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3 gap-y-1.5 text-sm">
      {factsOf(media).map(({ term, value, href }) => (
        <Entry key={term} term={term}>
          {href ? (
            <a href={href} target="_blank" rel="noreferrer" className={linkClasses}>
              {value}
            </a>
          ) : (
            value
          )}
        </Entry>
      ))}
      {collections.length > 0 && (
        <Entry term="Collections">
          <ul>
            {collections.map(({ id, name }) => (
              <li key={id}>
                <ListLink to={openUnfiltered(id)} className={linkClasses}>
                  {name}
                </ListLink>
              </li>
            ))}
          </ul>
        </Entry>
      )}
    </dl>
  )
}

function Entry({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-faint">{term}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </>
  )
}
