import type { NextPage } from '../api/answers/paging.ts'
import { idlePages, refuseLoop, withNext } from '../api/answers/paging.ts'
import { namesOther, otherRecord } from '../api/answers/read-json.ts'
import type { Client } from '../api/client.ts'
import { meansDeleted } from '../core/define/answer-meaning.ts'
import type { FileSource, ListedFile } from '../core/define/file-source.ts'
import type { CallArguments } from '../core/define/operation.ts'
import { PageTokenError } from '../core/errors.ts'
import { wireKey } from '../core/records/record-key.ts'
import type { Window } from '../core/time/spans.ts'

/** Thrown if the service no longer has the parent; `came` is its answer. */
export class ParentGone extends Error {
  readonly came: string
  constructor(came: string) {
    super('the parent of the files is deleted')
    this.came = came
  }
}

interface Listing {
  parent: string
  span: Window | undefined
  /** Whether to request a download token with the list, because a configured host accepts one. */
  withToken: boolean
  signal: AbortSignal
}

/**
 * Lists a parent's files page by page. Their addresses expire soon, so a page is used before the next one is
 * requested. Throws ParentGone if the service no longer has the parent, and PageTokenError after the last
 * page if a file was listed twice.
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
  const records = new Set<unknown>()
  const note = idlePages(list.operation)
  let moved = false
  let next: NextPage | undefined
  let alike: CallArguments = args
  do {
    const page = await client
      .fetchPage(list.operation, withNext(alike, next), { signal })
      .catch((error: unknown) => {
        if (meansDeleted(list.operation, error)) throw new ParentGone(error.facts.came)
        throw error
      })
    // The next page must repeat the arguments that the service accepted; their page size or bounds may
    // differ from ours.
    alike = page.asked
    next = page.next
    if (next !== undefined) refuseLoop(list, next, tokens)
    const listed: ListedFile[] = []
    for (let at = 0; at < page.records.count; at++) {
      const record = page.records.recordAt(at)
      if (record === undefined) continue
      if (namesOther(list.operation, args, record)) throw otherRecord(list.operation, args)
      // A record without an ID lists no file, but it counts, so that its page does not look like a repeat.
      records.add(record.id ?? JSON.stringify(record))
      listed.push(...list.files(parent, record))
    }
    note(records.size)
    page.records.release()
    for (const { item } of listed) {
      moved ||= shown.has(item)
      shown.add(item)
    }
    yield listed
  } while (next !== undefined)
  if (moved) throw movedList(list.operation.id)
}

/** If a file was listed twice, the list changed between pages and may have left out another file. */
function movedList(operation: string): PageTokenError {
  return new PageTokenError('list_moved', {
    tried: `Reading the pages of ${operation}`,
    came: 'a record appeared twice, so others may be missing',
    todo: 'run again; the list is then read from its first page',
  })
}
