import type {
  AccountRows,
  LineDrop,
  Placed,
  SheetForm,
  SheetLine,
} from '../../core/define/desired.ts'
import { smsConsentNumbers } from '../../resources/sms-consents.ts'
import type { ConsentWish } from './consent-wish.ts'
import { typedNumber } from './find-numbers.ts'

const SHEET = 'SMS consents'

/** Reads the inventory's sheet of numbers under consent policies: lines that were added or removed. */
export const consentsSheet: SheetForm<ConsentWish> = {
  name: SHEET,
  columns: ['Policy', 'Number', 'Policy ID', 'Number ID'],
  reader(base) {
    const lines: SheetLine[] = []
    let drop: LineDrop = { deleted: 0, of: 0 }
    return {
      take(more) {
        lines.push(...more)
        return Promise.resolve([])
      },
      async end() {
        const shown = await shownMembers(base)
        const wishes = wishesOf(lines, shown)
        drop = { deleted: droppedBy(wishes), of: countOf([...shown.values()]) }
        return wishes
      },
      drop: () => drop,
    }
  },
}

function droppedBy(wishes: readonly Placed<ConsentWish>[]): number {
  return countOf(wishes.map(({ entry }) => new Set('drop' in entry ? entry.drop : [])))
}

function countOf(sets: readonly ReadonlySet<string>[]): number {
  return sets.reduce((sum, { size }) => sum + size, 0)
}

/**
 * The original numbers by policy. A policy has about 1,000 numbers and an account has few policies, so they
 * all fit in memory.
 */
type Shown = ReadonlyMap<string, ReadonlySet<string>>

async function shownMembers(base: AccountRows): Promise<Shown> {
  const members = await base.rows({
    stream: smsConsentNumbers,
    columns: ['consent_id', 'phone_number_id'],
  })
  const shown = new Map<string, Set<string>>()
  for (const { consent_id: consent, phone_number_id: number } of members) {
    const numbers = shown.get(consent ?? '') ?? new Set()
    shown.set(consent ?? '', numbers.add(number ?? ''))
  }
  return shown
}

function wishesOf(lines: readonly SheetLine[], shown: Shown): Placed<ConsentWish>[] {
  const grouped = Map.groupBy(lines, ({ cells }) => cells['Policy ID'] || cells.Policy || '')
  const edited = [...grouped.values()].flatMap((own) => editedPolicy(own, shown))
  const emptied = [...shown].flatMap(([consent, numbers]): Placed<ConsentWish>[] =>
    grouped.has(consent)
      ? []
      : [{ place: SHEET, entry: { consent_id: consent, put: [], drop: [...numbers] } }],
  )
  return [...edited, ...emptied]
}

function editedPolicy(lines: readonly SheetLine[], shown: Shown): Placed<ConsentWish>[] {
  const [first] = lines
  if (first === undefined) return []
  const { 'Policy ID': id = '', Policy: name = '' } = first.cells
  const before = shown.get(id) ?? new Set<string>()
  const there = new Set(lines.map(({ cells }) => cells['Number ID'] ?? ''))
  const put = lines.flatMap(({ cells: { 'Number ID': number = '', Number: text = '' } }) => {
    if (before.has(number) || (number === '' && text === '')) return []
    return [number === '' ? { number: typedNumber(text) } : { id: number }]
  })
  const drop = [...before].filter((number) => !there.has(number))
  if (put.length === 0 && drop.length === 0) return []
  const policy = id === '' ? { consent_name: name } : { consent_id: id }
  return [{ place: first.place, entry: { ...policy, put, drop } }]
}
