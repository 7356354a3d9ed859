import { expect, test } from 'vitest'
import type { Page } from '../../src/api/client.ts'
import { PageTokenError, ServiceError } from '../../src/core/errors.ts'
import { checkEcho, refuseStranger } from '../../src/engine/check-echo.ts'
import { listSessionReports as operation } from '../../src/resources/session-reports.ts'

const NOW = Date.UTC(2026, 6, 8, 12)
const asked = (from: string, to: string) => ({ query: { from, to } })
const echoing = (echo: Page['echo']) => ({ echo }) as Page

function check(query: { from: string; to: string }, echo: Page['echo']) {
  return checkEcho(operation, { args: { query }, page: echoing(echo), nowMs: NOW })
}

test.each([
  ['nothing', {}],
  ['the same days', { from: '2026-06-03', to: '2026-06-19' }],
  ['the same days as instants', { from: '2026-06-03T00:00:00Z', to: '2026-06-19T10:00:00Z' }],
])('a page that answers for %s is believed', (_name, echo) => {
  const args = asked('2026-06-03', '2026-06-19')
  expect(checkEcho(operation, { args, page: echoing(echo), nowMs: NOW })).toBe(args)
})

test('an end that the service moved to its own present is taken over for the next pages', () => {
  expect(check({ from: '2026-07-01', to: '2026-07-09' }, { to: '2026-07-08' })).toEqual(
    asked('2026-07-01', '2026-07-08'),
  )
})

test.each([
  ['a later beginning', { from: '2026-06-10' }],
  ['an earlier end that is not the present', { to: '2026-06-12' }],
  ['an end that is no date', { to: 'soon' }],
])('a range narrowed in silence, by %s, fails the slice', (_name, echo) => {
  const narrowed = () => check({ from: '2026-06-03', to: '2026-06-19' }, echo)
  expect(narrowed).toThrow(ServiceError)
  expect(narrowed).toThrow(/window_narrowed|the service answered for/)
})

test('the present is no excuse for a window that ended long ago', () => {
  expect(() => check({ from: '2026-06-03', to: '2026-06-19' }, { to: '2026-07-08' })).toThrow(
    'the service answered for to=2026-07-08',
  )
})

test('N10 a later page that answers for another range is not taken, and the list is read anew', () => {
  const args = asked('2026-06-03', '2026-06-19')
  expect(() => refuseStranger(operation, args, echoing({ from: '2026-06-03' }))).not.toThrow()
  expect(() => refuseStranger(operation, args, echoing({}))).not.toThrow()
  const stranger = () => refuseStranger(operation, args, echoing({ from: '2026-06-17' }))
  expect(stranger).toThrow(PageTokenError)
  expect(stranger).toThrow('a page that answers for from=2026-06-17')
})
