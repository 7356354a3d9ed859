import { describe, expect, it } from 'vitest'
import { createLogger, type Level } from '../../../src/cli/frame/logger.ts'
import { frozenClock } from '../../../src/core/time/clock.ts'

const clock = frozenClock(Date.UTC(2026, 4, 1))

function lines(level: Level, work: (log: ReturnType<typeof createLogger>) => void): string[] {
  const written: string[] = []
  const stream = { write: (line: string) => void written.push(line) }
  work(createLogger({ level, clock, stream }))
  return written
}

describe('the log of the program', () => {
  it('has one JSON object per line, with the time of the given clock', () => {
    const [line = ''] = lines('info', (log) =>
      log.event('slice done', { stream: 'users', rows: 3 }),
    )
    expect(JSON.parse(line)).toEqual({
      level: 'info',
      time: '2026-05-01T00:00:00.000Z',
      stream: 'users',
      rows: 3,
      event: 'slice done',
    })
  })

  it('has one level per event: the given one, or the one of the event’s name', () => {
    const written = lines('debug', (log) => {
      log.event('api.failed', { level: 'warn', code: 'bad_request' })
      log.event('api.failed', { level: undefined })
      log.event('erasure waits', { level: 'warn' })
      log.event('api.answer', {})
    })
    expect(written.map((line) => line.match(/"level"/g)?.length)).toEqual([1, 1, 1, 1])
    expect(written.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual([
      'warn',
      'error',
      'warn',
      'debug',
    ])
  })

  it('contains only fields on the list of safe fields, and the names of the others', () => {
    const [line = ''] = lines('info', (log) =>
      log.event('token renewed', { accessToken: 'abc123', email: 'a@b.example', version: 4 }),
    )
    expect(line).not.toMatch(/abc123|a@b/)
    expect(JSON.parse(line)).toMatchObject({ version: 4, withheld: 'accessToken, email' })
  })

  it.each([
    ['a bearer', { error: 'sent Authorization: Bearer abc.DEF-1' }, 'abc.DEF'],
    ['a JWT', { error: 'eyJhbGciOi.eyJpc3Mi.c2ln was refused' }, 'c2ln'],
    ['a query', { url: 'https://api.example/x?access_token=abc' }, 'abc'],
    ['a token in a sentence', { error: 'GET /x?a=1&token=abc failed' }, 'abc'],
    ['a password in an address', { error: 'postgresql://me:hunter2@db/x' }, 'hunter2'],
  ])('masks %s in text from other programs', (_name, fields, secret) => {
    expect(lines('info', (log) => log.event('said', fields)).join()).not.toContain(secret)
  })

  it('shows no forged line if a value contains line breaks or control characters', () => {
    const forged = 'x\r\n{"level":"error","event":"forged"}\u001B[2J\u2028\u202E'
    const written = lines('info', (log) => log.event(forged, { reason: forged }))
    expect(written).toHaveLength(1)
    expect(written[0]?.trimEnd()).not.toMatch(/[\r\n\u2028\u202E]|\\u001b|\\r|\\n/i)
  })

  it('derives the level of an event from its name', () => {
    const names = ['request sent', 'slice done', 'retry', 'slice failed']
    const all = (log: ReturnType<typeof createLogger>) =>
      names.forEach((name) => log.event(name, {}))
    expect(lines('debug', all)).toHaveLength(4)
    expect(lines('info', all)).toHaveLength(3)
    expect(lines('warn', all)).toHaveLength(2)
    expect(lines('error', all)).toHaveLength(1)
    expect(lines('silent', all)).toHaveLength(0)
  })
})
