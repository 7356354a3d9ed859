/** @param {string} id */
function part(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id))
}

/** @param {string} id */
function written(id) {
  return /** @type {HTMLInputElement} */ (part(id)).value.trim().toLowerCase()
}

/** The witnesses that the person trusts; all are needed if no number is named. @returns {NamedWitnesses} */
function namedWitnesses() {
  const { value } = /** @type {HTMLTextAreaElement} */ (part('witnesses'))
  const keys = value.split(/\s+/).filter((key) => key !== '')
  const needed = written('needed')
  return { keys, needed: /^[1-9]\d{0,2}$/.test(needed) ? Number(needed) : keys.length }
}

/** @param {string} name @param {string} text @param {string} [look] */
function element(name, text, look) {
  const made = document.createElement(name)
  made.textContent = text
  if (look !== undefined) made.className = look
  return made
}

/** What the first line says, and how it looks. @param {Checked} checked @param {string} noted */
function verdictOf({ findingCount, key }, noted) {
  if (findingCount > 0)
    return {
      look: 'bad',
      text:
        `${findingCount === 1 ? '1 finding' : `${findingCount} findings`}: ` +
        'the bundle is not as it was made.',
    }
  if (noted === '')
    return {
      look: 'warning',
      text:
        'Not known: whose this bundle is. It agrees with itself, as one of anybody’s making would. ' +
        `Compare the fingerprint of its key with the one that you were told: ${key}.`,
    }
  return { look: 'good', text: 'Nothing was altered since the holder of the named key signed it.' }
}

/** @param {Checked} checked @returns {[string, string][]} */
function factsOf({ facts, key, head, counts, days, witnesses }) {
  const of = facts.case === undefined ? [] : [['Case', `${facts.case.name}: ${facts.case.reason}`]]
  const rows = [
    ['Account', facts.account],
    ['From', facts.from],
    ['Until before', facts.to],
    ['Whiteboard', facts.whiteboard ?? 'all'],
    ['User', facts.user ?? 'all'],
    ...of,
    ['Exported', facts.exported_at],
    ['Key', key ?? 'none'],
    ['Newest head', head === undefined ? 'none' : `${head.number}, ${head.hash}`],
    ['Signed', head?.at ?? ''],
    ...(witnesses === undefined ? [] : [['Cosigned by witnesses', witnesses]]),
    ['Entries', counts.entries],
    ['Records', counts.records],
    ['Files', counts.files],
    ['Erased, or not in it', counts.erased],
    ...(days === undefined ? [] : [['Days proven read', daysText(days)]]),
    ...(days?.ran === undefined ? [] : [['When it ran', ranText(days.ran)]]),
    ...(days?.audited ?? []).map((one) => ['What was audited', auditedText(one)]),
  ]
  return rows.map(([name, value]) => [String(name), String(value ?? '(not told)')])
}

/**
 * By the slices that signed entries state, and nothing else.
 *
 * @param {{ proven: string[]; open: string[] }} days
 */
function daysText({ proven, open }) {
  const all = proven.length + open.length
  if (open.length === 0) return `all ${all}`
  const first = open.slice(0, 5).map((day) => day.slice(0, 10))
  const more = open.length > first.length ? ` and ${open.length - first.length} more` : ''
  return `${proven.length} of ${all}; not ${first.join(', ')}${more}`
}

/** A run that the bundle leaves out shows as a gap. @param {Ran} ran */
function ranText({ runs, first, last, gaps }) {
  if (runs === 0) return 'no run is in it'
  const times = runs === 1 ? `once, at ${first}` : `${runs} times, from ${first} to ${last}`
  if (gaps.length === 0) return `${times}; no pause was longer than was due`
  const told = gaps.slice(0, 5).map(({ from, to }) => `from ${from} to ${to}`)
  const more = gaps.length > told.length ? ` and ${gaps.length - told.length} times more` : ''
  return `${times}; nothing ran ${told.join(', ')}${more}`
}

/** @param {Audited} audited */
function auditedText({ since, settings: { files, jobs, retention } }) {
  const kinds = files.map(({ kind }) => kind).join(', ')
  const read = jobs.map(({ job, enabled, longest_wait_ms: wait }) =>
    enabled ? `${job} every ${Math.round(wait / HOUR)} h at most` : `${job} is off`,
  )
  const days = retention.map(({ keep_days: one }) => one).join(', ')
  const kept =
    retention.length === 0 ? 'kept for ever' : `kept ${days} days by rule, and while held`
  return [`since ${since}: ${read.join(', ')}`, `files: ${kinds || 'none'}`, kept].join('; ')
}

/** @param {Checked} checked */
function show(checked) {
  const { look, text } = verdictOf(checked, written('key'))
  const facts = document.createElement('dl')
  for (const [name, value] of factsOf(checked))
    facts.append(element('dt', name), element('dd', value))
  const more = checked.findingCount - checked.findings.length
  part('result').replaceChildren(
    element('p', text, `note ${look}`),
    ...listOf('What is wrong', [
      ...checked.findings.map(({ what, found }) => `${what} ${found}.`),
      ...(more > 0 ? [`And ${more} more.`] : []),
    ]),
    ...listOf('What was not judged', checked.unknown),
    element('h2', 'What it is of'),
    facts,
  )
}

/** @param {string} title @param {readonly string[]} texts */
function listOf(title, texts) {
  if (texts.length === 0) return []
  const list = document.createElement('ul')
  list.append(...texts.map((text) => element('li', text)))
  return [element('h2', title), list]
}

/** The newest choice counts: one that is still read when another is made says nothing any more. */
let turn = 0

async function check() {
  const [file] = /** @type {HTMLInputElement} */ (part('file')).files ?? []
  if (file === undefined) return
  const own = ++turn
  const say = (/** @type {string} */ text, look = 'plain') => {
    if (own === turn) part('result').replaceChildren(element('p', text, `note ${look}`))
  }
  say('Reading…')
  try {
    const noted = { key: written('key'), head: written('head'), witnesses: namedWitnesses() }
    const checked = await checkBundle(file, noted, (share) =>
      say(`Reading… ${Math.floor(share * 100)} %`),
    )
    if (own === turn) show(checked)
  } catch (error) {
    say(`This is no bundle that can be read: ${/** @type {Error} */ (error).message}.`, 'bad')
  }
}

for (const id of ['file', 'key', 'head', 'witnesses', 'needed'])
  part(id).addEventListener('change', () => void check())
