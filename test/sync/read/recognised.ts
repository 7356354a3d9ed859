import { itemsOf } from '../../../src/core/define/operation.ts'
import { cutPage, PageRecords } from '../../../src/core/records/page-records.ts'
import { type RecognisedPage, recognise } from '../../../src/sync/read/recognise.ts'

/** Recognizes the records of a page's text as the engine does after the client has cut it. */
export function recognised(against: Parameters<typeof recognise>[0], text: string): RecognisedPage {
  const items = itemsOf(against.stream.operation)
  const bytes = Buffer.from(text)
  const page = recognise(against, new PageRecords(bytes, cutPage(bytes, items)?.edges ?? []))
  if (page === undefined) throw new Error('A record of the page is no JSON')
  return page
}
