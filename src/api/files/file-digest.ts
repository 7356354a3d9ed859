import { createHash, type Hash } from 'node:crypto'
import { type AnswerHeaders, header } from '../answers/headers.ts'

/** Compares the bytes of a file, as they arrive, with the digests in the headers of its answer. */
export interface DigestCheck {
  update(piece: Uint8Array): void
  /** The header that the bytes contradict; undefined if none does. */
  contradicted(): string | undefined
}

/**
 * Ignores `etag`, even if it looks like a digest: storage computes it from the parts of an upload. Values
 * that cannot be read as a digest are ignored too.
 */
export function digestCheck(headers: AnswerHeaders): DigestCheck {
  const due = digestsIn(headers)
  const hashes = new Map<string, Hash>()
  for (const { algorithm } of due)
    if (!hashes.has(algorithm)) hashes.set(algorithm, createHash(algorithm))
  return {
    update(piece) {
      for (const hash of hashes.values()) hash.update(piece)
    },
    contradicted() {
      const found = new Map([...hashes].map(([name, hash]) => [name, hash.copy().digest('hex')]))
      return due.find(({ algorithm, hex }) => found.get(algorithm) !== hex)?.name
    },
  }
}

interface Digest {
  name: string
  algorithm: string
  hex: string
}

function digestsIn(headers: AnswerHeaders): Digest[] {
  const digests: (Digest | undefined)[] = ALONE.map(([name, algorithm]) =>
    digestOf(name, algorithm, header(headers, name)),
  )
  for (const name of LISTS)
    for (const [, algorithm = '', value] of (header(headers, name) ?? '').matchAll(ENTRY))
      digests.push(digestOf(name, algorithm, value))
  return digests.filter((digest) => digest !== undefined)
}

/** Reads base64, as the standards require, or hex. */
function digestOf(name: string, said: string, value = ''): Digest | undefined {
  const known = ALGORITHMS.get(said.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
  if (known === undefined) return undefined
  const { algorithm, bytes } = known
  const text = value.trim()
  if (!/^[\w+/-]+={0,2}$/.test(text)) return undefined
  const digest = Buffer.from(text, text.length === bytes * 2 ? 'hex' : 'base64')
  return digest.length === bytes ? { name, algorithm, hex: digest.toString('hex') } : undefined
}

const ALONE = [
  ['content-md5', 'md5'],
  ['x-ms-blob-content-md5', 'md5'],
  ['x-amz-checksum-sha256', 'sha256'],
  ['x-amz-checksum-sha1', 'sha1'],
] as const
/** Headers with entries like `sha-256=BASE64`, or `sha-256=:BASE64:` in newer ones. */
const LISTS = ['digest', 'content-digest', 'repr-digest', 'x-goog-hash']
const ENTRY = /([\w-]+)\s*=\s*:?([\w+/=-]+):?/g
const ALGORITHMS = new Map(
  Object.entries({ md5: 16, sha: 20, sha1: 20, sha256: 32, sha512: 64 }).map(([name, bytes]) => [
    name,
    { algorithm: name === 'sha' ? 'sha1' : name, bytes },
  ]),
)
