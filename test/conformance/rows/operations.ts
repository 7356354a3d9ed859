import { DOCUMENTED, DOCUMENTED_REFUSALS } from '../documented.ts'
import type { Fact } from '../fact.ts'

const FILE = 'test/conformance/operations.test.ts'

/** Each section of operations with its first item, its last, and the row on which the first stands. */
const SECTIONS: [section: string, first: number, last: number, at: number][] = [
  ['2.archiving', 1, 3, 1],
  ['2.labels', 4, 10, 1],
  ['2.collaborators', 11, 14, 1],
  ['2.content-calls', 15, 17, 2],
  ['2.board-list', 18, 18, 1],
  ['2.storage-calls', 19, 24, 1],
  ['2.recording-calls', 25, 30, 1],
  ['2.session-calls', 31, 32, 1],
  ['3.exchange', 1, 5, 2],
  ['3.number-calls', 6, 10, 1],
  ['3.consent-calls', 11, 18, 1],
  ['3.settings', 19, 22, 1],
]

export const OPERATION_FACTS: readonly Fact[] = DOCUMENTED.map(({ document, item, call }) => {
  const found = SECTIONS.find(
    ([section, first, last]) => section[0] === String(document) && first <= item && item <= last,
  )
  if (found === undefined) throw new Error(`document ${document}, item ${item} is in no section`)
  const [section, first, , at] = found
  return {
    id: `${section}.item-${item}`,
    section,
    at: at + item - first,
    says: call,
    held: { by: 'test', file: FILE, title: 'document $document, item $item: $call' },
  }
})

/** A row for each, but for a code that is written in two ways. */
export const REFUSAL_FACTS: readonly Fact[] = DOCUMENTED_REFUSALS.map(
  ({ document, status, code }) => {
    const before = DOCUMENTED_REFUSALS.filter((one) => one.document === document)
    const at = before.findIndex((one) => one.status === status && one.code === code) + 1
    const shared = before.slice(0, at).some((one) => one.code === '1002010')
    return {
      id: `${document}.errors.${status}-${code}`,
      section: `${document}.errors`,
      at: shared ? at - 1 : at,
      says: `${status} with code ${code}`,
      held: {
        by: 'test',
        file: FILE,
        title: 'of document $document include $status with code $code, which the client knows',
      },
    }
  },
)
