import { readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rowsOf } from '../sandbox/with-caller.ts'
import { type CallBench, openCallBench } from './call-bench.ts'
import { edit } from './edit-workbook.ts'
import type { Workbench } from './workbench.ts'

let opened: CallBench
let bench: Workbench
beforeAll(async () => {
  opened = await openCallBench()
  bench = opened.bench
})
afterAll(() => bench.close())

const wish = (name: string, text: string): string => {
  writeFileSync(join(bench.folder, name), text)
  return name
}
const SECRET = 'labels:\n  - {name: Secret, color: "#AA0000", sensitivity_level: 4}\n'
const labelNames = async () =>
  (await rowsOf(bench.sandbox, 'classification_labels')).map(({ name }) => name)

interface Told {
  plan: { action: string; what: string; details: string | null; why: string | null }[]
  sent: boolean
  stoppedAt?: unknown
  outcome?: { state: string; reason: string | null }[]
}

describe('a YAML file for apply', () => {
  it('is only previewed in a dry run, and without a terminal', async () => {
    const file = wish('changes.yaml', SECRET)
    const dry = await bench.run('apply', file, '--dry-run')
    expect(dry.code).toBe(0)
    expect(dry.stdout).toContain('+ add      Secret: #AA0000, sensitivity 4')
    expect(dry.stdout).toContain('1 change in 1 call, 0 as wanted')
    expect((await bench.run('runs')).stdout).toMatch(/1 .*whiteboards \(partial\) +complete/)
    expect((await bench.run('status')).stdout).toContain('1 complete (partial), ')
    const unasked = await bench.run('apply', file)
    expect(unasked.code).toBe(2)
    expect(unasked.stderr).toContain('Add --yes')
    expect(await labelNames()).not.toContain('Secret')
  })

  it('is applied once with --yes, and every call is recorded', async () => {
    const file = wish('changes.yaml', SECRET)
    const first = await bench.run('apply', file, '--yes')
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('1 of 1 done')])
    expect(await labelNames()).toContain('Secret')
    const again = await bench.run('apply', file, '--yes', '--json')
    expect(again.code).toBe(0)
    expect(JSON.parse(again.stdout)).toMatchObject({
      sent: false,
      plan: [{ action: 'present', what: 'Secret' }],
    })
    expect(await opened.entered()).toMatchObject({
      operation: 'classification_labels.create',
      asked_by: expect.stringMatching(/^\w+@./) as string,
      body: { name: 'Secret' },
      state: 'done',
    })
  })

  it('that names an unknown board reports the refused line, with exit code 1', async () => {
    const file = wish('part.yaml', `${SECRET}boards:\n  - {whiteboard_id: none, label: Secret}\n`)
    const { code, stdout } = await bench.run('apply', file, '--yes')
    expect(code).toBe(1)
    expect(stdout).toContain('! refused  board none: there is no such whiteboard (part.yaml:4:5)')
  })

  it('that is invalid is refused before any data is read', async () => {
    const file = wish('wrong.yaml', 'number: []')
    const { code, stderr } = await bench.run('apply', file, '--yes')
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean numbers?')])
  })
})

describe('an edited inventory', () => {
  it('applies exactly its edits, and only once', async () => {
    await bench.run('sync', 'users', 'phone-numbers', 'number-settings')
    const file = await inventory()
    const untouched = await bench.run('apply', file, '--yes', '--json')
    expect([untouched.code, JSON.parse(untouched.stdout)]).toMatchObject([
      0,
      { plan: [], sent: false },
    ])
    const numbers = await rowsOf(bench.sandbox, 'phone_numbers')
    const free = numbers.filter((row) => row.allocated_product === 'UNALLOCATED')
    const [first, second] = free.map((row) => String(row.id))
    await edit(file, 'All numbers', (cells) => {
      if (cells.get('ID') === first || cells.get('ID') === second) cells.set('Product', 'SVC_PHONE')
      if (cells.get('ID') === first) cells.set('Name', 'mine')
    })
    const { code, stdout, stderr } = await bench.run('apply', file, '--yes', '--json')
    const told = JSON.parse(stdout) as Told
    expect(told.plan.map(({ action, details }) => [action, details])).toEqual([
      ['add', 'product UNALLOCATED → SVC_PHONE'],
      ['add', 'product UNALLOCATED → SVC_PHONE'],
    ])
    expect(stderr).toContain('Only products and sites of numbers and the lines of SMS consents')
    expect([code, told.outcome?.map(({ state }) => state)]).toEqual([0, ['done', 'done']])
    const after = await rowsOf(bench.sandbox, 'phone_numbers')
    const changed = after.filter(
      (row, at) => row.allocated_product !== numbers[at]?.allocated_product,
    )
    expect(changed.map(({ id }) => id)).toEqual([first, second])
    expect((await bench.run('apply', file, '--yes')).stdout).toContain(
      '0 changes in 0 calls, 2 as wanted',
    )
  })

  it('is not overwritten when the report is made again', async () => {
    await rm(join(bench.folder, 'out'), { recursive: true })
    const file = await inventory()
    await edit(file, 'All numbers', (cells) => cells.set('Site', 'my note'))
    const saved = readFileSync(file)
    const second = await report('xlsx')
    expect(second).toMatchObject({
      path: file.replace('.xlsx', ' (2).xlsx'),
      kept: file,
      said: expect.stringContaining(`(2).xlsx`) as string,
    })
    expect(second.said).toMatch(
      /warning: .*\.xlsx may have been edited since Callsheet wrote it, so it stays/,
    )
    expect(readFileSync(file)).toEqual(saved)
    // The second file is unchanged, so it is replaced and there is no third.
    expect(await report('xlsx')).toMatchObject({ path: second.path, kept: file })
    await rm(file)
    expect(await report('xlsx')).toMatchObject({ path: file, said: '' })
  })

  it('is refused without its origin, and changes nothing', async () => {
    const file = await inventory()
    const numbers = async () => await rowsOf(bench.sandbox, 'phone_numbers')
    const before = await numbers()
    await edit(
      file,
      'All numbers',
      (cells) => cells.get('Product') === 'Unallocated' && cells.set('Product', 'Phone'),
      'without origin',
    )
    for (const option of ['--yes', '--dry-run']) {
      const { code, stdout, stderr } = await bench.run('apply', file, option)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain('so the edits in the workbook cannot be identified')
      expect(stderr).toContain('create a new inventory with callsheet report number-inventory')
    }
    expect(await numbers()).toEqual(before)
  })

  it('without any consents removes them only with --allow-removals', async () => {
    const file = await inventory()
    await edit(file, 'SMS consents', (cells) => cells.clear())
    const members = () => rowsOf(bench.sandbox, 'sms_consent_numbers')
    const before = await members()
    expect(before.length).toBeGreaterThan(5)
    const said = `SMS consents: ${before.length} of the ${before.length} lines`
    // Removing all consents needs a confirmation even if the deletion guard of syncs allows that many.
    bench.configure({ top: ['deletionGuard: {rows: 1000000}'] })
    const held = await bench.run('apply', file, '--yes', '--json')
    bench.configure()
    expect([held.code, JSON.parse(held.stdout)]).toMatchObject([
      4,
      {
        sent: false,
        heldBack: { sheet: 'SMS consents', deleted: before.length, of: before.length },
      },
    ])
    expect(held.stderr).toContain(said)
    expect(held.stderr).toContain('add --allow-removals')
    const dry = await bench.run('apply', file, '--dry-run')
    expect([dry.code, dry.stderr]).toEqual([0, expect.stringContaining(said)])
    expect(dry.stdout).toContain('taken from under the policy')
    expect(await members()).toEqual(before)
    const meant = await bench.run('apply', file, '--yes', '--allow-removals')
    expect([meant.code, meant.stdout]).toEqual([
      0,
      expect.stringContaining(`${before.length} of ${before.length} done`),
    ])
    expect(await members()).toEqual([])
  })

  it('of another account is refused', async () => {
    const file = await inventory()
    bench.configure({ account: ['name: other'] })
    const { code, stderr } = await bench.run('apply', file, '--yes')
    bench.configure()
    expect([code, stderr]).toEqual([2, expect.stringContaining('was created for account main')])
  })
})

async function report(format: string) {
  const out = join(bench.folder, 'out')
  const made = ['report', 'number-inventory', '--format', format, '--out', out]
  const { code, stdout, stderr } = await bench.run(...made, '--json')
  expect(code).toBe(0)
  const { reports } = JSON.parse(stdout) as {
    reports: { files: { path: string; kept?: string }[] }[]
  }
  const { path = '', kept } = reports[0]?.files[0] ?? {}
  return { path, kept, said: stderr }
}

const inventory = async (): Promise<string> => (await report('xlsx')).path
