import { expect, test } from 'vitest'
import type { Page } from '../../../src/api/answers/payload.ts'
import { PageTokenError, ServiceError } from '../../../src/core/errors.ts'
import { listSessionReports as operation } from '../../../src/resources/session-reports.ts'
import { checkEcho, refuseStranger } from '../../../src/sync/read/page-chain.ts'

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
])('a page with an echo of %s is accepted', (_name, echo) => {
  const args = asked('2026-06-03', '2026-06-19')
  expect(checkEcho(operation, { args, page: echoing(echo), nowMs: NOW })).toBe(args)
})

test('an end that the service moved to its current time is used for the next pages', () => {
  expect(check({ from: '2026-07-01', to: '2026-07-09' }, { to: '2026-07-08' })).toEqual(
    asked('2026-07-01', '2026-07-08'),
  )
})

test.each([
  '2026-07-08T13:59:01+02:00',
  '2026-07-08T11:59:01.000Z',
  '2026-07-08 11:59:01',
  'Wed, 08 Jul 2026 11:59:01 GMT',
])('a moved end is sent in the format of the requested bounds, not as %s', (to) => {
  const query = { from: '2026-07-01T00:00:00Z', to: '2026-07-08T12:30:00Z' }
  expect(check(query, { to })).toEqual(asked(query.from, '2026-07-08T11:59:01Z'))
})

test.each([
  ['a later beginning', { from: '2026-06-10' }],
  ['an earlier end that is not the present', { to: '2026-06-12' }],
  ['an end that is not a date', { to: 'soon' }],
])('a range silently narrowed by %s makes the slice fail', (_name, echo) => {
  const narrowed = () => check({ from: '2026-06-03', to: '2026-06-19' }, echo)
  expect(narrowed).toThrow(ServiceError)
  expect(narrowed).toThrow(/window_narrowed|the service answered for/)
})

test('a window that ended long ago fails if the service moves its end to the current time', () => {
  expect(() => check({ from: '2026-06-03', to: '2026-06-19' }, { to: '2026-07-08' })).toThrow(
    'the service answered for to=2026-07-08',
  )
})

test('N10 a later page for another range is rejected, and the list is read again', () => {
  const args = asked('2026-06-03', '2026-06-19')
  expect(() => refuseStranger(operation, args, echoing({ from: '2026-06-03' }))).not.toThrow()
  expect(() => refuseStranger(operation, args, echoing({}))).not.toThrow()
  const stranger = () => refuseStranger(operation, args, echoing({ from: '2026-06-17' }))
  expect(stranger).toThrow(PageTokenError)
  expect(stranger).toThrow('a later page is for from=2026-06-17')
})

test.each([
  ['an offset', '2026-06-03T02:00:00+02:00', '2026-06-19T02:00:00+0200'],
  ['milliseconds', '2026-06-03T00:00:00.000Z', '2026-06-19T23:59:59.999Z'],
  ['a space', '2026-06-03 00:00:00', '2026-06-20 00:00:00 UTC'],
  ['a negative offset', '2026-06-02T22:00:00-02:00', '2026-06-18T20:00:00-04:00'],
  ['epoch seconds', '1780444800', '1781827200'],
  ['epoch milliseconds', '1780444800000', '1781827200000'],
  ['an HTTP date', 'Wed, 03 Jun 2026 00:00:00 GMT', 'Fri, 19 Jun 2026 00:00:00 GMT'],
  ['no separators', '20260603T000000Z', '20260619'],
  ['slashes', '2026/06/03', '2026/06/19'],
  ['no seconds', '2026-06-03T00:00Z', '2026-06-19T00:00+00'],
])('an echo in another format counts as the same range: %s', (_name, from, to) => {
  const days = { query: { from: '2026-06-03', to: '2026-06-19' } }
  expect(checkEcho(operation, { args: days, page: echoing({ from, to }), nowMs: NOW })).toBe(days)
  const other = echoing({ from: from.replace('03', '05').replace('17804448', '17809999') })
  const narrowed = () => checkEcho(operation, { args: days, page: other, nowMs: NOW })
  if (!from.includes('T22')) expect(narrowed).toThrow(ServiceError)
})

test.each([
  '2026-06-03T12:30:00.000Z',
  '2026-06-03T14:30:00+02:00',
  '2026-06-03 12:30:00',
  '2026-06-03T12:30Z',
  '1780489800',
  '1780489800000',
  'Wed, 03 Jun 2026 12:30:00 GMT',
  '20260603T123000Z',
])('an instant may be echoed as %s', (from) => {
  const args = { query: { from: '2026-06-03T12:30:00Z', to: '2026-06-19T00:00:00Z' } }
  expect(checkEcho(operation, { args, page: echoing({ from }), nowMs: NOW })).toBe(args)
  const later = { query: { ...args.query, from: '2026-06-03T12:30:01Z' } }
  expect(() => checkEcho(operation, { args: later, page: echoing({ from }), nowMs: NOW })).toThrow(
    ServiceError,
  )
})

test('a moved end in epoch seconds is sent in the format of the requested bounds', () => {
  const seconds = String(Date.UTC(2026, 6, 8, 11) / 1000)
  expect(check({ from: '2026-07-01', to: '2026-07-09' }, { to: seconds })).toEqual(
    asked('2026-07-01', '2026-07-08'),
  )
})
