import { describe, expect, it } from 'vitest'
import type { Switches } from '../../../sandbox/seed-data/options.ts'
import { pathOf, told, type VideoBench, withVideo } from '../video-bench.ts'

const PATH = '/videosdk/sessions'
const TODAY = { from: '2026-06-10', to: '2026-06-10' }
const HOUR_MS = 3_600_000

describe('a created session', () => {
  it('is returned with its dial-in numbers', () =>
    withVideo({}, async ({ caller }) => {
      const asked = {
        session_name: 'Plan',
        session_password: 'Abc123',
        settings: { auto_recording: 'cloud' },
      }
      const { status, body } = await caller.send('POST', PATH, asked)
      expect(status).toBe(201)
      expect(body).toMatchObject({ ...asked, created_at: '2026-06-10T09:00:00Z' })
      expect(body.session_id).toMatch(/^[\w+/]+={0,2}$/)
      expect(String(body.session_number)).toMatch(/^\d{9,19}$/)
      expect(body.passcode).toMatch(/^\d+$/)
      const settings = body.settings as Record<string, Record<string, unknown>[]>
      const countries = settings.global_dial_in_countries
      const types = new Set<unknown>()
      for (const { country, country_name, number, type } of settings.global_dial_in_numbers ?? []) {
        expect(countries).toContain(country)
        expect(country_name).toMatch(/^\w/)
        expect(number).toMatch(/^\+\d+$/)
        types.add(type)
      }
      expect(types).toEqual(new Set(['toll', 'tollfree', 'premium']))
    }))

  it('has no password and no recording by default', () =>
    withVideo({}, async ({ caller }) => {
      const { body } = await caller.send('POST', PATH, { session_name: 'Plan' })
      expect(body).not.toHaveProperty('session_password')
      expect(body.settings).toMatchObject({ auto_recording: 'none' })
      const other = await caller.send('POST', PATH, { session_name: 'Plan' })
      expect(other.body.session_id).not.toBe(body.session_id)
    }))

  it.each([
    [undefined],
    [{}],
    [{ session_name: '' }],
    [{ session_name: 's', session_password: 'a b' }],
    [{ session_name: 's', session_password: '' }],
    [{ session_name: 's', settings: { auto_recording: 'local' } }],
    [{ session_name: 's', session_key: 'k' }],
  ])('is refused for the body %o', (body) =>
    withVideo({}, async ({ caller }) =>
      expect(told(await caller.send('POST', PATH, body))).toEqual([400, 300]),
    ),
  )

  it('is not listed until somebody joins, then listed as live, and after its end as past', () =>
    withVideo({}, async (bench) => {
      const { caller, sandbox } = bench
      const { body } = await caller.send('POST', PATH, { session_name: 'Ours' })
      const id = String(body.session_id)
      expect(await reports(bench, id)).toEqual({ live: undefined, past: undefined, truth: 0 })
      expect(told(await caller.send('DELETE', pathOf(id)))).toEqual([404, 3301])
      sandbox.advance(HOUR_MS)
      const startMs = sandbox.clock.now()
      sandbox.mutate({ ops: [{ kind: 'sessions', action: 'change', id, patch: { startMs } }] })
      sandbox.advance(60_000)
      expect(await reports(bench, id)).toMatchObject({
        live: { id, session_name: 'Ours', start_time: '2026-06-10T10:00:00Z', end_time: null },
        past: undefined,
        truth: 0,
      })
      expect(told(await caller.send('DELETE', pathOf(id)))).toEqual([400, 3303])
      sandbox.advance(4 * HOUR_MS)
      const over = await reports(bench, id)
      expect(over).toMatchObject({ live: undefined, past: { id, session_name: 'Ours' }, truth: 1 })
    }))
})

/** Returns a session as the lists show it now, and the number of its rows in the truth. */
async function reports({ caller, sandbox }: VideoBench, id: string) {
  const list = async (type: string) => {
    const query = { ...TODAY, type, page_size: '300' }
    const all = (await caller.drain(PATH, 'sessions', query)) as { id: string }[]
    return all.find((one) => one.id === id)
  }
  let truth = 0
  for await (const row of sandbox.truth('session_reports')) if (row.id === id) truth++
  return { live: await list('live'), past: await list('past'), truth }
}

describe('the session list', () => {
  it('filters live and past sessions by key and by name', () =>
    withVideo({}, async ({ caller }) => {
      for (const type of ['live', 'past']) {
        const query = { from: '2026-05-20', to: '2026-06-10', type, page_size: '300' }
        const all = (await caller.drain(PATH, 'sessions', query)) as Record<string, string>[]
        const [{ session_key: key = '', session_name: name = '' } = {}] = all.filter(
          (one) => one.session_key && one.session_name,
        )
        for (const [field, value] of Object.entries({ session_key: key, session_name: name })) {
          const found = await caller.drain(PATH, 'sessions', { ...query, [field]: value })
          expect(found).toEqual(all.filter((one) => one[field] === value))
          expect(found.length).toBeGreaterThan(0)
        }
        expect(await caller.drain(PATH, 'sessions', { ...query, session_key: 'none' })).toEqual([])
      }
    }))

  it.each([
    [{ ...TODAY, type: 'all' }],
    [{ from: TODAY.from }],
    [{ to: TODAY.to }],
    [{ from: '2026-06-10T00:00:00Z', to: TODAY.to }],
    [{ from: '2026-06-10', to: '2026-06-09' }],
    [{ ...TODAY, user_id: 'me' }],
  ])('refuses the query %o', (query) =>
    withVideo({}, async ({ caller }) =>
      expect(told(await caller.get(PATH, query as Record<string, string>))).toEqual([400, 300]),
    ),
  )

  const plans: [keyof Switches, number][] = [
    ['paidAccount', 401],
    ['dashboard', 403],
  ]
  it.each(plans)(
    'is refused for an account without %s, with status %i and no code',
    (name, status) =>
      withVideo({ switches: { [name]: false } }, async ({ caller }) => {
        const answer = await caller.get(PATH, TODAY)
        expect(told(answer)).toEqual([status, undefined])
        expect(answer.body.message).toMatch(/account/)
        expect((await caller.send('POST', PATH, { session_name: 's' })).status).toBe(201)
      }),
  )
})
