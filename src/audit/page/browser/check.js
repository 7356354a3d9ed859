/**
 * What the page says of a bundle.
 *
 * @typedef {object} Checked
 * @property {string | undefined} key  the fingerprint of the bundle's key
 * @property {Head | undefined} head  the newest
 * @property {Record<string, any>} facts  what bundle.json says
 * @property {Promises['counts']} counts
 * @property {ReturnType<Slices['daysOf']>} days  that the signed slices prove, and when that was read
 * @property {{ what: string, found: string }[]} findings
 * @property {number} findingCount  with those that are not kept
 * @property {string | undefined} witnesses  who cosigned the checkpoint
 * @property {string[]} unknown  what could not be told
 */

/**
 * Checks a bundle: the signature over its sums, each member against them, the chain of heads, and each entry,
 * file and record. A file that is no bundle at all is an error.
 * @param {Blob} file
 * @param {{ key: string, head: string, witnesses: NamedWitnesses }} noted  empty where the person noted none
 * @param {(share: number) => void} tell  of the bytes
 * @returns {Promise<Checked>}
 */
async function checkBundle(file, noted, tell) {
  const bundle = new Bundle(file, await readZip(file), tell)
  const key = await keyOf(await bundle.text('key.pem'))
  if (key === undefined) bundle.add('key.pem', 'is no Ed25519 key')
  const signed = await bundle.readSums(key)
  // What no signed sums name may be anything and take any time: it is not read.
  if (!signed)
    return judged(bundle, { key, noted, heads: [], promises: undefined, facts: {}, seen: {} })
  const facts = parsed(await bundle.text('bundle.json')) ?? {}
  const keys = await keysOf(bundle, /** @type {Key} */ (key))
  const heads = await headsOf(bundle, keys, facts.account)
  const log = await logOf(bundle, { keys, head: heads.at(-1), account: String(facts.account) })
  const seen = await witnessesOf(bundle, { note: log?.note, named: noted.witnesses })
  const promises = new Promises(
    facts.account,
    { heads, log, slices: new Slices(facts.slices, bundle.add) },
    bundle.add,
  )
  await bundle.readMembers(promises)
  promises.judgeMissing()
  compareFacts(bundle, facts, { counts: promises.counts, heads, key })
  return judged(bundle, { key, noted, heads, promises, facts, seen })
}

class Bundle {
  /** @type {{ what: string, found: string }[]} */
  findings = []
  findingCount = 0
  /** @type {Map<string, string>} */
  sums = new Map()
  #read = 0

  /** @param {Blob} file @param {Map<string, Member>} members @param {(share: number) => void} tell */
  constructor(file, members, tell) {
    this.file = file
    this.members = members
    this.tell = tell
    /** @type {Add} */
    this.add = (what, found) => {
      if (++this.findingCount <= MOST_KEPT) this.findings.push({ what, found })
    }
  }

  /** Whether far more is wrong than is told, so that there is no more to look for. */
  get isHopeless() {
    return this.findingCount > MOST_WRONG
  }

  /**
   * A small member's bytes; none where there is no such member, or it cannot be read.
   * @param {string} name
   */
  async bytes(name) {
    const member = this.members.get(name)
    if (member === undefined) return new Uint8Array()
    return await wholeOf(this.file, member).catch(() => new Uint8Array())
  }

  /** @param {string} name */
  async text(name) {
    return new TextDecoder().decode(await this.bytes(name))
  }

  /** The names of members of a form, in order. @param {RegExp} form */
  names(form) {
    return [...this.members.keys()].filter((name) => form.test(name)).toSorted()
  }

  /** Whether the sums are signed; they name all members then. @param {Key | undefined} key */
  async readSums(key) {
    for (const name of REQUIRED) if (!this.members.has(name)) this.add(name, 'is missing')
    const bytes = await this.bytes('SHA256SUMS')
    const signature = await this.bytes('SHA256SUMS.sig')
    if (key === undefined || !(await isSigned(key, bytes, signature))) {
      this.add('SHA256SUMS', 'is not signed by the key of the bundle')
      return false
    }
    for (const line of new TextDecoder().decode(bytes).split('\n').slice(0, -1)) {
      const [, digest, name] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? []
      if (digest === undefined || name === undefined || this.sums.has(name))
        this.add('SHA256SUMS', 'has a line that no bundle has')
      else this.sums.set(name, digest)
    }
    for (const name of this.sums.keys()) if (!this.members.has(name)) this.add(name, 'is missing')
    for (const name of this.members.keys())
      if (!this.sums.has(name) && !OUTSIDE.includes(name))
        this.add(name, 'was added: no sum names it')
    return true
  }

  /** Reads each member that the sums name, the manifest first. @param {Promises} promises */
  async readMembers(promises) {
    const rest = [...this.sums.keys()].filter((name) => name !== MANIFEST && this.members.has(name))
    for (const name of this.members.has(MANIFEST) ? [MANIFEST, ...rest] : rest) {
      if (this.isHopeless) return this.add(name, 'and what follows was not read: too much is wrong')
      const digest = await this.#readMember(name, promises)
      const [, file] = /^files\/([0-9a-f]{64})$/.exec(name) ?? []
      if (file !== undefined) promises.foundFile(file, digest)
      if (digest !== undefined && /^records\/[0-9a-f]{64}\.json$/.test(name))
        promises.foundRecord(digest, name, 'all')
      if (digest !== undefined && digest !== this.sums.get(name)) this.add(name, 'was changed')
      if (!NAMES.test(name)) this.add(name, 'was added: a bundle has no member of this name')
    }
  }

  /** Its SHA-256; undefined where it could not be read. @param {string} name @param {Promises} promises */
  async #readMember(name, promises) {
    const member = /** @type {Member} */ (this.members.get(name))
    const sum = new Sha256()
    const lines = linesTo(name, promises, this.add)
    const before = this.findingCount
    try {
      if (isBomb(member)) throw new Error('it unpacks to far more than it is')
      for await (const piece of bytesIn(this.file, member)) {
        sum.update(piece)
        lines?.(piece)
        if (this.findingCount - before > MOST_WRONG)
          throw new Error(`more than ${MOST_WRONG} things in it are wrong: the rest was not read`)
      }
      lines?.(undefined)
    } catch (error) {
      this.add(name, `cannot be read: ${/** @type {Error} */ (error).message}`)
      return undefined
    }
    this.#read += member.packed
    this.tell(Math.min(1, this.#read / this.file.size))
    return sum.digest()
  }
}

/** Records may be one letter a million times, and small members anything. @param {Member} member */
function isBomb(member) {
  return isLoose(member) && member.size > 2 ** 24 && !member.name.startsWith('records/')
}

/**
 * @param {Bundle} bundle @param {Record<string, any>} facts
 * @param {{ counts: Promises['counts'], heads: readonly Head[], key: Key | undefined }} found
 */
function compareFacts(bundle, facts, { counts, heads, key }) {
  for (const name of /** @type {const} */ (['entries', 'records', 'files']))
    if (facts[name] !== counts[name])
      bundle.add(name, `are ${counts[name]}, and bundle.json says ${facts[name]}`)
  const last = heads.at(-1)?.hash
  if (facts.head !== last)
    bundle.add('the newest head', `is not ${facts.head}, as bundle.json says`)
  if (facts.key !== key?.fingerprint) bundle.add('key.pem', 'is not the key that bundle.json names')
}

const MANIFEST = 'manifest.ndjson'
/** The names that a bundle has. */
const NAMES = new RegExp(
  '^(' +
    [
      'README.txt|bundle.json|(manifest|files|slices).ndjson|key.pem|[a-z-]+.(xlsx|html)',
      '(heads/\\d{6,15}|breaks/\\d{6,15}-\\d{6,15}).(json|sig)',
      'checkpoint(.vkey)?|witnesses|keys/[0-9a-f]{64}.pem|files/[0-9a-f]{64}',
      'anchors/\\d{6,15}.(tsr|pem|txt)|renewals/\\d{6,15}.(tsr|pem|sums)',
      'records/([0-9a-f]{64}.json|[a-z_]{1,60}.ndjson)',
    ]
      .join('|')
      .replaceAll('.', '\\.') +
    ')$',
)
const OUTSIDE = ['SHA256SUMS', 'SHA256SUMS.sig']
const REQUIRED = ['README.txt', 'bundle.json', 'key.pem', MANIFEST, 'files.ndjson', ...OUTSIDE]
const MOST_KEPT = 200
/** In one member: a forged one may have millions of lines. */
const MOST_WRONG = 2_000
