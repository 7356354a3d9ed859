import { describe, expect, test } from 'vitest'
import { users } from '../../../src/resources/users.ts'
import { type AskedPage, readListOf } from './read-list-stage.ts'

const PASSES = 3
const u = (...numbers: number[]) => numbers.map((at) => ({ id: `u${at}` }))
/** The loop ends after this many calls, so that a reader that misses it ends too. */
const LATE = 60

/** Answers with these pages, chained by tokens. */
const chain = (pages: object[][], more: object = {}) => {
  return ({ token }: AskedPage) => {
    const at = token === '' ? 0 : Number(token)
    const next = at + 1 < pages.length ? String(at + 1) : ''
    return { ...more, users: pages[at] ?? [], next_page_token: next }
  }
}

describe('a repeated page token', () => {
  const record = ({ calls }: AskedPage) => ({ users: u(calls) })
  const loops: [string, number, (asked: AskedPage) => object][] = [
    ['on each page', 2, () => ({ next_page_token: 'a' })],
    ['on every second page', 3, ({ token }) => ({ next_page_token: token === 'a' ? 'b' : 'a' })],
    [
      'from the third page on',
      4,
      ({ token }) => ({ next_page_token: token === '' ? 'a' : token === 'a' ? 'b' : 'c' }),
    ],
  ]
  test.each(loops)(
    '%s is followed once per pass, and fails after three passes',
    async (...loop) => {
      const [, calls, next] = loop
      const { reading, queries } = await readListOf(users, (asked) => ({
        ...record(asked),
        ...(asked.calls > LATE ? { next_page_token: '' } : next(asked)),
      }))
      expect(reading.error).toMatchObject({ code: 'page_loop' })
      expect(reading.endProven).toBe(false)
      expect(queries).toHaveLength(calls * PASSES)
    },
  )

  test('in only one pass leads to a second, complete pass', async () => {
    const { reading, keys, queries } = await readListOf(users, ({ token, calls }) => ({
      users: token === '' ? u(1, 2) : u(3),
      next_page_token: token === '' || calls === 2 ? 'a' : '',
    }))
    expect(reading).toMatchObject({ error: undefined, received: 3, endProven: true })
    expect(keys).toEqual(['u1', 'u2', 'u3'])
    expect(queries).toHaveLength(4)
  })
})

describe('a list with page tokens', () => {
  const whole: [string, object[][], object, number, boolean][] = [
    ['has an empty page in the middle', [u(1, 2), [], u(3)], {}, 3, true],
    ['begins with an empty page', [[], u(1)], {}, 1, true],
    ['is empty', [[]], {}, 0, true],
    ['has its total', [u(1, 2), u(3)], { total_records: 3 }, 3, true],
    ['has more rows than its total', [u(1, 2), u(3, 4, 5)], { total_records: 4 }, 5, true],
  ]
  test.each(whole)('that %s is read completely in one pass', async (...list) => {
    const [, pages, more, received, endProven] = list
    const { reading, queries } = await readListOf(users, chain(pages, more))
    expect(reading).toMatchObject({ error: undefined, received, endProven, repeats: 0 })
    expect(queries).toHaveLength(pages.length)
  })

  const short: [string, object[][], object][] = [
    ['fewer rows than its total', [u(1, 2), u(3)], { total_records: 4 }],
    ['no rows but a total', [[]], { total_records: 1 }],
  ]
  test.each(short)('with %s in each pass fails after three passes', async (_what, pages, more) => {
    const { reading, queries } = await readListOf(users, chain(pages, more))
    expect(reading).toMatchObject({ error: { code: 'short_list' }, endProven: false })
    expect(queries).toHaveLength(pages.length * PASSES)
  })

  const moved: [string, (pass: number) => object[][], object][] = [
    ['a different row twice', (pass) => [u(pass, 9), u(pass, 10)], { total_records: 4 }],
    ['a different row twice, and no total', (pass) => [u(pass, 9), u(pass, 10)], {}],
    ['its first page again', (pass) => [u(pass, 9), u(pass, 9), u(10)], { total_records: 6 }],
  ]
  test.each(moved)('with %s in each pass fails after three passes', async (_what, pages, more) => {
    let pass = 0
    const { reading, queries } = await readListOf(users, (asked) => {
      if (asked.token === '') pass++
      return chain(pages(pass), more)(asked)
    })
    expect(reading).toMatchObject({ error: { code: 'list_moved' }, endProven: false })
    expect(queries).toHaveLength(pages(1).length * PASSES)
  })

  test('that changed during the read is read again, and is then complete', async () => {
    let pass = 0
    const { reading, keys } = await readListOf(users, (asked) => {
      if (asked.token === '') pass++
      const pages = pass === 1 ? [u(1, 2), u(2)] : [u(1, 2), u(3)]
      return chain(pages, { total_records: 3 })(asked)
    })
    expect(pass).toBe(2)
    expect(reading).toMatchObject({ error: undefined, endProven: true, received: 3 })
    expect(new Set(keys)).toEqual(new Set(['u1', 'u2', 'u3']))
  })

  const untold: [string, object, boolean][] = [
    ['may continue', {}, false],
    ['is complete if it reaches its total', { total_records: 3 }, true],
    ['may continue past a smaller total', { total_records: 2 }, false],
  ]
  test.each(untold)(
    'whose last page has no field for a token %s',
    async (_what, more, endProven) => {
      const { reading } = await readListOf(users, ({ token }) =>
        token === '' ? { users: u(1), next_page_token: 'a', ...more } : { users: u(2, 3), ...more },
      )
      expect(reading).toMatchObject({ error: undefined, received: 3, endProven })
    },
  )
})
