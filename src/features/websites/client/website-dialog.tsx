import { type ComponentType, type FormEvent, useState } from 'react'
import { ApiError, messageOf } from '#platform/client/call.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { Tab, TabList, TabPanel, Tabs } from '#ui/tabs.tsx'
import { useUnsavedChanges } from '#ui/unsaved-changes.ts'
import type { Website, WebsiteBranding } from '../contract.ts'
import { useSaveWebsite } from './mutations.ts'
import { PresetsField } from './presets-field.tsx'
import { AddressFields, RightsFields, WordFields } from './website-fields.tsx'
import { formOf, type WebsiteForm } from './website-form.ts'

/** The fields that collections have too; another feature's, so the app passes them in. */
export type BrandingFieldsType = ComponentType<{
  branding: WebsiteBranding
  onChange: (part: WebsiteBranding) => void
}>

type WebsiteDialogProps = {
  /** Absent for a new one. */
  website?: Website
  BrandingFields: BrandingFieldsType
  onClose: () => void
}

const tabOfField: Record<string, string> = {
  name: 'website',
  url: 'website',
  languages: 'website',
  tone: 'words',
  audience: 'words',
  keywords: 'words',
  namePattern: 'words',
  branding: 'branding',
  creator: 'rights',
  licence: 'rights',
  presets: 'presets',
}

export function WebsiteDialog({ website, BrandingFields, onClose }: WebsiteDialogProps) {
  const [initial] = useState(() => formOf(website))
  const [form, setForm] = useState(initial)
  const [tab, setTab] = useState('website')
  const save = useSaveWebsite()
  const runId = useRunId()
  const unsaved = useUnsavedChanges(JSON.stringify(form) !== JSON.stringify(initial), () => setForm(initial))
  const change = (changes: Partial<WebsiteForm>) => {
    setForm((current) => ({ ...current, ...changes }))
    save.reset()
  }
  const isMissing = form.name.trim() === '' || form.languages.length === 0
  const wrongField = fieldOf(save.error)
  const message = save.error ? messageOf(save.error, "Couldn't save the website. Please try again.") : undefined

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isMissing) return setTab('website')
    save.mutate(
      { ...form, id: website?.id, runId },
      {
        onSuccess: onClose,
        onError: (error) => setTab(tabOfField[fieldOf(error)] ?? tab),
      },
    )
  }

  const fields = { form, change, errorOf: (name: keyof WebsiteForm) => (wrongField === name ? message : undefined) }
  return (
    <Dialog
      onClose={() => unsaved.leave(onClose)}
      size="lg"
      isTopAligned
      title={website ? 'Edit Website' : 'Create Website'}
      description={website?.name}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={() => unsaved.leave(onClose)}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={isMissing} isPending={save.isPending}>
            {website ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <Tabs value={tab} onValueChange={setTab} className="min-h-88">
        <TabList label="Website" className="sticky -top-1 z-20 mb-4 bg-overlay">
          <Tab value="website">Website</Tab>
          <Tab value="words">Words</Tab>
          <Tab value="branding">Branding</Tab>
          <Tab value="rights">Rights</Tab>
          <Tab value="presets">Presets</Tab>
        </TabList>
        {message && !(wrongField in form) && <Alert className="mb-4">{message}</Alert>}
        <TabPanel value="website">
          <AddressFields {...fields} />
        </TabPanel>
        <TabPanel value="words">
          <WordFields {...fields} />
        </TabPanel>
        <TabPanel value="branding">
          <div className="space-y-4">
            <p className="text-muted text-sm">New collections of this website start with this branding.</p>
            <BrandingFields
              branding={form.branding}
              onChange={(part) => change({ branding: { ...form.branding, ...part } })}
            />
          </div>
        </TabPanel>
        <TabPanel value="rights">
          <RightsFields {...fields} />
        </TabPanel>
        <TabPanel value="presets">
          <PresetsField
            presets={form.presets}
            error={fields.errorOf('presets')}
            onChange={(presets) => change({ presets })}
          />
        </TabPanel>
      </Tabs>
      <ConfirmDialog
        isOpen={unsaved.isAsking}
        onClose={unsaved.keepEditing}
        title="Discard your changes?"
        description="Your changes to this website haven't been saved."
        confirmLabel="Discard"
        cancelLabel="Keep editing"
        onConfirm={unsaved.discard}
      />
    </Dialog>
  )
}

/** The field that the server refused, such as `languages` of `languages.0`. */
function fieldOf(error: unknown) {
  const field = error instanceof ApiError ? (error.body as { field?: unknown } | null)?.field : undefined
  return typeof field === 'string' ? field.split('.')[0]! : ''
}
