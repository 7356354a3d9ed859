import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/time/clock.ts'
import { createCommand } from '../../../src/serve/alerts/command.ts'
import type { Message } from '../../../src/serve/alerts/message.ts'
import { manualClock } from '../../helpers/manual-clock.ts'

const NOW = Date.parse('2026-07-01T05:00:00Z')
const MESSAGE: Message = {
  subject: 'Callsheet: 1 new',
  text: 'A job fails.',
  facts: { kind: 'alert' },
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-command-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A channel that runs a JavaScript program, with an argument that a shell would interpret. */
function command(name: string, script: string, clock = systemClock) {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, `import { readFileSync, writeFileSync } from 'node:fs'\n${script}`)
  const out = join(folder, `${name}.out`)
  const words = [process.execPath, file, out, '$(touch x); "a b" > c']
  const environment = { PATH: process.env.PATH, LANG: 'C' }
  const settings = { setting: 'alerts.command', command: words, environment, timeoutMs: 5_000 }
  return { out, channel: createCommand(settings, { clock }) }
}

describe('an alert command', () => {
  it('gets the message on standard input, its own arguments, and a minimal environment', async () => {
    const { out, channel } = command(
      'takes',
      `const said = JSON.parse(readFileSync(0, 'utf8'))
       console.log('nobody hears this')
       writeFileSync(process.argv[2], JSON.stringify([said, process.argv[3], Object.keys(process.env)]))`,
    )
    expect(await channel.send(MESSAGE)).toBeUndefined()
    const [said, word, names] = JSON.parse(readFileSync(out, 'utf8')) as [object, string, string[]]
    expect(said).toEqual({
      version: 1,
      subject: MESSAGE.subject,
      text: MESSAGE.text,
      kind: 'alert',
    })
    expect(word).toBe('$(touch x); "a b" > c')
    expect(names.filter((name) => !name.startsWith('__')).toSorted()).toEqual(['LANG', 'PATH'])
  })

  it('need not read its input', async () => {
    const { channel } = command('deaf', 'process.exit(0)')
    const text = 'x'.repeat(2 ** 20)
    expect(await channel.send({ ...MESSAGE, text })).toBeUndefined()
  })

  it('has failed if it exits with another code than 0', async () => {
    const { channel } = command('fails', `console.error('a secret'); process.exit(3)`)
    const sending = channel.send(MESSAGE)
    await expect(sending).rejects.toMatchObject({ code: 'command_failed' })
    await expect(sending).rejects.toThrow('the command ended with exit code 3')
    await expect(sending).rejects.not.toThrow('a secret')
  })

  it('has failed if it does not exist or is not executable', async () => {
    const plain = join(folder, 'plain.txt')
    writeFileSync(plain, '')
    chmodSync(plain, 0o600)
    for (const [program, came] of [
      [join(folder, 'absent'), 'the program does not exist'],
      [plain, 'the program cannot be started (EACCES)'],
    ] as const) {
      const settings = { setting: 'alerts.command', command: [program], environment: {} }
      const channel = createCommand({ ...settings, timeoutMs: 5_000 }, { clock: systemClock })
      await expect(channel.send(MESSAGE)).rejects.toThrow(came)
    }
  })

  it('is ended after its time limit, with the processes that it started', async () => {
    const clock = manualClock(NOW)
    const { out, channel } = command(
      'hangs',
      `import { spawn } from 'node:child_process'
       const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
       writeFileSync(process.argv[2], String(child.pid))
       setInterval(() => {}, 1000)`,
      clock,
    )
    const ended = channel.send(MESSAGE).catch((error: unknown) => error)
    while (!existsSync(out) || readFileSync(out, 'utf8') === '') await new Promise(setImmediate)
    await clock.advance(5_000)
    expect(await ended).toMatchObject({ code: 'delivery_late' })
    const pid = Number(readFileSync(out, 'utf8'))
    while (isThere(pid)) await new Promise(setImmediate)
    expect(isThere(pid)).toBe(false)
  })
})

/** Returns whether a process runs. A zombie process does not. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return (
      !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    )
  } catch {
    return false
  }
}
