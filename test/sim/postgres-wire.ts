import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** What a connection's last answer left it in: idle, in a transaction, in a failed one, taking COPY data. */
export type Standing = 'I' | 'T' | 'E' | 'copy'

/**
 * One real connection to the server, spoken to in whole requests: what is sent, and the answer up to the
 * point where the server waits again. It outlives the simulated connections that use it one after another.
 */
export class Backend {
  pid = 0
  standing: Standing = 'I'
  /** All that the server said while the connection was being opened, to be said again to the next user. */
  greeting: Buffer = Buffer.alloc(0)
  lost = false
  /** Resolves when the server, or we, have ended it. */
  readonly closed: Promise<void>
  /** The command tags of the last answer. */
  tags: string[] = []
  /** Rows that the simulation watches may have been written since the last commit. */
  touches = false
  readonly #socket: Socket
  #answer: Buffer[] = []
  #rest: Buffer = Buffer.alloc(0)
  #awaited = 0
  #finish: (() => void) | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    this.closed = new Promise((resolve) => void socket.once('close', () => resolve()))
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      this.lost = true
      this.#end()
    })
  }

  /** Writes the bytes; resolves with the answer once the server waits for more, or is gone. */
  async exchange(bytes: Buffer): Promise<Buffer> {
    this.#answer = []
    this.tags = []
    this.#awaited = answersDue(bytes)
    if (this.#awaited === 0 || this.lost) {
      if (!this.lost) this.#socket.write(bytes)
      return Buffer.alloc(0)
    }
    const finished = new Promise<void>((resolve) => {
      this.#finish = resolve
    })
    this.#socket.write(bytes)
    await finished
    return Buffer.concat(this.#answer)
  }

  /** Ends whatever its last user left open, so that the next one finds it idle. */
  async reset(): Promise<void> {
    if (this.standing === 'copy') await this.exchange(message('f', 'given up\0'))
    if (this.standing !== 'I') await this.exchange(message('Q', 'rollback\0'))
  }

  destroy(): void {
    this.lost = true
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    while (bytes.length - at >= 5) {
      const length = 1 + bytes.readUInt32BE(at + 1)
      if (bytes.length - at < length) break
      this.#hear(String.fromCharCode(bytes[at] as number), bytes.subarray(at + 5, at + length))
      at += length
    }
    this.#answer.push(bytes.subarray(0, at))
    this.#rest = bytes.subarray(at)
    if (this.#awaited <= 0) this.#end()
  }

  #hear(type: string, body: Buffer): void {
    if (type === 'Z') {
      this.standing = String.fromCharCode(body[0] as number) as Standing
      this.#awaited--
    } else if (type === 'G') {
      this.standing = 'copy'
      this.#awaited = 0
    } else if (type === 'C') this.tags.push(body.subarray(0, -1).toString())
    else if (type === 'K') this.pid = body.readUInt32BE(0)
  }

  #end(): void {
    const finish = this.#finish
    this.#finish = undefined
    finish?.()
  }
}

/** Opens a connection that the server trusts without a password, with the start-up bytes of the driver. */
export async function openBackend(
  place: { host: string; port: number },
  startup: Buffer,
): Promise<Backend> {
  const socket = connect(place)
  await once(socket, 'connect')
  const backend = new Backend(socket)
  backend.greeting = await backend.exchange(startup)
  return backend
}

/** The start-up message is the only one without a type; every other one says what it is. */
export function isStartup(bytes: Buffer): boolean {
  return bytes.length >= 8 && bytes.readUInt32BE(4) === PROTOCOL_3
}

export function message(type: string, body: string): Buffer {
  const text = Buffer.from(body)
  const bytes = Buffer.alloc(5 + text.length)
  bytes.write(type)
  bytes.writeUInt32BE(4 + text.length, 1)
  text.copy(bytes, 5)
  return bytes
}

/** The statements that a request carries, for the trace and for faults that choose by them. */
export function statementOf(bytes: Buffer): string {
  if (isStartup(bytes)) return 'connect'
  const type = String.fromCharCode(bytes[0] as number)
  if (type === 'Q') return textAt(bytes, 5)
  if (type === 'P') return textAt(bytes, 5 + textAt(bytes, 5).length + 1)
  if (type === 'd' || type === 'c') return 'copy data'
  return type
}

function textAt(bytes: Buffer, from: number): string {
  return bytes.toString('utf8', from, bytes.indexOf(0, from))
}

/** How many times the server will say that it is ready after these messages. */
export function answersDue(bytes: Buffer): number {
  if (isStartup(bytes)) return 1
  let due = 0
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readUInt32BE(at + 1))
    if (READY_AFTER.has(bytes[at] as number)) due++
  return due
}

const PROTOCOL_3 = 196_608
const READY_AFTER = new Set(['Q', 'S', 'c', 'f'].map((letter) => letter.charCodeAt(0)))
