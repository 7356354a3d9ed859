import { afterEach, beforeEach, expect, it } from 'vitest'
import { desiredLabels } from '../../src/apply/desired/labels.ts'
import { holdAccount } from '../../src/apply/hold-account.ts'
import { type CarryOutOptions, carryOut } from '../../src/cli/apply/carry-out.ts'
import type { Context } from '../../src/cli/frame/context.ts'
import type { Output } from '../../src/cli/frame/output.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { BusyError } from '../../src/core/errors.ts'
import { createClassificationLabel } from '../../src/resources/classification-labels.ts'
import { applyBench, wanted } from '../apply/apply-bench.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { rowsOf } from '../sandbox/with-caller.ts'

let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY })
})
afterEach(() => world.close())

const { signal } = new AbortController()
const label = (name: string) => ({ name, color: '#AA0000', sensitivity_level: 1 })
const wishes = [wanted(desiredLabels, label('One'), label('Two'))]

/** Carries the wishes out. Runs `meanwhile` during the confirmation, which is answered with yes. */
async function run(meanwhile: () => Promise<unknown>, options: CarryOutOptions = {}) {
  const notes: string[] = []
  const asked: string[] = []
  const quiet = () => undefined
  const note = (text: string): void => void notes.push(text)
  const output: Output = { terminal: false, line: quiet, table: quiet, note, result: quiet }
  const { clock } = world.account.deps
  const context: Context = {
    output,
    clock,
    signal,
    verbose: false,
    loadConfig: () => Promise.reject(new Error('it is read already')),
    observer: () => Promise.resolve(silentObserver),
  }
  const confirm = async (question: string): Promise<boolean> => {
    asked.push(question)
    await meanwhile()
    return true
  }
  const frame = { context, account: world.account, options, confirm }
  return { code: await carryOut(frame, wishes), notes, asked }
}

const nothing = async (): Promise<void> => {}
const readings = (): number => world.sandbox.stats().operations['classification_labels.list'] ?? 0

async function names(): Promise<unknown[]> {
  return (await rowsOf(world.sandbox, 'classification_labels')).map(({ name }) => name)
}

it('apply asks, sends the changes under the account’s lease, and reads the result back', async () => {
  const { code, asked } = await run(nothing)
  expect([code, asked]).toEqual([0, ['Make 2 changes in 2 calls?']])
  expect(await names()).toEqual(expect.arrayContaining(['One', 'Two']))
  expect(readings()).toBe(2)
})

it('apply does not lock the account during its question, so that a sync can run meanwhile', async () => {
  const { code } = await run(() => world.sync())
  expect(code).toBe(0)
  expect(await names()).toEqual(expect.arrayContaining(['One', 'Two']))
})

it('apply sends nothing if the account changes while it waits for the confirmation', async () => {
  const { account } = world
  const meanwhile = () =>
    holdAccount(account.deps, { account: account.settings.name, signal }, () =>
      applyBench(world).call(createClassificationLabel, {}, label('One')),
    )
  const { code, notes } = await run(meanwhile)
  expect([code, notes.slice(-2)]).toEqual([
    2,
    [expect.stringContaining('the plan is no longer valid'), 'Nothing was sent.'],
  ])
  expect(await names()).not.toContain('Two')
})

it('apply does not start while another process works on the account', async () => {
  const { deps, settings } = world.account
  const busy = holdAccount(deps, { account: settings.name, signal }, () =>
    run(nothing, { yes: true }),
  )
  await expect(busy).rejects.toBeInstanceOf(BusyError)
  expect(readings()).toBe(0)
  expect((await run(nothing, { yes: true })).code).toBe(0)
})
