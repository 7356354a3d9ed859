/**
 * What is said by `add` of what is wrong; the same words as those of `callsheet verify --bundle` where they
 * mean the same.
 *
 * @typedef {(what: string, found: string) => void} Add
 * @typedef {{ number: number, first: number, last: number, root: string, hash: string, at: string,
 *   key: string, origin: string | undefined }} Head
 * @typedef {{ v: number, seq: number, account: string, kind: string, subject: string, size: number,
 *   commitment: string }} Entry  its subject is what the line beside it tells of it
 * @typedef {object} Line
 * @property {string} text  the entry's own bytes, which its hash is of
 * @property {Entry} entry
 * @property {string | undefined} fault  what is wrong with the subject
 * @property {string | null} salt
 * @property {string | null} content
 * @property {number} head
 * @property {number} leaf
 * @property {readonly string[]} proof  in the tree of its head
 * @property {readonly (string | undefined)[] | undefined} path  in the tree over all entries
 * @property {string | undefined} unsigned
 */

/** What the manifest promises, and what of that was found. */
class Promises {
  #add
  #account
  #heads
  #log
  /** @type {Map<string, { subject: string, left: number }>} by the SHA-256 of the content */
  #records = new Map()
  /** @type {Map<string, { subject: string, wanted: number, found: boolean }>} */
  #files = new Map()
  /** @type {Map<string, string>} by subject what its file is now */
  #held = new Map()
  /** @type {Map<string, { kind: string, what: string }[]>} entries without a salt, by their subject */
  #saltless = new Map()
  #seq = 0
  /** @type {Slices} */
  slices
  counts = { entries: 0, records: 0, files: 0, erased: 0, unsigned: 0 }

  /**
   * @param {string} account
   * @param {{ heads: readonly Head[], log: Log | undefined, slices: Slices }} by
   * @param {Add} add
   */
  constructor(account, { heads, log, slices }, add) {
    this.slices = slices
    this.#account = account
    this.#heads = new Map(heads.map((head) => [head.number, head]))
    this.#log = log
    this.#add = add
  }

  /**
   * A line of the manifest: its entry is a leaf of a signed head, and commits to the content.
   * @param {string} text
   */
  addLine(text) {
    const place = `manifest.ndjson, line ${++this.counts.entries}`
    const line = readLine(text)
    if (line === undefined) return this.#add(place, 'is no line of a manifest')
    const { entry, salt, content } = line
    const what = `${place}, entry ${entry.seq} (${entry.subject})`
    if (entry.seq <= this.#seq) this.#add(what, `comes after entry ${this.#seq}`)
    this.#seq = Math.max(this.#seq, entry.seq)
    if (entry.account !== this.#account) this.#add(what, `is of the account ${entry.account}`)
    if (line.fault !== undefined) this.#add(what, line.fault)
    this.#checkProof(what, line)
    this.#checkPath(what, line)
    this.#tellSalt(what, line)
    if (salt === null) return void this.counts.erased++
    if (content === null) return this.#add(what, 'has a content that was gone when this was made')
    if (sha256(`${salt}:${content}`) !== entry.commitment)
      this.#add(what, 'is of another content than it committed to')
    this.#promise(entry, content)
  }

  /** @param {string} what @param {Line} line */
  #checkProof(what, { text, entry, head: number, leaf, proof }) {
    const head = this.#heads.get(number)
    if (head === undefined) return this.#add(what, `names head ${number}, which is not here`)
    const root = rootOf(text, { leaf, size: head.last - head.first + 1 }, proof)
    if (root !== head.root || leaf !== entry.seq - head.first)
      this.#add(what, `is no entry of head ${number}`)
  }

  /** @param {string} what @param {Line} line */
  #checkPath(what, { text, entry, path }) {
    if (this.#log === undefined) return
    const { size, root } = this.#log
    if (path === undefined) this.#add(what, 'has no proof in the tree of all entries')
    else if (rootOf(text, { leaf: entry.seq - 1, size }, path) !== root)
      this.#add(what, 'is not where it says in the tree of all entries')
  }

  /** An erasure explains the salts that are missing before it. @param {string} what @param {Line} line */
  #tellSalt(what, { entry: { kind, subject, size }, salt, unsigned }) {
    const before = this.#saltless.get(subject) ?? []
    if (kind === 'erasure' && explains(size, 'file')) this.#held.delete(subject)
    if (kind === 'erasure')
      this.#saltless.set(
        subject,
        before.filter((one) => !explains(size, one.kind)),
      )
    else if (salt === null && unsigned === undefined) {
      before.push({ kind, what })
      this.#saltless.set(subject, before)
    } else if (salt === null) this.counts.unsigned++
  }

  /** @param {Entry} entry @param {string} content */
  #promise(entry, content) {
    const { kind, subject } = entry
    this.slices.promise(entry, content)
    if (kind === 'record') {
      const { left } = this.#records.get(content) ?? { left: 0 }
      this.#records.set(content, { subject, left: left + 1 })
    } else if (kind === 'file' || kind === 'removal') {
      if (kind === 'file') this.#held.set(subject, content)
      else this.#held.delete(subject)
      const { wanted, found } = this.#files.get(content) ?? { wanted: 0, found: false }
      const by = kind === 'file' ? 1 : -1
      this.#files.set(content, { subject, wanted: Math.max(0, wanted + by), found })
    }
  }

  /** @param {string} digest @param {string} place @param {'one' | 'all'} copies */
  foundRecord(digest, place, copies) {
    this.counts.records++
    const promised = this.#records.get(digest)
    if (promised === undefined || promised.left === 0)
      return this.#add(place, 'is a record of which no entry speaks')
    promised.left -= copies === 'all' ? promised.left : 1
  }

  /** @param {string} called  the digest by which it is named @param {string | undefined} digest */
  foundFile(called, digest) {
    this.counts.files++
    const promised = this.#files.get(called)
    const name =
      promised === undefined ? `files/${called}` : `files/${called}, of ${promised.subject}`
    if (digest !== called) this.#add(name, 'is another file than when it came in')
    else if (promised === undefined || promised.wanted === 0)
      this.#add(name, 'is a file of which no entry speaks')
    // One that is changed is not missing.
    if (promised !== undefined) promised.found = true
  }

  /** @param {string} digest @param {Record<string, any>} row  of the index, which names the activity */
  hasFile(digest, { session, activity }) {
    const subject = ['whiteboard_activities', partOf(session), partOf(activity)].join('/')
    return this.#held.get(subject) === digest && (this.#files.get(digest)?.wanted ?? 0) > 0
  }

  /** What was promised and is not here. */
  judgeMissing() {
    this.slices.judgeMissing()
    for (const { subject, left } of this.#records.values())
      if (left > 0) this.#add(`the record ${subject}`, 'is not in the bundle')
    for (const [digest, { subject, wanted, found }] of this.#files)
      if (wanted > 0 && !found) this.#add(`files/${digest}, of ${subject}`, 'is not in the bundle')
    for (const entries of this.#saltless.values())
      for (const { what } of entries)
        this.#add(what, 'has lost its salt, and no erasure after it says why')
  }
}

/** @param {string} text @returns {Line | undefined} */
function readLine(text) {
  const end = text.lastIndexOf(',"salt":')
  if (!text.startsWith('{"entry":') || end < 0) return undefined
  const own = text.slice('{"entry":'.length, end)
  const entry = /** @type {Entry | undefined} */ (/** @type {unknown} */ (parsed(own)))
  const rest = parsed(`{${text.slice(end + 1)}`)
  if (entry === undefined || rest === undefined) return undefined
  const { v, seq, account, kind, subject, size, commitment } = entry
  const { salt, content, head, leaf, proof, unsigned, tlog_proof: told } = rest
  const { subject: known, subject_salt: by } = rest
  const fits =
    [seq, size, head, leaf].every((count) => Number.isSafeInteger(count) && count >= 0) &&
    [account, kind, subject, commitment].every((word) => typeof word === 'string') &&
    [salt, content].every((hex) => hex === null || HEX.test(hex)) &&
    (known === undefined || (typeof known === 'string' && HEX.test(by))) &&
    (v === 1 ? subject.startsWith('ledger/') : v === 2) &&
    Array.isArray(proof) &&
    proof.length <= 64 &&
    proof.every((hash) => HEX.test(hash) && hash.length === 64) &&
    (told === undefined || (Array.isArray(told) && told.length <= 64))
  if (!fits) return undefined
  const path = told?.map((/** @type {unknown} */ hash) => hexOf(String(hash)))
  /** @type {string | undefined} */
  let fault
  if (known === undefined && v !== 1 && salt !== null) fault = 'comes without what it is about'
  if (known !== undefined && nameOf(known, by) !== subject)
    fault = 'is about something else than its line says'
  const about = { ...entry, subject: known ?? subject }
  return { text: own, entry: about, salt, content, head, leaf, proof, path, unsigned, fault }
}

/** What a line says of a subject that it does not tell. @param {string} subject @param {string} salt */
function nameOf(subject, salt) {
  const digest = new Sha256()
    .update(fromHex(salt))
    .update(new TextEncoder().encode(subject))
    .digest()
  return `${subject.split('/', 1)[0]}/${digest}`
}

/** A part of a subject, percent-encoded (RFC 3986). @param {unknown} text */
function partOf(text) {
  const coded = encodeURIComponent(String(text).toWellFormed())
  return coded.replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Which kinds an erasure took, by the size of its entry. @param {number} size @param {string} kind */
function explains(size, kind) {
  const lost = kind === 'record' || kind === 'statement' ? kind : 'file'
  return ['record', 'file', 'file record', 'statement'].some(
    (words) => words.length === size && words.includes(lost),
  )
}

/** JSON of others, if it is an object. @param {string} text @returns {Record<string, any> | undefined} */
function parsed(text) {
  try {
    if (text.length > 4_096 && !isSimple(text)) return undefined
    const value = /** @type {unknown} */ (JSON.parse(text))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** A million brackets cost far more than other text. @param {string} text */
function isSimple(text) {
  let [depth, opened] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (letter === '"')
      while (++at < text.length && text[at] !== '"') at += text[at] === '\\' ? 1 : 0
    else if (letter === '[' || letter === '{') [depth, opened] = [depth + 1, opened + 1]
    else if (letter === ']' || letter === '}') depth--
    if (depth > 64 || opened > 10_000) return false
  }
  return true
}

const HEX = /^[0-9a-f]*$/
