import { collectionNotFound, mediaNotFound } from '../../contract.ts'
import type { ClientAssets } from './document.ts'
import { type Html, html, pageDocument } from './document.ts'

export function notFoundPage(what: 'collection' | 'media', assets: ClientAssets) {
  return what === 'collection'
    ? noticePage('Collection Not Found', collectionNotFound, assets)
    : noticePage('File Not Found', mediaNotFound, assets)
}

/** Links to the collection, because a visitor may have been given only the download's address. */
export function noDownloadPage(path: string, words: string, assets: ClientAssets) {
  return noticePage(
    'Download Not Available',
    words,
    assets,
    html`<a class="pub-button" href="${path}">Open the collection</a>`,
  )
}

export const tooManyPage = (words: string, assets: ClientAssets) => noticePage('Too Many Attempts', words, assets)

/** The request id lets an administrator find an unexpected error in the log. */
export function faultPage(assets: ClientAssets, requestId?: string) {
  const what = requestId ? `Something went wrong on our end (request ${requestId}). ` : ''
  return noticePage("Couldn't load this page", `${what}Please try again in a moment.`, assets)
}

function noticePage(title: string, words: string, assets: ClientAssets, action?: Html) {
  return pageDocument({
    title,
    head: assets.styles,
    body: html`<div class="pub-root pub-notice"><main class="pub-main"><h1 class="pub-title">${title}</h1>
<p class="pub-subtitle">${words}</p>${action && html`<div class="pub-actions">${action}</div>`}</main></div>`,
  })
}

/** Browsers drop cookies set in a third-party frame, so the password is asked for in a tab of its own. */
export function lockedEmbedPage(path: string, assets: ClientAssets) {
  const words = 'It opens in a new tab. You need the password you received with the link.'
  const way = html`<a class="pub-button" href="${path}" target="_blank" rel="noopener">Open the collection</a>`
  return noticePage('Protected collection', words, assets, way)
}

/** A plain form that needs no script. It reveals nothing of the collection, not even its name. */
export function passwordPage(path: string, assets: ClientAssets, problem?: string) {
  return pageDocument({
    title: 'Protected collection',
    head: assets.styles,
    body: html`<div class="pub-root pub-notice"><main class="pub-main"><h1 class="pub-title">Protected collection</h1>
<p class="pub-subtitle">Enter the password you received with the link.</p>
<form class="pub-form" method="post" action="${path}/unlock">
<label for="password">Password</label>
<input id="password" name="password" type="password" required autofocus autocomplete="off" maxlength="256" aria-invalid="${problem ? 'true' : 'false'}"${
      problem && html` aria-describedby="problem"`
    }>
${problem && html`<p id="problem" role="alert">${problem}</p>`}
<button class="pub-button pub-primary">Open</button>
</form></main></div>`,
  })
}
