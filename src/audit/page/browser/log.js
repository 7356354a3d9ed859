/**
 * The tree over all entries of the account, as the newest checkpoint (c2sp.org/tlog-checkpoint) signs it.
 *
 * @typedef {{ size: number, root: string, note: Note }} Log
 * @typedef {NonNullable<ReturnType<typeof noteOf>>} Note
 */

/**
 * The state of the log by the bundle's checkpoint, which is that of its newest head. There is none
 * where entries were missing.
 * @param {Bundle} bundle
 * @param {{ keys: Map<string, Key>, head: Head | undefined, account: string }} by
 * @returns {Promise<Log | undefined>}
 */
async function logOf(bundle, { keys, head, account }) {
  if (!bundle.members.has('checkpoint')) return undefined
  const note = noteOf(await bundle.text('checkpoint'))
  const [origin, size = '', base64 = ''] = note?.text.split('\n') ?? []
  const root = hexOf(base64)
  if (note === undefined || root?.length !== 64 || !/^(0|[1-9]\d{0,15})$/.test(size)) {
    bundle.add('checkpoint', 'is no checkpoint as the standard has them')
    return undefined
  }
  const name = head?.origin ?? originOf(account)
  const key = keys.get(head?.key ?? '')
  if (key === undefined || !(await isNoteSigned(note, name, key)))
    bundle.add('checkpoint', 'is not signed by the key of the newest head')
  if (origin !== name || Number(size) !== head?.last)
    bundle.add('checkpoint', 'is not that of the newest head')
  const verifier = key && `${name}+${keyIdOf(name, key)}+${base64Of(typed(key))}\n`
  if (verifier !== undefined && (await bundle.text('checkpoint.vkey')) !== verifier)
    bundle.add('checkpoint.vkey', 'is not the key that signed the checkpoint')
  return { size: Number(size), root, note }
}

/** The name of an account's log. @param {string} account */
function originOf(account) {
  return `callsheet/${encodeURIComponent(account.toWellFormed())}`
}

/**
 * A signed note (c2sp.org/signed-note): its text, and who signed it.
 * @param {string} note
 */
function noteOf(note) {
  const end = note.lastIndexOf('\n\n')
  const lines = note.slice(end + 2, -1).split('\n')
  if (note.length > 2 ** 20 || lines.length > 64) return undefined
  const signatures = lines.flatMap((line) => {
    const [, name = '', base64 = ''] = /^\u2014 ([^\s+]+) (\S+)$/.exec(line) ?? []
    const hex = hexOf(base64)
    return hex === undefined || hex.length <= 8
      ? []
      : [{ name, id: hex.slice(0, 8), hex: hex.slice(8) }]
  })
  if (end < 0 || !note.endsWith('\n') || signatures.length !== lines.length) return undefined
  return { text: note.slice(0, end + 1), signatures }
}

/**
 * @param {Note} note @param {string} name @param {Key} key
 */
async function isNoteSigned({ text, signatures }, name, key) {
  const id = keyIdOf(name, key)
  const own = signatures.filter((one) => one.name === name && one.id === id)
  const bytes = new TextEncoder().encode(text)
  const good = await Promise.all(own.map(({ hex }) => isSigned(key, bytes, fromHex(hex))))
  return good.length > 0 && good.every(Boolean)
}

/** @param {string} name @param {Key} key */
function keyIdOf(name, key) {
  return new Sha256()
    .update(new TextEncoder().encode(`${name}\n`))
    .update(typed(key))
    .digest()
    .slice(0, 8)
}

/** The key after the number of its kind, Ed25519. @param {Key} key */
function typed({ raw }) {
  return Uint8Array.of(1, ...raw)
}

/** @param {Uint8Array} bytes */
function base64Of(bytes) {
  return btoa(String.fromCharCode(...bytes))
}

/** Base64 as hex; undefined for what is none. @param {string} base64 */
function hexOf(base64) {
  try {
    const codes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))
    return [...codes].map((code) => code.toString(16).padStart(2, '0')).join('')
  } catch {
    return undefined
  }
}
