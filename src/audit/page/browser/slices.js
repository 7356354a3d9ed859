/**
 * How the days of a bundle are told by its slices, as bundle.json says it.
 *
 * @typedef {object} Rules
 * @property {{ stream: string, overlap_days: number }} windows
 * @property {{ stream: string, prefix: string, from: string, to: string }} lists
 *
 * @typedef {{ id: string, from: number, to: number }} Session
 */

/** The slices that signed entries state, and what they prove of the days. */
class Slices {
  #add
  /** @type {Map<number, { subject: string, size: number, content: string }>} by entry */
  #stated = new Map()
  /** @type {Set<number>} */
  #found = new Set()
  /** @type {Map<string, Record<string, any>>} the newest word on each */
  #last = new Map()
  /** @type {Session[]} */
  #sessions = []
  /** @type {Set<string>} */
  #ids = new Set()
  #rows = new Rows()

  /** @param {Rules | undefined} rules @param {Add} add */
  constructor(rules, add) {
    this.rules = rules
    this.#add = add
  }

  /** @param {Entry} entry @param {string} content */
  promise({ seq, kind, subject, size }, content) {
    if (kind === 'statement') this.#stated.set(seq, { subject, size, content })
    const stream = this.rules?.windows.stream
    if (kind !== 'record' || !subject.startsWith(`${stream}/`)) return
    try {
      this.#ids.add(decodeURIComponent(subject.slice(`${stream}/`.length)))
    } catch {
      this.#add(`entry ${seq} (${subject})`, 'is about what is no record')
    }
  }

  /**
   * A line of slices.ndjson: an entry, and the slices that it states, or the row of another ledger.
   *
   * @param {string} text
   * @param {string} place
   */
  addLine(text, place) {
    const { entry, slices, row } = parsed(text) ?? {}
    const stated = this.#stated.get(entry)
    if (stated !== undefined && typeof row === 'string') {
      this.#found.add(entry)
      if (sha256(row) === stated.content) this.#rows.add(stated.subject, row)
      else this.#add(`${place}, ${stated.subject}`, 'is not what its entry states')
      return
    }
    const texts = Array.isArray(slices) && slices.every((line) => typeof line === 'string')
    if (stated === undefined || !texts) return this.#add(place, 'has slices that no entry states')
    const bytes = new TextEncoder()
    const leaves = slices.map((line) => hashOf(0, bytes.encode(line)))
    if (leaves.length !== stated.size || treeOf(leaves) !== stated.content)
      return this.#add(`${place}, ${stated.subject}`, 'is not what its entry states')
    this.#found.add(entry)
    for (const line of slices) this.#take(parsed(line) ?? {})
  }

  /** @param {Record<string, any>} slice */
  #take(slice) {
    const name = `${slice.stream} ${slice.slice}`
    const before = this.#last.get(name)
    const [at, was] = [Date.parse(slice.finished_at), Date.parse(before?.finished_at)]
    const newer = before === undefined || at > was || (at === was && slice.run_id > before.run_id)
    if (newer) this.#last.set(name, slice)
  }

  /** @param {string} name  of the member @param {string} text  a record */
  addRecord(name, text) {
    if (this.rules === undefined || name !== `records/${this.rules.windows.stream}.ndjson`) return
    const record = parsed(text) ?? {}
    const { from, to } = this.rules.lists
    const [began, ended] = [Date.parse(record[from]), Date.parse(record[to])]
    this.#sessions.push({
      id: String(record.id),
      from: Number.isNaN(began) ? -Infinity : began,
      to: Number.isNaN(ended) ? Infinity : ended,
    })
  }

  judgeMissing() {
    for (const [seq, { subject }] of this.#stated)
      if (!this.#found.has(seq))
        this.#add(`${subject}, entry ${seq}`, 'states slices that are not here')
  }

  /** The first instants of days that are proven, and of the others. @param {Record<string, any>} facts */
  daysOf(facts) {
    if (this.rules === undefined) return undefined
    const overlap = this.rules.windows.overlap_days * DAY
    const windows = this.#settled(this.rules, overlap)
    const unread = this.#unread(this.rules)
    const end = Date.parse(facts.to)
    const ran = this.#rows.ran(this.rules.windows.stream, facts)
    /** @type {{ proven: string[], open: string[], ran: Ran | undefined, audited: Audited[] }} */
    const days = { proven: [], open: [], ran, audited: this.#rows.audited() }
    for (let day = Date.parse(facts.from); day < end; day += DAY) {
      const until = Math.min(day + DAY, end)
      const lacks = unread.some(({ from, to }) => from < until && to >= day)
      const whole = !lacks && reaches(windows, day - overlap, until)
      days[whole ? 'proven' : 'open'].push(new Date(day).toISOString())
    }
    return days
  }

  /**
   * A session shows once it has ended: a window read too early may lack some.
   *
   * @param {Rules} rules
   * @param {number} overlap
   */
  #settled({ windows }, overlap) {
    return [...this.#last.values()]
      .filter(
        ({ stream, state, quarantined }) =>
          stream === windows.stream && state === 'complete' && quarantined === 0,
      )
      .map(({ owned_from: from, owned_to: to, requested_at: at }) => ({
        from: Date.parse(from),
        to: Math.min(Date.parse(to), Date.parse(at) - overlap),
      }))
      .toSorted((one, other) => one.from - other.from)
  }

  /** One that has no record here may have been on any day. @param {Rules} rules */
  #unread({ lists }) {
    const timed = new Set(this.#sessions.map(({ id }) => id))
    const untimed = [...this.#ids].filter((id) => !timed.has(id))
    const all = [...this.#sessions, ...untimed.map((id) => ({ id, from: -Infinity, to: Infinity }))]
    return all.filter(({ id }) => {
      const own = this.#last.get(`${lists.stream} ${lists.prefix}${id}`)
      return own?.state !== 'complete' || own.quarantined > 0 || own.error !== null
    })
  }
}

/**
 * @param {readonly { from: number, to: number }[]} windows  in order
 * @param {number} from
 * @param {number} to
 */
function reaches(windows, from, to) {
  let reached = from
  for (const one of windows) if (one.from <= reached) reached = Math.max(reached, one.to)
  return reached >= to
}

const DAY = 86_400_000
