import { originOf, readCheckpoint, signCheckpoint } from '../../src/evidence/log/checkpoint.ts'
import { sha256Hex } from '../../src/evidence/log/digest.ts'
import { verifierKey } from '../../src/evidence/log/note.ts'
import type { SigningKey } from '../../src/evidence/log/signing-key.ts'
import { ACCOUNT } from '../helpers/evidence-stage.ts'
import type { Members } from '../helpers/rewrite-zip.ts'

export const edit =
  (name: string, change: (text: string) => string) =>
  (all: Members): void =>
    void all.set(name, Buffer.from(change(all.get(name)?.toString() ?? '')))

/** Signs checkpoint, sums and facts with another key, as somebody without the account's key can. */
export function signAnew(all: Members, other: SigningKey): void {
  const { fingerprint, pem } = other.publicKey
  all.set('key.pem', Buffer.from(pem))
  const log = readCheckpoint(all.get('checkpoint')?.toString() ?? '')
  if (log !== undefined) all.set('checkpoint', Buffer.from(signCheckpoint(other, log)))
  all.set('checkpoint.vkey', Buffer.from(`${verifierKey(originOf(ACCOUNT), other.publicKey)}\n`))
  edit('bundle.json', (text) =>
    JSON.stringify({ ...(JSON.parse(text) as object), key: fingerprint }),
  )(all)
  signSums(all, other)
}

/** Signs the sums of the changed members, as a key holder can. */
export function signSums(all: Members, key: SigningKey): void {
  const sums = [...all].filter(([name]) => !name.startsWith('SHA256SUMS'))
  const text = sums.map(([name, content]) => `${sha256Hex(content)}  ${name}\n`).join('')
  all.set('SHA256SUMS', Buffer.from(text))
  all.set('SHA256SUMS.sig', key.sign(text))
}
