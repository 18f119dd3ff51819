import { useMutation } from '@tanstack/react-query'
import { presentView, setLibraryView } from '#features/media/client/use-library-view.ts'
import { openSimilar } from '#features/media/library-view.ts'
import { maxExampleBytes } from '#features/media/limits.ts'
import { connectionProblem, messageOf } from '#platform/client/call.ts'
import { sendFile } from '#platform/client/send-file.ts'
import { toastError } from '#ui/notices/toast.ts'
import type { analysisApi } from '../contract.ts'

/** The name and address of the last example's picture, which only this page has: the server does not store it. */
let lastPicture: { example: string; name: string; url: string } | undefined

export const pictureOf = (example: string) => (lastPicture?.example === example ? lastPicture : undefined)

export function useSearchByPicture() {
  return useMutation({
    mutationFn: async (picture: File) => {
      if (picture.size > maxExampleBytes) throw new Error('An example picture can have up to 25 MB.')
      return sendFile<typeof analysisApi.example>('POST /api/media/example', 'picture', picture)
    },
    onSuccess: ({ example }, picture) => {
      if (lastPicture) URL.revokeObjectURL(lastPicture.url)
      lastPicture = { example, name: picture.name, url: URL.createObjectURL(picture) }
      // A picture that replaces another example is a refined search, as in the text of a search.
      setLibraryView(openSimilar({ example }), { replace: presentView().example !== undefined })
    },
    onError: (error) =>
      toastError('Search by picture failed', messageOf(error, error.message), connectionProblem(error)),
  })
}
