import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requestTarget } from '../../src/api/call/request-address.ts'
import { parseDuration } from '../../src/core/define/column.ts'
import { parseDate, parseInstant } from '../../src/core/time/instant.ts'
import { parseLossless, rawNumber } from '../../src/core/values/json.ts'
import { getSessionRecordings } from '../../src/resources/recordings.ts'
import { getUser } from '../../src/resources/users.ts'
import { anyText, holds } from './holds.ts'

describe('an ID in a path', () => {
  const ids = anyText().filter((id) => id.isWellFormed() && !/^\.{0,2}$/.test(id))

  it('is restored by as many decodings as encodings, and stays one segment', async () => {
    await holds(
      fc.property(ids, (id) => {
        const session = { operation: getSessionRecordings, args: { path: { sessionId: id } } }
        const targets = [
          requestTarget({ ...session, ways: { sessionId: 'twice' } }, ''),
          requestTarget({ ...session, ways: { sessionId: 'once' } }, ''),
          requestTarget({ operation: getUser, args: { path: { userId: id } } }, ''),
        ]
        const [twice, once, user] = targets.map((path) =>
          path.replace(/\?.*$/, '').split('/').slice(1),
        )
        expect([twice?.length, once?.length, user?.length]).toEqual([4, 4, 2])
        const decoded = decodeURIComponent(twice?.[2] ?? '')
        expect(decodeURIComponent(decoded)).toBe(id)
        // A gateway on the way may decode once: no slash may come out of that.
        expect(decoded).not.toContain('/')
        expect([once?.[2], user?.[1]].map((part = '') => decodeURIComponent(part))).toEqual([
          id,
          id,
        ])
      }),
    )
  })
})

describe('the lossless JSON parser', () => {
  // Of any length, and above all of the 16 to 18 digits around what a double still holds.
  const magnitude = fc.oneof(fc.bigInt(0n, 10n ** 45n), fc.bigInt(2n ** 53n - 9n, 10n ** 18n))
  const digits = fc
    .tuple(fc.boolean(), magnitude)
    .map(([minus, number]) => `${minus && number > 0n ? '-' : ''}${number}`)
  const printed = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', maxDepth: 4 },
      digits,
      anyText(12).map((text) => JSON.stringify(text)),
      fc.constantFrom('null', 'true', 'false', '[]', '{}', '0.5', '-1.25e2'),
      fc.array(tie('value'), { maxLength: 4 }).map((list) => `[${list.join(',')}]`),
      fc
        .uniqueArray(
          anyText(6).filter((name) => !/^\d+$/.test(name)),
          { maxLength: 4 },
        )
        .chain((names) =>
          fc
            .tuple(...names.map(() => tie('value')))
            .map((all) => names.map((name, at) => `${JSON.stringify(name)}:${all[at]}`)),
        )
        .map((fields) => `{${fields.join(',')}}`),
    ),
  })).value

  it('keeps every digit of every integer, and reads all other values like JSON.parse', async () => {
    const exact = (text: string): string => text.replaceAll('-1.25e2', '-125')
    await holds(
      fc.property(printed, (text) => {
        expect(JSON.stringify(parseLossless(text))).toBe(exact(text))
      }),
    )
  })

  it('equals JSON.parse for exact values, also with blanks, escapes and repeated names', async () => {
    const blank = fc.constantFrom('', ' ', '\n', '\t\r')
    const value = fc.json({ maxDepth: 3 })
    const name = fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"')
    const members = fc.array(fc.tuple(name, blank, value), { maxLength: 6 })
    await holds(
      fc.property(members, blank, (fields, space) => {
        const text = `{${space}${fields.map(([key, gap, of]) => `${key}${gap}:${of}`).join(`,${space}`)}}`
        const read = parseLossless(text) as object
        expect(JSON.stringify(read)).toBe(JSON.stringify(JSON.parse(text)))
        expect(Object.keys(read)).toEqual(Object.keys(JSON.parse(text) as object))
      }),
    )
  })

  it('refuses and accepts the same texts as JSON.parse', async () => {
    const refuses = (parse: (text: string) => unknown, text: string): boolean => {
      try {
        parse(text)
        return false
      } catch (error) {
        if (error instanceof SyntaxError) return true
        throw error
      }
    }
    let refused = 0
    const broken = fc.tuple(
      printed,
      fc.nat(),
      fc.constantFrom('', ',', '}', '"', '0', '1e', '\\', 'NaN'),
    )
    await holds(
      fc.property(broken, ([text, place, piece]) => {
        const at = place % (text.length + 1)
        const damaged = text.slice(0, at) + piece + text.slice(at + 1)
        const verdict = refuses(JSON.parse, damaged)
        if (verdict) refused++
        expect(refuses(parseLossless, damaged)).toBe(verdict)
      }),
    )
    expect(refused).toBeGreaterThan(100)
  })

  it('converts digits to a number only if no digit is lost', async () => {
    await holds(
      fc.property(digits, (text) => {
        const value = parseLossless(`[${text}]`) as [unknown]
        const safe = Number.isSafeInteger(Number(text))
        expect(rawNumber(value[0])).toBe(safe ? undefined : text)
        if (safe) expect(value[0]).toBe(Number(text))
      }),
    )
  })
})

describe('times from the service', () => {
  const moment = fc.date({
    min: new Date('0101-01-01'),
    max: new Date('9999-12-30'),
    noInvalidDate: true,
  })

  it('can be durations of up to 99,999 hours, and random text is not read as one', async () => {
    const parts = fc.tuple(fc.nat(99_999), fc.nat(59), fc.nat(59))
    const two = (part: number): string => String(part).padStart(2, '0')
    await holds(
      fc.property(parts, ([hours, minutes, seconds]) => {
        const total = String(hours * 3600 + minutes * 60 + seconds)
        expect(parseDuration(`${two(hours)}:${two(minutes)}:${two(seconds)}`)).toBe(total)
        expect(parseDuration(`${two(hours)}:${two(minutes + 60)}:${two(seconds)}`)).toBeUndefined()
      }),
    )
    await holds(
      fc.property(anyText(), (text) => {
        const read = parseDuration(text)
        expect(read === undefined || /^(\d{1,5}:)?[0-5]?\d:[0-5]\d$/.test(text)).toBe(true)
      }),
    )
  })

  it('are read as the same instant in every offset, with their fractions', async () => {
    const written = fc.tuple(moment, fc.integer({ min: -14 * 60, max: 14 * 60 }), fc.nat(999_999))
    await holds(
      fc.property(written, ([date, offset, micros]) => {
        const local = new Date(date.getTime() + offset * 60_000)
        fc.pre(local.getUTCFullYear() >= 101 && local.getUTCFullYear() <= 9_999)
        const two = (part: number): string => String(part).padStart(2, '0')
        const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
        const zone = `${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`
        const fraction = String(micros).padStart(6, '0')
        const shown = `${local.toISOString().slice(0, 19)}.${fraction}${zone}`
        const kept = fraction.replace(/0+$/, '')
        const utc = date.toISOString().slice(0, 19)
        expect(parseInstant(shown)).toBe(kept === '' ? `${utc}Z` : `${utc}.${kept}Z`)
      }),
    )
  })

  it('are refused if the instant or the day does not exist in the calendar', async () => {
    const near = fc
      .tuple(fc.nat(9999), fc.nat(19), fc.nat(39), fc.nat(29), fc.nat(69))
      .map(([y, mo, d, h, mi]) => {
        const two = (part: number): string => String(part).padStart(2, '0')
        return `${String(y).padStart(4, '0')}-${two(mo)}-${two(d)}T${two(h)}:${two(mi)}:00Z`
      })
    let read = 0
    await holds(
      fc.property(fc.oneof(near, anyText()), (text) => {
        const instant = parseInstant(text)
        if (instant === undefined) return
        read++
        expect(new Date(instant).toISOString().slice(0, 19)).toBe(instant.slice(0, 19))
        expect(parseDate(instant.slice(0, 10))).toBe(instant.slice(0, 10))
      }),
    )
    expect(read).toBeGreaterThan(20)
  })
})
