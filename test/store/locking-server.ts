import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Version {
  id: string
  body: Buffer
  lockedUntilMs: number
}

export interface LockingServer {
  endpoint: string
  /** By key, the oldest first; a delete marker has an empty body. */
  versions: Map<string, Version[]>
  /** Runs before each answer, if set; returns true if it handled the request itself. */
  disturb: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  close(): Promise<void>
}

/**
 * Serves the parts of the S3 API that s3rver lacks: object lock, versions and checksums of bodies. One bucket
 * in memory; signatures are not checked.
 */
export async function serveLocking({ locking = true } = {}): Promise<LockingServer> {
  const versions: LockingServer['versions'] = new Map()
  const server = createServer((request, response) => {
    if (serving.disturb?.(request, response) === true) return
    void bodyOf(request).then((body) => answer({ request, response, body, versions, locking }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const serving: LockingServer = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    versions,
    disturb: undefined,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return serving
}

/** An error in the service's own words, which quote the key and the signed string. */
export function refuse(response: ServerResponse, status: number, code: string): void {
  const secret = '<AWSAccessKeyId>S3RVER</AWSAccessKeyId><StringToSign>AWS4-HMAC</StringToSign>'
  send(
    response,
    status,
    `<Error><Code>${code}</Code><Message>S3RVER may not</Message>${secret}</Error>`,
  )
}

interface Call {
  request: IncomingMessage
  response: ServerResponse
  body: Buffer
  versions: Map<string, Version[]>
  locking: boolean
}

function answer(call: Call): void {
  const { request, response, body, versions, locking } = call
  const url = new URL(request.url ?? '/', 'http://x')
  const key = decodeURIComponent(url.pathname).split('/').slice(2).join('/')
  const asks = (name: string): boolean => url.searchParams.has(name)
  const { method } = request
  if (asks('object-lock'))
    return locking
      ? send(response, 200, LOCK_ON)
      : refuse(response, 404, 'ObjectLockConfigurationNotFoundError')
  if (asks('versions')) return send(response, 200, versionList(versions, key, url))
  if (asks('uploads')) return send(response, 200, uploads(method, key))
  if (asks('uploadId')) return send(response, 204, '')
  if (asks('list-type')) return send(response, 200, keyList(versions, url))
  const kept = versions.get(key) ?? []
  const asked = url.searchParams.get('versionId')
  const one = asked === null ? kept.at(-1) : kept.find(({ id }) => id === asked)
  if (asks('retention')) return extend(call, kept.at(-1), body)
  // HeadBucket.
  if (method === 'HEAD' && key === '') return send(response, 200, '')
  if (method === 'HEAD') return head(response, one)
  if (method === 'GET') return get(response, one)
  if (method === 'PUT') return put(call, key, kept)
  if (method === 'DELETE') return remove(call, { key, kept, id: asked })
  return refuse(response, 501, 'NotImplemented')
}

function put(
  { request, response, body, versions, locking }: Call,
  key: string,
  kept: Version[],
): void {
  const sum = createHash('sha256').update(body).digest('base64')
  const until = request.headers['x-amz-object-lock-retain-until-date']
  const mode = request.headers['x-amz-object-lock-mode']
  if (request.headers['x-amz-checksum-sha256'] !== sum) return refuse(response, 400, 'BadDigest')
  if (until !== undefined && (!locking || mode !== 'COMPLIANCE'))
    return refuse(response, 400, 'InvalidRequest')
  const lockedUntilMs = until === undefined ? 0 : Date.parse(String(until))
  versions.set(key, [...kept, { id: `v${kept.length + 1}`, body, lockedUntilMs }])
  return send(response, 200, '')
}

function extend({ response }: Call, last: Version | undefined, body: Buffer): void {
  const [, until = ''] = /<RetainUntilDate>([^<]+)</.exec(body.toString()) ?? []
  if (last === undefined || Date.parse(until) < last.lockedUntilMs)
    return refuse(response, 403, 'AccessDenied')
  last.lockedUntilMs = Date.parse(until)
  return send(response, 200, '')
}

function head(response: ServerResponse, last: Version | undefined): void {
  if (last === undefined || last.body.length === 0) return send(response, 404, '')
  response.setHeader('x-amz-version-id', last.id)
  response.setHeader('content-length', last.body.length)
  if (last.lockedUntilMs > 0) {
    response.setHeader('x-amz-object-lock-mode', 'COMPLIANCE')
    const until = new Date(last.lockedUntilMs).toISOString()
    response.setHeader('x-amz-object-lock-retain-until-date', until)
  }
  response.end()
}

function get(response: ServerResponse, one: Version | undefined): void {
  if (one === undefined || one.body.length === 0) return refuse(response, 404, 'NoSuchKey')
  response.setHeader('x-amz-version-id', one.id)
  response.writeHead(200).end(one.body)
}

/** Without a version ID, a removal only adds a marker. A locked version cannot be removed by anyone. */
function remove(
  { response, versions }: Call,
  { key, kept, id }: { key: string; kept: Version[]; id: string | null },
): void {
  if (id === null) {
    versions.set(key, [
      ...kept,
      { id: `v${kept.length + 1}`, body: Buffer.alloc(0), lockedUntilMs: 0 },
    ])
    response.setHeader('x-amz-delete-marker', 'true')
    return send(response, 204, '')
  }
  const found = kept.find((version) => version.id === id)
  if (found !== undefined && found.lockedUntilMs > 0) return refuse(response, 403, 'AccessDenied')
  versions.set(
    key,
    kept.filter((version) => version !== found),
  )
  return send(response, 204, '')
}

function keyList(versions: Map<string, Version[]>, url: URL): string {
  const prefix = url.searchParams.get('prefix') ?? ''
  const keys = [...versions].filter(
    ([key, kept]) => key.startsWith(prefix) && (kept.at(-1)?.body.length ?? 0) > 0,
  )
  const contents = keys.map(
    ([key, kept]) =>
      `<Contents><Key>${key}</Key><Size>${kept.at(-1)?.body.length}</Size></Contents>`,
  )
  return `<ListBucketResult>${contents.join('')}</ListBucketResult>`
}

function versionList(versions: Map<string, Version[]>, _key: string, url: URL): string {
  const prefix = url.searchParams.get('prefix') ?? ''
  const found = [...versions].filter(([key]) => key.startsWith(prefix))
  const entries = found.flatMap(([key, all]) =>
    all.toReversed().map(({ id, body }, age) => {
      const kind = body.length === 0 ? 'DeleteMarker' : 'Version'
      const at = new Date(Date.UTC(2026, 0, 1) - age * 1000).toISOString()
      const facts = `<Key>${key}</Key><VersionId>${id}</VersionId><LastModified>${at}</LastModified>`
      return `<${kind}>${facts}</${kind}>`
    }),
  )
  return `<ListVersionsResult>${entries.join('')}</ListVersionsResult>`
}

function uploads(method: string | undefined, key: string): string {
  if (method === 'GET') return '<ListMultipartUploadsResult></ListMultipartUploadsResult>'
  const begun = `<Key>${key}</Key><UploadId>u1</UploadId>`
  return `<InitiateMultipartUploadResult>${begun}</InitiateMultipartUploadResult>`
}

function send(response: ServerResponse, status: number, xml: string): void {
  response.writeHead(status, xml === '' ? {} : { 'content-type': 'application/xml' }).end(xml)
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  try {
    for await (const piece of request) pieces.push(piece as Buffer)
  } catch {
    // A client that disconnected gets no answer.
  }
  return Buffer.concat(pieces)
}

const LOCK_ON =
  '<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>'
