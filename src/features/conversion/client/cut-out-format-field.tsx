import { SegmentedControl } from '#ui/forms/segmented-control.tsx'
import type { CutOutFormat } from '../contract.ts'

type CutOutFormatFieldProps = { value: CutOutFormat; onValueChange: (format: CutOutFormat) => void }

export function CutOutFormatField({ value, onValueChange }: CutOutFormatFieldProps) {
  return (
    <div className="flex flex-wrap items-center gap-3 text-sm">
      <SegmentedControl
        label="Format"
        value={value}
        onValueChange={onValueChange}
        segments={[
          { value: 'webp', label: 'WebP' },
          { value: 'png', label: 'PNG' },
        ]}
      />
      <span className="text-muted">
        {value === 'webp' ? 'Small, for websites' : 'Several times larger, for programs that do not read WebP'}
      </span>
    </div>
  )
}
