import { itemsOf } from '../../../src/core/define/operation.ts'
import { provenRecords } from '../../../src/core/records/page-records.ts'
import { type RecognisedPage, recognise } from '../../../src/sync/read/recognise.ts'

/** A page's text as the engine judges it after the client has proven it. */
export function recognised(against: Parameters<typeof recognise>[0], text: string): RecognisedPage {
  const items = itemsOf(against.stream.operation)
  const page = recognise(against, provenRecords(Buffer.from(text), items))
  if (page === undefined) throw new Error('A proven page was not recognised')
  return page
}
