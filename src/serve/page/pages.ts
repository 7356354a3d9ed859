import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { bytesText } from '../../core/values/quantities.ts'
import type { OpenedFile, PublishedFile } from '../health/published-files.ts'
import type { RunPlace, StatusSources } from '../health/status-sources.ts'
import { accountPage } from './account.ts'
import { accountPath, instant } from './format.ts'
import { type Html, layout, messagePage } from './layout.ts'
import { overviewPage } from './overview.ts'
import { runPage, runsPage } from './runs.ts'
import { ICON, STYLE } from './style.ts'
import { type PageCell, table } from './table.ts'

type App = Hono<{ Bindings: HttpBindings }>
type Http = Context<{ Bindings: HttpBindings }>

/** Adds the HTML pages and the style sheet and icon that they use. */
export function addPages(app: App, sources: () => StatusSources | undefined): void {
  app.get('/style.css', (http) => http.body(STYLE, 200, { 'content-type': 'text/css' }))
  app.get('/icon.svg', (http) => http.body(ICON, 200, { 'content-type': 'image/svg+xml' }))
  const show = (
    path: string,
    make: (from: StatusSources, http: Http) => Promise<Html | Response | undefined>,
  ): void => {
    app.get(path, async (http: Http) => {
      const from = sources()
      if (from === undefined)
        return http.html(messagePage('Starting', 'The database was not reached yet.'), 503)
      const made = await make(from, http)
      if (made instanceof Response) return made
      return made === undefined ? http.notFound() : http.html(made)
    })
  }
  show('/', async (from, http) => {
    const snapshots = await from.snapshots()
    return snapshots === undefined ? await firstRead(http) : overviewPage(snapshots)
  })
  show('/accounts/:name', async (from, http) => {
    const snapshots = await from.snapshots()
    if (snapshots === undefined) return await firstRead(http)
    const found = snapshots.value.find(({ account }) => account === http.req.param('name'))
    return found && accountPage(found)
  })
  show('/runs', async (from, http) => {
    const account = http.req.query('account')
    const before = runPlaceOf(http.req.query('before'))
    return runsPage(await from.runs({ account, before }), account)
  })
  show('/accounts/:name/runs/:id', async (from, http) => {
    const run = await from.run(http.req.param('name') ?? '', numberOf(http.req.param('id')) ?? 0)
    return run && runPage(run)
  })
  show('/reports', async (from) => reportsPage(await from.reports()))
  show('/accounts/:name/reports/:id/:place', async (from, http) => {
    const [id, place] = [numberOf(http.req.param('id')), numberOf(http.req.param('place'))]
    if (id === undefined || place === undefined) return undefined
    const file = await from.openReport(http.req.param('name') ?? '', { id, place })
    return file && (await download(file, http.req.method))
  })
}

/** The response during the first read, which continues in the background. */
async function firstRead(http: Http): Promise<Response> {
  http.header('retry-after', '30')
  const text = 'The accounts are being read for the first time. Look again in half a minute.'
  return await http.html(messagePage('Reading', text), 503)
}

/** Parses a database ID; undefined for anything else. */
function numberOf(text = ''): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Parses the end of a page of runs, such as `2026-07-01T02:30:00Z,7`; otherwise returns undefined. */
function runPlaceOf(text = ''): RunPlace | undefined {
  const [, startedAt = '', id] = /^(\d{4}-\d\d-\d\dT[\d:.]{8,15}Z),(\d+)$/.exec(text) ?? []
  const number = numberOf(id)
  return number === undefined || Number.isNaN(Date.parse(startedAt))
    ? undefined
    : { startedAt, id: number }
}

/** Sends a file as a download, so that browsers do not display it on this origin. */
async function download(file: OpenedFile, method: string): Promise<Response> {
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(file.bytes),
    'content-disposition': attachment(file.name),
  }
  if (method === 'HEAD') {
    await file.close()
    return new Response(null, { headers })
  }
  return new Response(Readable.toWeb(file.stream()) as ReadableStream<Uint8Array>, { headers })
}

function attachment(name: string): string {
  const plain = name.replace(/[^\w. ()-]/g, '_')
  const exact = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, percent)
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function filePath({ account, id, place }: PublishedFile): string {
  return `${accountPath(account)}/reports/${id}/${place}`
}

/** Makes the page of the published report files that `listPublished` found unchanged. */
function reportsPage(files: readonly PublishedFile[]): Html {
  return layout({
    title: 'Reports',
    here: '/reports',
    body:
      files.length === 0
        ? html`<p class="note plain">No published report is in the folder of reports.
<code>callsheet report NAME</code> makes one.</p>`
        : table(
            'Published reports, the newest first',
            [
              { title: 'file' },
              { title: 'report' },
              { title: 'account' },
              { title: 'published' },
              { title: 'data as of' },
              { title: 'size', numeric: true },
            ],
            files.map((file): PageCell[] => [
              html`<a href="${filePath(file)}" download>${file.name}</a>`,
              file.report,
              file.account,
              instant(file.publishedAt),
              instant(file.asOf),
              bytesText(file.bytes),
            ]),
          ),
  })
}
