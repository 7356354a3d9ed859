import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CallsheetError } from '../../../src/core/errors.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { createMail, type MailServer } from '../../../src/serve/alerts/mail.ts'
import type { Message } from '../../../src/serve/alerts/message.ts'
import { tlsOf } from '../../../src/serve/alerts/open-channels.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import {
  headersOf,
  type MailServerOptions,
  mailAuthority,
  startMailServer,
  startSilentServer,
} from './mail-server.ts'

const NOW = Date.parse('2026-07-01T05:00:00Z')
const LOGIN = { user: 'callsheet', password: 'pass-word-1' }
const MESSAGE: Message = { subject: 'Callsheet: 1 new', text: 'A job fails.\n', facts: {} }
const PEOPLE = ['olga.operator@example.com', 'second.person@example.com']

// Trusts the test's authority, as NODE_EXTRA_CA_CERTS would.
const KNOWN = getCACertificates('default')
beforeEach(() => setDefaultCACertificates([...KNOWN, mailAuthority]))
afterAll(() => setDefaultCACertificates(KNOWN))

const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function open(options: MailServerOptions = {}) {
  const server = await startMailServer(options)
  closers.push(server.close)
  const mail = (changes: Partial<MailServer> = {}, to = PEOPLE) =>
    createMail({ server: { ...settings(server.port), ...changes }, to }, { clock: systemClock })
  return { ...server, mail }
}

const settings = (port: number): MailServer => ({
  host: '127.0.0.1',
  port,
  tls: 'starttls',
  from: 'callsheet@example.com',
  timeoutMs: 20_000,
})

async function refusal(sending: Promise<unknown>): Promise<CallsheetError> {
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(CallsheetError)
  const said = `${(error as Error).message} ${JSON.stringify(error)} ${String((error as Error).cause)}`
  for (const secret of [LOGIN.password, 'wrong-one', 'olga', 'second.person'])
    expect(said).not.toContain(secret)
  return error as CallsheetError
}

describe('a mail', () => {
  it('arrives over STARTTLS with a login, with files from memory and from disk', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callsheet-mail-'))
    closers.push(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'b.csv'), 'a,b\n1,2\n')
    const { mail, taken } = await open({ login: LOGIN })
    const login = { user: LOGIN.user, password: () => LOGIN.password }
    const attachments = [
      { name: 'a.txt', content: Buffer.from('from memory'), contentType: 'text/plain' },
      { name: 'b.csv', content: { path: join(folder, 'b.csv') }, contentType: 'text/csv' },
    ]
    const message = { ...MESSAGE, attachments }
    expect(await mail({ login }).send(message)).toBeUndefined()
    expect(taken).toMatchObject([
      { from: 'callsheet@example.com', to: PEOPLE, user: LOGIN.user, secure: true },
    ])
    const source = taken[0]?.source ?? ''
    const headers = headersOf(source)
    expect(headers.get('subject')).toBe(MESSAGE.subject)
    expect(headers.get('auto-submitted')).toBe('auto-generated')
    expect(headers.get('from')).toBe('Callsheet <callsheet@example.com>')
    expect(source).toContain('filename=a.txt')
    expect(source).toContain(Buffer.from('from memory').toString('base64'))
    expect(source).toContain(Buffer.from('a,b\n1,2\n').toString('base64'))
  })

  it('arrives over TLS from the first byte, or without TLS on this machine', async () => {
    const implicit = await open({ tls: 'implicit' })
    await implicit.mail({ tls: 'implicit' }).send(MESSAGE)
    expect(implicit.taken).toMatchObject([{ secure: true }])
    const plain = await open({ tls: 'none' })
    await plain.mail({ tls: 'none' }).send(MESSAGE)
    expect(plain.taken).toMatchObject([{ secure: false }])
  })

  it('has the clock’s time as its date', async () => {
    const { port, taken } = await open()
    const clock = { ...systemClock, now: () => NOW }
    await createMail({ server: settings(port), to: PEOPLE }, { clock }).send(MESSAGE)
    expect(headersOf(taken[0]?.source ?? '').get('date')).toBe('Wed, 01 Jul 2026 05:00:00 +0000')
  })

  it('gets no additional header or address from its subject or a file name', async () => {
    const { mail, taken } = await open()
    const bad = 'x\r\nBcc: evil@example.com\r\n\r\nforged\u2028\u202e\0'
    const attachments = [
      { name: `${bad}.txt`, content: Buffer.from('1'), contentType: `text/plain${bad}` },
    ]
    await mail().send({ ...MESSAGE, subject: bad, attachments })
    const headers = headersOf(taken[0]?.source ?? '')
    expect(headers.get('subject')).toBe('x Bcc: evil@example.com forged')
    expect([...headers.keys()]).not.toContain('bcc')
    expect(taken[0]?.to).toEqual(PEOPLE)
    expect(taken[0]?.source).not.toMatch(/^bcc:/im)
  })

  it('refused for one of two addresses reaches the other, and a warning names no address', async () => {
    const { mail, taken } = await open({ unknown: [PEOPLE[0] ?? ''] })
    expect(await mail().send(MESSAGE)).toBe('1 of 2 addresses were refused')
    expect(taken).toMatchObject([{ to: [PEOPLE[1]] }])
  })
})

describe('a mail is not sent', () => {
  it.each([
    ['a wrong password', { user: LOGIN.user, password: () => 'wrong-one' }, 'status 535 5.7.8'],
    ['no password', undefined, 'the server'],
  ])('with %s', async (_name, login, came) => {
    const { mail, taken } = await open({ login: LOGIN })
    const error = await refusal(mail(login === undefined ? {} : { login }).send(MESSAGE))
    expect(error.message).toContain(came)
    expect(taken).toEqual([])
  })

  it('to a server without a login, if a login is configured', async () => {
    const { mail, taken } = await open()
    const login = { user: LOGIN.user, password: () => LOGIN.password }
    await refusal(mail({ login }).send(MESSAGE))
    expect(taken).toEqual([])
  })

  it('to a server without TLS', async () => {
    const { mail, taken } = await open({ tls: 'none' })
    expect(await refusal(mail().send(MESSAGE))).toMatchObject({ code: 'mail_tls' })
    expect(taken).toEqual([])
  })

  it('to a server with an untrusted certificate', async () => {
    setDefaultCACertificates(KNOWN)
    const { mail, taken } = await open()
    const error = await refusal(mail().send(MESSAGE))
    expect(error.message).toMatch(/SELF_SIGNED|UNABLE_TO/)
    expect(taken).toEqual([])
  })

  it('if every address is refused', async () => {
    const { mail } = await open({ unknown: PEOPLE })
    const error = await refusal(mail().send(MESSAGE))
    expect(error).toMatchObject({ code: 'mail_refused', retry: { kind: 'never' } })
    expect(error.message).toContain('550')
  })

  it('with files that are too large or missing', async () => {
    const { mail, taken } = await open()
    const file = (content: Uint8Array | { path: string }) => ({
      ...MESSAGE,
      attachments: [{ name: 'a', content, contentType: 'text/plain' }],
    })
    const large = await refusal(mail().send(file(new Uint8Array(20 * 2 ** 20 + 1))))
    expect(large).toMatchObject({ code: 'message_too_large' })
    const absent = await refusal(mail().send(file({ path: '/olga/not-there' })))
    expect(absent).toMatchObject({ code: 'attachment_unreadable' })
    expect(taken).toEqual([])
  })

  it('if no server listens', async () => {
    const server = await open()
    await server.close()
    closers.length = 0
    const error = await refusal(server.mail().send(MESSAGE))
    expect(error).toMatchObject({ code: 'delivery_unreachable', retry: { kind: 'backoff' } })
    expect(error.message).toContain('ECONNREFUSED')
  })

  it('if the server does not respond within the time limit', async () => {
    const server = await startSilentServer()
    closers.push(server.close)
    const clock = manualClock(NOW)
    const mail = createMail({ server: settings(server.port), to: PEOPLE }, { clock })
    const sending = refusal(mail.send(MESSAGE))
    await server.connected
    await clock.advance(20_000)
    expect(await sending).toMatchObject({ code: 'delivery_late' })
  })
})

describe('the connection to a mail server', () => {
  it.each([
    ['mail.example.com', 587, 'starttls'],
    ['mail.example.com', 25, 'starttls'],
    ['mail.example.com', 465, 'implicit'],
    ['127.0.0.1', 465, 'implicit'],
    ['localhost', 25, 'none'],
  ])('to %s, port %i, has the TLS mode %s', (host, port, tls) => {
    expect(tlsOf({ host, port })).toBe(tls)
  })
})
