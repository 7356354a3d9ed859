/**
 * An Ed25519 key.
 *
 * @typedef {{ fingerprint: string, key: CryptoKey, raw: Uint8Array }} Key
 */

/**
 * The key of a PEM text; undefined where it holds none.
 * @param {string} pem @returns {Promise<Key | undefined>}
 */
async function keyOf(pem) {
  const [, base64 = ''] = /-----BEGIN PUBLIC KEY-----([\sA-Za-z0-9+/=]+)-----END/.exec(pem) ?? []
  try {
    const der = Uint8Array.from(atob(base64.replaceAll(/\s/g, '')), (one) => one.charCodeAt(0))
    const key = await crypto.subtle.importKey('spki', der, 'Ed25519', false, ['verify'])
    return { fingerprint: sha256(der), key, raw: der.slice(-32) }
  } catch (error) {
    if (/** @type {Error} */ (error).name === 'NotSupportedError')
      throw new Error('this browser cannot check Ed25519 signatures: take a newer one', {
        cause: error,
      })
    return undefined
  }
}

/** @param {Key} key @param {BufferSource} bytes @param {BufferSource} signature */
async function isSigned({ key }, bytes, signature) {
  return await crypto.subtle.verify('Ed25519', key, signature, bytes)
}

/**
 * The heads of a bundle in order. Each is signed, by the bundle's key or by one of before that the signed
 * sums name, and follows the one before.
 * @param {Bundle} bundle @param {Map<string, Key>} keys  the bundle's own first
 * @param {string} account @returns {Promise<Head[]>}
 */
async function headsOf(bundle, keys, account) {
  const lost = await breaksOf(bundle, keys, account)
  /** @type {Head[]} */
  const heads = []
  const order = new KeyOrder([...keys.keys()][0])
  for (const name of bundle.names(/^heads\/\d+\.json$/)) {
    if (bundle.isHopeless) break
    const bytes = await bundle.bytes(name)
    const head = parsed(new TextDecoder().decode(bytes))
    if (head === undefined) bundle.add(name, 'is no head')
    if (head === undefined) continue
    const key = keys.get(head.key)
    const signature = await bundle.bytes(name.replace('.json', '.sig'))
    if (key === undefined) bundle.add(name, `was signed by a key that is not here, ${head.key}`)
    else if (!(await isSigned(key, bytes, signature))) bundle.add(name, 'is not signed by its key')
    else if (!order.takes(head.key)) bundle.add(name, 'was signed by a key that had been replaced')
    if (head.account !== account) bundle.add(name, `is of the account ${head.account}`)
    const before = heads.at(-1)
    if (!follows(head, before, lost)) bundle.add(name, 'does not follow the head before')
    const { number, first, last, root, at, key: by } = head
    const { origin } = lost.findLast(({ to }) => to < number) ?? {}
    heads.push({ number, first, last, root, at, key: by, hash: sha256(bytes), origin })
  }
  return heads
}

/** @param {Record<string, any>} head @param {Head | undefined} before @param {readonly Break[]} lost */
function follows(head, before, lost) {
  const { number, hash, last } = before ?? { number: 0, hash: '0'.repeat(64), last: 0 }
  const gap = lost.find(({ after, after_hash: of }) => after === number && of === hash)
  const due = (gap?.to ?? number) + 1
  const chained = head.prev_head === hash && head.number === due
  return chained && head.first === last + 1 && head.last >= head.first
}

/** @param {Bundle} bundle @param {Key} own @returns {Promise<Map<string, Key>>} */
async function keysOf(bundle, own) {
  const keys = new Map([[own.fingerprint, own]])
  for (const name of bundle.names(/^keys\//)) {
    if (bundle.isHopeless) break
    const bytes = await bundle.bytes(name)
    const vouched = bundle.sums.get(name) === sha256(bytes)
    const key = vouched ? await keyOf(new TextDecoder().decode(bytes)) : undefined
    if (key === undefined || name !== `keys/${key.fingerprint}.pem`)
      bundle.add(name, 'is no key that the key of the bundle vouches for')
    else keys.set(key.fingerprint, key)
  }
  return keys
}

/**
 * Heads that were lost when a backup was restored, as a holder of the key stated it.
 *
 * @typedef {{ after: number, after_hash: string, to: number, origin: string }} Break
 * @param {Bundle} bundle @param {Map<string, Key>} keys @param {string} account @returns {Promise<Break[]>}
 */
async function breaksOf(bundle, keys, account) {
  /** @type {Break[]} */
  const lost = []
  for (const name of bundle.names(/^breaks\/[\d-]+\.json$/)) {
    if (bundle.isHopeless) break
    const bytes = await bundle.bytes(name)
    const one = parsed(new TextDecoder().decode(bytes))
    const key = keys.get(one?.key)
    const signature = await bundle.bytes(name.replace('.json', '.sig'))
    const { what, after, after_hash: hash, to, origin } = one ?? {}
    const named = `${originOf(account)}/from-head-${to + 1}`
    const own = what === 'callsheet break' && one?.account === account && one?.v === 1
    const fits = own && origin === named && to > after
    if (!fits || key === undefined || !(await isSigned(key, bytes, signature)))
      bundle.add(name, 'is no statement that a key of the bundle signed')
    else lost.push({ after, after_hash: hash, to, origin })
  }
  return lost.toSorted((one, other) => one.to - other.to)
}

/** Keys follow one another: one that was replaced never returns, and none follows the bundle's own. */
class KeyOrder {
  /** @type {Set<string>} */
  #before = new Set()
  /** @type {string | undefined} */
  #current

  /** @param {string | undefined} last */
  constructor(last) {
    this.last = last
  }

  /** @param {string} key */
  takes(key) {
    const current = this.#current
    if (key === current) return true
    if (current === this.last || this.#before.has(key)) return false
    if (current !== undefined) this.#before.add(current)
    this.#current = key
    return true
  }
}

/**
 * What the person is told: the findings, and what could not be told.
 * @param {Bundle} bundle
 * @param {{ key: Key | undefined, noted: { key: string, head: string }, heads: readonly Head[],
 *   promises: Promises | undefined, facts: Record<string, any>,
 *   seen: { told?: string, unknown?: string[] } }} found
 * @returns {Checked}
 */
function judged(bundle, { key, noted, heads, promises, facts, seen }) {
  /** @type {string[]} */
  const unknown = []
  if (promises === undefined) unknown.push('Anything in it: what no signed sums name is not read.')
  if (noted.key === '')
    unknown.push(
      'Whose bundle this is: anybody can make one. Name the fingerprint that you were told.',
    )
  else if (noted.key !== key?.fingerprint) bundle.add('key.pem', 'is not the key that you named')
  if (noted.head === '')
    unknown.push('Whether a newer head was left out: name the newest head that you noted.')
  else if (!heads.some(({ hash }) => hash === noted.head))
    bundle.add('the head that you named', 'is not among the heads')
  unknown.push(...(seen.unknown ?? []))
  if (bundle.names(/^anchors\//).length > 0)
    unknown.push('What time stamps and locked buckets say: README.txt tells how to ask them.')
  for (const name of bundle.names(/^breaks\/.*json$/))
    unknown.push(`What the heads covered that ${name} calls lost when a backup was restored.`)
  const counts = promises?.counts ?? { entries: 0, records: 0, files: 0, erased: 0, unsigned: 0 }
  if (counts.unsigned > 0)
    unknown.push(
      `Whether ${counts.unsigned} entries lost their salts by right: no head said so yet.`,
    )
  const { findings, findingCount } = bundle
  return {
    key: key?.fingerprint,
    head: heads.at(-1),
    facts,
    counts,
    days: promises?.slices.daysOf(facts),
    findings,
    findingCount,
    witnesses: seen.told,
    unknown,
  }
}
