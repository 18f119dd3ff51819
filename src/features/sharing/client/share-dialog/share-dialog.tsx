import { useState } from 'react'
import type { Collection } from '#features/collections/contract.ts'
import { Dialog } from '#ui/dialog.tsx'
import { Tab, TabList, TabPanel, Tabs } from '#ui/tabs.tsx'
import { EmbedPanel } from './embed-panel.tsx'
import { LinkPanel } from './link-panel.tsx'
import { LookPanel } from './look-panel.tsx'
import { VisitorsPanel } from './visitors-panel.tsx'

/** Customize & Share: how the public page looks, who gets in, how to put it into a website, and who came. */
export function ShareDialog({ collection, onClose }: { collection: Collection; onClose: () => void }) {
  const [tab, setTab] = useState('look')
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      size="xl"
      title="Customize & Share"
      description={collection.name}
    >
      <Tabs value={tab} onValueChange={setTab}>
        <TabList label="Customize & Share" className="mb-4">
          <Tab value="look">Look</Tab>
          <Tab value="link">Link</Tab>
          <Tab value="embed">Embed</Tab>
          <Tab value="visitors">Visitors</Tab>
        </TabList>
        <TabPanel value="look">
          <LookPanel collection={collection} />
        </TabPanel>
        <TabPanel value="link">
          <LinkPanel collection={collection} />
        </TabPanel>
        <TabPanel value="embed">
          <EmbedPanel collection={collection} />
        </TabPanel>
        <TabPanel value="visitors">
          <VisitorsPanel collection={collection} />
        </TabPanel>
      </Tabs>
    </Dialog>
  )
}
