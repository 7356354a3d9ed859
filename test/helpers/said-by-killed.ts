import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Returns the output of a process that is killed at the end of this module, so that it cannot clean up. */
export async function saidByKilled(module: string): Promise<string> {
  const code = `${module}\nprocess.kill(process.pid, 'SIGKILL')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  if (signal !== 'SIGKILL') throw new Error(`The process ended by itself and said: ${said}`)
  return said
}
