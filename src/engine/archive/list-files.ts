import { otherRecord } from '../../api/answers/check-named.ts'
import type { Client } from '../../api/client.ts'
import { meansDeleted } from '../../core/declare/answer-meaning.ts'
import type { FileSource, ListedFile } from '../../core/declare/file-source.ts'
import type { CallArguments } from '../../core/declare/operation.ts'
import { PageTokenError } from '../../core/errors/errors.ts'
import { namesOther } from '../../core/records/named-record.ts'
import { wireKey } from '../../core/records/record-key.ts'
import type { Span } from '../../core/time/spans.ts'

/** The service no longer has the parent; the message is its answer. */
export class ParentGone extends Error {
  readonly came: string
  constructor(came: string) {
    super('the parent of the files is deleted')
    this.came = came
  }
}

interface Listing {
  parent: string
  span: Span | undefined
  /** A host of the configuration takes a token that the parent's list gives. */
  withToken: boolean
  signal: AbortSignal
}

/**
 * A parent's files as the service lists them now, page by page. Their addresses are good for a moment only,
 * so a page is used before the next one is requested. Throws ParentGone if the service no longer has the
 * parent.
 */
export async function* listFiles(
  client: Client,
  { list }: FileSource,
  { parent, span, withToken, signal }: Listing,
): AsyncGenerator<readonly ListedFile[]> {
  const { query: asked, ...path } = list.arguments(wireKey(parent), span)
  const args = { ...path, query: { ...asked, ...(withToken ? list.tokenQuery : {}) } }
  const { paging } = list.operation
  if (paging === undefined || paging.style === 'record') {
    const detail = await client.fetchDetail(list.operation, args, { signal })
    if (detail.state === 'deleted') throw new ParentGone(`HTTP ${detail.status}`)
    yield list.files(parent, detail.record)
    return
  }
  const tokens = new Set<string>()
  const shown = new Set<string>()
  let moved = false
  let token: string | undefined
  let alike: CallArguments = args
  do {
    const query = { ...alike.query, next_page_token: token }
    const page = await client
      .fetchPage(list.operation, { ...alike, query }, { signal })
      .catch((error: unknown) => {
        if (meansDeleted(list.operation, error)) throw new ParentGone(error.facts.came)
        throw error
      })
    // A token goes with what the service took: another size or other bounds, it may be.
    alike = page.asked
    token = page.nextPageToken
    if (token !== undefined && tokens.has(token)) throw pageLoop(list.operation.id)
    if (token !== undefined) tokens.add(token)
    const listed: ListedFile[] = []
    for (let at = 0; at < page.records.count; at++) {
      const record = page.records.recordAt(at)
      if (record === undefined) continue
      if (namesOther(list.operation, args, record)) throw otherRecord(list.operation, args)
      listed.push(...list.files(parent, record))
    }
    page.records.release()
    for (const { item } of listed) {
      moved ||= shown.has(item)
      shown.add(item)
    }
    yield listed
  } while (token !== undefined)
  if (moved) throw movedList(list.operation.id)
}

/** What is shown twice may be in place of another file: it is listed again. */
function movedList(operation: string): PageTokenError {
  return new PageTokenError('list_moved', {
    tried: `reading the pages of ${operation}`,
    expected: 'no record twice',
    came: 'one was shown again, so that others may be missing',
  })
}

function pageLoop(operation: string): PageTokenError {
  return new PageTokenError('page_loop', {
    tried: `reading the pages of ${operation}`,
    came: 'a page token came a second time',
  })
}
