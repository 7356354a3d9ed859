import { StoreError } from '../core/errors.ts'

/** Returns the name of a file; throws if it is not a SHA-256, so that no path escapes the store. */
export function fileName(sha256: string): string {
  if (/^[0-9a-f]{64}$/.test(sha256)) return sha256
  throw badName('a file', 'a SHA-256 in lower-case hex')
}

/** Returns the name of a note; throws if it is not allowed, e.g. because it begins with a dot. */
export function noteName(name: string): string {
  if (/^[\w-][\w.-]{0,120}$/.test(name)) return name
  throw badName('a note', 'letters, digits, dots, hyphens and underscores')
}

function badName(what: string, expected: string): StoreError {
  return new StoreError('store_name', {
    tried: `Naming ${what} of the archive`,
    expected,
    came: 'the name has another form',
    todo: 'report this as a bug',
  })
}
