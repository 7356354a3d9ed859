import type { CallArguments, Operation, TokenPaging } from '../../core/declare/operation.ts'
import { DAY_MS, utcDay, utcInstant } from '../../core/time/time.ts'
import { listPortedOrders, listSipGroups, listSipTrunks } from '../../resources/number-settings.ts'
import { listCarrierPeeringNumbers, listPeeringNumbers } from '../../resources/peering-numbers.ts'
import { listPhoneNumbers } from '../../resources/phone-numbers.ts'
import { listRecordings } from '../../resources/recordings.ts'
import { listSessionReports } from '../../resources/session-reports.ts'
import { listSmsConsents } from '../../resources/sms-consents.ts'
import { listUsers } from '../../resources/users.ts'
import { listWhiteboardSessions } from '../../resources/whiteboard-archives.ts'
import { listWhiteboards } from '../../resources/whiteboards.ts'
import type { LineId } from './lines.ts'
import type { Reader, Reading } from './probe.ts'

export type Query = NonNullable<CallArguments['query']>

export interface List {
  name: string
  line: LineId
  operation: Operation & { paging: TokenPaging }
  /** The query of a sync, without the page. */
  query(nowMs: number): Query
  /** What a sync adds to the query if that is refused. */
  otherwise?: Query
}

/** A list that is read by time window. */
export interface WindowList extends List {
  /** The unit of its bounds. */
  unit: 'instant' | 'day'
  /** The days between the bounds of the longest time window of a sync. */
  spanDays: number
  window(fromMs: number, toMs: number): Query
  /** The record's time field that the window applies to. */
  dated: string
}

const plain = (list: Omit<List, 'query'>, query: Query = {}): List => ({
  ...list,
  query: () => query,
})

const windowed = (list: Omit<WindowList, 'query' | 'window'>, fixed: Query = {}): WindowList => {
  const print = list.unit === 'day' ? utcDay : utcInstant
  const window = (fromMs: number, toMs: number): Query => ({
    ...fixed,
    from: print(fromMs),
    to: print(toMs),
  })
  return { ...list, window, query: (nowMs) => window(nowMs - list.spanDays * DAY_MS, nowMs) }
}

export const users = plain(
  { name: 'users', line: 'query-users', operation: listUsers },
  { status: 'active' },
)
export const phoneNumbers = plain({
  name: 'phone_numbers',
  line: 'query-numbers',
  operation: listPhoneNumbers,
})
export const smsConsents = plain({
  name: 'sms_consents',
  line: 'query-consents',
  operation: listSmsConsents,
})
export const sipTrunks: List = {
  ...plain({ name: 'sip_trunks', line: 'query-sip', operation: listSipTrunks }),
  otherwise: { allocated_product: 'SVC_PHONE' },
}
export const sipGroups = plain(
  { name: 'sip_groups', line: 'query-sip', operation: listSipGroups },
  {
    allocated_product: 'SVC_PHONE',
  },
)

export const whiteboardSessions = windowed({
  name: 'whiteboard_sessions',
  line: 'query-whiteboard-sessions',
  operation: listWhiteboardSessions,
  unit: 'instant',
  spanDays: 14,
  dated: 'start_time',
})
export const whiteboards = windowed(
  {
    name: 'whiteboards',
    line: 'query-whiteboards',
    operation: listWhiteboards,
    unit: 'instant',
    spanDays: 27,
    dated: 'modified_date',
  },
  { date_filter_type: 'modified_date' },
)
const monthlyReports = windowed(
  {
    name: 'session_reports',
    line: 'query-sessions',
    operation: listSessionReports,
    unit: 'day',
    // From the first to the last day of a month.
    spanDays: 30,
    dated: 'start_time',
  },
  { type: 'past' },
)
/** A service may show only one month: here at least half a month, of the current or the last one. */
export const sessionReports: WindowList = {
  ...monthlyReports,
  query(nowMs) {
    const today = new Date(nowMs)
    const first = Date.UTC(today.getUTCFullYear(), today.getUTCMonth())
    if (today.getUTCDate() >= 15) return monthlyReports.window(first, nowMs)
    const last = first - DAY_MS
    return monthlyReports.window(last - (new Date(last).getUTCDate() - 1) * DAY_MS, last)
  },
}
export const recordings = windowed({
  name: 'recordings',
  line: 'query-recordings',
  operation: listRecordings,
  unit: 'day',
  spanDays: 15,
  dated: 'start_time',
})

export const windowLists: readonly WindowList[] = [
  whiteboardSessions,
  whiteboards,
  sessionReports,
  recordings,
]

export const lists: readonly List[] = [
  users,
  ...windowLists,
  phoneNumbers,
  smsConsents,
  plain({ name: 'ported_orders', line: 'query-every-list', operation: listPortedOrders }),
  sipGroups,
  sipTrunks,
  plain({ name: 'peering_numbers', line: 'query-peering', operation: listPeeringNumbers }),
  plain({
    name: 'carrier_peering_numbers',
    line: 'query-peering',
    operation: listCarrierPeeringNumbers,
  }),
]

/** Reads a list as a sync would: with an accepted page size, and in the other way if that is refused. */
export async function readList(reader: Reader, list: List, more: Query = {}): Promise<Reading> {
  const { operation, otherwise } = list
  const page_size = sizeTaken(reader, operation)
  const query = {
    ...list.query(reader.nowMs),
    ...(page_size === undefined ? {} : { page_size }),
    ...more,
  }
  const reading = await reader.read(operation, { query })
  if (otherwise === undefined || reading.refusal === undefined) return reading
  const other = await reader.read(operation, { query: { ...query, ...otherwise } })
  return other.refusal === undefined ? other : reading
}

/** The page size that calls of the account found to be accepted. */
export function foundSize(
  { found }: Pick<Reader, 'found'>,
  { id }: Pick<Operation, 'id'>,
): number | undefined {
  const size = Number(found.find(({ reading }) => reading === `page_size:${id}`)?.variant)
  return size >= 1 ? size : undefined
}

/** The accepted page size if the largest is refused; undefined if it is accepted, or nobody knows. */
function sizeTaken({ found, seen }: Reader, { id, paging }: Operation): number | undefined {
  const known = foundSize({ found }, { id })
  if (known !== undefined) return known
  const most = paging?.style === 'token' ? paging.maxPageSize : undefined
  const sized = seen.readings.filter(
    ({ operation, args }) => operation.id === id && typeof args.query?.page_size === 'number',
  )
  const sizeOf = ({ args }: Reading): number => Number(args.query?.page_size)
  if (!sized.some((one) => one.refusal !== undefined && sizeOf(one) === most)) return undefined
  const taken = sized.filter(({ refusal }) => refusal === undefined).map(sizeOf)
  return taken.length === 0 ? undefined : Math.max(...taken)
}

/** The same list without a page size, so that the service uses its default. */
export function withoutPageSize({ operation }: List): Operation {
  return { ...operation, paging: { style: 'whole', items: operation.paging.items } }
}
