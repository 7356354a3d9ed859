import { parseDuration, parseInstant } from '../../core/time/time.ts'
import { readList, sessionReports, sipGroups, sipTrunks, users } from './lists.ts'
import { fieldsOf, nextTokenOf, type Probe, type Reader, recordsOf, refusalText } from './probe.ts'

const PENDING: Probe = {
  id: 'pending-users',
  lines: ['query-users'],
  assumption: 'pending users have no id',
  operations: [users.operation],
  mostReads: 1,
  async run(reader) {
    const reading = await readList(reader, users, { status: 'pending', page_size: 30 })
    if (reading.refusal !== undefined)
      return { verdict: 'not allowed', found: `they are not shown: ${refusalText(reading)}` }
    const records = recordsOf(reading)
    const named = records.filter(({ id }) => id !== undefined && id !== null && id !== '').length
    const facts = { pending: records.length, with_id: named }
    if (records.length === 0) return { verdict: 'unclear', found: 'nobody is pending', facts }
    if (named === 0) return { verdict: 'holds', found: `none of ${records.length} has one`, facts }
    return {
      verdict: 'differs',
      found: `${named} of ${records.length} have one`,
      means: 'they are kept under it, and no longer under their address',
      facts,
    }
  },
}

const PRODUCTS: readonly Probe[] = [
  { list: sipGroups, needed: true },
  { list: sipTrunks, needed: false },
].map(({ list, needed }) => ({
  id: `sip-product.${list.name}`,
  lines: ['query-sip'],
  assumption: `without allocated_product the list is ${needed ? 'refused' : 'answered'}`,
  operations: [list.operation],
  mostReads: 1,
  async run(reader) {
    const reading = await reader.read(list.operation, { query: { page_size: 1 } })
    const { status, code = 'none' } = reading
    const refused = reading.refusal !== undefined
    return {
      verdict: refused === needed ? 'holds' : 'differs',
      found: refused ? `HTTP ${status} with code ${code}` : 'it is answered without one',
      ...(refused === needed
        ? {}
        : { means: 'nothing is lost: a sync reads it once for each product' }),
      facts: { status, code },
    }
  },
}))

const TRUNK_TOTAL: Probe = {
  id: 'trunk-total',
  lines: ['query-sip'],
  assumption: 'total_records of the SIP trunks counts the page alone',
  operations: [sipTrunks.operation],
  mostReads: 2,
  async run(reader) {
    const reading = await readList(reader, sipTrunks, { page_size: 1 })
    const { total_records: total } = fieldsOf(reading)
    const count = recordsOf(reading).length
    if (nextTokenOf(reading) === undefined || typeof total !== 'number')
      return { verdict: 'unclear', found: 'one page holds all trunks, or no total came' }
    const facts = { total, page: count }
    if (total === count) return { verdict: 'holds', found: `${total} on a page of ${count}`, facts }
    return {
      verdict: 'differs',
      found: `${total} on a page of ${count}: it counts them all`,
      means: 'nothing is lost; a sync does not rely on it',
      facts,
    }
  },
}

const TIMES: Probe = {
  id: 'time-forms',
  lines: ['time-forms'],
  assumption: 'times and durations come in the forms that are known',
  operations: [],
  mostReads: 0,
  run(reader) {
    const values = timesOf(reader)
    const odd = values.filter(({ readable }) => !readable)
    const facts = { values: values.length, unreadable: odd.length }
    if (values.length === 0) return { verdict: 'unclear', found: 'no time was seen', facts }
    if (odd.length === 0)
      return { verdict: 'holds', found: `all ${values.length} can be read`, facts }
    const where = [...new Set(odd.map(({ place }) => place))].slice(0, 5).join(', ')
    return {
      verdict: 'differs',
      found: `${odd.length} of ${values.length} cannot be read, in ${where}`,
      means: 'a sync quarantines such records, since it cannot read them, and reports how many',
      facts,
    }
  },
}

const INSTANCES: Probe = {
  id: 'session-instances',
  lines: ['session-instances'],
  assumption: 'each instance of a session has an ID of its own, under one key',
  operations: [],
  mostReads: 0,
  run(reader) {
    const records = reader.seen.readings
      .filter(
        ({ operation: { id, paging } }) =>
          id === sessionReports.operation.id && paging?.style === 'token',
      )
      .flatMap((reading) => recordsOf(reading))
      .filter(({ id, start_time: at }) => typeof id === 'string' && typeof at === 'string')
    const starts = grouped(records, 'id', 'start_time')
    const instances = grouped(records, 'session_key', 'id')
    const twice = [...starts.values()].filter(({ size }) => size > 1).length
    const several = [...instances.values()].filter(({ size }) => size > 1).length
    const facts = { sessions: starts.size, starts_differ: twice, keys_with_several: several }
    if (twice > 0)
      return {
        verdict: 'differs',
        found: `${twice} IDs have begun more than once`,
        means: 'of several instances under one ID a sync keeps the one that was read last',
        facts,
      }
    if (several === 0) return { verdict: 'unclear', found: 'no key was used twice', facts }
    return { verdict: 'holds', found: `${several} keys have several IDs`, facts }
  },
}

export const recordProbes: readonly Probe[] = [PENDING, ...PRODUCTS, TRUNK_TOTAL, TIMES, INSTANCES]

/** The distinct values of one field, grouped by another. */
function grouped(
  records: readonly Readonly<Record<string, unknown>>[],
  by: string,
  field: string,
): Map<unknown, Set<unknown>> {
  const groups = new Map<unknown, Set<unknown>>()
  for (const { [by]: key, [field]: value } of records) {
    if (typeof key !== 'string' || key === '') continue
    groups.set(key, (groups.get(key) ?? new Set()).add(value))
  }
  return groups
}

interface SeenTime {
  place: string
  readable: boolean
}

function timesOf({ seen }: Reader): SeenTime[] {
  return seen.readings.flatMap((reading) =>
    recordsOf(reading).flatMap((record) =>
      Object.entries(record).flatMap(([field, value]) => {
        if (!TIME_FIELD.test(field) || typeof value !== 'string' || value === '') return []
        const read = field === 'duration' ? parseDuration : parseInstant
        return [{ place: `${reading.operation.id} ${field}`, readable: read(value) !== undefined }]
      }),
    ),
  )
}

const TIME_FIELD = /^duration$|_(time|date|at)$/
