import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSessionJwt } from '../../src/api/auth/session-jwt.ts'
import type { Verdict } from '../../src/cli/probe/probe.ts'
import { probes } from '../../src/cli/probe/probes.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { ALL_SCOPES } from '../../src/sandbox/seed-data/options.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import type { Ways } from './altering-proxy.ts'
import { contraryService, oddService } from './contrary-service.ts'
import {
  CONTRARY_IDS,
  OTHER,
  type Probed,
  type ProbeSetting,
  probeWith,
  USUAL,
} from './probe-stage.ts'
import { forbidInside, refuseTwice, tellLimit } from './single-ways.ts'

const WINDOWS = ['whiteboard_sessions', 'whiteboards', 'session_reports', 'recordings']

let database: TestDatabase
const runs: Record<'usual' | 'other' | 'contrary' | 'odd' | 'scopes' | 'limited', Probed> =
  {} as never
beforeAll(async () => {
  database = await testDatabase()
  const probe = (options: Omit<ProbeSetting, 'databaseUrl'>): Promise<Probed> =>
    probeWith({ ...options, databaseUrl: database.url })
  runs.usual = await probe({ ...USUAL, ways: { tell: tellLimit } })
  runs.other = await probe(OTHER)
  runs.contrary = await probe({
    readings: { ...CONTRARY_IDS, trunkProduct: 'required' },
    ways: contraryService(),
    found: [{ reading: 'otherIds', variant: 'twice', shownBy: 'an ID that was found so' }],
  })
  const jwt = createSessionJwt({ ...VIDEO_KEY, clock: systemClock })
  const signed = async (): Promise<string> => (await jwt.current()).value
  runs.odd = await probe({ readings: { lastToken: 'absent' }, ways: oddService(signed) })
  const scopes = ALL_SCOPES.filter((scope) => !/^(user|whiteboard):/.test(scope))
  runs.scopes = await probe({ accounts: [{ scopes }], ways: { tell: forbidInside } })
  runs.limited = await probe({ account: { quotas: UNKNOWN }, ways: refuseTwice() })
}, 60_000)
afterAll(() => database.drop())

const idsOf = ({ probes: results }: Probed, verdict: Verdict): string[] =>
  results.filter((one) => one.verdict === verdict).map((one) => one.probe.id)

describe('the probes', () => {
  it('find that all holds where it does', () => {
    expect(idsOf(runs.usual, 'differs')).toEqual([])
    expect(idsOf(runs.usual, 'not allowed')).toEqual([])
    // No refusal of this kind came.
    expect(idsOf(runs.usual, 'unclear')).toEqual(['error-in-success', 'missing-scope'])
  })

  it('find each that does not hold, and say what that means', () => {
    expect(idsOf(runs.contrary, 'holds')).toEqual(['video-token'])
    expect(idsOf(runs.contrary, 'unclear')).toEqual(['missing-scope'])
    const differing = Object.values(runs).flatMap(({ probes: results }) =>
      results.filter(({ verdict }) => verdict === 'differs'),
    )
    expect(differing.filter(({ means = '' }) => means === '').map(({ probe }) => probe.id)).toEqual(
      [],
    )
  })

  it('can each come out both ways', () => {
    for (const verdict of ['holds', 'differs'] as const) {
      const seen = new Set(Object.values(runs).flatMap((run) => idsOf(run, verdict)))
      expect([verdict, probes.filter(({ id }) => !seen.has(id)).map(({ id }) => id)]).toEqual([
        verdict,
        [],
      ])
    }
  })

  it('send reads alone, and no more than they said', () => {
    for (const run of Object.values(runs)) {
      const reads = run.requests.filter(({ method }) => method === 'GET')
      const others = run.requests.filter(({ method }) => method !== 'GET')
      expect(new Set(others.map(({ method, path }) => `${method} ${path}`))).toEqual(
        new Set(['POST /oauth/token']),
      )
      expect(run.notes.join()).toContain(`${run.mostCalls} calls at most, all of them reads`)
      expect(reads.length).toBeGreaterThan(20)
      expect(reads).toHaveLength(run.calls)
      expect(run.calls).toBeLessThanOrEqual(run.mostCalls)
      for (const { probe, reads: made } of run.probes)
        expect([probe.id, made <= probe.mostReads]).toEqual([probe.id, true])
    }
  })

  it('stop at the calls that were announced, whatever has to be asked again', async () => {
    let count = 0
    const failing: Ways = {
      tell: ({ path }, told) => {
        if (path !== '/oauth/token' && count++ % 2 === 0)
          Object.assign(told, { status: 500, body: 'Out of order' })
      },
    }
    const run = await probeWith({
      readings: CONTRARY_IDS,
      ways: failing,
      databaseUrl: database.url,
    })
    expect(run.calls).toBe(run.mostCalls)
    expect(run.requests.filter(({ method }) => method === 'GET')).toHaveLength(run.mostCalls)
    expect(run.probes).toHaveLength(probes.length)
    expect(
      run.probes.filter(({ found }) => found.includes('they were spent')).length,
    ).toBeGreaterThan(0)
  })
})

describe('the habits of a service', () => {
  it.each(WINDOWS)('which end of a long window is kept, of %s', (list) => {
    expect(runs.usual.of(`window-span.${list}`).facts).toMatchObject({ kept: 'from' })
    expect(runs.other.of(`window-span.${list}`).facts).toMatchObject({ kept: 'to' })
  })

  it('how its last page looks', () => {
    const forms = (['usual', 'other', 'odd'] as const).map(
      (run) => runs[run].of('last-page').facts?.form,
    )
    expect(forms).toEqual(['empty', 'null', 'absent'])
    expect(runs.contrary.of('last-page')).toMatchObject({
      verdict: 'differs',
      facts: { form: 'boolean' },
    })
  })

  it('how long its pages are', () => {
    const size = (run: Probed, list: string) => run.of(`page-size.${list}`)
    expect(size(runs.usual, 'users')).toMatchObject({ verdict: 'holds', facts: { page_size: 300 } })
    expect(size(runs.usual, 'whiteboards').facts).toEqual({ page_size: 50 })
    expect(size(runs.other, 'users')).toMatchObject({
      verdict: 'differs',
      facts: { page_size: 25 },
      means: 'a sync reads 12 times as many pages, and loses none',
    })
  })

  it('how it answers a token that is no good, for which none is renewed', () => {
    const told = (run: Probed) => run.of('invalid-token')
    expect(told(runs.usual)).toMatchObject({
      verdict: 'holds',
      facts: { status: 401, code: '124' },
    })
    expect(told(runs.other)).toMatchObject({
      verdict: 'holds',
      facts: { status: 400, code: '124' },
    })
    expect(told(runs.contrary)).toMatchObject({
      verdict: 'differs',
      facts: { status: 400, code: '999' },
    })
    for (const run of [runs.usual, runs.other, runs.contrary])
      expect(run.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  it('how it answers a page token that is no good, which is no bad token', () => {
    expect(runs.usual.of('bad-page-token.phone_numbers').facts).toMatchObject({ code: '1003100' })
    expect(runs.contrary.of('bad-page-token.phone_numbers')).toMatchObject({
      verdict: 'differs',
      facts: { status: 401, code: '999', recognised: true },
    })
    expect(runs.contrary.of('bad-page-token.users').found).toBe(
      'a page came for a token that was made up',
    )
  })

  it('how IDs in its paths are written, by those that tell', () => {
    const told = (run: Probed, id: string) => run.of(`path-id.${id}`)
    for (const id of ['recordings.get', 'whiteboard_sessions.get', 'phone_numbers.get']) {
      expect(told(runs.usual, id)).toMatchObject({ verdict: 'holds', facts: { tried: 3 } })
      expect(told(runs.contrary, id).verdict).toBe('differs')
    }
    expect(told(runs.contrary, 'whiteboard_sessions.get').found).toBe(
      '3 of 3 were found encoded twice alone',
    )
    expect(told(runs.contrary, 'recordings.get').found).toBe('1 of 3 were found encoded once alone')
    expect(runs.contrary.of('found-readings').found).toBe(
      'otherIds: twice (an ID that was found so)',
    )
  })

  it('whose token video sessions take', () => {
    expect(runs.odd.of('video-token')).toMatchObject({
      verdict: 'differs',
      settings: { videoSessions: { auth: 'oauth' } },
    })
    expect(runs.odd.of('page-size.recordings').verdict).toBe('not allowed')
  })

  it('where it would rather be called', () => {
    expect(runs.usual.of('api-url').settings).toBeUndefined()
    expect(runs.contrary.of('api-url').settings).toEqual({
      baseUrl: 'https://api-eu.svc.example/v2',
    })
  })
})

describe('what is not allowed', () => {
  it('is told for itself, and the rest goes on', () => {
    const forbidden = idsOf(runs.scopes, 'not allowed')
    expect(forbidden).toEqual(expect.arrayContaining(['page-size.users', 'gone.users.get']))
    expect(forbidden.every((id) => /users|whiteboards|invalid-token/.test(id))).toBe(true)
    expect(runs.scopes.of('page-size.users').found).toMatch(/4711.*user:read:admin/)
    expect(runs.scopes.of('missing-scope')).toMatchObject({ verdict: 'holds' })
    expect(runs.scopes.of('page-size.phone_numbers').verdict).toBe('holds')
    expect(runs.scopes.of('gone.ported_orders.get').verdict).toBe('holds')
  })

  it('is recognised inside an answer of success', () => {
    expect(runs.scopes.of('error-in-success')).toMatchObject({
      verdict: 'holds',
      facts: { recognised: 1, unrecognised: 0 },
    })
  })
})

describe('the limits that answers tell', () => {
  it('are compared with the configured ones, and proposed where they differ', () => {
    expect(runs.usual.of('limit-headers')).toMatchObject({ verdict: 'holds' })
    expect(runs.usual.of('limit-headers').settings).toBeUndefined()
    const { settings, verdict } = runs.contrary.of('limit-headers')
    expect(verdict).toBe('differs')
    expect(settings?.quotas).toMatchObject({
      LIGHT: { perSecond: 1_000 },
      MEDIUM: { perSecond: 7, perDay: 2_000_000, pool: 'MEDIUM' },
    })
  })

  it('are believed of a refusal only where its words do not say otherwise', () => {
    expect(runs.limited.of('limit-headers')).toMatchObject({
      verdict: 'holds',
      facts: { 'MEDIUM perSecond': 20, answers: 2 },
      settings: {
        quotas: { LIGHT: MINUTES, MEDIUM: { perSecond: 20, ...MINUTES }, HEAVY: 'learn' },
      },
    })
  })
})

/** What is let through in a second is not known, and yet not looked for, which would take time. */
const MINUTES = { perMinute: 6_000, perDay: 100_000 }
const UNKNOWN = { LIGHT: MINUTES, MEDIUM: MINUTES, 'RESOURCE-INTENSIVE': MINUTES }
const VIDEO_KEY = { apiKey: 'video-key-1', apiSecret: 'video-secret-1' }
