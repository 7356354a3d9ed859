import { expect, it } from 'vitest'
import { desiredLabels } from '../../../src/desired/labels.ts'
import { planWanted } from '../../../src/engine/apply/plan.ts'
import { sendPlan } from '../../../src/engine/apply/send.ts'
import { settle } from '../../../src/engine/apply/settle.ts'
import { openWorld, TINY } from '../../helpers/world.ts'
import { rowsOf } from '../../sandbox/with-caller.ts'
import { applyBench, states, wanted } from './apply-bench.ts'

it('a stop between two calls sends no more, and says what was sent', async () => {
  const world = await openWorld({ sizes: TINY })
  const label = (name: string) => ({ name, color: '#AA0000', sensitivity_level: 1 })
  const wish = wanted(desiredLabels, label('One'), label('Two'), label('Three'))
  const plans = await applyBench(world).plan(wish)
  const { deps } = world.account
  const stop = new AbortController()
  const sending = await sendPlan(deps, {
    account: 'account-0',
    plans,
    askedBy: () => 'test@here',
    signal: stop.signal,
    onSent: ({ done }) => done === 2 && stop.abort(new Error('stopped by SIGINT')),
  })
  expect([sending.calls, String(sending.stoppedAt)]).toEqual([2, 'Error: stopped by SIGINT'])
  expect(states(settle(plans, sending, undefined))).toEqual(['sent', 'sent', 'not_sent'])
  const names = (await rowsOf(world.sandbox, 'classification_labels')).map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['One', 'Two']))
  expect(names).not.toContain('Three')
  // The same plan stands until somebody reads the account again: then two of three are done.
  expect(states(settle(plans, sending, await planWanted(deps, 'account-0', [wish])))).toEqual([
    expect.stringMatching(/^not_seen/),
    expect.stringMatching(/^not_seen/),
    'not_sent',
  ])
  const again = await applyBench(world).apply([wish])
  expect(again.plans[0]?.items.map(({ action }) => action)).toEqual(['present', 'present', 'add'])
  expect(states(again.settled)).toEqual(['done'])
  await world.close()
})
