import { createHash, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The ways in which a witness may misbehave. */
export type Misbehaviour =
  | 'HTTP 500'
  | 'hangs up'
  | 'sends an empty response'
  | 'signs another checkpoint'
  | 'signs with another key'
  | 'signs under another name'
  | 'signs without a time'
  | 'signs in the future'
  | 'always conflicts'
  | 'does not know the log'

export interface WitnessServer {
  url: string
  name: string
  /** The witness's verifier key. */
  vkey: string
  /** The bodies of the received requests. */
  asked: string[]
  misbehave(how: Misbehaviour | undefined): void
  close(): Promise<void>
}

interface Seen {
  size: number
  root: Buffer
}

/**
 * A witness of logs (c2sp.org/tlog-witness) with its own checks. It knows the logs with the given verifier
 * keys, and remembers the newest checkpoint of each.
 */
export async function startWitness(
  name: string,
  logs: readonly string[],
  nowSeconds = () => Math.floor(Date.now() / 1_000),
): Promise<WitnessServer> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const witness = new Witness(name, { privateKey, publicKey }, logs)
  witness.nowSeconds = nowSeconds
  const http = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      if (witness.how === 'hangs up') response.destroy()
      const body = Buffer.concat(pieces).toString()
      const posted = request.method === 'POST' && request.url === '/w/add-checkpoint'
      if (posted) asked.push(body)
      const { status, text, type } = posted ? witness.add(body) : NOT_FOUND
      if (!response.destroyed)
        response.writeHead(status, { 'content-type': type ?? 'text/plain' }).end(text)
    })
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const asked: string[] = []
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/w`,
    name,
    vkey: witness.vkey,
    asked,
    misbehave: (how) => void (witness.how = how),
    close: async () => {
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
}

interface Answer {
  status: number
  text: string
  type?: string
}

const NOT_FOUND: Answer = { status: 404, text: '' }

class Witness {
  how: Misbehaviour | undefined
  nowSeconds = () => 0
  readonly vkey: string
  readonly #name: string
  readonly #keys: { privateKey: KeyObject; publicKey: KeyObject }
  readonly #logs: Map<string, string>
  readonly #seen = new Map<string, Seen>()

  constructor(
    name: string,
    keys: { privateKey: KeyObject; publicKey: KeyObject },
    logs: readonly string[],
  ) {
    this.#name = name
    this.#keys = keys
    this.#logs = new Map(logs.map((vkey) => [vkey.split('+', 1)[0] ?? '', vkey]))
    const typed = typedKey(4, rawKey(keys.publicKey))
    this.vkey = `${name}+${keyId(name, typed).toString('hex')}+${typed.toString('base64')}`
  }

  add(body: string): Answer {
    if (this.how === 'HTTP 500') return { status: 500, text: '' }
    const cut = body.indexOf('\n\n')
    const [first = '', ...proof] = body.slice(0, cut).split('\n')
    const note = body.slice(cut + 2)
    const text = note.slice(0, note.indexOf('\n\n') + 1)
    const [origin = '', size = '', root = ''] = text.split('\n')
    const old = Number(/^old (0|[1-9]\d*)$/.exec(first)?.[1])
    const vkey = this.#logs.get(origin)
    if (vkey === undefined || this.how === 'does not know the log')
      return { status: 404, text: 'no log' }
    if (!isSigned(note, text, vkey)) return { status: 403, text: 'not signed' }
    if (!(old <= Number(size))) return { status: 400, text: 'old' }
    const seen = this.#seen.get(origin) ?? { size: 0, root: EMPTY }
    if (old !== seen.size || this.how === 'always conflicts')
      return { status: 409, text: `${seen.size}\n`, type: 'text/x.tlog.size' }
    const now = { size: Number(size), root: Buffer.from(root, 'base64') }
    const hashes = proof.map((hash) => Buffer.from(hash, 'base64'))
    if (!goesOn(seen, now, hashes)) return { status: 422, text: 'no proof' }
    const line = this.#cosign(text)
    this.#seen.set(origin, now)
    return { status: 200, text: this.how === 'sends an empty response' ? '' : line }
  }

  #cosign(text: string): string {
    const other = generateKeyPairSync('ed25519')
    const { privateKey, publicKey } = this.how === 'signs with another key' ? other : this.#keys
    const ahead = this.how === 'signs in the future' ? 7_200 : 0
    const time = this.how === 'signs without a time' ? 0 : this.nowSeconds() + ahead
    const of = this.how === 'signs another checkpoint' ? text.replace(/\n\d+\n/, '\n1\n') : text
    const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${time}\n${of}`), privateKey)
    const stamp = Buffer.alloc(8)
    stamp.writeBigUInt64BE(BigInt(time))
    const name = this.how === 'signs under another name' ? 'somebody.example/w' : this.#name
    // The ID of the witness's own key, whichever key signs.
    const id = keyId(
      name,
      typedKey(4, rawKey(this.how === undefined ? publicKey : this.#keys.publicKey)),
    )
    return `\u2014 ${name} ${Buffer.concat([id, stamp, signature]).toString('base64')}\n`
  }
}

function isSigned(note: string, text: string, vkey: string): boolean {
  const [, name = '', id = '', base64 = ''] = /^([^+]+)\+([^+]+)\+(.+)$/.exec(vkey) ?? []
  const raw = Buffer.from(base64, 'base64').subarray(1)
  const key = { key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' } as const
  const lines = note.split('\n').filter((line) => line.startsWith(`\u2014 ${name} `))
  return lines.some((line) => {
    const bytes = Buffer.from(line.slice(name.length + 3), 'base64')
    if (bytes.subarray(0, 4).toString('hex') !== id) return false
    return verify(null, Buffer.from(text), key, bytes.subarray(4))
  })
}

/** RFC 6962, 2.1.2, by recursion: returns true if the proof leads to both roots. */
function goesOn(
  before: { size: number; root: Buffer },
  after: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (before.size === 0) return proof.length === 0
  const left = [...proof]
  const take = (): Buffer => left.shift() ?? Buffer.alloc(32)
  const roots = (m: number, n: number, own: boolean): [Buffer, Buffer] => {
    if (m === n) {
      const root = own ? before.root : take()
      return [root, root]
    }
    let k = 1
    while (2 * k < n) k *= 2
    if (m <= k) {
      const [older, newer] = roots(m, k, own)
      return [older, node(newer, take())]
    }
    const [older, newer] = roots(m - k, n - k, false)
    const one = take()
    return [node(one, older), node(one, newer)]
  }
  const [older, newer] = roots(before.size, after.size, true)
  return left.length === 0 && older.equals(before.root) && newer.equals(after.root)
}

function node(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256')
    .update(Buffer.from([1]))
    .update(left)
    .update(right)
    .digest()
}

function sha256(bytes: string | Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function keyId(name: string, typed: Buffer): Buffer {
  return sha256(Buffer.concat([Buffer.from(`${name}\n`), typed])).subarray(0, 4)
}

function typedKey(kind: number, raw: Buffer): Buffer {
  return Buffer.concat([Buffer.from([kind]), raw])
}

function rawKey(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(-32)
}

const EMPTY = sha256('')
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')
