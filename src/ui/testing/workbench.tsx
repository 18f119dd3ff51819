import '../theme/tokens.css'
import Pencil from 'lucide-react/icons/pencil'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Alert } from '../alert.tsx'
import { Badge, Status } from '../badge.tsx'
import { Button } from '../button.tsx'
import { Chip } from '../chip.tsx'
import { CopyButton } from '../copy-button.tsx'
import { EmptyState } from '../empty-state.tsx'
import { Checkbox } from '../forms/checkbox.tsx'
import { Field } from '../forms/field.tsx'
import { Input } from '../forms/input.tsx'
import { SegmentedControl } from '../forms/segmented-control.tsx'
import { Select } from '../forms/select.tsx'
import { Slider } from '../forms/slider.tsx'
import { Switch } from '../forms/switch.tsx'
import { IconButton } from '../icon-button.tsx'
import { ImageWithFallback } from '../image-with-fallback.tsx'
import { useHotkey } from '../keys/use-hotkey.ts'
import { ConfirmDialog } from '../layers/confirm-dialog.tsx'
import { Dialog } from '../layers/dialog.tsx'
import { Popover } from '../layers/popover.tsx'
import { DropdownMenu } from '../menus/dropdown-menu.tsx'
import { MenuItem } from '../menus/menu-item.tsx'
import { toast, toastError } from '../notices/toast.ts'
import { Toaster } from '../notices/toaster.tsx'
import { Pagination } from '../pagination.tsx'
import { Progress } from '../progress.tsx'
import { Spinner } from '../spinner.tsx'
import { Cell, HeadCell, Row, Table } from '../table.tsx'
import { Tab, TabList, TabPanel, Tabs } from '../tabs.tsx'
import { followTheme } from '../theme/theme.ts'
import { ThemeToggle } from '../theme/theme-toggle.tsx'

const orders = [
  { value: 'newest', label: 'Newest first' },
  { value: 'name', label: 'By name' },
]

/** A page with every primitive, for the tests of `ui`. */
function Workbench() {
  const [open, setOpen] = useState<'form' | 'confirm' | 'locked'>()
  const [log, setLog] = useState<string[]>([])
  const [view, setView] = useState<'grid' | 'list'>('grid')
  const [page, setPage] = useState(1)
  const [place, setPlace] = useState('one')
  const [quality, setQuality] = useState(80)
  const note = (entry: string) => setLog((entries) => [...entries, entry])
  const dialog = (name: typeof open) => ({
    isOpen: open === name,
    onClose: () => setOpen(undefined),
  })
  useHotkey('k', () => note('hotkey'))

  return (
    <main className="flex flex-col gap-4 p-4">
      <h1>Workbench</h1>
      <output data-testid="log">{log.join(' ')}</output>
      <div className="flex flex-wrap gap-2">
        <DropdownMenu trigger={<Button>Actions</Button>}>
          <MenuItem onSelect={() => setOpen('form')}>Rename</MenuItem>
          <MenuItem disabled onSelect={() => note('described')}>
            Describe
          </MenuItem>
          <MenuItem onSelect={() => note('shown')}>Preview names</MenuItem>
          <MenuItem tone="danger" onSelect={() => note('deleted')}>
            Delete
          </MenuItem>
        </DropdownMenu>
        <Button onClick={() => note('neighbour')}>Neighbour</Button>
        <Button onClick={() => setOpen('confirm')}>Ask</Button>
        <Button onClick={() => setOpen('locked')}>Lock</Button>
        <Button onClick={() => toast({ title: 'Moved', action: { label: 'Undo', onSelect: () => note('undone') } })}>
          Notify
        </Button>
        <Button onClick={() => toastError('Move failed', 'Could not move the file.')}>Fail</Button>
        <Button isPending onClick={() => note('pressed')}>
          Save changes
        </Button>
        <IconButton label="Edit" icon={<Pencil />} />
        <CopyButton text="boat" />
        <ThemeToggle />
        <Popover label="Filter" trigger={<Button>Filter</Button>}>
          <Field label="Company">
            <Input />
          </Field>
        </Popover>
      </div>
      <Field label="Email" hint="Not shown to others." error="Enter an address such as name@example.org.">
        <Input type="email" />
      </Field>
      <Checkbox label="Delete the originals" hint="They cannot be brought back." />
      <Tabs value={place} onValueChange={setPlace}>
        <TabList label="Places">
          {['one', 'two', 'three'].map((name) => (
            <Tab key={name} value={name}>
              Place {name}
            </Tab>
          ))}
        </TabList>
        {['one', 'two', 'three'].map((name) => (
          <TabPanel key={name} value={name}>
            <Button>In {name}</Button>
          </TabPanel>
        ))}
      </Tabs>
      <Switch label="Public" hint="Anyone with the link can see it." />
      <Slider label="Quality" value={quality} onValueChange={setQuality} min={30} max={95} step={5} />
      <SegmentedControl
        label="View"
        value={view}
        onValueChange={setView}
        segments={[
          { value: 'grid', label: 'Grid' },
          { value: 'list', label: 'List' },
        ]}
      />
      <div className="flex flex-wrap gap-2">
        <Chip onRemove={() => note('removed')} removeLabel="Remove boat">
          boat
        </Chip>
        <Chip isPressed onPress={() => note('chosen')}>
          chosen
        </Chip>
        <Badge tone="info">Admin</Badge>
        <Badge tone="danger">Failed</Badge>
        <Status tone="success">Verified</Status>
      </div>
      <Progress label="Uploading" value={34} detail="12 of 40" />
      <Spinner label="Reading the list" />
      <Alert title="Analysis failed">The page answered with an error.</Alert>
      <div className="w-24">
        <ImageWithFallback sources={['/missing.webp', '/picture.svg']} alt="Second choice" />
        <ImageWithFallback sources={['/missing.webp', '/missing.jpg']} alt="No choice left" />
      </div>
      <Table label="Users" maxHeight="100px">
        <thead>
          <tr>
            <HeadCell>Name</HeadCell>
            <HeadCell isNumeric>Size</HeadCell>
          </tr>
        </thead>
        <tbody>
          <Row>
            <Cell>nadar</Cell>
            <Cell isNumeric>12.0 MB</Cell>
          </Row>
        </tbody>
      </Table>
      <Pagination page={page} pageCount={3} onPageChange={setPage} />
      <EmptyState drawing="picture" title="Nothing here yet" />

      <Dialog
        {...dialog('form')}
        title="Rename"
        onSubmit={(event) => {
          event.preventDefault()
          note('renamed')
        }}
        footer={
          <>
            <Button onClick={() => toast({ title: 'Held', action: { label: 'Undo', onSelect: () => note('undone') } })}>
              Hold
            </Button>
            <Button type="submit" variant="primary">
              Save
            </Button>
          </>
        }
      >
        <Field label="Name">
          <Input />
        </Field>
        <Field label="Order">
          <Select options={orders} />
        </Field>
        <DropdownMenu trigger={<Button>Inside</Button>}>
          <MenuItem onSelect={() => note('inside')}>One</MenuItem>
          <MenuItem onSelect={() => document.querySelector<HTMLElement>('[role=dialog] input')?.focus()}>
            Write
          </MenuItem>
        </DropdownMenu>
      </Dialog>
      <ConfirmDialog
        {...dialog('confirm')}
        title="Delete 3 files?"
        description="They cannot be brought back."
        confirmLabel="Delete 3 files"
        onConfirm={() => note('confirmed')}
      />
      <Dialog {...dialog('locked')} isLocked title="Restoring" description="This takes a moment." />
      <Toaster />
    </main>
  )
}

followTheme()
createRoot(document.body.appendChild(document.createElement('div'))).render(<Workbench />)
