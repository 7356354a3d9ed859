import type { HttpBindings } from '@hono/node-server'
import type { Hono, Context as HonoContext } from 'hono'
import { html } from 'hono/html'
import type { Credentials } from '../seed-data/options.ts'
import type { Authorizer } from './auth.ts'

type Http = HonoContext<{ Bindings: HttpBindings }>

interface Entrance {
  apps: readonly Credentials[]
  authorizer: Authorizer
}

/** Adds the pages on which the account's first user allows or refuses an app or a device. */
export function addLoginPages(app: Hono<{ Bindings: HttpBindings }>, context: Entrance): void {
  const { allowed } = context.authorizer.logins
  app.get('/oauth/authorize', (http) => {
    const query = new URL(http.req.url).searchParams
    const asked = readAsked(context, query)
    if (typeof asked === 'string')
      return http.html(page('Not possible', html`<p>${asked}</p>`), 400)
    if (isAllowed(allowed, asked)) {
      query.set('decision', 'allow')
      return http.redirect(answerOf(context, asked, query).toString())
    }
    const fields = Object.fromEntries(query)
    return http.html(page('Allow this app?', decision('/oauth/authorize', asked.app, fields)))
  })
  app.post('/oauth/authorize', async (http) => {
    const form = new URLSearchParams(await http.req.text())
    const asked = readAsked(context, form)
    if (typeof asked === 'string')
      return http.html(page('Not possible', html`<p>${asked}</p>`), 400)
    if (form.get('decision') === 'allow') allowed.set(asked.clientId, asked.app.scopes.join(' '))
    return http.redirect(answerOf(context, asked, form).toString())
  })
  app.get('/oauth/device', (http) => {
    const code = http.req.query('user_code') ?? ''
    const device = context.authorizer.devices.deviceOf(code.toUpperCase())
    if (device === undefined) return http.html(page('Enter the code', codeForm(code)))
    const fields = { user_code: device.userCode }
    return http.html(page('Allow this device?', decision('/oauth/device', device.app, fields)))
  })
  app.post('/oauth/device', (http) => decideDevice(context, http))
}

interface Asked {
  app: Credentials
  clientId: string
  redirectUri: string
}

/**
 * Whether a person has already allowed the app. Returns false if its scopes changed, and for every public
 * client.
 */
function isAllowed(allowed: ReadonlyMap<string, string>, { app, clientId }: Asked): boolean {
  return clientId !== app.publicClientId && allowed.get(clientId) === app.scopes.join(' ')
}

/**
 * Reads the app and the redirect address. Returns an error text if one of them is unknown: the page shows it,
 * because an unknown redirect address may belong to anybody.
 */
function readAsked({ apps }: Pick<Entrance, 'apps'>, query: URLSearchParams): Asked | string {
  const clientId = query.get('client_id') ?? ''
  const app = apps.find((one) => [one.clientId, one.publicClientId].includes(clientId))
  if (app === undefined) return 'This app is not known.'
  const redirectUri = query.get('redirect_uri') ?? ''
  if (redirectUri !== app.redirectUrl) return 'The redirect URL is not the registered one.'
  return { app, clientId, redirectUri }
}

function answerOf(
  { authorizer }: Pick<Entrance, 'authorizer'>,
  { app, clientId, redirectUri }: Asked,
  form: URLSearchParams,
): URL {
  const back = new URL(redirectUri)
  const state = form.get('state')
  if (state !== null) back.searchParams.set('state', state)
  const text = form.get('code_challenge')
  const method = form.get('code_challenge_method') ?? 'plain'
  const error = problemOf(form, { isPublic: clientId === app.publicClientId, text, method })
  if (error !== undefined) {
    back.searchParams.set('error', error)
    return back
  }
  const known: 'S256' | 'plain' = method === 'S256' ? 'S256' : 'plain'
  const challenge = text === null ? undefined : { text, method: known }
  back.searchParams.set(
    'code',
    authorizer.logins.newCode({ app, clientId, redirectUri, challenge }),
  )
  return back
}

function problemOf(
  form: URLSearchParams,
  asked: { isPublic: boolean; text: string | null; method: string },
): string | undefined {
  if (form.get('response_type') !== 'code') return 'unsupported_response_type'
  if (asked.isPublic && asked.text === null) return 'invalid_request'
  if (asked.method !== 'S256' && asked.method !== 'plain') return 'invalid_request'
  return form.get('decision') === 'allow' ? undefined : 'access_denied'
}

async function decideDevice(
  { authorizer }: Pick<Entrance, 'authorizer'>,
  http: Http,
): Promise<Response> {
  const form = new URLSearchParams(await http.req.text())
  const device = authorizer.devices.deviceOf((form.get('user_code') ?? '').toUpperCase())
  if (device === undefined) return http.html(page('Enter the code', codeForm('')), 400)
  if (device.state === 'pending')
    device.state = form.get('decision') === 'allow' ? 'allowed' : 'denied'
  const said = device.state === 'denied' ? 'refused' : 'allowed'
  return http.html(page('Done', html`<p>The device was ${said}. You can close this page.</p>`))
}

function decision(action: string, app: Credentials, fields: Readonly<Record<string, string>>) {
  return html`<p>The app <strong>${app.clientId}</strong> asks for:</p>
    <ul>
      ${app.scopes.map((scope) => html`<li><code>${scope}</code></li>`)}
    </ul>
    <form method="post" action="${action}">
      ${Object.entries(fields).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      <button id="allow" name="decision" value="allow">Allow</button>
      <button id="deny" name="decision" value="deny">Refuse</button>
    </form>`
}

function codeForm(code: string) {
  return html`<form method="get" action="/oauth/device">
    <label>Code <input name="user_code" value="${code}" autofocus /></label>
    <button>Go on</button>
  </form>`
}

function page(title: string, body: ReturnType<typeof html>) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <style>
          body {
            font: 16px/1.5 system-ui, sans-serif;
            max-width: 34rem;
            margin: 4rem auto;
            padding: 0 1rem;
          }
          button {
            font: inherit;
            padding: 0.4rem 1.2rem;
            margin-right: 0.5rem;
          }
        </style>
      </head>
      <body>
        <h1>${title}</h1>
        ${body}
      </body>
    </html>`
}
