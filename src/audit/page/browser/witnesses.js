/**
 * A witness of logs (c2sp.org/tlog-cosignature), and what the person named of them.
 *
 * @typedef {{ text: string, name: string, id: string, raw: string, key: CryptoKey }} Witness
 * @typedef {{ keys: readonly string[], needed: number }} NamedWitnesses
 */

/**
 * How many of which witnesses cosigned the checkpoint: of those that the person named, else of those of the
 * bundle's own list, which whoever made it wrote.
 * @param {Bundle} bundle @param {{ note: Note | undefined, named: NamedWitnesses }} by
 * @returns {Promise<{ told?: string, unknown: string[] }>}
 */
async function witnessesOf(bundle, { note, named }) {
  const list = await bundle.text('witnesses')
  const own = [...list.matchAll(/^witness w\d+ (\S+)$/gm)].map(([, key = '']) => key)
  const needed = Number(/^group needed (\d+) /m.exec(list)?.[1] ?? 0)
  if (bundle.members.has('witnesses') && (own.length === 0 || needed === 0))
    bundle.add('witnesses', 'is no list of witnesses')
  const policy = named.keys.length > 0 ? named : { keys: own, needed }
  if (policy.keys.length === 0) return { unknown: [] }
  const read = await Promise.all(policy.keys.map(witnessOf))
  if (read.includes(undefined))
    bundle.add('A key of a witness', 'is no verifier key for cosignatures')
  /** @type {Map<string, Witness>} one for each key, whatever its names */
  const witnesses = new Map()
  for (const one of read)
    if (one !== undefined && !witnesses.has(one.raw)) witnesses.set(one.raw, one)
  const said = []
  for (const witness of witnesses.values()) {
    const at = note && (await cosignedAt(note, witness))
    if (at === 'wrong') bundle.add(`the cosignature of ${witness.name}`, 'is not by its key')
    said.push({ name: witness.name, at: typeof at === 'number' ? at : undefined })
  }
  const seen = said.filter(({ at }) => at !== undefined)
  const told =
    `${seen.length} of ${said.length}, ${policy.needed} needed: ` +
    said
      .map(({ name, at }) => (at === undefined ? `not ${name}` : `${name} (${utcOf(at)})`))
      .join(', ')
  if (policy === named) {
    if (seen.length < named.needed)
      bundle.add('checkpoint', `is cosigned by too few of the witnesses that you named: ${told}`)
    return { told, unknown: [] }
  }
  const question = 'Whether witnesses that you trust saw this log, and no other: name their keys.'
  return { told: `${told} (by the bundle’s own list)`, unknown: [question] }
}

/** @param {number} seconds */
function utcOf(seconds) {
  return new Date(seconds * 1000).toISOString()
}

/** @param {string} text @returns {Promise<Witness | undefined>} */
async function witnessOf(text) {
  const [, name = '', id = '', base64 = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? []
  const hex = hexOf(base64)
  if (hex?.length !== 66 || !hex.startsWith('04')) return undefined
  const named = new Sha256().update(new TextEncoder().encode(`${name}\n`)).update(fromHex(hex))
  if (named.digest().slice(0, 8) !== id) return undefined
  const raw = hex.slice(2)
  const key = await crypto.subtle
    .importKey('raw', fromHex(raw), 'Ed25519', false, ['verify'])
    .catch(() => undefined)
  return key && { text, name, id, raw, key }
}

/**
 * When the witness cosigned, in seconds; undefined where it did not.
 * @param {Note} note @param {Witness} witness @returns {Promise<number | 'wrong' | undefined>}
 */
async function cosignedAt({ text, signatures }, { name, id, key }) {
  const own = signatures.filter((one) => one.name === name && one.id === id)
  /** @type {number | undefined} */
  let at
  for (const { hex } of own) {
    if (hex.length !== 144) return 'wrong'
    const time = BigInt(`0x${hex.slice(0, 16)}`)
    const bytes = new TextEncoder().encode(`cosignature/v1\ntime ${time}\n${text}`)
    const good = await crypto.subtle.verify('Ed25519', key, fromHex(hex.slice(16)), bytes)
    if (!good || time === 0n || time > 8_640_000_000_000n) return 'wrong'
    at ??= Number(time)
  }
  return at
}
