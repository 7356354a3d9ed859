import { foundSize, type List, lists, readList, whiteboards, windowLists } from './lists.ts'
import {
  fieldsOf,
  nextTokenOf,
  type Probe,
  type Probed,
  type Reading,
  recordsOf,
  refusalText,
} from './probe.ts'

/**
 * How a list treats a page size: first one more than our maximum, then the maximum if that is refused, and
 * then the size found earlier, or the usual one.
 */
export const pageSizes: readonly Probe[] = lists.map((list) => ({
  id: `page-size.${list.name}`,
  lines: ['query-every-list', 'narrowing', list.line],
  assumption: `a page holds ${list.operation.paging.maxPageSize} records at most`,
  operations: [list.operation],
  mostReads: list.otherwise === undefined ? 3 : 6,
  async run(reader) {
    const most = list.operation.paging.maxPageSize
    const ask = (page_size: number) => readList(reader, list, { page_size })
    const over = await ask(most + 1)
    if (over.refusal === undefined) return judge(over, most)
    const at = await ask(most)
    if (at.refusal !== undefined) {
      const page_size = foundSize(reader, list.operation) ?? usualSizeOf(list)
      const smaller = await ask(page_size)
      if (smaller.refusal !== undefined)
        return { verdict: 'not allowed', found: `the list is refused: ${refusalText(smaller)}` }
      return {
        verdict: 'differs',
        found: `pages of ${most} are refused, of ${page_size} taken`,
        means: 'a sync halves its pages until they are taken, and loses none',
        facts: { page_size },
      }
    }
    const judged = judge(at, most)
    if (judged.verdict !== 'holds') return judged
    return { ...judged, found: `${most} are taken, and more are refused` }
  },
}))

/** Asks nothing: it looks at the size of the pages read without `page_size`. */
export const usualPageSize: Probe = {
  id: 'page-size.default',
  lines: ['query-every-list', 'query-users'],
  assumption: 'without page_size a page holds 30 records, of whiteboards 10',
  operations: [],
  mostReads: 0,
  run({ seen }) {
    const sizes = seen.readings.flatMap((reading) => {
      const list = BARE.find((one) => one.operation.id === reading.operation.id)
      const { page_size: size } = fieldsOf(reading)
      if (list === undefined || reading.args.query?.page_size !== undefined) return []
      if (reading.operation.paging?.style !== 'whole' || typeof size !== 'number') return []
      return [{ list, size, due: usualSizeOf(list) }]
    })
    if (sizes.length === 0) return { verdict: 'unclear', found: 'no list told its usual page size' }
    const others = sizes.filter(({ size, due }) => size !== due)
    const facts = Object.fromEntries(sizes.map(({ list, size }) => [list.name, size]))
    if (others.length === 0)
      return { verdict: 'holds', found: `so on ${sizes.length} lists`, facts }
    const named = others.map(({ list, size }) => `${list.name} ${size}`).join(', ')
    return {
      verdict: 'differs',
      found: `other sizes: ${named}`,
      means: 'nothing for a sync, which always says how many it wants',
      facts,
    }
  },
}

/** How many records a page holds if the call states no size. */
function usualSizeOf(list: List): number {
  return list === whiteboards ? 10 : 30
}

function judge(reading: Reading, most: number): Probed {
  const { page_size: echo } = fieldsOf(reading)
  const count = recordsOf(reading).length
  const size = typeof echo === 'number' ? Math.max(echo, count) : undefined
  const shown = size ?? (nextTokenOf(reading) === undefined && count <= most ? undefined : count)
  if (shown === undefined)
    return {
      verdict: 'unclear',
      found: `no page_size came back, and all ${count} were on one page`,
    }
  const facts = { page_size: shown }
  if (shown === most)
    return { verdict: 'holds', found: `${most + 1} were asked for, ${most} taken`, facts }
  return shown < most
    ? {
        verdict: 'differs',
        found: `${shown} records a page at most`,
        means: `a sync reads ${Math.ceil(most / shown)} times as many pages, and loses none`,
        facts,
      }
    : {
        verdict: 'differs',
        found: `pages of ${shown} records are taken`,
        means: `nothing is lost; a sync asks for ${most}`,
        facts,
      }
}

/** The lists that the probes of defaults read without parameters. */
const BARE = [...lists.filter(({ name }) => name === 'users'), ...windowLists]
