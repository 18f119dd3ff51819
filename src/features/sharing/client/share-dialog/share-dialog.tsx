import { useState } from 'react'
import { useBrandCollection } from '#features/collections/client/mutations.ts'
import type { Collection } from '#features/collections/contract.ts'
import { type Branding, defaultBranding } from '#features/websites/branding.ts'
import { classNames } from '#ui/class-names.ts'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { Tab, TabList, TabPanel, Tabs } from '#ui/tabs.tsx'
import { useUnsavedChanges } from '#ui/unsaved-changes.ts'
import { BrandingPanel } from './branding-panel.tsx'
import { EmbedPanel } from './embed-panel.tsx'
import { LinkPanel } from './link-panel.tsx'
import { VisitorsPanel } from './visitors-panel.tsx'

type ShareDialogProps = { collection: Collection; isAtLink?: boolean; onClose: () => void }

/**
 * Customize & Share: branding, access, embedding and visitors. The branding draft is held here until it is saved, so
 * that it survives a switch between the tabs.
 */
export function ShareDialog({ collection, isAtLink = false, onClose }: ShareDialogProps) {
  // A collection that is not shared yet has no page whose appearance matters.
  const [tab, setTab] = useState(isAtLink || !collection.isPublic ? 'link' : 'branding')
  const [saved, setSaved] = useState<Branding>({ ...defaultBranding, ...collection.customBranding })
  const [branding, setBranding] = useState(saved)
  const unsaved = useUnsavedChanges(!isSameBranding(branding, saved), () => setBranding(saved))
  const brand = useBrandCollection()
  const save = () => brand.mutate({ id: collection.id, branding }, { onSuccess: () => setSaved(branding) })
  return (
    <Dialog
      onClose={() => unsaved.leave(onClose)}
      size="xl"
      isTopAligned
      title="Customize & Share"
      description={collection.name}
    >
      <Tabs
        value={tab}
        onValueChange={setTab}
        // On a phone the sheet grows from below, so its tabs stay in place only if its height does.
        className={classNames('min-h-44', collection.isPublic && 'max-sm:min-h-[calc(92dvh-6.5rem)]')}
      >
        <TabList label="Customize & Share" className="sticky -top-1 z-20 mb-4 bg-overlay">
          <Tab value="branding">Appearance</Tab>
          <Tab value="link">Link</Tab>
          <Tab value="embed">Embed</Tab>
          <Tab value="visitors">Visitors</Tab>
        </TabList>
        <TabPanel value="branding">
          <BrandingPanel
            collection={collection}
            branding={branding}
            onChange={(part) => setBranding((current) => ({ ...current, ...part }))}
            onSave={save}
            isSaving={brand.isPending}
          />
        </TabPanel>
        <TabPanel value="link">
          <LinkPanel collection={collection} />
        </TabPanel>
        <TabPanel value="embed">
          <EmbedPanel collection={collection} onLink={() => setTab('link')} />
        </TabPanel>
        <TabPanel value="visitors">
          <VisitorsPanel collection={collection} />
        </TabPanel>
      </Tabs>
      <ConfirmDialog
        isOpen={unsaved.isAsking}
        onClose={unsaved.keepEditing}
        title="Discard your changes?"
        description={`Your branding changes to "${collection.name}" haven't been saved.`}
        confirmLabel="Discard"
        cancelLabel="Keep editing"
        onConfirm={unsaved.discard}
      />
    </Dialog>
  )
}

/** An emptied field equals one that was never filled. */
function isSameBranding(one: Branding, other: Branding) {
  const fields = Object.keys({ ...one, ...other }) as (keyof Branding)[]
  return fields.every((field) => (one[field] || '') === (other[field] || ''))
}
