import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { arriveAt, assertAccessible, holdToast, openStories, seeToast, toastOf } from '#tests/support/browser.ts'

const password = 'correct horse'

test('accounts', async (context) => {
  const { product, story } = await openStories(context)

  await story(
    'the first visitor is told that the first account becomes the administrator, and can type at once',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByText('No accounts yet. The first account becomes the administrator.').waitFor()
      await page.getByLabel('Email').waitFor()
      await page.keyboard.type('grace')
      assert.equal(await page.getByLabel('Username').inputValue(), 'grace')

      // The response arrives while the user is typing; it must not move the focus.
      const answer = Promise.withResolvers<void>()
      await page.route('**/api/registration', (route) => answer.promise.then(() => route.fallback()))
      await page.reload()
      await page.waitForFunction(() => document.activeElement?.matches('[name=username]'))
      await page.keyboard.type('gra')
      answer.resolve()
      await page.getByText('No accounts yet.').waitFor()
      await page.keyboard.type('ce')
      assert.equal(await page.getByLabel('Username').inputValue(), 'grace')
    },
  )

  const admin = await product.register('grace')
  await product.register('ada')

  await story('a new user registers and is welcomed in the library', async ({ page, visit }) => {
    await visit('/auth')
    const register = page.getByRole('tab', { name: 'Register' })
    await register.click()
    assert.equal(await register.evaluate((tab) => getComputedStyle(tab).outlineStyle), 'none', 'a mouse needs no ring')
    await page.getByLabel('Username').fill('emmy')
    await page.getByLabel('Email').fill('emmy@example.com')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await arriveAt(page, '/')
    await seeToast(page, 'Welcome to Albumen!', 'Your account has been created successfully.')
    const account = page.getByRole('button', { name: 'Account: emmy' })
    await account.getByText('EM', { exact: true }).waitFor()
    await account.getByText('emmy', { exact: true }).waitFor()
  })

  await story('a user signs in and is welcomed back', async ({ page, visit }) => {
    await visit('/auth')
    await signIn(page, 'ada', password)
    await arriveAt(page, '/')
    await seeToast(page, 'Welcome back!', 'You have successfully logged in.')
  })

  await story('a wrong password shows an error, and the user can type it again at once', async ({ page, visit }) => {
    await visit('/auth')
    // An untouched field is required, not invalid; Firefox would otherwise announce it as invalid.
    for (const label of ['Username', 'Password'])
      assert.equal(await page.getByLabel(label, { exact: true }).getAttribute('aria-invalid'), 'false')
    await signIn(page, 'ada', 'wrong')
    await seeToast(page, 'Login failed', 'The username or password is incorrect.')
    assert.equal(await describedBy(page, 'Password'), 'The username or password is incorrect.')
    await page.keyboard.type(password)
    assert.equal(await page.getByLabel('Password', { exact: true }).getAttribute('aria-invalid'), 'false')
    await page.keyboard.press('Enter')
    await arriveAt(page, '/')
  })

  await story(
    'there is one toast at a time; F8 moves the focus to it, and closing it moves the focus back',
    async ({ page, visit }) => {
      await visit('/auth')
      await signIn(page, 'ada', 'wrong')
      await seeToast(page, 'Login failed')
      await signIn(page, 'ada', password)
      await holdToast(page, 'Welcome back!')
      assert.equal(await toastOf(page).count(), 1)
      // The new screen takes the focus when it has loaded.
      await page.waitForFunction(() => document.activeElement?.matches('main'))
      await page.keyboard.press('F8')
      await page.waitForFunction(() => document.activeElement?.textContent?.includes('Welcome back!'))
      await page.keyboard.press('Escape')
      await page.waitForFunction(() => document.activeElement?.matches('main'))
    },
  )

  await story('each missing or invalid field shows its error below it', async ({ page, visit }) => {
    await visit('/auth')
    await page.getByRole('button', { name: 'Login' }).click()
    assert.equal(await describedBy(page, 'Username'), 'Please enter your username.')
    assert.equal(await describedBy(page, 'Password'), 'Please enter your password.')
    await page.getByRole('tab', { name: 'Register' }).click()
    await page.getByLabel('Username').fill('em')
    await page.getByLabel('Email').fill('emmy at example')
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Create account' }).click()
    assert.equal(await describedBy(page, 'Username'), 'The username must have at least 3 characters.')
    assert.equal(await describedBy(page, 'Email'), 'Please enter an email address.')
    assert.equal(await describedBy(page, 'Password'), 'The password must have at least 6 characters.')
    assert.equal(new URL(page.url()).pathname, '/auth')
  })

  await story('a username that is taken shows an error at its field', async ({ page, visit }) => {
    await visit('/auth')
    await page.getByRole('tab', { name: 'Register' }).click()
    await page.getByLabel('Username').fill('Ada')
    await page.getByLabel('Email').fill('another@example.com')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await seeToast(page, 'Registration failed', 'This username is already taken.')
    assert.equal(await describedBy(page, 'Username'), 'This username is already taken.')
  })

  await story('a user can register with the keyboard only', async ({ page, visit }) => {
    await visit('/auth')
    await page.waitForFunction(() => document.activeElement?.matches('[name=username]'))
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    // From the first field back to the tabs, to the second one and to its first field.
    await press('Shift+Tab', 'ArrowRight')
    await page.getByLabel('Email').waitFor()
    await press('Tab')
    await page.keyboard.type('sofia')
    await press('Tab')
    await page.keyboard.type('sofia@example.com')
    await press('Tab')
    await page.keyboard.type(password)
    await press('Enter')
    await arriveAt(page, '/')
    // The focus is at the beginning of the screen.
    await page.waitForFunction(() => document.activeElement?.matches('main'))
  })

  await story('signing out applies to every tab', async ({ page, visit, browser }) => {
    await visit('/auth')
    await signIn(page, 'ada', password)
    await arriveAt(page, '/')
    const other = await browser.newPage()
    await other.goto('/')
    await other.getByText('No media files yet').waitFor()
    await other.getByRole('button', { name: 'Upload', exact: true }).click()
    await other.getByRole('dialog', { name: 'Upload' }).waitFor()
    await page.getByRole('button', { name: 'Account: ada' }).click()
    await page.getByRole('menuitem', { name: 'Logout' }).click()
    await arriveAt(page, '/auth')
    await seeToast(page, 'Goodbye!', 'You have been logged out successfully.')
    assert.deepEqual(await browser.cookies(), [])
    await arriveAt(other, '/auth')
    await other.getByText("You've been signed out. Sign in to open your library.").waitFor()
    await visit('/')
    await page.getByText('Sign in to open your library.').waitFor()
    assert.equal(await page.getByText('signed out').count(), 0)
    // The dialog of the previous user is closed; an open one would hide this button.
    await signIn(other, 'grace', password)
    await other.getByRole('button', { name: 'Account: grace' }).waitFor()
  })

  await story(
    'signing in leads to the link that was opened, and after signing out to the library',
    async ({ page, visit }) => {
      const link = '/?filter=videos&sort=name'
      await visit(link)
      await arriveAt(page, '/auth')
      await page.reload()
      await signIn(page, 'ada', password)
      await arriveAt(page, link)
      await page.getByRole('heading', { name: 'Videos' }).waitFor()
      await page.getByRole('button', { name: 'Account: ada' }).click()
      await page.getByRole('menuitem', { name: 'Logout' }).click()
      await arriveAt(page, '/auth')
      await signIn(page, 'ada', password)
      await arriveAt(page, '/')
    },
  )

  await story(
    'a session that ended elsewhere leads to the sign-in page, unless there is unsaved text',
    async ({ page, visit, browser }) => {
      await visit('/auth')
      await signIn(page, 'ada', password)
      await page.getByText('No media files yet').waitFor()
      const session = await browser.cookies()
      await page.getByRole('button', { name: 'New collection' }).click()
      const create = page.getByRole('dialog').getByRole('button', { name: 'Create' })
      await page.getByLabel('Description').fill('A long text')
      await page.getByLabel('Name').fill('Sea')
      await browser.clearCookies()
      await create.click()
      // The page stays while it holds unsaved text.
      await seeToast(page, "You've been signed out", 'Sign in from another tab')
      await browser.addCookies(session)
      await create.click()
      await seeToast(page, 'Collection created')
      await browser.clearCookies()
      // What is refetched after the creation may already be answered with 401.
      await Promise.any([arriveAt(page, '/auth'), page.getByRole('button', { name: 'Videos' }).click()])
      await arriveAt(page, '/auth')
      await page.getByText("You've been signed out.").waitFor()
    },
  )

  await story(
    'changing the password signs the user out on other devices',
    async ({ page, visit }) => {
      const elsewhere = product.visitor()
      await elsewhere.post('/api/login', { username: 'lise', password })
      await visit('/')
      const account = page.getByRole('button', { name: 'Account: lise' })
      await account.press('Enter')
      await page.getByRole('menuitem', { name: 'Change password' }).press('Enter')
      await page.getByLabel('Current password').fill('wrong')
      const submit = page.getByRole('button', { name: 'Change password' })
      await submit.click()
      assert.equal(await describedBy(page, 'New password'), 'The password must have at least 6 characters.')
      await page.getByLabel('New password').fill('battery staple')
      await submit.click()
      await seeToast(page, 'Failed to change password', 'The current password is incorrect.')
      assert.equal(await describedBy(page, 'Current password'), 'The current password is incorrect.')
      await assertAccessible(page)
      await page.getByLabel('Current password').fill(password)
      await page.keyboard.press('Enter')
      await seeToast(page, 'Password changed')
      await page.waitForFunction((button) => document.activeElement === button, await account.elementHandle())
      assert.equal((await elsewhere.get('/api/user')).statusCode, 401)
      await page.reload()
      await account.click()
      await page.getByRole('menuitem', { name: 'Logout' }).click()
      await arriveAt(page, '/auth')
      await signIn(page, 'lise', 'battery staple')
      await arriveAt(page, '/')
    },
    { as: await product.register('lise') },
  )

  await story(
    'an administrator finds the Admin Panel in the account menu',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Account: grace' }).click()
      await page.getByRole('menuitem', { name: 'Admin Panel' }).click()
      await arriveAt(page, '/admin')
    },
    { as: admin },
  )

  await story('other users find no Admin Panel in the account menu', async ({ page, visit }) => {
    await visit('/auth')
    await signIn(page, 'ada', password)
    await page.getByRole('button', { name: 'Account: ada' }).click()
    await page.getByRole('menuitem', { name: 'Logout' }).waitFor()
    assert.equal(await page.getByRole('menuitem', { name: 'Admin Panel' }).count(), 0)
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Select all on this page').waitFor()
  })
})

async function signIn(page: Page, username: string, word: string) {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(word)
  await page.getByRole('button', { name: 'Login' }).click()
}

/** What a screen reader announces about a field in addition to its name: the error message. */
async function describedBy(page: Page, label: string) {
  const field = page.getByLabel(label, { exact: true })
  await page.waitForFunction((input) => input?.getAttribute('aria-invalid') === 'true', await field.elementHandle())
  return field.evaluate((input) => document.getElementById(input.getAttribute('aria-describedby')!)?.textContent)
}
