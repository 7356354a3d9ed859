import { expect, it } from 'vitest'
import { z } from 'zod'
import { instant, text } from '../../../src/core/define/column.ts'
import { defineOperation } from '../../../src/core/define/define-operation.ts'
import { defineStream } from '../../../src/core/define/define-stream.ts'
import type { SliceRequest } from '../../../src/core/define/stream.ts'

const listed = {
  id: 'things.list',
  summary: 'List things',
  method: 'GET',
  path: '/boxes/{boxId}/things',
  scopes: [],
  granularScopes: [],
  rate: 'LIGHT',
  bearer: 'oauth',
  query: z.object({ status: z.string().optional(), from: z.string().optional() }),
  response: z.looseObject({ things: z.array(z.unknown()), total_records: z.number() }),
  paging: { style: 'token', items: 'things', maxPageSize: 30, tokenErrorCodes: [] },
} as const
const listThings = defineOperation({ ...listed, undocumented: ['from'] })
const getThing = defineOperation({
  ...listed,
  path: '/things/{thingId}',
  paging: { style: 'record' },
})

const columns = {
  id: text('ID of the thing.'),
  name: text('Name of the thing.'),
  seen_at: instant('When it was seen.'),
}
const snapshot = {
  kind: 'snapshot',
  requests: () => [{ slice: 'all', arguments: { query: { status: 'on' } }, filter: {} }],
} as const
const thing = {
  name: 'things',
  about: 'One thing in a box.',
  operation: listThings,
  columns,
  key: ['id'],
  personal: ['name'],
  transient: [],
  volatile: ['seen_at'],
  also: ['colour'],
  expected: ['name', 'colour'],
  sync: snapshot,
  deletions: {
    by: 'detail',
    operation: getThing,
    path: ({ id = '' }: Readonly<Record<string, string>>) => ({ thingId: id }),
  },
} as const
const things = defineStream(thing)

const asks = <const Query>(query: Query) => ({ slice: 's', arguments: { query }, filter: {} })
const of = <const Path>(path: Path) => ({ slice: 's', arguments: { path }, filter: {} })
const windows = {
  kind: 'windows',
  cursor: 'seen_at',
  spanDays: 1,
  overlapDays: 0,
  lookbackDays: 1,
  historyLimitDays: 1,
  request: () => asks({ from: '2026' }),
} as const
const again = { versions: ['_hash', 'name'], maxAgeDays: 1 } as const
const fanOut = {
  kind: 'fan-out',
  parent: things,
  order: 'seen_at',
  within: { from: 'seen_at', to: 'seen_at' },
  again,
  request: () => of({ boxId: 'a' }),
} as const

const nested = {
  kind: 'nested',
  parent: things,
  items: (record: Readonly<Record<string, unknown>>) => record.parts,
} as const

it('declarations whose columns, fields and parameters exist pass the type check', () => {
  expect(defineStream({ ...thing, sync: { ...nested, measuredBy: ['name'] } }).name).toBe('things')
  expect(defineStream({ ...thing, sync: windows }).sync.cursor).toBe('seen_at')
  expect(defineStream({ ...thing, sync: fanOut }).sync.order).toBe('seen_at')
})

it('a declaration is returned unchanged', () => {
  expect(things.key).toEqual(['id'])
  expect(listThings.paging.items).toBe('things')
})

it('a declaration contains the description of each stream and column', () => {
  expect(things.about).toBe('One thing in a box.')
  expect(things.columns.seen_at.about).toBe('When it was seen.')
})

// The compiler checks the lines below: if one of them has no error, the test does not compile.
export const wrong = [
  // @ts-expect-error: the answer has its list in another field.
  () => defineOperation({ ...listed, paging: { ...listed.paging, items: 'thing' } }),
  // @ts-expect-error: this field is not a list.
  () => defineOperation({ ...listed, paging: { ...listed.paging, items: 'total_records' } }),
  // @ts-expect-error: the path has no such placeholder.
  () => defineOperation({ ...listed, alsoCalled: { id: 'boxID' } }),
  // @ts-expect-error: the path has no such placeholder.
  () => defineOperation({ ...listed, encodeTwice: { box: 'odd-slashes' } }),
  // @ts-expect-error: the query has no such parameter.
  () => defineOperation({ ...listed, undocumented: ['form'] }),
  // @ts-expect-error: a column needs a description.
  () => instant(),
  // @ts-expect-error: a stream needs a description.
  () => defineStream({ ...thing, about: undefined }),
  // @ts-expect-error: there is no such column.
  () => defineStream({ ...thing, key: ['idd'] }),
  // @ts-expect-error: there is no such column.
  () => defineStream({ ...thing, subject: ['ids'] }),
  // @ts-expect-error: there is no such column.
  () => defineStream({ ...thing, person: { known: ['id'], called: [['nam']] } }),
  // @ts-expect-error: there is no such column.
  () => defineStream({ ...thing, personal: ['nme'] }),
  // @ts-expect-error: there is no such column.
  () => defineStream({ ...thing, volatile: ['seen_att'] }),
  // @ts-expect-error: there is no such column or other field.
  () => defineStream({ ...thing, expected: ['color'] }),
  // @ts-expect-error: there is no such column.
  () => defineStream({ ...thing, aliases: { nam: ['title'] } }),
  // @ts-expect-error: there is no such column.
  () => defineStream({ ...thing, deletions: { ...thing.deletions, expiresAt: 'ends_at' } }),
  // @ts-expect-error: the path of the detail call has no such placeholder.
  () => defineStream({ ...thing, deletions: { ...thing.deletions, path: () => ({ id: 'a' }) } }),
  // @ts-expect-error: there is no such transient field.
  () => defineStream({ ...thing, transient: ['downlod_url'] }),
  // @ts-expect-error: the query has no such parameter.
  () => defineStream({ ...thing, sync: { ...snapshot, requests: () => [asks({ statsu: 'on' })] } }),
  () =>
    defineStream({
      ...thing,
      sync: {
        ...snapshot,
        // @ts-expect-error: the query has no such parameter, although another request is correct.
        requests: () => [
          ...['on', 'off'].map((status) => ({
            slice: `status=${status}`,
            arguments: { query: { statsu: status } },
            filter: { status },
          })),
          { slice: 'any status', arguments: { query: {} }, filter: {} },
        ],
      },
    }),
  () =>
    defineStream({
      ...thing,
      sync: {
        ...snapshot,
        // @ts-expect-error: the query has no such parameter.
        requests: () =>
          ['on', 'off'].map((status) => ({
            slice: status,
            arguments: { query: { statsu: status } },
            filter: {},
          })),
      },
    }),
  () =>
    defineStream({
      ...thing,
      // @ts-expect-error: the query has no such parameter, although another request is correct.
      sync: { ...snapshot, requests: () => [asks({ status: 'on' }), asks({ statsu: 'on' })] },
    }),
  () =>
    defineStream({
      ...thing,
      // @ts-expect-error: the path has no such placeholder, although another request is correct.
      sync: { ...snapshot, requests: () => [asks({ status: 'on' }), of({ boxID: 'a' })] },
    }),
  () =>
    defineStream({
      ...thing,
      sync: {
        ...snapshot,
        // @ts-expect-error: the query has no such parameter.
        requests: () => [{ ...asks({ status: 'on' }), otherWays: [[{ query: { statsu: 'on' } }]] }],
      },
    }),
  // @ts-expect-error: this type allows any parameter, so its names cannot be checked.
  () => defineStream({ ...thing, sync: { ...snapshot, requests: (): SliceRequest[] => [] } }),
  // @ts-expect-error: there is no such column.
  () => defineStream({ ...thing, sync: { ...windows, cursor: 'seen' } }),
  // @ts-expect-error: the query has no such parameter.
  () => defineStream({ ...thing, sync: { ...windows, request: () => asks({ form: '2026' }) } }),
  // @ts-expect-error: the query has no such parameter.
  () => defineStream({ ...thing, sync: { ...windows, besides: () => [asks({ trahs: 'yes' })] } }),
  () =>
    defineStream({
      ...thing,
      sync: {
        ...windows,
        // @ts-expect-error: the query has no such parameter, although the other branch is correct.
        request: ({ fromMs }) => (fromMs > 0 ? asks({ from: '2026' }) : asks({ form: '2026' })),
      },
    }),
  () =>
    defineStream({
      ...thing,
      sync: {
        ...windows,
        // @ts-expect-error: the query has no such parameter.
        besides: () => [asks({ status: 'on' }), ...['yes'].map((trahs) => asks({ trahs }))],
      },
    }),
  () =>
    defineStream({
      ...thing,
      // @ts-expect-error: the query has no such parameter.
      sync: { ...windows, incremental: () => ({ query: { form: '2026' } }) },
    }),
  // @ts-expect-error: the parent has no such column.
  () => defineStream({ ...thing, sync: { ...fanOut, order: 'seen' } }),
  // @ts-expect-error: the parent has no such column.
  () => defineStream({ ...thing, sync: { ...fanOut, within: { from: 'seen_at', to: 'gone_at' } } }),
  // @ts-expect-error: the parent has no such column.
  () => defineStream({ ...thing, sync: { ...fanOut, again: { ...again, versions: ['nmae'] } } }),
  // @ts-expect-error: the path has no such placeholder.
  () => defineStream({ ...thing, sync: { ...fanOut, request: () => of({ boxID: 'a' }) } }),
  // @ts-expect-error: the parent has no such column.
  () => defineStream({ ...thing, sync: { ...nested, measuredBy: ['size'] } }),
  // @ts-expect-error: the parent has no such column.
  () => defineStream({ ...thing, sync: { ...nested, measuredBy: ['name'], countedBy: 'size' } }),
]
