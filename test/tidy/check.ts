import { spawn } from 'node:child_process'

/** `npm run check`: all of its parts side by side, what each says when it ends, and 1 when one fails. */
const PARTS = ['check:lint', 'check:dead', 'check:format']

const ends = await Promise.all(PARTS.map(run))
process.exitCode = ends.every(Boolean) ? 0 : 1

async function run(part: string): Promise<boolean> {
  const child = spawn(process.execPath, ['--run', part], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  process.stdout.write(`${part}: ${code === 0 ? 'passed' : `failed (${String(code)})`}\n${said}`)
  return code === 0
}
