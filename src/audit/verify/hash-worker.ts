import { createHash, hash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

/** A file's digest and size, or the code of the system's or the store's error; `came` is its message. */
export type Hashed = { sha256: string; bytes: number } | { code: string; came?: string }

/**
 * A thread that reads and hashes files with blocking reads, which are several times faster for small files
 * than asynchronous reads. It must not block on anything else: a thread stuck in a system call cannot be
 * ended.
 */
const buffer = Buffer.allocUnsafe(2 ** 20)
const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
parentPort?.on('message', (paths: string[]) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(paths.map(hashFile))
})

function hashFile(path: string): Hashed {
  let file: number | undefined
  try {
    file = openSync(path, READ_AT_ONCE)
    return fstatSync(file).isFile() ? hashOpen(file) : { code: 'EISDIR' }
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? 'unknown' }
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function hashOpen(file: number): Hashed {
  const first = readSync(file, buffer)
  let read = first === 0 ? 0 : readSync(file, buffer, first, buffer.length - first, null)
  // Most files fit into the buffer, and one call hashes such a file.
  if (read === 0 && first < buffer.length)
    return { sha256: hash('sha256', buffer.subarray(0, first), 'hex'), bytes: first }
  const whole = createHash('sha256').update(buffer.subarray(0, first + read))
  let bytes = first + read
  while ((read = readSync(file, buffer)) > 0) {
    whole.update(buffer.subarray(0, read))
    bytes += read
  }
  return { sha256: whole.digest('hex'), bytes }
}
