import type { CallsheetError } from '../../core/errors.ts'
import { type AnswerHeaders, header, trackingNote } from './headers.ts'

/**
 * Describes a redirect of the API or the authorization server, which is never followed. The target is shown
 * without its query, and without path parts that identify account data.
 */
export function redirected(
  asked: { tried: string; url: URL; setting: 'baseUrl' | 'authUrl'; root: string },
  { status, headers }: { status: number; headers: AnswerHeaders },
): CallsheetError['facts'] {
  const wanted = addressOf(header(headers, 'location'), asked)
  const where = wanted === undefined ? ' without an address' : ` to ${wanted}`
  return {
    tried: asked.tried,
    came: `the service redirects with HTTP ${status}${where}${trackingNote(headers)}`,
    todo:
      wanted === undefined
        ? `correct ${asked.setting}`
        : `set ${asked.setting} to ${wanted} if that address belongs to the service`,
  }
}

/** The root that the redirect leads to; only its origin if the rest of the path differs. */
function addressOf(
  location: string | undefined,
  { url, root }: { url: URL; root: string },
): string | undefined {
  if (location === undefined || location === '' || !URL.canParse(location, url.href))
    return undefined
  const { origin, pathname, protocol } = new URL(location, url)
  if (!/^https?:$/.test(protocol)) return undefined
  const below = url.pathname.slice(root.length)
  const same = below !== '' && pathname.endsWith(below)
  return `${origin}${same ? pathname.slice(0, -below.length) : ''}`.slice(0, 200)
}
