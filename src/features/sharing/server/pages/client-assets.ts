import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Html, trusted } from './html.ts'

export type ClientAssets = { styles: Html; scripts: Html }

/** The tags that the build wrote for public pages. Without a built client the pages are plain, and readable all the same. */
export async function loadClientAssets(clientDir: string): Promise<ClientAssets> {
  const built = await readFile(join(clientDir, 'public.html'), 'utf8').catch(() => '')
  const styles = built.match(/<link\b[^>]*rel="stylesheet"[^>]*>/g) ?? []
  const scripts =
    built.match(/<link\b[^>]*rel="modulepreload"[^>]*>|<script\b[^>]*type="module"[^>]*><\/script>/g) ?? []
  return { styles: trusted(styles.join('')), scripts: trusted(scripts.join('')) }
}
