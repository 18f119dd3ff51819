import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentToast, dismissToast, spokenToast, subscribeToToasts, toast, toastError, toastWhile } from './toast.ts'

test('a new toast replaces the last one', () => {
  toast({ title: 'First' })
  const first = currentToast()
  toast({ title: 'Second' })
  assert.equal(currentToast()?.title, 'Second')
  assert.notEqual(currentToast()?.id, first?.id)
})

test('an error has the danger tone', () => {
  toastError('Delete failed', 'Could not delete the file.')
  assert.equal(currentToast()?.tone, 'danger')
  assert.equal(currentToast()?.description, 'Could not delete the file.')
})

test('dismissing an older toast does not affect the newer one', () => {
  toast({ title: 'First' })
  const first = currentToast()!
  toast({ title: 'Second' })
  dismissToast(first.id)
  assert.equal(currentToast()?.isOpen, true)
  dismissToast(currentToast()!.id)
  assert.equal(currentToast()?.isOpen, false)
})

test('listeners are notified of every change once, and not after unsubscribing', () => {
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

test('work of more than a second shows a pending toast until its result', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  toast({ title: 'Before' })
  await toastWhile('Restoring', Promise.resolve())
  context.mock.timers.tick(2000)
  assert.equal(currentToast()?.title, 'Before', 'what is done at once is told once')

  const answer = Promise.withResolvers<number>()
  const waiting = toastWhile('Restoring', answer.promise)
  context.mock.timers.tick(999)
  assert.equal(currentToast()?.title, 'Before')
  context.mock.timers.tick(1)
  assert.equal(currentToast()?.title, 'Restoring')
  assert.equal(currentToast()?.isPending, true)
  answer.resolve(7)
  assert.equal(await waiting, 7)

  const refused = toastWhile('Restoring', Promise.reject(new Error('refused')))
  await assert.rejects(refused, /refused/)
})

test('a pending toast does not replace a toast shown since the work began', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const answer = Promise.withResolvers<void>()
  const waiting = toastWhile('Moving to Trash', answer.promise)
  toast({ title: 'Moved to Trash', action: { label: 'Undo', onSelect: () => undefined } })
  context.mock.timers.tick(2000)
  assert.equal(currentToast()?.title, 'Moved to Trash')
  answer.resolve()
  await waiting
})

test('a toast is announced in sentences, with the key for its action', () => {
  const action = { label: 'Undo', onSelect: () => undefined }
  assert.equal(spokenToast({ title: 'Saved' }), 'Saved.')
  assert.equal(spokenToast({ title: 'Welcome back!', description: 'You are in.' }), 'Welcome back! You are in.')
  assert.equal(
    spokenToast({ title: 'Moved', description: '2 items', action }),
    'Moved. 2 items. Press F8 to reach Undo.',
  )
})
