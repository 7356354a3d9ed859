/**
 * A member of a zip file.
 *
 * @typedef {object} Member
 * @property {string} name
 * @property {number} method  0 is stored, 8 deflated
 * @property {number} packed  bytes in the file
 * @property {number} size  bytes that it says it has
 * @property {number} offset  where it begins
 * @property {number} flags
 * @property {number} sum  its CRC
 * @property {number} end  where the next one begins
 */

/**
 * The members of a zip file by their names, but for folders. What is not a zip file, or one with the same
 * name twice or locked members, is an error.
 * @param {Blob} file @returns {Promise<Map<string, Member>>}
 */
async function readZip(file) {
  const { count, from, bytes } = await directoryOf(file)
  const view = await viewOf(file, from, from + bytes)
  /** @type {Map<string, Member>} */
  const members = new Map()
  /** @type {Member[]} with the folders */
  const all = []
  let [at, packed, loose] = [0, 0, 0]
  for (let number = 0; number < count; number++) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== 0x02014b50)
      throw new Error('its list of members is cut off')
    const member = memberAt(view, at)
    if ((view.getUint16(at + 8, true) & 1) === 1) throw new Error('it has an encrypted member')
    at += 46 + [28, 30, 32].reduce((sum, field) => sum + view.getUint16(at + field, true), 0)
    all.push(member)
    if (member.name.endsWith('/') && member.size === 0) continue
    if (members.has(member.name)) throw new Error(`it has ${member.name} twice`)
    packed += member.packed
    if (packed > file.size) throw new Error('it has members that lie over one another')
    if (isLoose(member)) loose += member.size
    if (loose > MOST_LOOSE) throw new Error('it has a member that unpacks to far more than it is')
    members.set(member.name, member)
  }
  if (at !== view.byteLength) throw new Error('its list of members is not as its end says')
  fill(all, from)
  return members
}

/**
 * Nothing that another program might read stands between members.
 * @param {Member[]} all @param {number} end
 */
function fill(all, end) {
  const inOrder = all.toSorted((one, other) => one.offset - other.offset)
  if ((inOrder[0]?.offset ?? end) !== 0) throw new Error('it has bytes before its members')
  for (const [nth, member] of inOrder.entries()) {
    member.end = inOrder[nth + 1]?.offset ?? end
    const more = member.end - member.offset - 30 - member.packed
    if (more < 0) throw new Error('it has members that lie over one another')
    if (more > 2 * 65_535 + 24) throw new Error('it has bytes between its members')
  }
}

/** Our text packs ten to one; what is far above that means a bomb. @param {Member} member */
function isLoose({ size, packed }) {
  return size > 100 * packed
}

/** Where the list of members is, by the record at the end. @param {Blob} file */
async function directoryOf(file) {
  const at = file.size - 22
  const view = await viewOf(file, at, file.size)
  if (at < 0 || view.getUint32(0, true) !== 0x06054b50) throw new Error('it is no zip file')
  const [count, bytes] = [view.getUint16(10, true), view.getUint32(12, true)]
  const begins = view.getUint32(16, true)
  const pointer = await viewOf(file, at - 20, at)
  const isWide = pointer.byteLength === 20 && pointer.getUint32(0, true) === 0x07064b50
  if (!isWide) return ending({ count, bytes, from: begins }, at)
  const end = await viewOf(file, at - 76, at - 20)
  const fits = end.byteLength === 56 && end.getUint32(0, true) === 0x06064b50
  if (!fits || large(pointer, 8) !== at - 76 || large(end, 4) !== 44)
    throw new Error('its list of members is not as its end says')
  const wide = { count: large(end, 32), bytes: large(end, 40), from: large(end, 48) }
  const same =
    [wide.count, 0xffff].includes(count) &&
    [wide.bytes, 0xffffffff].includes(bytes) &&
    [wide.from, 0xffffffff].includes(begins)
  if (!same) throw new Error('its list of members is not as its end says')
  return ending(wide, at - 76)
}

/**
 * Some programs find the list by its place, others count back from the end.
 * @param {{ count: number, bytes: number, from: number }} list @param {number} end
 */
function ending(list, end) {
  if (list.from + list.bytes !== end) throw new Error('its list of members is not as its end says')
  return list
}

/** @param {DataView} view @param {number} at @returns {Member} */
function memberAt(view, at) {
  const [names, extras] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)]
  const name = new TextDecoder().decode(bytesOf(view, at + 46, names))
  const fields = {
    size: view.getUint32(at + 24, true),
    packed: view.getUint32(at + 20, true),
    offset: view.getUint32(at + 42, true),
  }
  // What is too large for its field stands in an extra one, in this order.
  let wide = wideFields(view, at + 46 + names, extras)
  for (const field of /** @type {const} */ (['size', 'packed', 'offset']))
    if (fields[field] === 0xffffffff && wide !== undefined) {
      fields[field] = large(view, wide)
      wide += 8
    }
  const [flags, sum] = [view.getUint16(at + 8, true), view.getUint32(at + 16, true)]
  return { name, method: view.getUint16(at + 10, true), flags, sum, end: 0, ...fields }
}

/** @param {DataView} view @param {number} from @param {number} length */
function wideFields(view, from, length) {
  for (let at = from; at + 4 <= from + length; at += 4 + view.getUint16(at + 2, true))
    if (view.getUint16(at, true) === 1) return at + 4
  return undefined
}

/**
 * The bytes of a member. No more are read than it says it has, so that what unpacks to more ends there.
 * @param {Blob} file @param {Member} member @returns {AsyncGenerator<Uint8Array>}
 */
async function* bytesIn(file, member) {
  const { method, packed, size, offset } = member
  // What is short is read with what stands before it: each read of a file costs as much as many bytes.
  const short = packed < 2 ** 16
  const head = await viewOf(file, offset, offset + (short ? 30 + 512 + packed : 30))
  if (head.byteLength < 30 || head.getUint32(0, true) !== 0x04034b50)
    throw new Error('its beginning is not there')
  const begins = 30 + head.getUint16(26, true) + head.getUint16(28, true)
  const named = bytesOf(await viewOf(file, offset + 30, offset + 30 + head.getUint16(26, true)), 0)
  const told = [head.getUint32(14, true), head.getUint32(18, true), head.getUint32(22, true)]
  const wide = told[1] === 0xffffffff && told[2] === 0xffffffff && told[0] === member.sum
  const same = told[0] === member.sum && told[1] === packed && told[2] === size
  // Whoever packs a stream knows them afterwards.
  const later = (member.flags & 8) !== 0
  const open = later && told.every((one) => one === 0)
  const after = member.end - offset - begins - packed
  if (
    new TextDecoder().decode(named) !== member.name ||
    head.getUint16(6, true) !== member.flags ||
    head.getUint16(8, true) !== method ||
    !(same || wide || open) ||
    (later ? ![12, 16, 20, 24].includes(after) : after !== 0)
  )
    throw new Error('its own header says other than the list of members')
  const here = begins + packed <= head.byteLength
  const source = here ? new Blob([/** @type {BlobPart} */ (bytesOf(head, begins, packed))]) : file
  const from = here ? 0 : offset + begins
  const stored = source.slice(from, from + packed).stream()
  if (method !== 0 && method !== 8) throw new Error('it is packed in a way that bundles are not')
  const stream = method === 0 ? stored : stored.pipeThrough(new DecompressionStream('deflate-raw'))
  const reader = stream.getReader()
  let left = size
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      yield value.length > left ? value.subarray(0, left) : value
      left -= value.length
      if (left < 0) throw new Error('it has more bytes than it says')
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
  if (left > 0) throw new Error('it has fewer bytes than it says')
}

/** @param {Blob} file @param {Member} member */
async function wholeOf(file, member) {
  if (member.size > SMALL) throw new Error('it is larger than any of its name')
  /** @type {Uint8Array[]} */
  const pieces = []
  for await (const piece of bytesIn(file, member)) pieces.push(piece)
  return new Uint8Array(await new Blob(/** @type {BlobPart[]} */ (pieces)).arrayBuffer())
}

/** @param {Blob} file @param {number} from @param {number} to */
async function viewOf(file, from, to) {
  return new DataView(await file.slice(Math.max(0, from), to).arrayBuffer())
}

/** @param {DataView} view @param {number} at @param {number} length */
function bytesOf(view, at, length = view.byteLength - at) {
  return new Uint8Array(view.buffer, view.byteOffset + at, length)
}

/** @param {DataView} view @param {number} at */
function large(view, at) {
  return Number(view.getBigUint64(at, true))
}

const SMALL = 2 ** 24
const MOST_LOOSE = 2 ** 26
