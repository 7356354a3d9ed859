import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { Operation } from '../../../src/core/define/operation.ts'
import type { CallsheetError } from '../../../src/core/errors.ts'
import { downloadRecordingFile } from '../../../src/resources/recording-downloads.ts'
import { downloadArchivedFile } from '../../../src/resources/whiteboard-archives.ts'
import { clientUnderTest } from '../client-under-test.ts'
import { type Answer, faultServer, send } from '../fault-server.ts'
import { memorySinks } from '../memory-sink.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

interface Listed {
  operation?: Operation
  kind?: string
  bytes?: number
}

async function download(answers: Answer[], { operation, kind, bytes }: Listed = {}) {
  const server = await faultServer(...answers)
  const tested = clientUnderTest(server.url)
  closers.push(tested.close, server.close)
  const { receive, counts } = memorySinks()
  const request = { url: `${server.url}/f`, receive, bytes, kind }
  const { requests } = server
  const came = tested.client.download(operation ?? downloadArchivedFile, request)
  const stored = await came.then(({ sink }) => sink.bytes()).catch((error: CallsheetError) => error)
  return { stored, requests, counts }
}

const FILE = Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 7) & 255))
const JSON_FILE = '{"shapes":[{"type":"text","text":"failed"}],"status":"failed","error":"none"}'
const typed = (body: string | Buffer, type: string): Answer =>
  send(200, body, { 'content-type': type })
const POINTER = '{"download_url":"https://files.example.org/f?sig=canary"}'
const PAGE = '<!DOCTYPE html><html><body>Please log in</body></html>'

describe('a response that is not a file', () => {
  it.each<[string, Answer, Listed, string]>([
    ['no byte', send(200, ''), {}, 'the body is empty'],
    [
      'no byte, of a recording',
      send(200, ''),
      { operation: downloadRecordingFile, kind: 'MP4' },
      'the body is empty',
    ],
    ['no byte, although a length is listed', send(200, ''), { bytes: 512 }, 'the body is empty'],
    ['the address of the file', typed(POINTER, 'application/json'), {}, 'a link to the file'],
    ['the address without a type', send(200, POINTER), {}, 'a link to the file'],
    [
      'the address of a timeline',
      typed(POINTER, 'application/json'),
      { kind: 'TIMELINE' },
      'a link to the file',
    ],
    [
      'an address among other fields',
      send(200, '{"expires":60,"url":"https://a.example/x"}'),
      {},
      'a link to the file',
    ],
    ['an error in JSON', typed('{"success":false}', 'application/json'), {}, 'an error in JSON'],
    ['an error without a code', send(200, '{"message":"File is unavailable"}'), {}, 'an error'],
    ['an error of a timeline', send(200, '{"error":"expired"}'), { kind: 'TIMELINE' }, 'an error'],
    [
      'an error of a store',
      send(200, '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>'),
      {},
      'an error in XML',
    ],
    ['a page', typed(PAGE, 'application/octet-stream'), {}, 'an HTML page'],
    ['a page in place of captions', typed(PAGE, 'text/vtt'), { kind: 'VTT' }, 'an HTML page'],
    ['JSON in place of a video', send(200, JSON_FILE), { kind: 'MP4' }, 'text'],
    ['JSON with the type of a video', typed(JSON_FILE, 'video/mp4'), { kind: 'MP4' }, 'text'],
    ['JSON as an image', typed(JSON_FILE, 'image/png'), {}, 'text'],
    [
      'JSON under the name of an image',
      send(200, JSON_FILE, { 'content-disposition': 'attachment; filename="a.png"' }),
      {},
      'text',
    ],
    [
      'text in place of audio',
      typed('no such file', 'text/plain'),
      { kind: '.m4a' },
      'text (text/plain)',
    ],
    ['JSON in place of a chat', send(200, '{"messages":[]}'), { kind: 'CHAT' }, 'JSON, not CHAT'],
    ['JSON in place of captions', send(200, '{"cues":[]}'), { kind: 'CC' }, 'JSON, not CC'],
    [
      'a large JSON in place of a table',
      typed(`[${'"a",'.repeat(3_000)}1]`, 'application/json'),
      { kind: 'CSV' },
      'JSON, not CSV',
    ],
  ])('is rejected and requested again: %s', async (_name, answer, listed, came) => {
    const { stored, requests, counts } = await download([answer], listed)
    expect((stored as CallsheetError).facts?.came).toContain(came)
    expect((stored as CallsheetError).message).not.toContain('canary')
    expect(requests).toHaveLength(3)
    expect(counts.discarded).toBe(counts.made)
    const again = await download([answer, send(200, FILE)], { ...listed, bytes: FILE.length })
    expect(again.stored).toEqual(FILE)
  })
})

describe('a file of an unusual type', () => {
  it.each<[string, string | Buffer, string, Listed]>([
    ['JSON of a board', JSON_FILE, 'application/json', {}],
    ['JSON of a timeline', JSON_FILE, 'application/json', { kind: 'TIMELINE' }],
    ['JSON as bytes', '[1,2]', 'application/octet-stream', {}],
    ['JSON with a nested address', `{"pages":[${POINTER}],"n":1}`, 'application/json', {}],
    ['a chat', '00:00:01 Zoe: {"hello"}', 'text/plain', { kind: 'CHAT' }],
    ['captions that say they are JSON', 'WEBVTT\n\n1', 'application/json', { kind: 'TRANSCRIPT' }],
    ['a table', 'a,b\n1,2', 'text/csv', { kind: 'CSV' }],
    ['a drawing in XML', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', {}],
    ['a film', FILE, 'video/mp4', { kind: 'MP4' }],
    ['a kind of unknown form', JSON_FILE, 'text/plain', { kind: 'SUMMARY' }],
  ])('is stored unchanged: %s', async (_name, body, type, listed) => {
    const { stored } = await download([typed(body, type)], listed)
    expect(stored).toEqual(Buffer.from(body))
  })

  it('is stored empty if its listed size is zero', async () => {
    expect((await download([send(200, '')], { bytes: 0 })).stored).toEqual(Buffer.alloc(0))
  })
})

it('an error with an empty message is refused, and not stored as the file', async () => {
  const { stored } = await download([send(200, { code: '7', message: '' })])
  expect(stored).toMatchObject({ status: 200 })
  expect(stored).toBeInstanceOf(Error)
})

describe('bytes compressed in transit', () => {
  it.each<[string, Record<string, string>]>([
    ['transfer-encoding', { 'transfer-encoding': 'gzip, chunked' }],
    ['transfer-encoding', { 'transfer-encoding': 'deflate, chunked' }],
    ['content-encoding', { 'content-encoding': 'gzip' }],
    ['content-encoding', { 'content-encoding': 'bzip2' }],
  ])('are not the file: %s %j', async (_name, head) => {
    const packed: Answer = (_request, response) => {
      response.writeHead(200, head)
      response.end(gzipSync(FILE))
    }
    const { stored } = await download([packed])
    expect(stored).toMatchObject({ code: 'wrong_encoding' })
  })

  it('are not the file, even without a length: gzip until the connection closes', async () => {
    const raw: Answer = ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\nconnection: close\r\n\r\n')
      socket.end(gzipSync(FILE))
    }
    const { stored } = await download([raw], { bytes: gzipSync(FILE).length })
    expect(stored).toBeInstanceOf(Error)
  })

  it('are not assumed for chunks without such a header', async () => {
    expect((await download([send(200, FILE, { 'transfer-encoding': 'chunked' })])).stored).toEqual(
      FILE,
    )
  })
})
