import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CallsheetError } from '../../src/core/errors.ts'
import { createDirectoryStore } from '../../src/store/directory-store.ts'

interface StoreOrder {
  place: string
  bytes: number
  /** Runs as a user without root's rights. */
  humble: boolean
}

/** Stores a file in a separate process, under a shell's limits. Returns `kept` or an error's code. */
export async function storeInProcess(order: StoreOrder, limit = 'true'): Promise<string> {
  const self = fileURLToPath(import.meta.url)
  const script = `${limit}; exec "$0" "$@"`
  const child = spawn('bash', ['-c', script, process.execPath, self, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  await once(child, 'close')
  return said
}

async function work({ place, bytes, humble }: StoreOrder): Promise<string> {
  // Without a listener the kernel's signal would end the process before the write can fail.
  process.on('SIGXFSZ', () => {})
  if (humble && process.getuid?.() === 0) process.setuid?.(65_534)
  const store = createDirectoryStore(place)
  try {
    await store.open()
    const draft = await store.receive()
    for (let at = 0; at < bytes; at += 50_000)
      await draft.write(Buffer.alloc(Math.min(50_000, bytes - at)))
    await draft.keep('0'.repeat(64))
    return 'kept'
  } catch (error) {
    if (error instanceof CallsheetError) return error.code
    throw error
  } finally {
    await store.close()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(await work(JSON.parse(process.argv[2] ?? '{}') as StoreOrder))
