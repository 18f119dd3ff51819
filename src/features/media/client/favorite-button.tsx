import Heart from 'lucide-react/icons/heart'
import { classNames } from '#ui/class-names.ts'
import { IconButton } from '#ui/icon-button.tsx'
import type { Media } from '../contract.ts'
import { useFavorite } from './mutations.ts'
import { onPicture, revealed } from './picture-overlay-classes.ts'

/** The heart stays visible on what is a favorite, and otherwise appears on hover, focus and touch. */
export function FavoriteButton({ media, isOnPicture = true }: { media: Media; isOnPicture?: boolean }) {
  const favorite = useFavorite()
  // What is there can come back or go; nothing else is done with it.
  if (media.trashedAt) return null
  return (
    <IconButton
      label={`Favorite ${media.filename}`}
      aria-pressed={media.isFavorite}
      icon={<Heart className={classNames(media.isFavorite && 'fill-current')} />}
      size="sm"
      hasTooltip={false}
      onClick={() => favorite.mutate({ id: media.id, isFavorite: !media.isFavorite })}
      variant="quiet"
      className={classNames(isOnPicture && onPicture, !media.isFavorite && revealed)}
    />
  )
}
