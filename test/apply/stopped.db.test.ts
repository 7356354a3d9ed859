import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { desiredLabels } from '../../src/apply/desired/labels.ts'
import { type HeldAccount, holdAccount } from '../../src/apply/hold-account.ts'
import { planWanted } from '../../src/apply/plan.ts'
import { type SentPlan, sendPlan } from '../../src/apply/send.ts'
import { settle } from '../../src/apply/settle.ts'
import { BusyError } from '../../src/core/errors.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { rowsOf } from '../sandbox/with-caller.ts'
import { applyBench, states, wanted } from './apply-bench.ts'

let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY })
})
afterEach(() => world.close())

const account = 'account-0'
const label = (name: string) => ({ name, color: '#AA0000', sensitivity_level: 1 })
const wish = wanted(desiredLabels, label('One'), label('Two'), label('Three'))

/** Plans three labels and sends them under the lease; `onSent` gets the number of calls sent so far. */
async function send(
  onSent: (done: number, hold: HeldAccount) => unknown,
  signal = new AbortController().signal,
) {
  const plans = await applyBench(world).plan(wish)
  const { deps } = world.account
  const waiting: unknown[] = []
  const sending = await holdAccount(deps, { account, signal }, async (hold) => {
    const sent = await sendPlan(deps, {
      account,
      plans,
      askedBy: () => 'test@here',
      hold,
      onSent: ({ done }) => void waiting.push(onSent(done, hold)),
    })
    await Promise.all(waiting)
    return sent
  })
  return { plans, sending, sent: states(settle(plans, sending, undefined)) }
}

async function labels(): Promise<unknown[]> {
  const rows = await rowsOf(world.sandbox, 'classification_labels')
  return rows.map(({ name }) => name).filter((name) => /^(One|Two|Three)$/.test(String(name)))
}

async function entered(): Promise<string[]> {
  const { rows } = await sql<{
    state: string
  }>`select state from callsheet.calls order by id`.execute(world.warehouse.db)
  return rows.map(({ state }) => state)
}

function told({ calls, stoppedAt }: SentPlan): [number, string] {
  return [calls, String(stoppedAt)]
}

it('a stop between two calls prevents further calls, and the calls already sent are reported', async () => {
  const stop = new AbortController()
  const { plans, sending, sent } = await send(
    (done) => done === 2 && stop.abort(new Error('stopped by SIGINT')),
    stop.signal,
  )
  expect(told(sending)).toEqual([2, 'Error: stopped by SIGINT'])
  expect(sent).toEqual(['sent', 'sent', 'not_sent'])
  expect(await labels()).toEqual(expect.arrayContaining(['One', 'Two']))
  expect(await labels()).not.toContain('Three')
  // The plan does not change until the account is read again; then two of the three are present.
  const now = await planWanted(world.account.deps, account, [wish])
  expect(states(settle(plans, sending, now))).toEqual([
    expect.stringMatching(/^not_seen/),
    expect.stringMatching(/^not_seen/),
    'not_sent',
  ])
  const again = await applyBench(world).apply([wish])
  expect(again.plans[0]?.items.map(({ action }) => action)).toEqual(['present', 'present', 'add'])
  expect(states(again.settled)).toEqual(['done'])
})

describe('the account’s lease', () => {
  it('belongs to apply while a plan is sent, and is released after it', async () => {
    let turnedAway = 0
    const { sending } = await send(() =>
      world.sync().catch((error: unknown) => {
        expect(error).toBeInstanceOf(BusyError)
        expect(String(error)).toContain('(apply)')
        turnedAway++
      }),
    )
    expect([sending.calls, sending.stoppedAt, turnedAway]).toEqual([3, undefined, 3])
    const other = holdAccount(world.account.deps, { account, signal: NEVER }, async () => 'held')
    expect(await other).toBe('held')
  })

  it('stops the sending at once if another process took it over, even before this is noticed', async () => {
    let lostKnown: boolean | undefined
    await takeOverAtFirstCall()
    const { sending, sent } = await send((_done, { lease }) => (lostKnown = lease.lost.aborted))
    expect(lostKnown).toBe(false)
    expect(told(sending)).toEqual([1, expect.stringContaining('Sending the plan: another process')])
    expect(String(sending.stoppedAt)).toContain('apply the file again')
    expect(sent).toEqual(['sent', 'not_sent', 'not_sent'])
    expect(await labels()).toEqual(['One'])
    expect(await entered()).toEqual(['done'])
  })

  it('leaves a waiting call unsent if it is lost', async () => {
    const stop = new AbortController()
    const { governor } = world.account
    const { sending, sent } = await send(async (done) => {
      if (done !== 1) return
      await governor.hold('LIGHT', world.sandbox.clock.now() + 60_000, 'rate')
      await expect.poll(async () => (await entered()).length).toBe(2)
      stop.abort(new Error('lost'))
    }, stop.signal)
    expect(told(sending)).toEqual([1, 'Error: lost'])
    expect(sent).toEqual(['sent', 'not_sent', 'not_sent'])
    expect(await labels()).toEqual(['One'])
    expect(await entered()).toEqual(['done', 'not_sent'])
  })
})

/** Takes over the lease when the first call is recorded, as another process does with an expired one. */
async function takeOverAtFirstCall(): Promise<void> {
  const { db } = world.warehouse
  const take = sql`update callsheet.leases set epoch = epoch + 1, holder = '{"host":"elsewhere"}'`
  await sql`create function callsheet.take_over() returns trigger language plpgsql
    as $$ begin ${take}; return null; end $$`.execute(db)
  await sql`create trigger taken_over after update on callsheet.calls for each row
    when (new.state = 'done') execute function callsheet.take_over()`.execute(db)
}

const NEVER = new AbortController().signal
