import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { type Answer, faultServer, JSON_TYPE } from '../api/fault-server.ts'

const MIB = 2 ** 20
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

describe('a compressed page', () => {
  it('is abandoned at 64 MiB if it expands a thousandfold, and the process stays below 256 MiB', async () => {
    // A gzip body may have several members; each of these is 16 MiB of one letter.
    const member = gzipSync(Buffer.alloc(16 * MIB, 'a'))
    const bomb = Buffer.concat(Array.from({ length: 16 }, () => member))
    expect((256 * MIB) / bomb.length).toBeGreaterThan(1_000)
    const { ended, peakMiB } = await readPage(zipped(bomb))
    expect(ended).toBe('body_too_large')
    expect(peakMiB).toBeLessThan(256)
  })

  it('is abandoned if it never ends', async () => {
    const member = gzipSync(Buffer.alloc(4 * MIB, 'a'))
    const endless: Answer = (_request, response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' })
      const pour = (): void => {
        while (!response.destroyed && response.write(member));
      }
      response.on('drain', pour)
      pour()
    }
    const { ended, peakMiB } = await readPage(endless)
    expect(ended).toBe('body_too_large')
    expect(peakMiB).toBeLessThan(256)
  })

  it('is decompressed only once, so a doubly compressed page is not valid JSON', async () => {
    const twice = gzipSync(gzipSync('{"users":[]}'))
    const { ended } = await readPage(zipped(twice))
    expect(ended).toBe('unexpected_answer')
  })

  it('is read if it expands to a normal size (control)', async () => {
    const users = Array.from({ length: 300 }, (_, at) => ({
      id: `user ${at}`,
      dept: 'x'.repeat(9_000),
    }))
    const page = gzipSync(JSON.stringify({ users, next_page_token: '' }))
    expect(await readPage(zipped(page))).toMatchObject({ ended: '300 records' })
  })
})

function zipped(body: Buffer): Answer {
  return (_request, response) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(body)
  }
}

async function readPage(answer: Answer): Promise<{ ended: string; peakMiB: number }> {
  const server = await faultServer(answer)
  closers.push(server.close)
  const child = spawn(process.execPath, [join(import.meta.dirname, 'read-one-page.ts'), server.url])
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  await once(child, 'close')
  return JSON.parse(said) as { ended: string; peakMiB: number }
}
