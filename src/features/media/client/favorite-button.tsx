import Heart from 'lucide-react/icons/heart'
import { classNames } from '#ui/class-names.ts'
import { IconButton } from '#ui/icon-button.tsx'
import type { Media } from '../contract.ts'
import { useFavorite } from './mutations.ts'
import { plainUntilTouched, revealedInRow, revealedOnPicture } from './revealed-classes.ts'

/** The heart of a favorite is always visible; others appear on hover, focus and touch. */
export function FavoriteButton({ media, isOnPicture = true }: { media: Media; isOnPicture?: boolean }) {
  const favorite = useFavorite()
  // Items in the trash can only be restored or deleted.
  if (media.trashedAt) return null
  return (
    <IconButton
      label={`Favorite ${media.filename}`}
      aria-pressed={media.isFavorite}
      icon={<Heart className={classNames(media.isFavorite && 'fill-current')} />}
      size="sm"
      hasTooltip={false}
      onClick={() => favorite.mutate({ id: media.id, isFavorite: !media.isFavorite })}
      variant={isOnPicture ? 'on-picture' : 'quiet'}
      className={classesOf(media.isFavorite, isOnPicture)}
    />
  )
}

function classesOf(isFavorite: boolean, isOnPicture: boolean) {
  if (!isOnPicture) return isFavorite ? undefined : revealedInRow
  return isFavorite ? plainUntilTouched : revealedOnPicture
}
