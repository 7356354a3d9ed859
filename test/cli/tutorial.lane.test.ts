import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../tidy/source-files.ts'
import { expectShown, linesOf } from './shown.ts'
import { type Ended, type Started, start } from './workbench.ts'

/** A command of the tutorial, and the lines of its shown output; `...` is any text. */
interface Step {
  command: string
  shown: string[]
}

const page = readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8')
const [first, ...steps] = stepsOf(page)
const [, settings = ''] = /```yaml\n(.*?)```/s.exec(page) ?? []
const folder = mkdtempSync(join(tmpdir(), 'callsheet-tutorial-'))
let service: Started
let started = ''
let port = ''

beforeAll(async () => {
  service = start([...wordsOf(first?.command ?? ''), '--port', '0'], { folder })
  started = await printed(service)
  port = /127\.0\.0\.1:(\d+)/.exec(started)?.[1] ?? ''
  writeFileSync(join(folder, 'config.yaml'), settings.replaceAll('8080', port))
})
afterAll(async () => {
  service.child.kill('SIGINT')
  await service.ended
  // If the tests run as root, the embedded server keeps its data elsewhere, behind a link.
  const link = join(folder, '.callsheet/postgres/cluster')
  if (existsSync(link)) rmSync(realpathSync(link), { recursive: true })
  rmSync(folder, { recursive: true, force: true })
})

describe('the tutorial', () => {
  it('starts the simulated service', () => {
    expect(first?.command).toBe('callsheet sandbox --scale 0.02')
    expectShown(started, first?.shown ?? [])
  })

  it('shows the settings that the service prints', () => {
    expect(settings).toContain('accounts:\n')
    expect(started.replaceAll(port, '8080')).toContain(settings)
  })

  it.each(steps)('shows the real output of $command', async ({ command, shown }) => {
    const { code, stdout, stderr }: Ended = await start(wordsOf(command), { folder }).ended
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expectShown(stdout, shown)
  })
})

function stepsOf(text: string): Step[] {
  return [...text.matchAll(/```console\n\$ (.*)\n([^]*?)```/g)].map(
    ([, command = '', shown = '']) => ({
      command,
      shown: linesOf(shown),
    }),
  )
}

function wordsOf(command: string): string[] {
  return command.split(' ').slice(1)
}

async function printed({ child }: Started): Promise<string> {
  let said = ''
  return await new Promise((resolve) =>
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('RESOURCE-INTENSIVE')) resolve(said)
    }),
  )
}
