import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import numberSettings from '../../jobs/number-settings.ts'
import phoneNumbers from '../../jobs/phone-numbers.ts'
import { accountAsOf } from '../../src/apply/account-rows.ts'
import { desiredConsents } from '../../src/apply/desired/consents.ts'
import { consentsSheet } from '../../src/apply/desired/consents-sheet.ts'
import { desiredNumbers } from '../../src/apply/desired/numbers.ts'
import { numbersSheet } from '../../src/apply/desired/numbers-sheet.ts'
import type {
  AccountRows,
  Desired,
  Placed,
  SheetForm,
  SheetLine,
} from '../../src/core/define/desired.ts'
import { allocateNumbers } from '../../src/resources/number-changes.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { rowsOf } from '../sandbox/with-caller.ts'
import { type ApplyBench, applyBench, brief } from './apply-bench.ts'

type Cells = Record<string, string>

let world: World
let bench: ApplyBench
let base: AccountRows
let shown: Cells[]
let members: Cells[]
let asOfMs: number

/** Makes an inventory; an hour later a number is unallocated. */
beforeAll(async () => {
  world = await openWorld({ sizes: { ...TINY, numbers: 200 } })
  await world.sync({ jobs: [phoneNumbers, numberSettings] })
  asOfMs = world.account.deps.clock.now()
  shown = (await rowsOf(world.sandbox, 'phone_numbers')).map(numberCells)
  members = (await rowsOf(world.sandbox, 'sms_consent_numbers')).map(memberCells)
  await world.advance(3_600_000)
  bench = applyBench(world)
  await bench.call(allocateNumbers, {}, { allocated_product: 'UNALLOCATED', numbers: [freed()] })
  await world.sync({ jobs: [phoneNumbers, numberSettings] })
  base = accountAsOf(world.account.deps, 'account-0', asOfMs)
})
afterAll(() => world.close())

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const numberCells = (row: Cells | Record<string, unknown>): Cells => ({
  Number: text(row.number),
  Product: text(row.allocated_product),
  Site: text(row.site_name),
  ID: text(row.id),
})
const memberCells = (row: Record<string, unknown>): Cells => ({
  Policy: '',
  Number: text(row.phone_number),
  'Policy ID': text(row.consent_id),
  'Number ID': text(row.phone_number_id),
})

/** The ID of the number that is unallocated after the inventory. */
function freed(): string {
  return shown.find(({ Product }) => Product === 'SVC_PHONE')?.ID ?? ''
}

async function read<Entry>(
  { reader }: Pick<SheetForm<Entry>, 'reader'>,
  cells: readonly Cells[],
  from: AccountRows = base,
): Promise<Placed<Entry>[]> {
  const lines = cells.map((one, index): SheetLine => ({ place: `row ${index}`, cells: one }))
  const opened = reader(from)
  const entries = [
    ...(await opened.take(lines.slice(0, 7))),
    ...(await opened.take(lines.slice(7))),
  ]
  return [...entries, ...(await opened.end())]
}

async function planned<Entry>(
  desired: Desired<Entry>,
  entries: Placed<Entry>[],
): Promise<string[]> {
  return brief(await bench.plan({ desired, entries }))
}

describe('the sheet of numbers', () => {
  it('requests nothing if it was not edited, even if the account has changed since', async () => {
    expect(shown.length).toBe(200)
    expect(await read(numbersSheet, shown)).toEqual([])
  })

  it('reads products in the words of the workbook', async () => {
    const WORDS = {
      UNALLOCATED: 'Unallocated',
      SVC_PHONE: 'Phone',
      SVC_CONTACT_CENTER: 'Contact center',
    }
    const worded = shown.map(
      (cells): Cells => ({ ...cells, Product: WORDS[cells.Product as keyof typeof WORDS] }),
    )
    expect(await read(numbersSheet, worded)).toEqual([])
    const [one] = worded.filter(({ Product }) => Product === 'Unallocated')
    const edited = worded.map((cells) =>
      cells === one ? { ...cells, Product: 'Contact center' } : cells,
    )
    const wanted = { id: one?.ID, allocated_product: 'SVC_CONTACT_CENTER' }
    expect(await read(numbersSheet, edited)).toMatchObject([{ entry: wanted }])
    const added = { Number: '+14155550100', Product: 'Phone', Site: '', ID: '' }
    expect(await read(numbersSheet, [...worded, added])).toMatchObject([
      { entry: { allocated_product: 'SVC_PHONE' } },
    ])
  })

  it('requests only the edited cell', async () => {
    const [one] = shown.filter(({ Product }) => Product === 'UNALLOCATED')
    const edited = shown.map((cells) =>
      cells === one ? { ...cells, Product: 'SVC_PHONE' } : cells,
    )
    const entries = await read(numbersSheet, edited)
    expect(entries).toMatchObject([{ entry: { id: one?.ID, allocated_product: 'SVC_PHONE' } }])
    expect(entries[0]?.entry.site).toBeUndefined()
    expect(await planned(desiredNumbers, entries)).toEqual(['add: product UNALLOCATED → SVC_PHONE'])
  })

  it('does not revert another person’s change of the same number', async () => {
    const edited = shown.map((cells) =>
      cells.ID === freed() ? { ...cells, Product: 'SVC_CONTACT_CENTER' } : cells,
    )
    expect(await planned(desiredNumbers, await read(numbersSheet, edited))).toEqual([
      expect.stringContaining('it was SVC_PHONE in the inventory and is UNALLOCATED since'),
    ])
  })

  it('requests added lines, even with a number that lost its +, and nothing for deleted lines', async () => {
    // As a spreadsheet saves a phone number that it took for a quantity.
    const added = { Number: '14155550100', Product: 'SVC_PHONE', Site: '', ID: '' }
    expect(await read(numbersSheet, [...shown.slice(5), added])).toMatchObject([
      { entry: { number: '+14155550100', allocated_product: 'SVC_PHONE' } },
    ])
  })

  it('is refused if its inventory is older than the history', async () => {
    const early = accountAsOf(world.account.deps, 'account-0', asOfMs - 86_400_000)
    await expect(read(numbersSheet, shown, early)).rejects.toThrow('create a new inventory')
  })
})

describe('the sheet of consents', () => {
  it('requests nothing if it was not edited', async () => {
    expect(members.length).toBeGreaterThan(20)
    expect(await read(consentsSheet, members)).toEqual([])
  })

  it('adds the numbers of added lines and removes those of deleted lines', async () => {
    const [first] = members
    const policy = first?.['Policy ID'] ?? ''
    const own = new Set(
      members.filter((line) => line['Policy ID'] === policy).map((line) => line['Number ID']),
    )
    const other = shown.find(({ ID, Number }) => !own.has(ID) && onlyOnce(Number))
    const added = { Policy: '', Number: other?.Number ?? '', 'Policy ID': policy, 'Number ID': '' }
    const entries = await read(consentsSheet, [...members.slice(1), added])
    expect(entries).toMatchObject([
      { entry: { put: [{ number: other?.Number }], drop: [first?.['Number ID']] } },
    ])
    expect(await planned(desiredConsents, entries)).toEqual([
      'add: put under the policy',
      'remove: taken from under the policy',
    ])
  })

  it('empties a policy if it has no more lines for the policy', async () => {
    const policy = members[0]?.['Policy ID'] ?? ''
    const rest = members.filter((line) => line['Policy ID'] !== policy)
    const entries = await read(consentsSheet, rest)
    expect(entries).toMatchObject([{ entry: { consent_id: policy, put: [] } }])
    const deleted = await planned(desiredConsents, entries)
    expect(deleted).toHaveLength(members.length - rest.length)
    expect(new Set(deleted)).toEqual(new Set(['remove: taken from under the policy']))
  })
})

describe('the count of deleted lines in the sheet of consents', () => {
  const fallOf = async (cells: readonly Cells[]) => {
    const reader = consentsSheet.reader(base)
    await reader.take(cells.map((one, index) => ({ place: `row ${index}`, cells: one })))
    await reader.end()
    return reader.drop?.()
  }

  it('is compared with the lines of the original workbook, without added lines', async () => {
    const added = { Policy: 'Reminders', Number: '+14155550100', 'Policy ID': '', 'Number ID': '' }
    expect(await fallOf(members)).toEqual({ deleted: 0, of: members.length })
    expect(await fallOf([...members.slice(3), added])).toEqual({ deleted: 3, of: members.length })
    expect(await fallOf([])).toEqual({ deleted: members.length, of: members.length })
  })
})

function onlyOnce(number: string | undefined): boolean {
  return shown.filter((cells) => cells.Number === number).length === 1
}
