import { useQuery } from '@tanstack/react-query'
import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { failureReason } from '#platform/client/call.ts'
import { Button } from '#ui/button.tsx'
import { Switch } from '#ui/forms/switch.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Spinner } from '#ui/spinner.tsx'
import type { Preset } from '../contract.ts'
import { maxPresets } from '../limits.ts'
import { useChangeSettings, useRemovePreset } from './mutations.ts'
import { PresetForm } from './preset-form.tsx'
import { PresetList } from './preset-list.tsx'
import { deliveryQueries } from './queries.ts'

/** The user's named image sizes. */
export function PresetsDialog({ onClose }: { onClose: () => void }) {
  const { data: presets, error, refetch } = useQuery(deliveryQueries.presets())
  const [edited, setEdited] = useState<Preset | 'new'>()
  const [removed, setRemoved] = useState<Preset>()
  const remove = useRemovePreset()
  const { data: settings } = useQuery(deliveryQueries.settings())
  const changeSettings = useChangeSettings()
  return (
    <Dialog
      onClose={onClose}
      title="Presets"
      description="A preset is an image size with a name. Changing it changes the images on every website that uses it."
    >
      {!presets &&
        (error ? (
          <LoadFailure what="presets" why={failureReason(error)} onRetry={() => void refetch()} />
        ) : (
          <Spinner label="Loading presets" />
        ))}
      {presets && edited && (
        <PresetForm preset={edited === 'new' ? undefined : edited} onDone={() => setEdited(undefined)} />
      )}
      {presets && !edited && (
        <>
          {presets.length === 0 && <p className="py-4 text-muted">No presets</p>}
          <PresetList
            presets={presets}
            removeLabel={(name) => `Delete ${name}…`}
            onEdit={setEdited}
            onRemove={setRemoved}
          />
          {presets.length < maxPresets && (
            <Button icon={<Plus />} className="mt-3" onClick={() => setEdited('new')}>
              New preset
            </Button>
          )}
        </>
      )}
      {settings && !edited && (
        <Switch
          className="mt-5 border-line border-t pt-4"
          label="Search engines"
          hint="Search engines may list the public pages of single items, unless the item says otherwise"
          checked={settings.indexesPages}
          onCheckedChange={(indexesPages) => changeSettings.mutateAsync({ indexesPages })}
        />
      )}
      {removed && (
        <ConfirmDialog
          onClose={() => setRemoved(undefined)}
          title={`Delete the preset "${removed.name}"?`}
          description="Images that websites show in this size stop working."
          confirmLabel="Delete"
          isPending={remove.isPending}
          onConfirm={() => remove.mutate(removed.name, { onSettled: () => setRemoved(undefined) })}
        />
      )}
    </Dialog>
  )
}
