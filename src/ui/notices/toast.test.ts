import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentToast, dismissToast, spokenToast, subscribeToToasts, toast, toastError } from './toast.ts'

test('a new notice takes the place of the last one', () => {
  toast({ title: 'First' })
  const first = currentToast()
  toast({ title: 'Second' })
  assert.equal(currentToast()?.title, 'Second')
  assert.notEqual(currentToast()?.id, first?.id)
})

test('a failure shows in the destructive style', () => {
  toastError('Delete failed', 'Could not delete the file.')
  assert.equal(currentToast()?.tone, 'danger')
  assert.equal(currentToast()?.description, 'Could not delete the file.')
})

test('dismissing an older notice leaves the newer one alone', () => {
  toast({ title: 'First' })
  const first = currentToast()!
  toast({ title: 'Second' })
  dismissToast(first.id)
  assert.equal(currentToast()?.isOpen, true)
  dismissToast(currentToast()!.id)
  assert.equal(currentToast()?.isOpen, false)
})

test('listeners hear every change once, and nothing after they left', () => {
  let heard = 0
  const leave = subscribeToToasts(() => heard++)
  toast({ title: 'Saved' })
  dismissToast(currentToast()!.id)
  dismissToast(currentToast()!.id)
  assert.equal(heard, 2)
  leave()
  toast({ title: 'Saved again' })
  assert.equal(heard, 2)
})

test('a notice is read aloud in sentences, with the key that leads to what can be done', () => {
  const action = { label: 'Undo', onSelect: () => undefined }
  assert.equal(spokenToast({ title: 'Saved' }), 'Saved.')
  assert.equal(spokenToast({ title: 'Welcome back!', description: 'You are in.' }), 'Welcome back! You are in.')
  assert.equal(
    spokenToast({ title: 'Moved', description: '2 items', action }),
    'Moved. 2 items. Press F8 to reach Undo.',
  )
})
