import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { icebergMetadata, icebergRead } from 'icebird'

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Serves files to `icebird`, which reads by `fetch`: a local path by itself, `s3://` from the endpoint. */
export function servedFiles(folder: string, other: Fetch): Fetch {
  return async (url, init) => {
    if (String(url).startsWith('http')) return await other(url, init)
    const path = decodeURIComponent(String(url).replace('lake:', ''))
    const name = path.startsWith('/') ? path : join(folder, path)
    try {
      const bytes = readFileSync(name)
      const range = /bytes=(\d*)-(\d*)/.exec(new Headers(init?.headers).get('range') ?? '')
      if (range === null) return new Response(new Uint8Array(bytes))
      const [, from = '', to = ''] = range
      const start = from === '' ? bytes.length - Number(to) : Number(from)
      const end = from === '' || to === '' ? bytes.length : Number(to) + 1
      return new Response(new Uint8Array(bytes.subarray(start, end)), { status: 206 })
    } catch {
      return new Response(undefined, { status: 404 })
    }
  }
}

/** The rows of a table as `icebird` reads them, of the current snapshot or of a version. */
export async function rowsInLake(
  tableUrl: string,
  version?: number,
): Promise<Record<string, unknown>[]> {
  const named = version === undefined ? {} : { metadataFileName: `v${version}.metadata.json` }
  const metadata = await icebergMetadata({ tableUrl, ...named })
  return await icebergRead({ tableUrl, metadata })
}
