import { describe, expect, test } from 'vitest'
import type { Stream } from '../../../src/core/define/stream.ts'
import { portedOrders, sipTrunks } from '../../../src/resources/number-settings.ts'
import { peeringNumbers } from '../../../src/resources/peering-numbers.ts'
import { users } from '../../../src/resources/users.ts'
import { whiteboards } from '../../../src/resources/whiteboards.ts'
import { type AskedPage, readListOf } from './read-list-stage.ts'

const PAGES = 3
const OF_95 = Array.from({ length: 95 }, (_, at) => ({ id: `u${at}`, email: `u${at}@x.example` }))
const cut = (list: readonly object[], { number, size }: AskedPage, least = 45) =>
  list.slice((number - 1) * Math.min(size, least), number * Math.min(size, least))

describe('a list with a page count and no tokens', () => {
  const count = { page_count: PAGES }
  const answers: [string, (asked: AskedPage) => object][] = [
    [
      'states the page number',
      (asked) => ({ ...count, page_number: asked.number, users: cut(OF_95, asked) }),
    ],
    [
      'states the page number as text',
      (asked) => ({ page_count: '3', page_number: String(asked.number), users: cut(OF_95, asked) }),
    ],
    ['states no page number', (asked) => ({ ...count, users: cut(OF_95, asked) })],
    [
      'has an empty token',
      (asked) => ({ ...count, next_page_token: '', users: cut(OF_95, asked) }),
    ],
    ['has a total', (asked) => ({ ...count, total_records: 95, users: cut(OF_95, asked) })],
    [
      'has a total of each page',
      (asked) => ({ ...count, total_records: cut(OF_95, asked).length, users: cut(OF_95, asked) }),
    ],
  ]
  test.each(answers)('is read by page numbers if it %s', async (_how, answer) => {
    const { reading, keys, queries } = await readListOf(users, answer)
    expect(reading).toMatchObject({ error: undefined, received: 95, pages: PAGES, endProven: true })
    expect(keys).toEqual(OF_95.map(({ id }) => id))
    const asked = queries.map((query) => [query.get('page_number'), query.get('page_size')])
    expect(asked).toEqual([
      [null, '300'],
      ['2', '300'],
      ['3', '300'],
    ])
  })

  const others: [Stream, string, string][] = [
    [portedOrders, 'ported_numbers', 'order_id'],
    [whiteboards, 'whiteboards', 'whiteboard_id'],
    [peeringNumbers, 'numbers', 'phone_number'],
    [sipTrunks, 'byoc_sip_trunk', 'sip_trunk_id'],
  ]
  test.each(others)(
    'is read by page numbers in streams of different operations',
    async ({ ...stream }, items, key) => {
      const list = Array.from({ length: 25 }, (_, at) => ({ [key]: `+4155501${100 + at}` }))
      const only = { ...stream, sync: { kind: 'snapshot', requests: () => [] } } as Stream
      const { reading } = await readListOf(only, (asked) => ({
        ...count,
        [items]: cut(list, asked, 10),
      }))
      expect(reading).toMatchObject({ error: undefined, received: 25, pages: PAGES })
    },
  )

  const wrong: [string, string, (asked: AskedPage) => object][] = [
    [
      'the first page again',
      'unexpected_answer',
      (asked) => ({ ...count, page_number: 1, users: cut(OF_95, { ...asked, number: 1 }) }),
    ],
    [
      'the first page again, without its number',
      'list_moved',
      (asked) => ({ ...count, users: cut(OF_95, { ...asked, number: 1 }) }),
    ],
    [
      'an invalid page number',
      'unexpected_answer',
      (asked) => ({
        ...count,
        page_number: asked.number === 1 ? 1 : 'two',
        users: cut(OF_95, asked),
      }),
    ],
    [
      'an unreadable page count',
      'unexpected_answer',
      (asked) => ({ page_count: 'a few', users: cut(OF_95, asked) }),
    ],
    [
      'fewer rows than its total',
      'short_list',
      (asked) => ({ ...count, total_records: 120, users: cut(OF_95, asked) }),
    ],
    [
      'another total on each page',
      'list_moved',
      (asked) => ({ ...count, total_records: 95 + asked.calls, users: cut(OF_95, asked) }),
    ],
    [
      'a growing page count',
      'list_moved',
      (asked) => ({ page_count: 2 + asked.number, users: cut(OF_95, asked) }),
    ],
    [
      'the same page for every page number',
      'repeated_pages',
      (asked) => ({ page_count: 1_000_000, users: asked.number > 3 ? [] : cut(OF_95, asked) }),
    ],
  ]
  test.each(wrong)(
    'fails with a specific error code if it shows %s',
    async (_what, code, answer) => {
      const { reading } = await readListOf(users, answer)
      expect(reading.error).toMatchObject({ code })
      expect(reading.endProven).toBe(false)
    },
  )

  test('is read again if a row disappeared during the read, and is then complete', async () => {
    const after = OF_95.slice(1)
    const { reading, keys } = await readListOf(users, (asked) => {
      const list = asked.calls === 1 ? OF_95 : after
      return { ...count, total_records: list.length, users: cut(list, asked) }
    })
    expect(reading.error).toBeUndefined()
    expect(new Set(keys).size).toBe(95)
  })

  test('fails if its page tokens end before its page count', async () => {
    const { reading } = await readListOf(users, (asked) => ({
      ...count,
      ...(asked.token === '' ? { next_page_token: 'second' } : {}),
      users: cut(OF_95, { ...asked, number: asked.token === '' ? 1 : 2 }),
    }))
    expect(reading.error).toMatchObject({ code: 'short_list' })
  })
})

describe('the total of a list', () => {
  const unreadable = ['30+', 'many', -1, 30.5, {}, [95], true, '-1', '1e3', '9'.repeat(20)]
  test.each(unreadable)('that is unreadable does not count as missing: %j', async (total) => {
    const { reading } = await readListOf(users, () => ({ total_records: total, users: OF_95 }))
    expect(reading.error).toMatchObject({ code: 'unexpected_answer' })
    expect(String(reading.error)).toContain('total_records')
  })

  test.each([95, '95', null, undefined, ''])('that is %j is readable', async (total) => {
    const { reading } = await readListOf(users, () => ({ total_records: total, users: OF_95 }))
    expect(reading).toMatchObject({ error: undefined, received: 95 })
  })
})

describe('an endless list', () => {
  const page = (asked: AskedPage) => OF_95.slice((asked.calls - 1) * 30, asked.calls * 30)
  const shown = (asked: AskedPage) => (asked.calls > 3 ? OF_95.slice(0, 30) : page(asked))
  const endless: [string, (asked: AskedPage) => unknown[]][] = [
    [
      'its last page repeats',
      (asked) => OF_95.slice(Math.min(asked.calls - 1, 3) * 30).slice(0, 30),
    ],
    ['it begins again', (asked) => OF_95.slice(((asked.calls - 1) % 4) * 30).slice(0, 30)],
    ['only empty pages follow', (asked) => page(asked)],
    ['one page repeats', shown],
    ['records without a key repeat', (asked) => [{ email: null }, null, ...shown(asked)]],
  ]
  test.each(endless)('fails at once if %s, even with new tokens', async (_how, users_) => {
    const { reading, queries } = await readListOf(users, (asked) => ({
      next_page_token: `t${asked.calls}`,
      users: users_(asked),
    }))
    expect(reading.error).toMatchObject({ code: 'repeated_pages' })
    expect(queries.length).toBeLessThan(20)
  })

  test('does not include a list with a new record on some of its pages', async () => {
    const { reading } = await readListOf(users, ({ calls }) => ({
      next_page_token: calls === 40 ? '' : `t${calls}`,
      users: calls % 10 === 0 ? [{ id: `u${calls}` }] : [],
    }))
    expect(reading).toMatchObject({ error: undefined, received: 4, pages: 40 })
  })
})
