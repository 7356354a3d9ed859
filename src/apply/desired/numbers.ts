import { z } from 'zod'
import {
  defineDesired,
  type LiveAccount,
  type NamedItem,
  type Placed,
  type PlanItem,
  presentItem,
  refusedItem,
  type Send,
  type TextRow,
} from '../../core/define/desired.ts'
import { counted } from '../../core/values/quantities.ts'
import { allocateNumbers } from '../../resources/number-changes.ts'
import { allocation } from '../../resources/number-values.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../resources/phone-numbers.ts'
import { findNumbers } from './find-numbers.ts'
import { FREE, freedOnTheWay, isFreedSince, movedMeanwhile } from './number-history.ts'
import type { NumberWish } from './number-wish.ts'
import { numbersSheet } from './numbers-sheet.ts'
import { quarantine } from './quarantine.ts'
import { readSites, type Sites } from './sites.ts'

const entry = z
  .strictObject({
    id: z.string().min(1).optional(),
    number: z.string().min(1).optional(),
    allocated_product: allocation.optional(),
    site: z.string().min(1).optional(),
  })
  .refine(({ id, number }) => id !== undefined || number !== undefined, 'id or number is needed')
  .refine(
    ({ allocated_product: product, site }) => product !== undefined || site !== undefined,
    'allocated_product or site is needed',
  )

/** Plans a number's product and site. */
export const desiredNumbers = defineDesired<NumberWish>({
  name: 'numbers',
  title: 'Numbers',
  entry,
  sheet: numbersSheet,
  reads: [phoneNumbers, phoneNumberAssignments],
  writes: [allocateNumbers],
  async plan(entries, live) {
    const find = await findNumbers(
      entries.map((one) => one.entry),
      live,
      [...COLUMNS],
    )
    const sites = await readSites(live)
    const assigned = await assignedNumbers(entries, find, live)
    const idle = idsOf(entries, find).filter((id) => !assigned.has(id))
    const held = await quarantine(idle, live)
    const isStalled = ({ entry: wish }: Placed<NumberWish>): boolean => {
      const found = find(wish)
      return 'row' in found && isFreedSince(wish, found.row)
    }
    const halfway = entries.some(isStalled) ? await freedOnTheWay(live) : new Set<string>()
    return entries.map((placed): PlanItem => {
      const found = find(placed.entry)
      const { id, number } = placed.entry
      const what = 'row' in found ? nameOf(found.row) : `${number ?? ''} ${id ?? ''}`.trim()
      const key = 'row' in found ? (found.row.id ?? '') : what
      const item = { key, what, place: placed.place }
      if ('why' in found) return refusedItem(item, found.why)
      const { row } = found
      const facts = {
        row,
        sites,
        assigned: assigned.get(row.id ?? '') ?? 0,
        quarantine: held(row.id ?? ''),
        goesOn: isFreedSince(placed.entry, row) && halfway.has(row.id ?? ''),
      }
      return planNumber(item, placed.entry, facts)
    })
  },
})

interface Facts {
  row: TextRow
  sites: Sites
  /** The number of people and things to which the number is assigned. */
  assigned: number
  /** Why the number is in quarantine; undefined if it is not. */
  quarantine: string | undefined
  /** Whether Callsheet freed the number to assign another product, and was then interrupted. */
  goesOn: boolean
}

function planNumber(item: NamedItem, wish: NumberWish, facts: Facts): PlanItem {
  const { row, sites, assigned, goesOn } = facts
  const product = wish.allocated_product ?? row.allocated_product ?? ''
  const site = wish.site === undefined ? undefined : sites.find(wish.site)
  const moved = goesOn ? undefined : movedMeanwhile(wish, row)
  const parts = differences(row, product, site)
  const leaves = ![FREE, product].includes(row.allocated_product ?? '')
  if (moved !== undefined) return refusedItem(item, moved)
  if (!(allocation.options as readonly string[]).includes(product))
    return refusedItem(
      item,
      `${product === '' ? 'nothing' : product} is no product: ${allocation.options.join(', ')} are`,
    )
  if (wish.site === '') return refusedItem(item, 'no call takes a site away: name another one')
  if (site !== undefined && 'why' in site) return refusedItem(item, site.why)
  if (parts.length === 0) return presentItem(item)
  if (facts.quarantine !== undefined) return refusedItem(item, facts.quarantine)
  if (site !== undefined && product !== PHONE)
    return refusedItem(item, `only a number of ${PHONE} can be given a site`)
  if (leaves && assigned > 0)
    return refusedItem(
      item,
      `it is in use and would lose ${counted(assigned, 'assignment')}: unassign it first`,
    )
  const last = site?.id ?? (product === PHONE ? (row.site_id ?? undefined) : undefined)
  if (product === PHONE && last === undefined && sites.any)
    return refusedItem(item, `numbers of ${PHONE} have sites here: say which one`)
  const plan = numberPlan(row)
  const send = (to: string, at?: string): Send => sendTo(row.id ?? '', { to, site: at, plan })
  const through =
    leaves && product !== FREE ? [send(FREE), send(product, last)] : [send(product, last)]
  return {
    ...item,
    action: actionOf(row, product),
    details: parts.join('; '),
    sends: through,
    ...(row.number === null ? {} : { namedAs: row.number }),
  }
}

function differences(
  row: TextRow,
  product: string,
  site: { id: string; name: string } | { why: string } | undefined,
): string[] {
  const from = row.allocated_product ?? 'none'
  return [
    ...(from === product ? [] : [`product ${from} → ${product}`]),
    ...(site === undefined || 'why' in site || site.id === row.site_id
      ? []
      : [`site ${row.site_name ?? 'none'} → ${site.name}`]),
  ]
}

function actionOf(row: TextRow, product: string): 'add' | 'change' | 'remove' {
  if (row.allocated_product === FREE) return 'add'
  return product === FREE ? 'remove' : 'change'
}

/** Returns what the numbers of a request must share: for the service's own, the country and the type. */
function numberPlan(row: TextRow): string {
  if (!NATIVE.has(row.source ?? '')) return 'carrier-supplied'
  return `${row.location_country ?? ''} ${row.number_type ?? ''}`
}

function sendTo(
  id: string,
  { to, site, plan }: { to: string; site: string | undefined; plan: string },
): Send {
  return {
    operation: allocateNumbers,
    args: {},
    together: JSON.stringify([to, site, plan]),
    most: MOST_AT_ONCE,
    member: id,
    body: (numbers) => ({
      allocated_product: to,
      numbers,
      ...(site === undefined ? {} : { site_id: site }),
    }),
  }
}

function idsOf(
  entries: readonly Placed<NumberWish>[],
  find: Awaited<ReturnType<typeof findNumbers>>,
): string[] {
  return entries.flatMap(({ entry: wish }) => {
    const found = find(wish)
    return 'row' in found ? (found.row.id ?? []) : []
  })
}

async function assignedNumbers(
  entries: readonly Placed<NumberWish>[],
  find: Awaited<ReturnType<typeof findNumbers>>,
  { rows }: LiveAccount,
): Promise<Map<string, number>> {
  const values = idsOf(entries, find)
  const assignments = await rows({
    stream: phoneNumberAssignments,
    columns: ['phone_number_id'],
    by: { column: 'phone_number_id', values },
  })
  const counts = new Map<string, number>()
  for (const { phone_number_id: id } of assignments)
    counts.set(id ?? '', (counts.get(id ?? '') ?? 0) + 1)
  return counts
}

function nameOf({ number, id }: TextRow): string {
  return number === null || number === undefined ? (id ?? '') : number
}

const PHONE = 'SVC_PHONE'
const NATIVE = new Set(['Svc', 'SvcPorted', 'SvcReserved'])
/** The maximum of numbers in a request. The documents set none here; other requests accept fewer than 200. */
const MOST_AT_ONCE = 199
const COLUMNS = [
  'allocated_product',
  'site_id',
  'site_name',
  'source',
  'location_country',
  'number_type',
] as const
