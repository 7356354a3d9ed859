import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Fault, FaultKind } from '../protocol/faults.ts'
import { noFile, type SandboxRefusal } from '../protocol/refusal.ts'
import type { MatchedRoute } from '../protocol/routes.ts'
import type { SandboxContext } from './context.ts'

export const FILE_FAULTS: ReadonlySet<FaultKind> = new Set([
  'redirect',
  'redirect-away',
  'dead-address',
  'shorter',
  'no-length',
  'cut-no-length',
  'missing-file',
  'empty-file',
  'address-for-file',
  'endless',
])

/** Returns the refusal for a missing file, with the code that the operation documents for deleted items. */
export function missingAt(
  { readings }: Pick<SandboxContext, 'readings'>,
  { operation }: MatchedRoute,
): SandboxRefusal {
  const code = Number(operation.deleted?.[0]?.code ?? 404)
  return noFile(readings.missingFile, code, 'Not found or expired.')
}

interface Otherwise {
  /** Returns the correct response. */
  whole(): Response
  missing(): Response
  sleep(ms: number): Promise<void>
}

/** Applies a fault of file downloads. */
export async function strikeFile(
  { outgoing, incoming }: HttpBindings,
  fault: Fault,
  { whole, missing, sleep }: Otherwise,
): Promise<Response> {
  switch (fault.kind) {
    case 'redirect': {
      // Redirects to itself at a different address: a loop, unless the fault ends.
      const url = new URL(incoming.url ?? '/', 'http://localhost')
      url.searchParams.set('hop', String(1 + Number(url.searchParams.get('hop') ?? 0)))
      return new Response(null, { status: 302, headers: { location: url.pathname + url.search } })
    }
    case 'redirect-away':
      return new Response('moved', { status: 307, headers: { location: fault.location } })
    case 'dead-address':
      return Response.json({ code: 403, message: 'The signature has expired.' }, { status: 403 })
    case 'missing-file':
      return missing()
    case 'empty-file':
      return new Response('', { headers: { 'content-type': 'application/octet-stream' } })
    case 'address-for-file':
      return Response.json({ download_url: 'https://files.example.org/f?signature=x' })
    case 'endless':
      return new Response(new ReadableStream({ pull: drip(sleep) }), {
        headers: { 'content-type': 'application/octet-stream' },
      })
    case 'shorter': {
      const bytes = Buffer.from(await whole().arrayBuffer())
      return new Response(bytes.subarray(0, -1), {
        headers: { 'content-length': String(bytes.length - 1) },
      })
    }
    default: {
      const bytes = Buffer.from(await whole().arrayBuffer())
      const cut = fault.kind === 'cut-no-length' ? bytes.length >> 1 : bytes.length
      outgoing.useChunkedEncodingByDefault = false
      outgoing.writeHead(200, { 'content-type': 'application/octet-stream', connection: 'close' })
      outgoing.end(bytes.subarray(0, cut))
      return RESPONSE_ALREADY_SENT
    }
  }
}

/** Sends two kilobytes every 20 ms, which is too fast to count as a stalled download. */
function drip(sleep: Otherwise['sleep']) {
  return async (stream: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    await sleep(20)
    stream.enqueue(new Uint8Array(2_048))
  }
}
