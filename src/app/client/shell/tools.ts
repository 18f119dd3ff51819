import { useQuery } from '@tanstack/react-query'
import AppWindow from 'lucide-react/icons/app-window'
import Globe from 'lucide-react/icons/globe'
import Layers from 'lucide-react/icons/layers'
import Sparkles from 'lucide-react/icons/sparkles'
import Tags from 'lucide-react/icons/tags'
import { useLocation } from 'wouter'
import { analysisQueries } from '#features/analysis/client/queries.ts'
import { toolAddress, useTool } from '#features/analysis/client/tool-address.ts'

/** The sidebar's entries below the collections. The review is listed while one is pending, with its number of decisions. */
export function useTools() {
  const [path] = useLocation()
  const tool = useTool()
  const { data } = useQuery(analysisQueries.reviews())
  const reviews = data?.reviews ?? []
  const decisions = reviews.reduce((sum, { changes }) => sum + changes, 0)
  return [
    { label: 'Tags', Icon: Tags, address: '/tags', isCurrent: path === '/tags', count: undefined },
    {
      label: 'Websites',
      Icon: AppWindow,
      address: '/websites',
      isCurrent: path === '/websites',
      count: undefined,
    },
    ...(reviews.length > 0 || tool === 'review'
      ? [
          {
            label: 'AI review',
            Icon: Sparkles,
            address: toolAddress('review'),
            isCurrent: tool === 'review',
            count: decisions || undefined,
          },
        ]
      : []),
    {
      label: 'Possible duplicates',
      Icon: Layers,
      address: toolAddress('duplicates'),
      isCurrent: tool === 'duplicates',
      count: undefined,
    },
    { label: 'Web Image Scraper', Icon: Globe, address: '/scraper', isCurrent: path === '/scraper', count: undefined },
  ]
}
