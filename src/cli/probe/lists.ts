import type { CallArguments, Operation, TokenPaging } from '../../core/operation.ts'
import { DAY_MS, utcDay, utcInstant } from '../../core/time.ts'
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

export type Query = NonNullable<CallArguments['query']>

export interface List {
  name: string
  line: LineId
  operation: Operation & { paging: TokenPaging }
  /** What a sync asks, but for the page. */
  query(nowMs: number): Query
}

/** A list of what lies in a window of time. */
export interface WindowList extends List {
  /** How its bounds are written. */
  unit: 'instant' | 'day'
  /** The longest window that a sync asks for. */
  spanDays: number
  window(fromMs: number, toMs: number): Query
  /** The field of a record whose time is asked for. */
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
export const sipTrunks = plain(
  { name: 'sip_trunks', line: 'query-sip', operation: listSipTrunks },
  {
    allocated_product: 'SVC_PHONE',
  },
)
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
export const sessionReports = windowed(
  {
    name: 'session_reports',
    line: 'query-sessions',
    operation: listSessionReports,
    unit: 'day',
    spanDays: 15,
    dated: 'start_time',
  },
  { type: 'past' },
)
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

/** The same list without a page size, so that the service takes its own. */
export function withoutPageSize({ operation }: List): Operation {
  return { ...operation, paging: { style: 'whole', items: operation.paging.items } }
}
