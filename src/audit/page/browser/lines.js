/**
 * Takes a member's lines as its bytes come; undefined for one that is not read by lines.
 * @param {string} name @param {Promises} promises @param {Add} add
 * @returns {((piece: Uint8Array | undefined) => void) | undefined}
 */
function linesTo(name, promises, add) {
  let number = 0
  let before = ''
  if (name === MANIFEST) return byLine((line) => promises.addLine(LINES.decode(line)))
  if (/^records\/[a-z_]+\.ndjson$/.test(name))
    return byLine((line) => {
      promises.foundRecord(sha256(line), `${name}, line ${++number}`, 'one')
      promises.slices.addRecord(name, LINES.decode(line))
    })
  if (name === 'slices.ndjson')
    return byLine((line) =>
      promises.slices.addLine(LINES.decode(line), `${name}, line ${++number}`),
    )
  if (name !== 'files.ndjson') return undefined
  return byLine((line) => {
    number++
    const { state, sha256: digest, ...row } = parsed(LINES.decode(line)) ?? {}
    const file = `${row.session}/${row.activity}`
    if (typeof row.session !== 'string' || typeof row.activity !== 'string' || file === before)
      add(`${name}, line ${number}`, 'names no file, or one twice')
    else if (state === 'stored' && !promises.hasFile(String(digest), row))
      add(`${name}, line ${number}`, 'names a file that no entry speaks of')
    before = file
  })
}

/** @param {(line: Uint8Array) => void} take @returns {(piece: Uint8Array | undefined) => void} */
function byLine(take) {
  /** @type {Uint8Array[]} */
  let rest = []
  let length = 0
  return (piece) => {
    let from = 0
    for (;;) {
      const end = piece?.indexOf(10, from) ?? -1
      if (piece !== undefined && end >= 0 && length === 0) {
        take(piece.subarray(from, end))
        from = end + 1
        continue
      }
      const to = end < 0 ? (piece?.length ?? 0) : end
      const part = piece?.subarray(from, to)
      if (part !== undefined && part.length > 0) rest.push(part.slice())
      length += part?.length ?? 0
      if (length > LONGEST) throw new Error('a line is longer than any of a bundle')
      if (end < 0 && (piece !== undefined || length === 0)) return
      take(joined(rest, length))
      rest = []
      length = 0
      if (piece === undefined) return
      from = end + 1
    }
  }
}

/** @param {readonly Uint8Array[]} parts @param {number} length */
function joined(parts, length) {
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const LONGEST = 2 ** 27
const LINES = new TextDecoder()
