import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { activityOf, downloadPath, FILE_BYTES, FILES_EACH } from './archive-rows.ts'
import { serveOrder } from './child.ts'

/** The archive reduced to its bytes: lists are short, and files differ by their first bytes alone. */
async function serveArchive({ files }: { files: number }): Promise<{ url: string }> {
  const template = Buffer.alloc(FILE_BYTES, 'callsheet')
  let url = ''
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? ''
    const file = /\/download\/(\d+)$/.exec(path)?.[1]
    if (file !== undefined) return sendFile(response, template, Number(file))
    const session = /\/sessions\/session-(\d+)$/.exec(path)?.[1]
    if (session !== undefined) return sendJson(response, listOf(Number(session), files, url))
    void once(request.resume(), 'end').then(() =>
      sendJson(response, { access_token: 'b', token_type: 'bearer', expires_in: 3600, scope: '' }),
    )
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  return { url }
}

function sendFile(response: ServerResponse, template: Buffer, file: number): void {
  const bytes = Buffer.from(template)
  bytes.writeUInt32BE(file, 0)
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': bytes.length,
  })
  response.end(bytes)
}

function listOf(session: number, files: number, url: string): object {
  const first = session * FILES_EACH
  const length = Math.min(FILES_EACH, files - first)
  const activities = Array.from({ length }, (_, at) => ({
    id: activityOf(first + at),
    download_url: `${url}${downloadPath(first + at)}`,
  }))
  return { page_size: 300, next_page_token: '', total_records: length, activities }
}

function sendJson(response: ServerResponse, body: object): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.end(bytes)
}

await serveOrder(serveArchive, { stay: true })
