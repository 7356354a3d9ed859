import { icebergMetadata, icebergRead } from 'icebird'
import { type LakePlace, readWhole } from '../../../src/store/lake-place.ts'

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Serves the files of a lake to `icebird`, which reads by `fetch`; all other addresses go to `other`. */
export function servedLake(lake: LakePlace, other: Fetch): Fetch {
  return async (url, init) => {
    const s3 = lake.address.replace(/^s3:..([^/]+)/, 'https://$1.s3.amazonaws.com')
    if (!String(url).startsWith(s3)) return await other(url, init)
    const bytes = await readWhole(lake, lake.address + String(url).slice(s3.length))
    if (bytes === undefined) return new Response(undefined, { status: 404 })
    const range = /bytes=(\d*)-(\d*)/.exec(new Headers(init?.headers).get('range') ?? '')
    if (range === null) return new Response(new Uint8Array(bytes))
    const [, from = '', to = ''] = range
    const start = from === '' ? bytes.length - Number(to) : Number(from)
    const end = from === '' || to === '' ? bytes.length : Number(to) + 1
    return new Response(new Uint8Array(bytes.subarray(start, end)), { status: 206 })
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
