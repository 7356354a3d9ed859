import type { Readable } from 'node:stream'
import type { Started } from './workbench.ts'

/** Acts as a person in a browser, by plain requests: opens an address and presses the button, if any. */
export async function decide(url: string, decision: 'allow' | 'deny'): Promise<Response> {
  const shown = await fetch(url, { redirect: 'manual' })
  // Redirects without a question if the person has allowed the app before.
  if (shown.status === 302) return shown
  const page = await shown.text()
  if (shown.status !== 200) return new Response(page, { status: shown.status })
  const form = new URLSearchParams({ decision })
  for (const [, name = '', value = ''] of page.matchAll(/name="(\w+)" value="([^"]*)" \/>/g))
    form.set(name, value.replaceAll('&amp;', '&'))
  const action = /action="([^"]+)"/.exec(page)?.[1] ?? ''
  return await fetch(new URL(action, url), { method: 'POST', body: form, redirect: 'manual' })
}

export interface Speaking {
  child: { stderr: Readable | null }
  ended: Promise<{ stderr: string }>
}

/** Waits until the stderr of a command matches, and returns the first group or the whole match. */
export function heard({ child, ended }: Speaking, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', (text: Buffer) => {
      said += text.toString()
      const found = pattern.exec(said)
      if (found !== null) resolve(found[1] ?? found[0])
    })
    void ended.then(({ stderr }) => reject(new Error(`it ended without: ${stderr}`)))
  })
}

/** Allows the app of a running `login`, and returns the last page that the browser shows. */
export async function allowInBrowser(login: Started): Promise<Response> {
  const url = await heard(login, /(http:\S+\/oauth\/authorize\S+)[\s\S]*Waiting/)
  const back = await decide(url, 'allow')
  return await fetch(back.headers.get('location') ?? '')
}
