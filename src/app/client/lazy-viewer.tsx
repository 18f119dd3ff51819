import { type ComponentProps, useState } from 'react'
import type { Media } from '#features/media/contract.ts'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent } from '#ui/lazy-component.tsx'

const MediaViewer = lazyComponent(
  () => import('#features/media/client/viewer/media-viewer.tsx'),
  ({ MediaViewer }) => MediaViewer,
)
const ConvertDialog = lazyComponent(
  () => import('#features/conversion/client/convert-dialog.tsx'),
  ({ ConvertDialog }) => ConvertDialog,
)

const RemoveBackgroundDialog = lazyComponent(
  () => import('#features/conversion/client/remove-background-dialog.tsx'),
  ({ RemoveBackgroundDialog }) => RemoveBackgroundDialog,
)

const MoveDialog = lazyComponent(
  () => import('#features/bulk-actions/client/dialogs/move-dialog.tsx'),
  ({ MoveOneDialog }) => MoveOneDialog,
)
const CopyDialog = lazyComponent(
  () => import('#features/delivery/client/copy-dialog.tsx'),
  ({ CopyDialog }) => CopyDialog,
)
const FocalField = lazyComponent(
  () => import('#features/delivery/client/focal-field.tsx'),
  ({ FocalField }) => FocalField,
)
const PictureEditor = lazyComponent(
  () => import('#features/versions/client/editor/picture-editor.tsx'),
  ({ PictureEditor }) => PictureEditor,
)
const FileSection = lazyComponent(
  () => import('#features/versions/client/versions-section.tsx'),
  ({ VersionsSection }) => VersionsSection,
)
const FileDrop = lazyComponent(
  () => import('#features/versions/client/replace-drop.tsx'),
  ({ ReplaceDrop }) => ReplaceDrop,
)
const Findings = lazyComponent(
  () => import('#features/analysis/client/findings.tsx'),
  ({ Findings }) => Findings,
)

type LazyViewerProps = Pick<ComponentProps<typeof MediaViewer>, 'mediaId' | 'page' | 'view' | 'onNavigate' | 'onClose'>

/** Loads the viewer when an item is first opened, and its dialogs when they are first opened. */
export function LazyViewer(props: LazyViewerProps) {
  // After opening a similar image, the user browses the similar images and the one they started from.
  const [similarPage, setSimilarPage] = useState<readonly Media[]>([])
  const isInSimilarPage = similarPage.some(({ id }) => id === props.mediaId)
  return (
    <LazyBoundary onFailed={props.onClose}>
      <MediaViewer
        {...props}
        {...(isInSimilarPage && { page: similarPage, view: undefined })}
        ConvertDialog={ConvertDialog}
        RemoveBackgroundDialog={RemoveBackgroundDialog}
        MoveDialog={MoveDialog}
        CopyDialog={CopyDialog}
        FocalField={FocalField}
        PictureEditor={PictureEditor}
        FileSection={FileSection}
        FileDrop={FileDrop}
        Findings={Findings}
        onSelectSimilar={(itemId, series) => {
          setSimilarPage(series)
          props.onNavigate({ itemId })
        }}
      />
    </LazyBoundary>
  )
}
